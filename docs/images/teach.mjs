// A picture of teaching by hand; driven by make.py, which says where the page is and what to press.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { page: url, examples, half, asked, size, to } = JSON.parse(readFileSync(0, "utf8"));
const { chromium } = createRequire(new URL("../../tests/viewer/", import.meta.url))("playwright-core");
const KEYS = { L: "ArrowLeft", R: "ArrowRight", H: "Enter" };
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: size, reducedMotion: "reduce" });
await page.goto(`${url}#tab=teach`);

async function work(input, keys) {
  await page.locator("#example").fill(input);
  await page.locator("#example").press("Enter");
  await page.locator("#hand canvas").filter({ visible: true }).waitFor();
  for (const key of keys) await page.keyboard.press(KEYS[key] ?? key);
}

for (const [input, keys] of examples) await work(input, keys);
await page.getByRole("button", { name: "Learn", exact: true }).click();
await page.locator("#training").filter({ hasText: "seeds found this machine" }).waitFor({ timeout: 60_000 });
await page.locator("#try-input").fill(asked);
await page.locator("#try-input").press("Enter");
await page.locator("#trying").getByRole("button", { name: "To the end" }).click();
await page.locator("#trying .said").filter({ hasText: "Halted after" }).waitFor();
await work(...half);
await page.waitForTimeout(500);
await page.screenshot({ path: to });
await browser.close();
