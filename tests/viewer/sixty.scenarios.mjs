// The lesson on the home page, driven as a person drives it: three numbers by hand, one answer, a thousand digits.

import assert from "node:assert/strict";
import { press, question, visit } from "./kit.mjs";

const KEYS = { L: "ArrowLeft", R: "ArrowRight", S: "Enter", 0: "0", 1: "1" };
const PHONE = { viewport: { width: 390, height: 844 } };

/** Press whichever key is lit until the scene is over. */
async function followHints(page) {
  await page.locator("button[data-key=go]").click();
  for (;;) {
    const key = await page.evaluate(async () => {
      for (;;) {
        if (document.body.dataset.scene !== "1") return null;
        const lit = document.querySelector("#keys .hint:not([data-taken])");
        if (lit !== null) {
          lit.dataset.taken = "";
          return lit.dataset.key;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    if (key === null) return;
    await page.keyboard.press(KEYS[key]);
  }
}

export const scenarios = {
  async "sixty: three numbers by hand, one answer, right on a thousand digits"() {
    const page = await visit(question.lesson, PHONE, "button[data-key=go]");
    await followHints(page);
    await page.getByRole("button", { name: "Just halt" }).click();
    assert.match(await page.textContent("#say"), /would make 000/);
    await page.getByRole("button", { name: "Write 1" }).click();
    await page.locator(".race .good").filter({ hasText: "right, 1,0" }).waitFor();
    await page.locator(".race .bad").filter({ hasText: "errs at step" }).waitFor();
    assert.match(
      await page.textContent(".proof"),
      /^Right on every number, of any length: proved\. The checker on this page took \d+\.\d\d s/,
    );
    for (const name of ["Save the proof", "Save the weights"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, name)]);
      await download.saveAs(`${question.folder}/${download.suggestedFilename()}`);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const link = await page.getByRole("link", { name: "Watch it in the workbench" }).getAttribute("href");
    assert.match(link, /#subject=taught/);
    return page;
  },

  async "sixty: the first board takes a phone four times as slow less than 1.5 s"() {
    const page = await visit(question.lesson, PHONE, "button[data-key=go]");
    const tools = await page.context().newCDPSession(page);
    // The time that the page itself takes, however busy the machine is besides.
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto("about:blank");
    const busy = async () =>
      (await tools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
    const before = await busy();
    await page.goto(question.lesson);
    await page.locator("canvas.board[data-shown]").waitFor();
    const took = (await busy()) - before;
    console.error(`first board: ${took.toFixed(3)} s`);
    assert.ok(4 * took < 1.5, `the first board took ${took} s`);
    return page;
  },

  async "sixty: a wrong key is answered, and nothing happens (long)"() {
    const page = await visit(question.lesson, PHONE, "button[data-key=go]");
    await page.locator("button[data-key=go]").click();
    await page.keyboard.press("ArrowLeft");
    await page.locator("#say").filter({ hasText: "Here it goes move right." }).waitFor();
    return page;
  },
};
