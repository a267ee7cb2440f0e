// How the page sits on screens of many sizes, and what those find who cannot see it.

import assert from "node:assert/strict";
import { drawn, faults, hash, press, question, says, visit } from "./kit.mjs";

const { page: pageUrl, home, replay, report } = question;
const SCREENS = [
  [390, 844],
  [768, 1024],
  [1024, 600],
  [1280, 800],
  [1366, 768],
  [1920, 1080],
];
const PAIR = { subject: "compiled:add10", against: "expert:add10", input: "58+967", step: "46" };

/** Elements whose words are cut off: wider or taller than the box they are given. */
const cutOff = (page, selector) =>
  page.locator(selector).evaluateAll((nodes) =>
    nodes
      .filter((node) => {
        const box = node.getBoundingClientRect();
        const panel = node.closest(".panel").getBoundingClientRect();
        return box.height === 0 || box.bottom > panel.bottom + 1 || box.right > panel.right + 1;
      })
      .map((node) => node.textContent),
  );

async function resize(page, width, height) {
  await page.setViewportSize({ width, height });
  await drawn(page);
}

/** A page in which axe finds nothing to mend, light or dark, once something was `done` there. */
async function sound(url, ready, done = async () => {}) {
  const page = await visit(url, { colorScheme: "light" }, ready);
  await done(page);
  assert.deepEqual(await faults(page), []);
  return page;
}

export const scenarios = {
  async "layout: a comparison is whole on every screen (long)"() {
    const page = await visit(pageUrl + hash(PAIR));
    await says(page, "take the same");
    for (const [width, height] of SCREENS) {
      await resize(page, width, height);
      const size = `${width}×${height}`;
      assert.ok(
        (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
        `${size} is too wide`,
      );
      assert.deepEqual(await cutOff(page, ".scores li span, .scores h3"), [], size);
      if (width >= 1024) {
        const below = await page.locator(".controls").evaluate((node) => node.getBoundingClientRect().bottom);
        assert.ok(below <= height, `${size}: the controls end at ${below}`);
      }
      const box = await page.locator("#input").boundingBox();
      assert.ok(box.width >= 200, `${size}: the input is ${box.width} wide`);
    }
    return page;
  },

  async "layout: teaching fits every screen (long)"() {
    const page = await visit(`${pageUrl}#tab=teach`, {}, "#example");
    await page.locator("#example").fill("1011");
    await page.locator("#example").press("Enter");
    for (const [width, height] of SCREENS) {
      await resize(page, width, height);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      const { height: board } = await page.locator("#hand .frame").boundingBox();
      assert.ok(board >= 180, `${width}×${height}: the board is ${board} high`);
      for (const key of await page.locator(".keypad button").all())
        assert.ok((await key.boundingBox()).height >= 40);
    }
    return page;
  },

  async "layout: words that come and go do not move the board"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "12+34" }));
    const top = async () => (await page.locator("canvas.board").boundingBox()).y;
    const before = await top();
    await page.locator("#input").fill("12+");
    await page.locator("#problem").filter({ hasText: "empty operand" }).waitFor();
    assert.equal(await top(), before);
    return page;
  },

  async "layout: a long answer takes one line (long)"() {
    const nines = "9".repeat(200);
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: `${nines}+1` }));
    const height = async () => (await page.locator("canvas.board").boundingBox()).height;
    const before = await height();
    await page.keyboard.press("End");
    await says(page, "Halted after");
    await page
      .locator(".answer")
      .filter({ hasText: `1${"0".repeat(200)}` })
      .waitFor();
    assert.ok((await height()) > before - 30);
    return page;
  },

  async "layout: a report fits a phone"() {
    const page = await visit(report, { viewport: { width: 390, height: 844 } }, "h1");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    // Verdict first, then the run to watch, the machine, the matrices, both curves over one axis.
    assert.match(await page.locator("main > :nth-child(2)").textContent(), /^proved: /);
    assert.deepEqual(await page.locator("section > h2").allTextContents(), [
      "Watch it work",
      "The learnt machine",
      "The matrices A[x]",
      "Learning",
      "Longer inputs",
    ]);
    assert.equal(await page.locator(".chart svg").count(), 1);
    await press(page, "To the end");
    await says(page, "Answer 10. ✓");
    return page;
  },

  async "axe finds nothing to mend: watching (long)"() {
    return sound(pageUrl + hash({ subject: "expert:add10", input: "999+1", step: "9" }));
  },

  async "axe finds nothing to mend: comparing (long)"() {
    return sound(pageUrl + hash({ ...PAIR, view: "graph" }));
  },

  async "axe finds nothing to mend: the lesson"() {
    return sound(question.lesson, "button[data-key=go]");
  },

  async "axe finds nothing to mend: teaching (long)"() {
    return sound(`${pageUrl}#tab=teach`, "#example", async (page) => {
      await page.locator("#example").fill("1");
      await page.locator("#example").press("Enter");
      for (const key of ["0", "ArrowLeft", "1", "Enter"]) await page.keyboard.press(key);
      await page.locator("#meter table").waitFor();
    });
  },

  async "axe finds nothing to mend: the page as one file (long)"() {
    return sound(home);
  },

  async "axe finds nothing to mend: a replay (long)"() {
    return sound(replay);
  },

  async "axe finds nothing to mend: a report (long)"() {
    return sound(report, "h1");
  },
};
