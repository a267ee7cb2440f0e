// Replays as files, from disk and offline.

import assert from "node:assert/strict";
import { boxOf, colours, drawn, hash, press, question, says, scrubTo, standsAt, visit } from "./kit.mjs";

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

  async "replay: step back and scrub (long)"() {
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

  async "replay: the link holds the moment (long)"() {
    const page = await visit(replay + hash({ input: "58+967", step: "21" }));
    await says(page, "Step 21:");
    await press(page, "Step forward");
    await page.waitForFunction(() => location.hash.includes("step=22"));
    await page.reload();
    await says(page, "Step 22:");
    return page;
  },

  async "replay: the first difference is marked (long)"() {
    const page = await visit(paired);
    await says(page, "first differ at step");
    const first = Number((await page.locator(".differs").textContent()).match(/step ([\d,]*\d)/)[1]);
    await page.locator(".mark").click();
    await standsAt(page, first);
    assert.match(
      await page.locator(".differs").textContent(),
      /reading .+ at column .+ wrote .+ the expert wrote/,
    );
    await page.getByRole("button", { name: "Zoom in" }).first().click();
    await drawn(page);
    const [one, two] = await page.locator("canvas.board").evaluateAll((boards) =>
      boards.map((canvas) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        // Where the dashed mark of the first difference is: its colour is used for nothing else.
        let [sum, found] = [0, 0];
        for (let i = 0; i < data.length; i += 4)
          if (data[i] > 230 && Math.abs(data[i + 1] - 138) < 25 && Math.abs(data[i + 2] - 122) < 25) {
            sum += (i / 4) % width;
            found += 1;
          }
        return found > 20 ? Math.round(sum / found) : null;
      }),
    );
    assert.ok(one !== null && Math.abs(one - two) < 20, `marks at ${one} and ${two}`);
    return page;
  },
};
