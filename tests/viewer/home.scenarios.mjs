// The page as one file, from disk and offline: no server answers anything here.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { boxOf, CLIPBOARD, copyLink, drop, hash, press, question, says, visit } from "./kit.mjs";

const { home, files, replay } = question;
const title = (page, text) => page.locator(".lane h2").filter({ hasText: text }).first().waitFor();
const problem = (page, text) => page.locator("#problem").filter({ hasText: text }).waitFor();

export const scenarios = {
  async "home: opens on the learnt adder beside its expert, with the claim (long)"() {
    const page = await visit(home);
    await says(page, "The learnt DFST and the expert take the same 41 steps.");
    assert.match(await page.locator("#claim").textContent(), /^Learnt from 225 .+ proved\.$/);
    await boxOf(page).fill("58+967");
    await press(page, "To the end");
    await says(page, "Answer 1025. ✓");
    await press(page, "Projector");
    await page.locator("header").waitFor({ state: "hidden" });
    await page.keyboard.press("p");
    await press(page, "Proved");
    assert.match(await page.locator("#term").textContent(), /dfst prove add10 makes it again/);
    return page;
  },

  async "home: models, experts and published machines to choose from (long)"() {
    const page = await visit(home);
    const groups = await page
      .locator("#subject optgroup")
      .evaluateAll((all) => all.map(({ label }) => label));
    assert.deepEqual(groups, ["Learnt models", "By gradient descent alone", "Experts", "Published machines"]);
    for (const [name, input, answer] of [
      ["mult10", "12*34", "Answer 408. ✓"],
      ["mult2.descent", "101*11", "Answer 1111. ✓"],
      ["expert:sort10", "31415926", "Answer 11234569. ✓"],
      ["bb3", "", "Halted after 21 steps."],
    ]) {
      await page.locator("#subject").selectOption(name);
      await title(page, name.replace("expert:", ""));
      await boxOf(page).fill(input);
      await press(page, "To the end");
      await says(page, answer);
    }
    await page.locator("#subject").selectOption("expert:add2");
    await page.locator("#against").selectOption("compiled:add2");
    await says(page, "take the same");
    return page;
  },

  async "home: files of one's own (long)"() {
    const page = await visit(home);
    for (const { file, content, end } of files) {
      await drop(page, file, content);
      await title(page, file.replace(/\.[^.]+$/, ""));
      await press(page, "To the end");
      await says(page, end);
    }
    await drop(page, "bb4.bb", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA\n");
    await title(page, "bb4");
    await page.locator(".graph .node.lit").waitFor();
    await press(page, "To the end");
    await says(page, "Halted after 107 steps.");
    await page.reload();
    await title(page, "bb4");
    await drop(page, "double.py", "print(1)");
    await problem(page, "double.py is Python, which a page cannot run");
    await drop(page, "letter.txt", "dear machine");
    await problem(page, "cannot tell the format of this machine; tried json: not JSON");
    return page;
  },

  async "home: files in XML are read as by Python"() {
    const page = await visit(replay, { bypassCSP: true });
    await page.setContent("<p>XML</p>");
    const { script, data, texts } = question.xml;
    const found = await page.evaluate(
      async ([source, held, all]) => {
        const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        const { hostedServer } = await import(address);
        const server = hostedServer(held);
        const read = async (text) => {
          try {
            return { ...(await server.read("machine.jff", text)), key: "" };
          } catch (error) {
            return error.message.includes("\n") ? "more than one line" : null;
          }
        };
        return Promise.all(all.map(read));
      },
      [script, data, texts.map(({ text }) => text)],
    );
    texts.forEach(({ text, machine }, i) => assert.deepEqual(found[i], machine, text));
    return page;
  },

  async "home: a name it does not hold is told in place (long)"() {
    const page = await visit(home + hash({ subject: "expert:add16", input: "f+1" }));
    await problem(page, "this page has no 'expert:add16'");
    return page;
  },

  async "home: a saved replay opens by itself (long)"() {
    const page = await visit(home + hash({ subject: "add10", against: "expert:add10", input: "58+967" }));
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save replay")]);
    assert.equal(download.suggestedFilename(), "add10.html");
    const saved = home.replace("play.html", "saved.html");
    writeFileSync(new URL(saved), readFileSync(await download.path()));
    const again = await visit(saved);
    await press(again, "To the end");
    await says(again, "Answer 1025. ✓");
    page.complaints.push(...again.complaints);
    await again.context().close();
    return page;
  },

  async "home: from a disk, a link is the command that opens it anywhere (long)"() {
    const page = await visit(home + hash({ subject: "add2", input: "1+1", step: "3" }), CLIPBOARD);
    await says(page, "Step 3:");
    const copied = await copyLink(page);
    assert.match(copied, /^dfst play '#subject=add2&input=1%2B1&step=3/);
    return page;
  },

  async "home: where nothing may be copied, the link is shown (long)"() {
    const page = await visit(home + hash({ subject: "add2", input: "1+1" }));
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("Write permission denied."));
    });
    await press(page, "Copy link");
    await problem(page, "The link, to copy by hand: dfst play '#subject=add2&input=1%2B1");
    return page;
  },

  async "home: worked examples are kept, shown and learnt (long)"() {
    const page = await visit(home);
    const header = { format: "dfst-traces/2", name: "flip", alphabet: ["0", "1", "λ"], blank: "λ" };
    const line = { input: "01", read: "01λ", wrote: "10λ", moved: "RRS" };
    await drop(page, "flip.jsonl", [header, line].map((each) => `${JSON.stringify(each)}\n`).join(""));
    await page.locator("#cards > li").filter({ hasText: "01" }).waitFor();
    await press(page, "Replay example 1");
    await page.locator("#hand-said").filter({ hasText: "Halted after 3 steps." }).waitFor();
    await press(page, "Learn");
    await page.locator("#training").filter({ hasText: "3 of 3 seeds found this machine: 1 state" }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save")]);
    assert.equal(download.suggestedFilename(), "flip.jsonl");
    return page;
  },
};
