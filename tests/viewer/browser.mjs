// The page and the replays in a real browser; driven by test_browser.py, which reads one verdict a scenario.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { executable, page: pageUrl, replay, paired, widget } = JSON.parse(readFileSync(0, "utf8"));
const AT_ONCE = 3;
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });

/** A page that fails the scenario on any script error and on any request that leaves this machine. */
async function visit(url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
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
  await page.locator(".counter").filter({ hasText: "/" }).waitFor();
  return page;
}

const press = (page, label) => page.getByRole("button", { name: label, exact: true }).click();
const says = (page, text) => page.locator(".sentence").filter({ hasText: text }).waitFor();
const step = async (page) =>
  Number((await page.locator(".counter").textContent()).split("/")[0].replaceAll(",", ""));
const known = async (page) =>
  Number((await page.locator(".counter").textContent()).split("/")[1].replace(/[,…]/g, ""));
const boxOf = (page) => page.locator("#input");

async function scrubTo(page, value) {
  await page.locator(".scrub").evaluate((slider, to) => {
    slider.value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
  await page.waitForFunction((to) => document.querySelector(".scrub").value === String(to), value);
}

/** How many different colours the board shows: an empty canvas has one. */
function colours(page) {
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

async function drop(page, name, text) {
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], fileName));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

const hash = (state) => `#${new URLSearchParams(state)}`;

const scenarios = {
  async "page loads"() {
    const page = await visit(pageUrl);
    await says(page, "Ready");
    assert.equal(await page.locator("#subject").inputValue(), "expert:add10");
    assert.ok((await colours(page)) > 50);
    return page;
  },

  async "page: type and play to the answer"() {
    const page = await visit(pageUrl);
    await boxOf(page).fill("58+967");
    await page.locator(".speed input").fill("10");
    await boxOf(page).press("Enter");
    await says(page, "Answer 1025.");
    assert.match(await page.locator("[role=status]").textContent(), /Answer 1025/);
    return page;
  },

  async "page: play and pause with the space bar"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967", speed: "4" }));
    await page.locator("body").press("Space");
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.waitForFunction(() => Number(document.querySelector(".scrub").value) > 3);
    await page.locator("body").press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const stopped = await step(page);
    await page.waitForTimeout(300);
    assert.equal(await step(page), stopped);
    return page;
  },

  async "page: step forward and back"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1" }));
    for (let i = 0; i < 3; i++) await press(page, "Step forward");
    await says(page, "Step 3:");
    await page.locator("body").press("ArrowRight");
    await says(page, "Step 4:");
    const before = await page.locator(".sentence").textContent();
    await press(page, "Step forward");
    await press(page, "Step back");
    await says(page, "Step 4:");
    assert.equal(await page.locator(".sentence").textContent(), before);
    for (let i = 0; i < 4; i++) await page.locator("body").press("ArrowLeft");
    await says(page, "Ready");
    return page;
  },

  async "page: the fired rule is lit"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1", step: "1" }));
    const row = page.locator("tr.fired");
    await row.waitFor();
    assert.deepEqual(await row.locator("th, td").allTextContents(), ["left", "+", "·", "←", "mark"]);
    assert.ok(
      await row.evaluate((node) => {
        const box = node.closest(".rules").getBoundingClientRect();
        const own = node.getBoundingClientRect();
        return own.top >= box.top && own.bottom <= box.bottom + 1;
      }),
    );
    return page;
  },

  async "page: jump to writes"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1", step: "1" }));
    await press(page, "Next write");
    await says(page, "wrote +");
    const at = await step(page);
    await page.locator("body").press("Shift+ArrowRight");
    await page.locator("body").press("Shift+ArrowLeft");
    assert.equal(await step(page), at);
    return page;
  },

  async "page: scrub"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1" }));
    await scrubTo(page, 20);
    await says(page, "Step 20:");
    await scrubTo(page, 2);
    await says(page, "Step 2:");
    await press(page, "To the end");
    await says(page, "Halted after 41 steps. Answer 1000.");
    return page;
  },

  async "page: a million steps"() {
    const digits = "9".repeat(702);
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: `${digits}+${digits}` }));
    await page.locator(".counter").filter({ hasNotText: "…" }).waitFor();
    const steps = await known(page);
    assert.ok(steps > 990_000, `${steps} steps`);
    for (const share of [0.5, 0.01, 0.99, 0.3]) {
      const target = Math.floor(steps * share);
      await scrubTo(page, target);
      assert.equal(await step(page), target);
    }
    await press(page, "Step back");
    return page;
  },

  async "page: bad input is answered in place"() {
    const page = await visit(pageUrl);
    await boxOf(page).fill("12+");
    await page.locator("#problem").filter({ hasText: "add10 found an empty operand in '12+'" }).waitFor();
    assert.equal(await boxOf(page).getAttribute("aria-invalid"), "true");
    await boxOf(page).fill("12+7");
    await page.locator("#problem").filter({ hasNotText: /./ }).waitFor({ state: "attached" });
    assert.equal(await boxOf(page).getAttribute("aria-invalid"), null);
    return page;
  },

  async "page: an unknown subject in a link is answered in place"() {
    const page = await visit(pageUrl + hash({ subject: "expert:ad10" }));
    await page.locator("#problem").filter({ hasText: "did you mean" }).waitFor();
    return page;
  },

  async "page: drop a machine file"() {
    const page = await visit(pageUrl);
    await drop(page, "bb4.bb", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA\n");
    await page.locator(".lane h2").filter({ hasText: "bb4" }).waitFor();
    await press(page, "To the end");
    await says(page, "Halted after 107 steps.");
    assert.match(page.url(), /machine=/);
    return page;
  },

  async "page: a dropped machine travels in the link"() {
    const state = { subject: "file:bb2.bb#00000000", machine: "1RB1LB_1LA1RZ", file: "bb2.bb", step: "6" };
    const page = await visit(pageUrl + hash(state));
    await says(page, "Halted after 6 steps.");
    return page;
  },

  async "page: drop a file that is no machine"() {
    const page = await visit(pageUrl);
    await drop(page, "letter.json", "{ dear");
    await page.locator("#problem").filter({ hasText: /./ }).waitFor();
    assert.equal(await page.locator(".lane h2").textContent(), "add10 expert");
    return page;
  },

  async "page: the link holds the moment"() {
    const page = await visit(
      pageUrl + hash({ subject: "compiled:add10", against: "expert:add10", input: "58+967", step: "30" }),
    );
    await says(page, "Step 30:");
    await press(page, "Step forward");
    await page.waitForFunction(() => location.hash.includes("step=31"));
    await page.reload();
    await says(page, "Step 31:");
    assert.equal(await boxOf(page).inputValue(), "58+967");
    assert.equal(await page.locator("#against").inputValue(), "expert:add10");
    return page;
  },

  async "page: compare model and expert"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967" }));
    await page.locator("#against").selectOption("compiled:add10");
    await says(page, "take the same 83 steps.");
    assert.equal(await page.locator("canvas.board").count(), 2);
    assert.equal(await page.locator(".scores li.best").count(), 2);
    return page;
  },

  async "page: change the subject"() {
    const page = await visit(pageUrl);
    await page.locator("#subject").selectOption("expert:mult10");
    await page.locator(".lane h2").filter({ hasText: "mult10" }).waitFor();
    await boxOf(page).fill("12*34");
    await press(page, "To the end");
    await says(page, "Answer 408.");
    return page;
  },

  async "page: zoom, pan and fit"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967" }));
    const shot = () => page.locator("canvas.board").evaluate((canvas) => canvas.toDataURL());
    const settle = () => page.waitForTimeout(700);
    await page.locator(".counter").filter({ hasNotText: "…" }).waitFor();
    await settle();
    const fitted = await shot();
    await press(page, "Zoom in");
    await settle();
    assert.notEqual(await shot(), fitted);
    const box = await page.locator("canvas.board").boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 320, box.y + 260);
    await page.mouse.up();
    await page.mouse.wheel(0, -300);
    await press(page, "Fit the run in view");
    await settle();
    assert.equal(await shot(), fitted);
    return page;
  },

  async "page: save a replay that opens by itself"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967" }));
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save replay")]);
    assert.equal(download.suggestedFilename(), "add10.html");
    const text = readFileSync(await download.path(), "utf8");
    assert.ok(text.startsWith("<!doctype html>"));
    return page;
  },

  async "page: fits a phone"() {
    const page = await visit(
      pageUrl + hash({ subject: "compiled:add10", against: "expert:add10", input: "58+967" }),
      {
        viewport: { width: 375, height: 740 },
      },
    );
    await says(page, "take the same");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375);
    for (const button of await page.locator(".buttons button").all()) {
      const { width, height } = await button.boundingBox();
      assert.ok(width >= 36 && height >= 36);
    }
    return page;
  },

  async "page: light and dark"() {
    const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [light, dark] = [
      await visit(pageUrl, { colorScheme: "light" }),
      await visit(pageUrl, { colorScheme: "dark" }),
    ];
    const [pale, deep] = [await background(light), await background(dark)];
    assert.notEqual(pale, deep);
    await light.locator("#theme").click();
    assert.equal(await background(light), deep);
    light.complaints.push(...dark.complaints);
    await dark.context().close();
    return light;
  },

  async "page: every control has a name"() {
    const page = await visit(pageUrl);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, canvas")]
        .filter(
          (node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length),
        )
        .map((node) => node.outerHTML),
    );
    assert.deepEqual(nameless, []);
    return page;
  },

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

  async "widget: shows a run and follows the notebook"() {
    const page = await visit(replay, { bypassCSP: true });
    await page.setContent("<div id=cell></div>");
    await page.evaluate(async ({ script, style, data }) => {
      const sheet = document.createElement("style");
      sheet.textContent = style;
      document.head.append(sheet);
      const values = { data, step: 5, height: 480 };
      const listeners = {};
      window.model = {
        get: (name) => values[name],
        set: (name, value) => (values[name] = value),
        save_changes: () => (window.saved = { ...values }),
        on: (event, act) => (listeners[event] = act),
        off: () => {},
        lead: (step) => {
          values.step = step;
          listeners["change:step"]();
        },
      };
      const { default: made } = await import(
        URL.createObjectURL(new Blob([script], { type: "text/javascript" }))
      );
      made.render({ model: window.model, el: document.getElementById("cell") });
    }, widget);
    await says(page, "Step 5:");
    await press(page, "Step forward");
    assert.equal(await page.evaluate(() => window.saved.step), 6);
    await page.evaluate(() => window.model.lead(12));
    await says(page, "Step 12:");
    return page;
  },
};

const verdicts = {};
const waiting = Object.entries(scenarios);

async function work() {
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
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await browser.close();
console.log(JSON.stringify(verdicts));
