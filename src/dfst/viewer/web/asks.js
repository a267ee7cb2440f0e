// A box and its button: Enter in the box is a click on the button. No form: a sandboxed frame would block it.

export function wireAsk(box, button, act) {
  button.addEventListener("click", act);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    act();
  });
  // A box of one line would join the rows of a board that is pasted; a / parts them.
  box.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!text.includes("\n")) return;
    event.preventDefault();
    box.setRangeText(text.replaceAll(/\r?\n/g, "/"), box.selectionStart, box.selectionEnd, "end");
    box.dispatchEvent(new Event("input"));
  });
}

/** A box of several lines in place of a box of one: each line is a row of the board, a / in the other box. */
export function wireRows(rows, box) {
  rows.addEventListener("input", () => {
    box.value = rows.value.trim().replaceAll(/\r?\n/g, "/");
    box.dispatchEvent(new Event("input"));
  });
}
