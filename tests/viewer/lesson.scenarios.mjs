// The page as a lesson: how it opens, what it explains, what it says at the end, and links that travel.

import assert from "node:assert/strict";
import { becomes, CLIPBOARD, copyLink, hash, press, question, says, visit } from "./kit.mjs";

const { page: pageUrl, other, taught } = question;
const PAIR = { subject: "add2", against: "expert:add2", input: "1011+110", view: "graph" };

/** One lane and no other: a page may show what it opens with until a model from a link has been unpacked. */
async function alone(page, name) {
  await page.waitForFunction(() => document.querySelectorAll(".lane").length === 1);
  await page.locator(".lane h2").filter({ hasText: name }).waitFor();
}

export const scenarios = {
  async "lesson: opens on the learnt adder beside its expert, with the claim"() {
    const page = await visit(pageUrl);
    await says(page, "The learnt DFST and the expert take the same 41 steps.");
    assert.deepEqual(await page.locator(".lane h2").allTextContents(), ["add10 learnt DFST", "add10 expert"]);
    assert.match(
      await page.locator("#claim").textContent(),
      /^Learnt from 225 worked examples, .+ proved\.$/,
    );
    return page;
  },

  async "lesson: says what is read, written, learnt and proved"() {
    const page = await visit(pageUrl + hash(PAIR));
    const texts = [];
    for (const name of ["Read", "Written", "Learnt", "Proved"]) {
      await press(page, name);
      texts.push(await page.locator("#term").textContent());
    }
    assert.match(texts[0], /one symbol/);
    assert.match(texts[1], /B\[x\]h/);
    assert.match(texts[2], /from 20 worked examples.+12 numbers/);
    assert.match(texts[3], /dfst prove add2 makes it again/);
    await press(page, "Check the proof here");
    await page.locator("#term").filter({ hasText: /✓ Checked in \d+\.\d\d s: 12 learnt states, 1,249 conf/ }).waitFor();
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#term").isHidden());
    await page.locator("#subject").selectOption("expert:add2");
    await page.locator(".lane").nth(1).waitFor({ state: "detached" });
    await press(page, "Learnt");
    assert.match(await page.locator("#term").textContent(), /built by hand/);
    return page;
  },

  async "lesson: the machine is a live graph"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add2", input: "1+1", view: "graph" }));
    const lit = () => page.locator(".graph .node.lit .name").textContent();
    const seen = [await lit()];
    for (let i = 0; i < 3; i++) {
      await press(page, "Step forward");
      await says(page, `Step ${i + 1}:`);
      seen.push(await lit());
      assert.equal(await page.locator(".graph .arrow.lit").count(), 1);
    }
    assert.deepEqual(seen.slice(0, 2), ["left", "mark"]);
    const inside = await page.locator(".graph .node.lit rect").evaluate((node) => {
      const [box, host] = [node, node.closest(".picture")].map((each) => each.getBoundingClientRect());
      return (
        box.left >= host.left && box.right <= host.right && box.top >= host.top && box.bottom <= host.bottom
      );
    });
    assert.ok(inside);
    await press(page, "To the end");
    await page.locator(".graph .node.lit .name").getByText("halt", { exact: true }).waitFor();
    await press(page, "Rules");
    await page.locator("tr.fired").waitFor();
    await page.waitForFunction(() => !location.hash.includes("view=graph"));
    return page;
  },

  async "lesson: ends in a verdict (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1", step: "41" }));
    await says(page, "Answer 1000. ✓");
    await page.locator("#input").fill("58+967");
    await press(page, "To the end");
    await says(page, "Answer 1025. ✓");
    return page;
  },

  async "lesson: for a room (long)"() {
    const page = await visit(pageUrl + hash(PAIR), { viewport: { width: 1920, height: 1080 } });
    const height = async () => (await page.locator("canvas.board").first().boundingBox()).height;
    const before = await height();
    await press(page, "Projector");
    await page.locator("header").waitFor({ state: "hidden" });
    await becomes(height, (now) => now > before);
    assert.equal(
      await page
        .locator(".sentence")
        .first()
        .evaluate((node) => getComputedStyle(node).fontSize),
      "28px",
    );
    await page.keyboard.press("p");
    await page.locator("header").waitFor();
    return page;
  },

  async "lesson: a copied link works elsewhere (long)"() {
    const page = await visit(pageUrl + hash({ ...PAIR, step: "7" }), CLIPBOARD);
    await says(page, "Step 7:");
    const copied = await copyLink(page);
    const port = new URL(pageUrl).port;
    const token = new URL(pageUrl).pathname.split("/")[1];
    assert.ok(!copied.includes(port) && !copied.includes(token), copied);
    const [, fragment] = copied.match(/^dfst play '(#.+)'$/);
    const there = await visit(other + fragment);
    await says(there, "Step 7:");
    assert.equal(await there.locator("#input").inputValue(), PAIR.input);
    page.complaints.push(...there.complaints);
    await there.context().close();
    return page;
  },

  async "lesson: a model without a name travels in the link (long)"() {
    const page = await visit(pageUrl + hash({ subject: taught, input: "1+1" }), CLIPBOARD);
    await alone(page, "add2");
    const copied = await copyLink(page);
    const there = await visit(other + copied.match(/#[^']+/)[0]);
    await alone(there, "add2");
    await there.locator("#input").fill("1+1");
    await press(there, "To the end");
    await says(there, "Answer 10. ✓");
    const packed = new URLSearchParams(copied.match(/#([^']+)/)[1]).get("packed");
    const damaged = await visit(`${other}#subject=file%3Ax&packed=AAAA`);
    await damaged.locator("#problem").filter({ hasText: "the link is damaged" }).waitFor();
    // Nobody may pass for a model whose proof is shipped.
    await damaged.goto("about:blank");
    await damaged.goto(other + hash({ subject: "add10", packed }));
    await damaged.locator("#problem").filter({ hasText: "the link is damaged" }).waitFor();
    page.complaints.push(...there.complaints, ...damaged.complaints);
    await there.context().close();
    await damaged.context().close();
    return page;
  },
};
