// Light or dark: as the host has it where the viewer stands in somebody else's page, else as the system has it,
// or as a person has chosen; the choice is remembered where the browser allows that.

const KEY = "dfst-theme";

/** Told on the window whenever colours have changed: what is painted on a canvas must be painted again. */
export const THEME_CHANGED = "dfst-theme-changed";

const system = () => (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/** What the page around an embedded viewer says of itself; null where it says nothing. */
function hostTheme() {
  const { body, documentElement: root } = document;
  if (body.dataset.jpThemeLight !== undefined)
    return body.dataset.jpThemeLight === "false" ? "dark" : "light";
  const kind = body.dataset.vscodeThemeKind ?? body.className;
  if (/vscode-(high-contrast-)?light/.test(kind)) return "light";
  if (/vscode-(dark|high-contrast)/.test(kind)) return "dark";
  for (const node of [root, body]) {
    const said = node.dataset.theme ?? node.getAttribute("theme") ?? "";
    if (node.classList.contains("dark") || node.classList.contains("dark-theme") || said.includes("dark"))
      return "dark";
    if (node.classList.contains("light") || node.classList.contains("light-theme") || said.includes("light"))
      return "light";
  }
  return null;
}

/** Keep an embedded viewer in the colours of its host; `signal` ends it. */
export function followHost(node, signal) {
  const apply = () => {
    node.dataset.theme = hostTheme() ?? system();
    window.dispatchEvent(new Event(THEME_CHANGED));
  };
  const observer = new MutationObserver(apply);
  for (const each of [document.documentElement, document.body])
    observer.observe(each, {
      attributes: true,
      attributeFilter: ["class", "theme", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"],
    });
  signal.addEventListener("abort", () => observer.disconnect());
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply, { signal });
  apply();
}

/** What the site says whose page holds this one in a frame; null where there is none, or none that may be asked. */
function siteTheme() {
  const scheme = attempt(() => window.parent !== window && window.parent.document.body.dataset.mdColorScheme);
  return scheme ? (scheme === "slate" ? "dark" : "light") : null;
}

/** The system's choice, for a page without a button of its own. */
export function followSystem(node) {
  const apply = () => {
    node.dataset.theme = attempt(() => localStorage.getItem(KEY)) ?? system();
    window.dispatchEvent(new Event(THEME_CHANGED));
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}

/** The choice of a page of one's own; in a frame of the site, the site's. */
export function wireTheme(button) {
  const { body } = document;
  const remembered = attempt(() => localStorage.getItem(KEY));
  const chosen = remembered === "light" || remembered === "dark" ? remembered : null;
  const apply = (theme) => {
    body.dataset.theme = theme;
    window.dispatchEvent(new Event(THEME_CHANGED));
  };
  apply(siteTheme() ?? chosen ?? system());
  let free = chosen === null;
  if (siteTheme() !== null) {
    const { body: around } = window.parent.document;
    new MutationObserver(() => apply(siteTheme())).observe(around, {
      attributeFilter: ["data-md-color-scheme"],
    });
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => free && apply(system()));
  button.addEventListener("click", () => {
    free = false;
    apply(body.dataset.theme === "dark" ? "light" : "dark");
    attempt(() => localStorage.setItem(KEY, body.dataset.theme));
  });
}

/** Storage throws where cookies are blocked; the page works without it. */
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
