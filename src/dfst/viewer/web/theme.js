// Light, dark, or as the system has it; the choice is remembered where the browser allows that.

const KEY = "dfst-theme";

export function wireTheme(button) {
  const root = document.documentElement;
  const remembered = attempt(() => localStorage.getItem(KEY));
  if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
  button.addEventListener("click", () => {
    const system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
    attempt(() => localStorage.setItem(KEY, root.dataset.theme));
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
