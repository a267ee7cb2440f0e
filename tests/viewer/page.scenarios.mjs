// The page of `dfst play`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  becomes,
  boxOf,
  colours,
  drawn,
  drop,
  hash,
  known,
  press,
  question,
  says,
  scrubTo,
  step,
  visit,
} from "./kit.mjs";

const { page: pageUrl } = question;
const expertUrl = pageUrl + hash({ subject: "expert:add10" });

export const scenarios = {
  async "page: type and play to the answer"() {
    const page = await visit(expertUrl);
    await says(page, "Ready");
    assert.equal(await page.locator("#subject").inputValue(), "expert:add10");
    assert.ok((await colours(page)) > 50);
    await boxOf(page).fill("58+967");
    await page.locator(".speed input").fill("10");
    await boxOf(page).press("Enter");
    await says(page, "Answer 1025.");
    await page.locator("#player [role=status]").filter({ hasText: "Answer 1025" }).waitFor();
    return page;
  },

  async "page: play and pause with the space bar (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967", speed: "4" }));
    await page.locator("body").press("Space");
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.waitForFunction(() => Number(document.querySelector(".scrub").value) > 3);
    await page.locator("body").press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await drawn(page);
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

  async "page: jump to writes (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1", step: "1" }));
    await press(page, "Next write");
    await says(page, "wrote +");
    const there = new RegExp(`^${await step(page)} /`);
    await page.locator("body").press("Shift+ArrowRight");
    await page.locator(".counter").filter({ hasNotText: there }).waitFor();
    await page.locator("body").press("Shift+ArrowLeft");
    await page.locator(".counter").filter({ hasText: there }).waitFor();
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

  async "page: a million steps (long)"() {
    const digits = "9".repeat(702);
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: `${digits}+${digits}` }));
    await page.locator(".counter").filter({ hasNotText: "…" }).waitFor();
    const steps = await known(page);
    assert.ok(steps > 990_000, `${steps} steps`);
    for (const share of [0.5, 0.01, 0.99, 0.3]) {
      const target = Math.floor(steps * share);
      const reached = await scrubTo(page, target);
      assert.ok(Math.abs(reached - target) < 0.01 * target, `${reached} for ${target}`);
      assert.equal(await step(page), reached);
    }
    await press(page, "Step back");
    return page;
  },

  async "page: the ant's highway can be reached with the slider (long)"() {
    const page = await visit(pageUrl + hash({ subject: "langton" }));
    await page.locator(".counter").filter({ hasText: "2,000,000" }).waitFor({ timeout: 60_000 });
    const reached = await scrubTo(page, 10_500);
    assert.ok(Math.abs(reached - 10_500) < 60, `${reached}`);
    return page;
  },

  async "page: a short tape has its whole history (long)"() {
    const page = await visit(pageUrl + hash({ subject: "bb3", step: "21" }));
    await says(page, "Halted after 21 steps.");
    const rows = await page.locator("canvas.board").evaluate((canvas) => {
      const { width, height } = canvas;
      const pen = canvas.getContext("2d");
      // Bright pixels by line in the lower part, where the past is: cells written early are there, lower ones too.
      return Array.from({ length: 22 }, (_, i) => {
        const y = Math.round(height * (0.345 + (0.62 * (i + 0.5)) / 22));
        const { data } = pen.getImageData(0, y, width, 1);
        let bright = 0;
        for (let x = 0; x < data.length; x += 4) bright += data[x] > 180 && data[x + 2] > 150;
        return Math.round((5 * bright) / width);
      });
    });
    assert.equal(rows[0], 0);
    assert.ok(rows[1] >= 1, `${rows}`);
    assert.ok(rows.at(-1) >= 4, `${rows}`);
    return page;
  },

  async "page: bb5 at a million steps a second stays fluent (long)"() {
    const page = await visit(pageUrl + hash({ subject: "bb5", speed: "13" }), {
      reducedMotion: "no-preference",
    });
    await page.locator("body").press("Space");
    await becomes(
      () => step(page),
      (now) => now > 100_000,
    );
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () =>
      (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")
        .value;
    const frames = 20;
    const draw = (left) =>
      new Promise((resolve) => {
        const look = () => (left-- > 0 ? requestAnimationFrame(look) : resolve());
        look();
      });
    const count = (left) => {
      let word = 1;
      for (let i = left * 1_000_000; i > 0; i--) word = Math.imul(word ^ i, 0x9e3779b1);
      return word;
    };
    const each = async (work) => {
      const before = await spent();
      await page.evaluate(work, frames);
      return ((await spent()) - before) / frames;
    };
    // Processor time of the page's own thread, in million turns of a plain loop timed beside it: a frame costs
    // nine on idle cores, less on busy ones, where the loop waits more. The least of a few are compared.
    const [drawing, counting] = [[], []];
    for (let i = 0; i < 4; i++) {
      drawing.push(await each(draw));
      counting.push(await each(count));
    }
    const ratio = Math.min(...drawing) / Math.min(...counting);
    assert.ok(ratio < 12, `a frame costs ${ratio} million turns of a plain loop`);
    assert.ok((await step(page)) > 300_000);
    return page;
  },

  async "page: Enter plays what was typed, Space pauses it (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", speed: "2" }));
    await boxOf(page).fill("12 + 34");
    await boxOf(page).press("Enter");
    await page.waitForFunction(() => Number(document.querySelector(".scrub").value) > 1);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    assert.ok((await step(page)) > 1);
    assert.equal(await boxOf(page).inputValue(), "12 + 34");
    return page;
  },

  async "page: a run that plays is not read out step by step (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "999+1", speed: "4" }));
    await page.locator("#player [role=status]").filter({ hasText: "Ready" }).waitFor();
    await page.evaluate(() => {
      window.spoken = [];
      const live = document.querySelector("#player [role=status]");
      new MutationObserver(() => window.spoken.push(live.textContent)).observe(live, { childList: true });
    });
    await page.locator("body").press("Space");
    await page.locator("#player [role=status]").filter({ hasText: "Answer 1000" }).waitFor();
    assert.deepEqual(await page.evaluate(() => window.spoken), ["Halted after 41 steps. Answer 1000. ✓"]);
    return page;
  },

  async "page: bad input is answered in place"() {
    const page = await visit(expertUrl);
    await boxOf(page).fill("12+");
    await page.locator("#problem").filter({ hasText: "add10 found an empty operand in '12+'" }).waitFor();
    assert.equal(await boxOf(page).getAttribute("aria-invalid"), "true");
    await boxOf(page).fill("12+7");
    await page.locator("#problem").filter({ hasNotText: /./ }).waitFor({ state: "attached" });
    assert.equal(await boxOf(page).getAttribute("aria-invalid"), null);
    return page;
  },

  async "page: an unknown subject in a link is answered in place (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:ad10" }));
    await page.locator("#problem").filter({ hasText: "did you mean" }).waitFor();
    return page;
  },

  async "page: drop a machine file"() {
    const page = await visit(expertUrl);
    await drop(page, "bb4.bb", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA\n");
    await page.locator(".lane h2").filter({ hasText: "bb4" }).waitFor();
    await press(page, "To the end");
    await says(page, "Halted after 107 steps.");
    assert.match(page.url(), /machine=/);
    return page;
  },

  async "page: a dropped machine travels in the link (long)"() {
    const state = { subject: "file:bb2.bb#00000000", machine: "1RB1LB_1LA1RZ", file: "bb2.bb", step: "6" };
    const page = await visit(pageUrl + hash(state));
    await says(page, "Halted after 6 steps.");
    return page;
  },

  async "page: drop a file that is no machine (long)"() {
    const page = await visit(expertUrl);
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

  async "page: a board is typed line by line"() {
    const page = await visit(pageUrl + hash({ subject: "expert:maze" }));
    await page.locator("#rows").fill("S..\n##.\nG..");
    await press(page, "To the end");
    await says(page, "Answer Soo/##o/Goo.");
    assert.match(await page.locator("canvas.board").getAttribute("aria-label"), /3 rows: Soo, ##o, Goo$/);
    await page.locator("#rows").fill("S.\n##.");
    await page.locator("#problem").filter({ hasText: "row 2 has 3" }).waitFor();
    await page.locator("#subject").selectOption("expert:add2");
    await page.locator("#input").waitFor();
    assert.ok(await page.locator("#rows").isHidden());
    return page;
  },

  async "page: a maze is drawn by hand, with a mouse and with a finger"() {
    const page = await visit(pageUrl + hash({ subject: "expert:maze" }), { hasTouch: true });
    await page.getByLabel("Size of a new board").selectOption("6");
    await press(page, "Empty board");
    await page.locator(".counter").filter({ hasNotText: "…" }).waitFor();
    await drawn(page);
    // The run visits a cell more on each side of the board, and all that is framed.
    const box = await page.locator("canvas.board").boundingBox();
    const size = Math.min(88, box.width / 9.2, box.height / 9.6);
    const at = (r, c) => [box.x + box.width / 2 + (c - 2.5) * size, box.y + box.height / 2 + (r - 2.5) * size];
    await press(page, "Draw #");
    await page.mouse.move(...at(1, 0));
    await page.mouse.down();
    await page.mouse.move(...at(1, 4));
    await page.mouse.up();
    assert.equal(await page.locator("#rows").inputValue(), "S.....\n#####.\n......\n......\n......\n.....G");
    await page.touchscreen.tap(...at(0, 0)); // S is not wiped out
    await press(page, "Draw .");
    await page.touchscreen.tap(...at(5, 5));
    await becomes(() => page.locator("#rows").inputValue(), (text) => !text.includes("G"));
    await press(page, "Draw G");
    await page.touchscreen.tap(...at(2, 0));
    await becomes(() => page.locator("#rows").inputValue(), (text) => text.includes("\nG.....\n"));
    await press(page, "To the end");
    await says(page, "Answer Sooooo/#####o/Gooooo/....../....../.......");
    await page.locator("#subject").selectOption("expert:hanoi");
    await page.locator("#brushes").waitFor({ state: "hidden" });
    return page;
  },

  async "page: change the subject (long)"() {
    const page = await visit(expertUrl);
    await page.locator("#subject").selectOption("expert:mult10");
    await page.locator(".lane h2").filter({ hasText: "mult10" }).waitFor();
    await boxOf(page).fill("12*34");
    await press(page, "To the end");
    await says(page, "Answer 408.");
    return page;
  },

  async "page: zoom, pan and fit (long)"() {
    const page = await visit(pageUrl + hash({ subject: "expert:add10", input: "58+967" }));
    const shot = () => page.locator("canvas.board").evaluate((canvas) => canvas.toDataURL());
    const other = (than) => becomes(shot, (now) => now !== than);
    await page.locator(".counter").filter({ hasNotText: "…" }).waitFor();
    await drawn(page);
    const fitted = await shot();
    await press(page, "Zoom in");
    await other(fitted);
    await drawn(page);
    const zoomed = await shot();
    const box = await page.locator("canvas.board").boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 320, box.y + 260);
    await page.mouse.up();
    await other(zoomed);
    await drawn(page);
    const dragged = await shot();
    await page.mouse.wheel(0, -300);
    await other(dragged);
    // Wherever one looks, the head is there, or an arrow that points to it.
    const yellow = () =>
      page.locator("canvas.board").evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === 255 && data[i + 1] === 212 && data[i + 2] === 94) return true;
        return false;
      });
    for (let i = 0; i < 4; i++) {
      await page.mouse.move(box.x + 40, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 60, box.y + 60);
      await page.mouse.up();
    }
    await drawn(page);
    assert.ok(await yellow());
    await press(page, "Fit the run in view");
    await becomes(shot, (now) => now === fitted);
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

  async "page: light and dark (long)"() {
    const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [light, dark] = [
      await visit(expertUrl, { colorScheme: "light" }),
      await visit(expertUrl, { colorScheme: "dark" }),
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
    const page = await visit(expertUrl);
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
};
