// Tabs as the ARIA practices have them: one in the tab order, arrows between them, their panels shown or hidden.

/** Wires `tab-NAME` buttons to the panels NAME; `shown(name)` is told of every change. */
export function wireTabs(names, shown) {
  const tabs = names.map((name) => document.getElementById(`tab-${name}`));
  let current = names[0];
  const show = (name) => {
    if (name === current) return;
    current = name;
    names.forEach((each, i) => {
      const chosen = each === name;
      tabs[i].setAttribute("aria-selected", String(chosen));
      tabs[i].tabIndex = chosen ? 0 : -1;
      document.getElementById(each).hidden = !chosen;
    });
    shown(name);
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(names[i]));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined) return;
      const next = (i + by + names.length) % names.length;
      event.preventDefault();
      event.stopPropagation();
      tabs[next].focus();
      show(names[next]);
    });
  });
  return { show };
}
