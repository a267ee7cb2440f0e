// What the scenarios share: the question, a browser, pages that complain, and a few ways to act on them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { positionOf, stepAt } from "../../src/dfst/viewer/web/scale.js";

export const question = JSON.parse(readFileSync(0, "utf8"));
const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const AT_ONCE = 3;
const PATIENCE_MS = 30_000;
const browser = await chromium.launch({ executablePath: question.executable, args: ["--no-sandbox"] });

/** What a page shows once it listens: before that, what is typed into it is lost. */
export const LISTENS = ".counter:has-text('/')";

/** A page, once `ready` is seen, that fails the scenario on script errors and on requests that leave this machine. */
export async function visit(url, options = {}, ready = LISTENS) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !message.text().includes("400 (Bad Request)") &&
      page.complaints.push(message.text()),
  );
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|file:|data:|blob:)/.test(request.url()))
      page.complaints.push(`asked ${request.url()}`);
  });
  if (url.startsWith("file:")) await context.setOffline(true);
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  return page;
}

export const press = (page, label) => page.getByRole("button", { name: label, exact: true }).click();
export const says = (page, text) => page.locator(".sentence").filter({ hasText: text }).waitFor();
export const step = async (page) =>
  Number((await page.locator(".counter").textContent()).split("/")[0].replaceAll(",", ""));
export const known = async (page) =>
  Number((await page.locator(".counter").textContent()).split("/")[1].replace(/[,…]/g, ""));
export const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
let clipboardIsFree = Promise.resolve();

/** Press "Copy link" and read what was copied. The button says so for a moment only: it is watched, not asked. */
export function copyLink(page) {
  const copied = clipboardIsFree.then(async () => {
    await page.locator("#copy").evaluate((button) => {
      const keep = () => (button.dataset.said = button.textContent);
      new MutationObserver((_, watch) => (keep(), watch.disconnect())).observe(button, { childList: true });
    });
    await press(page, "Copy link");
    await page.locator("#copy[data-said='Copied']").waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  });
  clipboardIsFree = copied.catch(() => {});
  return copied;
}

/** Ask until the answer is as wanted, however busy the machine; gives the answer. */
export async function becomes(ask, wanted) {
  for (const end = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > end) throw new Error(`still ${String(answer).slice(0, 200)} after ${PATIENCE_MS} ms`);
  }
}

/** Wait until all that the page has to draw by now is drawn. */
export const drawn = (page) =>
  page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });

export const boxOf = (page) => page.locator("#input");

/** Drag the slider to where it is nearest to a step; gives the step that it stands for there. */
export async function scrubTo(page, target) {
  const position = positionOf(target, await known(page));
  const reached = stepAt(position, await known(page));
  await page.locator(".scrub").evaluate((slider, to) => {
    slider.value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, position);
  await standsAt(page, reached);
  return reached;
}

/** Wait until a step is drawn: pages draw when the browser is ready for the next frame. */
export const standsAt = (page, target) =>
  page.waitForFunction(
    (text) => document.querySelector(".counter").textContent.startsWith(text),
    `${target.toLocaleString("en")} /`,
  );

/** How many different colours the board shows: an empty canvas has one. */
export function colours(page) {
  return page
    .locator("canvas.board")
    .first()
    .evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return seen.size;
    });
}

/** Drop a file; `content` is its text, or its bytes as numbers. */
export async function drop(page, name, content) {
  const transfer = await page.evaluateHandle(
    ([fileName, held]) => {
      const data = new DataTransfer();
      data.items.add(new File([typeof held === "string" ? held : Uint8Array.from(held)], fileName));
      return data;
    },
    [name, content],
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

export const hash = (state) => `#${new URLSearchParams(state)}`;

/** What axe finds on a page, light and dark; `but` names rules that are not asked about. */
export async function faults(page, but = []) {
  const found = [];
  await page.evaluate(AXE);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await drawn(page);
    const { violations } = await page.evaluate(
      (left) =>
        globalThis.axe.run(document, {
          resultTypes: ["violations"],
          rules: Object.fromEntries(left.map((rule) => [rule, { enabled: false }])),
        }),
      but,
    );
    for (const { id, nodes } of violations)
      found.push(`${colorScheme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  }
  return found;
}

/** Play scenarios, some at once, and print what became of each: "ok", or what is wrong. */
export async function judge(scenarios) {
  const verdicts = {};
  const waiting = Object.entries(scenarios).filter(([name]) => question.only?.includes(name) ?? true);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, scenario] = next;
      const began = Date.now();
      try {
        const page = await scenario();
        assert.deepEqual(page.complaints, []);
        verdicts[name] = "ok";
        await page.context().close();
      } catch (error) {
        verdicts[name] = String(error.stack ?? error);
      }
      console.error(`${Date.now() - began} ms  ${name}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await browser.close();
  console.log(JSON.stringify(verdicts));
}
