// Pictures of a replay at given steps; driven by docs/images/make.py.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { page: url, steps, scheme, size, folder } = JSON.parse(readFileSync(0, "utf8"));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: size, colorScheme: scheme, reducedMotion: "reduce" });
await page.goto(url);
for (const step of steps) {
  await page.evaluate((to) => {
    location.hash = new URLSearchParams({ step: String(to) });
  }, step);
  await page.waitForFunction(
    (text) => document.querySelector(".counter").textContent.startsWith(text),
    `${step.toLocaleString("en")} /`,
  );
  await page.waitForTimeout(steps.length > 1 ? 120 : 1500);
  await page.screenshot({ path: `${folder}/${step}.png` });
}
await browser.close();
