// The viewer inside other people's pages: the notebook widget and `_repr_html_`.

import assert from "node:assert/strict";
import { press, question, says, visit } from "./kit.mjs";

const { replay, widget } = question;

export const scenarios = {
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
