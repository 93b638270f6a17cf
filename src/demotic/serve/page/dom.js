// Elements from names, attributes and children. Text is always a text node: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Text that keeps its direction to itself.
export function isolated(text) {
  return element("bdi", {}, text);
}

// One stop for the tab key in a group of many; arrow keys move on, from right to left where text runs so.
export function roving(group, items, { vertical = null } = {}) {
  if (!items.length) return;
  for (const item of items) item.setAttribute("tabindex", "-1");
  items[0].setAttribute("tabindex", "0");
  const focus = (item) => {
    for (const each of items) each.setAttribute("tabindex", each === item ? "0" : "-1");
    item.focus();
  };
  group.addEventListener("focusin", (event) => {
    const item = items.find((each) => each === event.target);
    if (item) for (const each of items) each.setAttribute("tabindex", each === item ? "0" : "-1");
  });
  group.addEventListener("keydown", (event) => {
    const at = items.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const forth = getComputedStyle(group).direction === "rtl" ? -1 : 1;
    const aside = { ArrowRight: forth, ArrowLeft: -forth }[event.key];
    let to = null;
    if (aside) to = items[at + aside];
    else if (event.key === "Home") to = items[0];
    else if (event.key === "End") to = items[items.length - 1];
    else if (vertical && (event.key === "ArrowUp" || event.key === "ArrowDown")) to = vertical(at, event.key);
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    } else return;
    event.preventDefault();
    if (to) focus(to);
  });
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;
const LETTER = /\p{L}/u;

// Does text run from right to left? Its first letter tells.
export function rightToLeft(text) {
  for (const letter of text) if (LETTER.test(letter)) return RIGHT_TO_LEFT.test(letter);
  return false;
}

// Python counts code points where JavaScript counts units of UTF-16: a table from the one to the other.
export function unitsOf(text) {
  const units = [0];
  for (const letter of text) units.push(units[units.length - 1] + letter.length);
  return units;
}

export function signed(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const shown = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(shown) !== 0 ? "\u2212" : "") + shown;
}

export function percent(value) {
  return `${Math.round(value * 100)} %`;
}

// "1 rule", "2 rules".
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
