// Replays as files, from disk and offline.

import assert from "node:assert/strict";
import { boxOf, colours, hash, press, question, says, scrubTo, step, visit } from "./kit.mjs";

const { replay, paired } = question;

export const scenarios = {
  async "replay: from disk, offline, to the answer"() {
    const page = await visit(replay);
    await says(page, "Ready");
    assert.ok((await colours(page)) > 50);
    await page.locator(".speed input").fill("10");
    await press(page, "Play");
    await says(page, "Answer 1000.");
    return page;
  },

  async "replay: step back and scrub"() {
    const page = await visit(replay);
    await scrubTo(page, 12);
    await says(page, "Step 12:");
    await press(page, "Step back");
    await says(page, "Step 11:");
    return page;
  },

  async "replay: other inputs, good and bad"() {
    const page = await visit(replay);
    await boxOf(page).fill("7+8");
    await page.locator(".speed input").fill("10");
    await boxOf(page).press("Enter");
    await says(page, "Answer 15.");
    await boxOf(page).fill("seven");
    await boxOf(page).press("Enter");
    await page.locator("#problem").filter({ hasText: "takes one + between two numbers" }).waitFor();
    return page;
  },

  async "replay: the link holds the moment"() {
    const page = await visit(replay + hash({ input: "58+967", step: "21" }));
    await says(page, "Step 21:");
    await press(page, "Step forward");
    await page.waitForFunction(() => location.hash.includes("step=22"));
    await page.reload();
    await says(page, "Step 22:");
    return page;
  },

  async "replay: the first difference is marked"() {
    const page = await visit(paired);
    await says(page, "first differ at step");
    const first = Number((await page.locator(".differs").textContent()).match(/step ([\d,]+)/)[1]);
    await page.locator(".mark").click();
    assert.equal(await step(page), first);
    return page;
  },
};
