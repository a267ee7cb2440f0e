// A box and its button: Enter in the box is a click on the button. No form: a sandboxed frame would block it.

export function wireAsk(box, button, act) {
  button.addEventListener("click", act);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    act();
  });
}
