// The viewer inside other people's pages: the notebook widget and `_repr_html_`.

import assert from "node:assert/strict";
import { becomes, drawn, press, question, says, visit } from "./kit.mjs";

const { replay, widget, frame } = question;

/** A page with the widget in a cell of it, as anywidget puts it there; `shadow` as marimo does. */
async function mounted(
  { shadow = false, width = 900, body = {}, step = 0, data = widget.data } = {},
  options = {},
) {
  const page = await visit(replay, { bypassCSP: true, ...options });
  await page.setContent(`<div id=cell style="width:${width}px"></div><p id=after>the next cell</p>`);
  await page.evaluate(
    async ({ script, style, values, shadow, body }) => {
      for (const [name, value] of Object.entries(body)) document.body.setAttribute(name, value);
      const cell = document.getElementById("cell");
      const home = shadow ? cell.attachShadow({ mode: "open" }) : cell;
      const sheet = document.createElement("style");
      sheet.textContent = style;
      const el = document.createElement("div");
      home.append(sheet, el);
      const listeners = {};
      window.model = {
        get: (name) => values[name],
        set: (name, value) => (values[name] = value),
        save_changes: () => (window.saved = { ...values }),
        on: (event, act) => (listeners[event] = act),
        off: () => {},
        lead: (to) => {
          values.step = to;
          listeners["change:step"]();
        },
      };
      const { default: made } = await import(
        URL.createObjectURL(new Blob([script], { type: "text/javascript" }))
      );
      window.unmount = made.render({ model: window.model, el });
    },
    { ...widget, values: { data, step, height: 480 }, shadow, body },
  );
  await page.locator(".counter").filter({ hasText: "/" }).waitFor();
  return page;
}

const colour = (page, selector, what) =>
  page
    .locator(selector)
    .first()
    .evaluate((node, name) => getComputedStyle(node)[name], what);

/** How light a colour is, 0 to 255. */
const lightness = (rgb) =>
  rgb
    .match(/\d+/g)
    .slice(0, 3)
    .map(Number)
    .reduce((sum, value) => sum + value / 3, 0);

export const scenarios = {
  async "widget: shows a run and follows the notebook"() {
    const page = await mounted({ step: 5 });
    await says(page, "Step 5:");
    await press(page, "Step forward");
    assert.equal(await page.evaluate(() => window.saved.step), 6);
    await page.evaluate(() => window.model.lead(12));
    await says(page, "Step 12:");
    return page;
  },

  async "widget: its keys are not the notebook's, and the notebook's not its (long)"() {
    const page = await mounted();
    await page.evaluate(() => {
      window.seen = [];
      // As Lumino listens: on the document, before or after everybody else, passing over what asks for it.
      for (const [phase, capture] of Object.entries({ early: true, late: false }))
        document.addEventListener(
          "keydown",
          (event) => {
            if (event.target.closest("[data-lm-suppress-shortcuts]")) return;
            window.seen.push(`${phase} ${event.key}`);
          },
          capture,
        );
    });
    const seen = () => page.evaluate(() => window.seen.splice(0));
    await page.getByRole("button", { name: "Step forward", exact: true }).focus();
    for (const key of ["d", "d", "D", "f", "k", "k", "[", "ArrowRight", "End", "Home"])
      await page.keyboard.press(key);
    assert.deepEqual(await seen(), []);
    for (const key of ["x", "Escape", "Control+s"]) await page.keyboard.press(key);
    assert.deepEqual(await seen(), [
      "early x",
      "late x",
      "early Escape",
      "late Escape",
      "early Control",
      "late Control",
      "early s",
      "late s",
    ]);
    await page.locator("#after").evaluate((node) => (node.tabIndex = 0));
    await page.locator("#after").focus();
    await page.keyboard.press("d");
    assert.deepEqual(await seen(), ["early d", "late d"]);
    await page.evaluate(() => window.unmount());
    return page;
  },

  async "widget: keys work in a shadow tree (long)"() {
    const page = await mounted({ shadow: true, step: 5 });
    await page.getByRole("button", { name: "Step forward", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await says(page, "Step 6:");
    await page.keyboard.press("End");
    await says(page, "Answer 1000.");
    assert.ok(lightness(await colour(page, ".panel", "backgroundColor")) > 200);
    return page;
  },

  async "widget: in the colours of its host, whatever the system has (long)"() {
    const dark = {
      jupyterlab: { "data-jp-theme-light": "false" },
      "vs code": { class: "vscode-dark", "data-vscode-theme-kind": "vscode-dark" },
      marimo: { class: "dark" },
    };
    const light = {
      jupyterlab: { "data-jp-theme-light": "true" },
      "vs code": { class: "vscode-light" },
      marimo: { class: "light" },
    };
    let page;
    for (const host of Object.keys(dark)) {
      await page?.context().close();
      page = await mounted({ body: dark[host], shadow: host === "marimo" }, { colorScheme: "light" });
      const contrast = async () =>
        lightness(await colour(page, ".panel", "color")) -
        lightness(await colour(page, ".panel", "backgroundColor"));
      assert.ok((await contrast()) > 120, `${host}, dark`);
      await page.evaluate(
        (attributes) => {
          for (const [name, value] of Object.entries(attributes)) document.body.setAttribute(name, value);
        },
        { "data-vscode-theme-kind": "", ...light[host] },
      );
      await becomes(contrast, (now) => now < -120);
      assert.deepEqual(page.complaints, []);
    }
    return page;
  },

  async "widget: bars are painted again in the new colours (long)"() {
    const page = await mounted({ body: { "data-jp-theme-light": "true" }, data: widget.paired });
    const bars = () =>
      page
        .locator(".hidden-bars")
        .first()
        .evaluate((canvas) => canvas.toDataURL());
    await drawn(page);
    const before = await bars();
    await page.evaluate(() => document.body.setAttribute("data-jp-theme-light", "false"));
    await becomes(bars, (now) => now !== before);
    return page;
  },

  async "widget: narrow, nothing overlaps (long)"() {
    let page;
    for (const data of [widget.data, widget.paired]) {
      await page?.context().close();
      page = await mounted({ data, shadow: true });
      for (const width of [360, 600, 819, 900]) {
        const boxes = await page.evaluate(async (wide) => {
          const cell = document.getElementById("cell");
          cell.style.width = `${wide}px`;
          await new Promise((resolve) => setTimeout(resolve, 100));
          const parts = cell.shadowRoot.querySelectorAll(".frame, .panel, .controls, .sentence");
          return [...parts, document.getElementById("after")].map((node) => {
            const { left, right, top, bottom } = node.getBoundingClientRect();
            return { name: node.className || node.id, left, right, top, bottom };
          });
        }, width);
        for (const [i, one] of boxes.entries())
          for (const two of boxes.slice(i + 1)) {
            const beside = one.right <= two.left + 1 || two.right <= one.left + 1;
            const below = one.bottom <= two.top + 1 || two.bottom <= one.top + 1;
            assert.ok(beside || below, `${width}: ${JSON.stringify(one)} over ${JSON.stringify(two)}`);
          }
      }
    }
    return page;
  },

  async "notebook frame: takes other inputs where forms and history are forbidden (long)"() {
    const page = await visit(replay, { bypassCSP: true });
    await page.setContent(frame);
    const inside = page.frameLocator("iframe");
    await inside.locator("#input").fill("58+967");
    await inside.getByRole("button", { name: "Run", exact: true }).click();
    await inside.getByRole("button", { name: "To the end" }).click();
    await inside.locator(".sentence").filter({ hasText: "Answer 1025." }).waitFor();
    await inside.locator("#input").fill("1+1");
    await inside.locator("#input").press("Enter");
    await inside.locator("#theme").click();
    await inside.getByRole("button", { name: "To the end" }).click();
    await inside.locator(".sentence").filter({ hasText: "Answer 2." }).waitFor();
    return page;
  },
};
