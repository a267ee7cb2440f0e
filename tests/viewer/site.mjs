// The built site in a real browser, from a plain web server; driven by test_site.py.

import assert from "node:assert/strict";
import { boxOf, CLIPBOARD, copyLink, faults, judge, LISTENS, press, question, says, visit } from "./kit.mjs";

const { site } = question;
/** Rules that the markup of MkDocs Material breaks. */
const OF_THE_THEME = ["aria-dialog-name", "landmark-unique"];
const PHONE = { viewport: { width: 390, height: 844 } };

const checks = {
  async "the home is the lesson, the workbench one click away"() {
    const page = await visit(site, {}, "button[data-key=go]");
    assert.equal(await page.locator("iframe").count(), 0);
    await page.getByRole("link", { name: "Workbench" }).click();
    await page.locator(LISTENS).first().waitFor();
    await boxOf(page).fill("58+967");
    await press(page, "To the end");
    await says(page, "Answer 1025. ✓");
    await page.locator("#subject").selectOption("bb4");
    await page.locator(".lane h2").filter({ hasText: "bb4" }).waitFor();
    await press(page, "To the end");
    await says(page, "Halted after 107 steps.");
    return page;
  },

  async "on a phone nothing is wider than the screen"() {
    const page = await visit(site, PHONE, "button[data-key=go]");
    for (const name of ["index", "play", "about", "watch", "results/arithmetic"]) {
      await page.goto(`${site}${name}.html`);
      await page.locator("h1").first().waitFor();
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.viewport.width, name);
    }
    return page;
  },

  async "the page alone copies links that lead to it"() {
    const page = await visit(`${site}play.html#subject=add2&input=1%2B1&step=3`, CLIPBOARD);
    await says(page, "Step 3:");
    const copied = await copyLink(page);
    assert.match(copied, new RegExp(`^${site}play.html#subject=add2`));
    await page.goto("about:blank");
    await page.goto(copied);
    await says(page, "Step 3:");
    return page;
  },

  async "single replays"() {
    const page = await visit(`${site}watch.html`, {}, "h1");
    const pictures = page.locator(".dfst-cards img");
    assert.ok((await pictures.count()) > 80);
    await pictures.first().evaluate((image) => image.decode());
    await page.getByRole("link", { name: "mult2", exact: true }).click();
    await press(page, "To the end");
    await says(page, "Answer 1111. ✓");
    return page;
  },

  async "home, documents, notebooks and the reference are sound, and axe finds nothing of ours to mend"() {
    let page;
    for (const name of ["about", "concepts/proof", "notebooks/looking-inside", "reference/python"]) {
      const complaints = page?.complaints ?? [];
      await page?.context().close();
      page = await visit(`${site}${name}.html`, {}, "h1");
      if (name === "about") assert.deepEqual(await faults(page, OF_THE_THEME), [], name);
      page.complaints.push(...complaints);
    }
    // What a notebook answers is often a sentence: it wraps, and is never cut off.
    const wraps = await page.evaluate(() => {
      const answer = document.createElement("div");
      answer.innerHTML = '<div class="language-text highlight"><pre><code>answer</code></pre></div>';
      document.querySelector("article").append(answer);
      return getComputedStyle(answer.querySelector("code")).whiteSpace;
    });
    assert.equal(wraps, "pre-wrap");
    return page;
  },
};

await judge(checks);
