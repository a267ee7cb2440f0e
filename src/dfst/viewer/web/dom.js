// Making elements without a framework, and saying symbols and motions in words.

export function element(tag, attributes = {}, children = []) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** A symbol as shown in tables: the blank as λ unless it has a name of its own. */
export function readableSymbol(subject, symbol) {
  return symbol === subject.blank && subject.alphabet[symbol].trim() === "" ? "λ" : subject.alphabet[symbol];
}

export function spokenSymbol(subject, symbol) {
  const name = subject.alphabet[symbol];
  return symbol === subject.blank && !/[0-9A-Za-z]/.test(name) ? "blank" : name;
}

export const SPOKEN_MOTIONS = ["moved up", "moved down", "moved left", "moved right", "halted", "stayed"];

export function count(number) {
  return number.toLocaleString("en");
}

/** A number with what it counts, which stands in the singular and takes an s. */
export function counted(number, what) {
  return `${count(number)} ${what}${number === 1 ? "" : "s"}`;
}

/** Hand the reader a file. */
export function download(name, content, type) {
  const link = element("a", { download: name.replace(/[^\w.-]+/g, "-") });
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
