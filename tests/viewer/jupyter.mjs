// The widget in a real JupyterLab; driven by test_jupyter.py.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { executable, url } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
page.setDefaultTimeout(120_000);
await page.goto(url);
await page.locator(".jp-Notebook .jp-Cell").first().waitFor();
const first = page.locator(".jp-Notebook .jp-Cell").first();
const ran = first.locator(".jp-InputPrompt").filter({ hasText: /[\d*]/ });
// A cell that is run before the kernel is at hand is forgotten, and the lab says it is idle too early.
for (let tries = 0; tries < 20 && (await ran.count()) === 0; tries++) {
  await first.click();
  await page.keyboard.press("Shift+Enter");
  await ran.waitFor({ timeout: 5000 }).catch(() => {});
}
const player = page.locator(".dfst-host");
await player.locator(".counter").filter({ hasText: "/" }).waitFor();
const cells = () => page.locator(".jp-Notebook .jp-Cell").count();
const found = { before: await cells() };
await player.getByRole("button", { name: "Step forward", exact: true }).click();
for (const key of ["d", "d", "ArrowRight", "f"]) await page.keyboard.press(key);
await player.locator(".sentence").filter({ hasText: "Step 2:" }).waitFor();
found.after = await cells();
found.colours = await player
  .locator(".panel")
  .first()
  .evaluate((node) => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]);
found.darkLab = await page.evaluate(() => document.body.dataset.jpThemeLight === "false");
// Outside the widget the keys are the notebook's again: this deletes a cell.
await page.locator(".jp-Notebook .jp-Cell").last().locator(".jp-InputPrompt").click();
await page.keyboard.press("Escape");
for (const key of ["d", "d"]) await page.keyboard.press(key);
await page.waitForFunction(
  (n) => document.querySelectorAll(".jp-Notebook .jp-Cell").length < n,
  found.before,
);
found.last = await cells();
await browser.close();
console.log(JSON.stringify(found));
