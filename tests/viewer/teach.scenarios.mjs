// Teaching by hand: examples worked with keys, learnt in a worker of the page, and what can go wrong on the way.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drop, press, question, says, visit } from "./kit.mjs";

const { page: pageUrl, increment } = question;
const KEYS = { L: "ArrowLeft", R: "ArrowRight", U: "ArrowUp", D: "ArrowDown", H: "Enter" };

/** Work an example as a person does: `keys` are symbols, arrows (L R U D) and H for the halt. */
async function work(page, input, keys) {
  await page.locator("#example").fill(input);
  await page.locator("#example").press("Enter");
  await page.locator("#hand canvas").filter({ visible: true }).waitFor();
  for (const key of keys) await page.keyboard.press(KEYS[key] ?? key);
}

const cards = (page) => page.locator("#cards > li");
const problem = (page, text) => page.locator("#teach-problem").filter({ hasText: text }).waitFor();
const open = () => visit(`${pageUrl}#tab=teach`, {}, "#example");

async function learnt(page, wait) {
  await press(page, "Learn");
  await wait();
}

/** Binary increment, worked by hand and learnt. */
async function taughtIncrement() {
  const page = await open();
  for (const [input, keys] of increment.examples) await work(page, input, keys);
  assert.equal(await cards(page).count(), increment.examples.length);
  await page.locator("#meter").filter({ hasText: "6 of 6 shown" }).waitFor();
  await learnt(page, () =>
    page.locator("#training").filter({ hasText: "3 of 3 seeds found this machine: 2 states, 6 rules. No case is open." }).waitFor({ timeout: 60_000 }),
  );
  return page;
}

/** What was learnt answers these inputs rightly, and nothing that it does was not shown. */
async function asks(page, pairs) {
  for (const [input, answer] of pairs) {
    await page.locator("#try-input").fill(input);
    await page.locator("#try-input").press("Enter");
    await page.locator("#trying").getByRole("button", { name: "To the end" }).click();
    await page.locator("#trying .said").filter({ hasText: "Halted after" }).waitFor();
    assert.equal(await page.locator("#trying .answer").textContent(), answer);
    assert.equal(await page.locator("#unshown").textContent(), "");
  }
}

export const scenarios = {
  async "teach: binary increment in three examples, exact on a thousand digits"() {
    const page = await taughtIncrement();
    await asks(page, increment.asked.slice(0, 1));
    // What was taught travels: as a link, a replay, a picture, a weights file; and is watched on the other tab.
    const handed = [];
    for (const name of ["Save a replay", "Save a picture", "Save the weights"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, name)]);
      await download.saveAs(`${question.folder}/${download.suggestedFilename()}`);
      handed.push(download.suggestedFilename());
    }
    assert.deepEqual(handed, ["by-hand.html", "by-hand.png", "by-hand.safetensors"]);
    await press(page, "Watch it large");
    await page.locator("#watch .lane h2").filter({ hasText: "by hand" }).waitFor();
    await page.reload();
    await page.locator("#watch .lane h2").filter({ hasText: "by hand" }).waitFor();
    await says(page, "Ready.");
    return page;
  },

  async "teach: what was learnt is right on other numbers, and fits every screen (long)"() {
    const page = await taughtIncrement();
    await asks(page, increment.asked.slice(1));
    for (const [width, height] of [
      [1920, 1080],
      [1280, 800],
      [1024, 600],
      [768, 1024],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      const boxes = await page.locator("#hand, #trying, .lesson").evaluateAll((nodes) =>
        nodes.map((node) => {
          const parts = [node, ...node.querySelectorAll(".keypad, .sentence, .frame")];
          const all = parts.map((part) => part.getBoundingClientRect());
          const clip = node.id === "hand" ? all : all.slice(0, 1);
          return {
            left: Math.min(...clip.map(({ left }) => left)),
            right: Math.max(...clip.map(({ right }) => right)),
            top: Math.min(...clip.map(({ top }) => top)),
            bottom: Math.max(...clip.map(({ bottom }) => bottom)),
          };
        }),
      );
      for (const [i, one] of boxes.entries())
        for (const two of boxes.slice(i + 1)) {
          const beside = one.right <= two.left + 1 || two.right <= one.left + 1;
          assert.ok(beside || one.bottom <= two.top + 1 || two.bottom <= one.top + 1, `${width}×${height}`);
        }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    }
    return page;
  },

  async "teach: a symbol, then an arrow; Backspace takes back (long)"() {
    const page = await open();
    await work(page, "10", "1R");
    const said = () => page.locator("#hand-said").textContent();
    assert.match(await said(), /reads 0/);
    await page.keyboard.press("1");
    assert.match(await said(), /Writes 1/);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    assert.match(await said(), /reads 1/);
    for (const key of ["Write 0", "Move right", "Write blank", "Halt"]) await press(page, key);
    assert.deepEqual(await cards(page).locator(".step").allTextContents(), ["1→0 →", "0→λ ■"]);
    return page;
  },

  async "teach: contradictions are marked, and deleting one ends them"() {
    const page = await open();
    await work(page, "11", "RRLH");
    await work(page, "11", "R0R");
    await problem(page, "Step 2 contradicts example 1");
    for (const key of ["ArrowLeft", "Enter"]) await page.keyboard.press(key);
    await cards(page).locator(".step.clash").nth(1).waitFor();
    assert.deepEqual(await page.locator(".step.clash").allTextContents(), ["1 →", "1→0 →"]);
    assert.ok(await page.getByRole("button", { name: "Learn" }).isDisabled());
    await press(page, "Delete example 2");
    await page.locator("#meter").filter({ hasText: "shown" }).waitFor();
    assert.equal(await page.locator(".step.clash").count(), 0);
    // What was deleted or cleared comes back, and an example can be worked on.
    await press(page, "Clear");
    assert.equal(await cards(page).count(), 0);
    await page.locator("#undo-examples").click();
    await cards(page).first().waitFor();
    await page.locator("#undo-examples").click();
    await cards(page).nth(1).waitFor();
    await press(page, "Delete example 2");
    await press(page, "Go on with example 1");
    for (const key of ["ArrowLeft", "Enter"]) await page.keyboard.press(key);
    assert.deepEqual(await cards(page).locator(".step").allTextContents(), ["1 →", "1 →", "λ ←", "1 ←", "1 ■"]);
    return page;
  },

  async "teach: save, reload, load"() {
    const page = await open();
    await work(page, "01", "R0RH");
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save")]);
    const text = readFileSync(await download.path(), "utf8");
    assert.deepEqual(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        {
          format: "dfst-traces/2",
          name: "by hand",
          alphabet: ["0", "1", "λ"],
          blank: "λ",
          motions: "UDLRS",
          start: "first",
        },
        { input: "01", read: "01λ", wrote: "00λ", moved: "RRS" },
      ],
    );
    await page.reload();
    await cards(page).first().waitFor();
    await press(page, "Clear");
    assert.equal(await cards(page).count(), 0);
    await drop(page, "by-hand.jsonl", text);
    await cards(page).filter({ hasText: "01" }).waitFor();
    await press(page, "Replay example 1");
    await page.locator("#hand-said").filter({ hasText: "Halted after 3 steps." }).waitFor();
    await drop(page, "broken.jsonl", text.replace('"RRS"', '"RSR"'));
    await problem(page, "broken.jsonl, line 2: S halts");
    assert.equal(await cards(page).count(), 1);
    return page;
  },

  async "teach: bad input gets one clear line (long)"() {
    const page = await open();
    await page.locator("#alphabet").fill("0 1");
    await page.locator("#alphabet").press("Tab");
    await page.locator("#example").fill("012");
    await page.locator("#example").press("Enter");
    await problem(page, "the alphabet does not know the symbol '2'");
    await work(page, "01", "2");
    await problem(page, "'2' is not in the alphabet 0 1");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("#alphabet").fill("0 x");
    await page.locator("#alphabet").press("Tab");
    await problem(page, "the examples use '1'");
    return page;
  },

  async "teach: where the model errs, a correction becomes an example (long)"() {
    const page = await open();
    await work(page, "11", "0R0RH");
    await learnt(page, () => page.locator("#trying").waitFor({ timeout: 60_000 }));
    await page.locator("#try-input").fill("1101");
    await page.locator("#try-input").press("Enter");
    const unshown = page.locator("#unshown");
    await unshown.filter({ hasText: /^It stops and asks: no example shows what to do in state \S+ on 0\./ }).waitFor();
    const playback = page.locator("#trying");
    assert.match(await playback.locator(".counter").textContent(), /^2 /);
    await playback.getByRole("button", { name: "Step forward" }).click();
    await press(page, "It errs here: correct it by hand");
    for (const key of ["Backspace", "1", "ArrowRight", "0", "ArrowRight", "Enter"])
      await page.keyboard.press(key);
    assert.equal(await cards(page).count(), 2);
    assert.deepEqual(await cards(page).nth(1).locator(".step").allTextContents(), [
      "1→0 →",
      "1→0 →",
      "0→1 →",
      "1→0 →",
      "λ ■",
    ]);
    return page;
  },

  async "teach: a training can be stopped (long)"() {
    const page = await open();
    const steps = `${"0R1R".repeat(40)}H`;
    await work(page, "01".repeat(40), steps);
    await learnt(page, async () => {
      await press(page, "Stop");
      await page.locator("#training").filter({ hasText: "Stopped." }).waitFor({ timeout: 60_000 });
    });
    assert.ok(await page.getByRole("button", { name: "Learn" }).isEnabled());
    return page;
  },
};
