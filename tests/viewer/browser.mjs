// The viewer in a real browser; driven by test_browser.py, which reads one verdict a scenario.

import assert from "node:assert/strict";
import { browser } from "./kit.mjs";
import { scenarios as embed } from "./embed.scenarios.mjs";
import { scenarios as home } from "./home.scenarios.mjs";
import { scenarios as layout } from "./layout.scenarios.mjs";
import { scenarios as lesson } from "./lesson.scenarios.mjs";
import { scenarios as page } from "./page.scenarios.mjs";
import { scenarios as replay } from "./replay.scenarios.mjs";
import { scenarios as teach } from "./teach.scenarios.mjs";

const AT_ONCE = 3;
const verdicts = {};
const waiting = Object.entries({ ...teach, ...layout, ...lesson, ...page, ...home, ...replay, ...embed });

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
