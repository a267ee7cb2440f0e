// The widget in a real marimo; driven by test_marimo.py.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { executable, url } = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
page.setDefaultTimeout(60_000);
await page.goto(url);
const player = page.locator(".dfst-host");
await player.locator(".counter").filter({ hasText: "/" }).waitFor();
const cells = () => page.locator(".marimo-cell").count();
const found = { before: await cells() };
await player.getByRole("button", { name: "Step forward", exact: true }).click();
// Letters with which a notebook edits its cells, then a key of the widget's own.
for (const key of ["d", "d", "a", "b", "ArrowRight"]) await page.keyboard.press(key);
await player.locator(".sentence").filter({ hasText: "Step 2:" }).waitFor();
found.after = await cells();
found.inShadow = await player.evaluate((node) => node.getRootNode() instanceof ShadowRoot);
found.colours = await player
  .locator(".panel")
  .first()
  .evaluate((node) => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]);
// Outside the widget the same letters are the notebook's: this puts a cell below.
await page.locator(".marimo-cell .cm-content").last().click();
await page.keyboard.press("Control+Escape");
await page.keyboard.press("b");
await page.waitForFunction((n) => document.querySelectorAll(".marimo-cell").length > n, found.before);
found.last = await cells();
await browser.close();
console.log(JSON.stringify(found));
