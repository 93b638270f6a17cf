// One step of a derivation: its rule, what it adds, what else there was, where it was learned.
import { counted, element, isolated, signed } from "./dom.js";
import { kindText, sideText } from "./drawing.js";
import { marked } from "./differences.js";

// Bars for what features add, the largest first; to the left of the line what speaks against it.
export function bars(shares, { most = Infinity } = {}) {
  const told = shares
    .filter((each) => Math.abs(each.contribution) >= 0.0005)
    .sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution))
    .slice(0, most);
  if (!told.length) return element("p", { class: "quiet" }, "Nothing is added here.");
  const largest = Math.abs(told[0].contribution);
  const body = element("tbody");
  for (const each of told) {
    const length = (50 * Math.abs(each.contribution)) / largest;
    const bar = element("span", { class: each.contribution < 0 ? "bar minus" : "bar plus" });
    bar.style.width = `${length}%`;
    bar.style.marginInlineStart = each.contribution < 0 ? `${50 - length}%` : "50%";
    const sum = each.value === null ? "together" : `${signed(each.value)} × ${signed(each.weight)}`;
    body.append(
      element(
        "tr",
        {},
        element("th", { scope: "row" }, spaced(each.name)),
        element("td", { class: "sum" }, sum),
        element("td", { class: "track" }, element("span", { class: "axis", "aria-hidden": "true" }, bar)),
        element("td", { class: "number" }, signed(each.contribution)),
      ),
    );
  }
  return element(
    "table",
    { class: "bars" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...["feature", "value × weight", "", "adds"].map((name) => element("th", { scope: name ? "col" : null }, name)),
      ),
    ),
    body,
  );
}

// TargetGivenSource as words.
export function spaced(name) {
  return name.length > 40 ? name : name.replace(/([a-z])([A-Z])/g, (_, one, other) => `${one} ${other.toLowerCase()}`);
}

// A side of a rule with numbers in circles for the parts below.
export function ruleSide(symbols) {
  const side = element("span", { class: "side", dir: "auto" });
  if (!symbols.length) side.append(element("span", { class: "quiet" }, "nothing"));
  symbols.forEach((each, at) => {
    if (at) side.append(" ");
    side.append(typeof each === "number" ? element("span", { class: "slot" }, sideText([each])) : isolated(each));
  });
  return side;
}

function arrow() {
  return element("span", { class: "arrow", "aria-label": "becomes" }, " → ");
}

export function stepDetails(view, at) {
  const step = view.steps[at];
  const words = view.source_tokens.slice(...step.span);
  const kind = kindText(step);
  const node = element(
    "div",
    { class: "details" },
    element("h3", {}, ruleSide(step.source), arrow(), ruleSide(step.target), kind ? element("small", {}, kind) : null),
    element("p", { class: "quiet" }, ...covering(view, step, words)),
  );
  const adds = part(`What it adds: ${signed(step.contribution, 3)}`, bars(step.features));
  const others = element("div");
  if (step.reasons.length) {
    const reasons = step.reasons.map((each) => element("li", {}, isolated(each)));
    others.append(part("Why", element("ul", { class: "reasons" }, ...reasons)));
  }
  if (step.rivals) others.append(rivals(step));
  if (step.evidence.length) others.append(evidence(step));
  if (step.kind === "pass-through") {
    others.append(element("p", { class: "notice" }, "The model does not know this word, and leaves it as it is."));
  }
  node.append(element("div", { class: "columns" }, adds, others));
  return node;
}

function covering(view, step, words) {
  const said = ["covers ", element("b", {}, isolated(words.join(" ")))];
  if (step.words.length) {
    said.push(", writes ", element("b", {}, isolated(step.words.map((word) => view.tokens[word]).join(" "))));
  }
  if (step.order !== null) said.push(`; step ${step.order}${step.action ? ` (${step.action})` : ""}`);
  return said;
}

function part(name, ...children) {
  return element("section", {}, element("h4", {}, name), ...children);
}

function rivals(step) {
  const { same, rank, best, others, other } = step.rivals;
  const place = rank > 1 ? `; this one is number ${rank} by itself` : "";
  const node = part(
    `${counted(same, "translation")} of the same words`,
    element("p", { class: "quiet" }, `Compared by what they bring along, without what stands around them${place}.`),
    rivalTable(best),
  );
  if (others) {
    node.append(element("h5", {}, `${counted(others, "rule")} cover these words in another way`), rivalTable(other));
  }
  return node;
}

function rivalTable(rows) {
  const body = element("tbody");
  for (const each of rows) {
    body.append(
      element(
        "tr",
        { class: each.chosen ? "chosen" : null },
        element("td", {}, ruleSide(each.source), arrow(), ruleSide(each.target)),
        element("td", {}, each.chosen ? "chosen" : ""),
        element("td", { class: "number" }, signed(each.score)),
      ),
    );
  }
  const head = ["rule", "", "score"].map((name) => element("th", { scope: name ? "col" : null }, name));
  return element("table", { class: "rivals" }, element("thead", {}, element("tr", {}, ...head)), body);
}

function evidence(step) {
  const full = step.evidence.length >= 3;
  const list = element("ul", { class: "evidence" });
  for (const each of step.evidence) {
    list.append(
      element(
        "li",
        {},
        pair(each.source, each.target, step),
        element("small", {}, placeOf(each)),
      ),
    );
  }
  const name = `Learned from ${counted(step.evidence.length, "sentence")}${full ? " or more" : ""}`;
  return part(name, list);
}

export function placeOf(each) {
  return each.file ? `${each.file.split("/").slice(-2).join("/")}:${each.unit}` : each.unit;
}

function pair(source, target, step) {
  return element(
    "div",
    { class: "pair" },
    element("p", { dir: "auto" }, ...withMarks(source, step.source)),
    element("p", { dir: "auto" }, ...withMarks(target, step.target)),
  );
}

// A training sentence with the rule's own words marked, where they are found.
function withMarks(text, symbols) {
  const words = symbols.filter((each) => typeof each === "string" && each.length);
  const folded = text.toLowerCase();
  if (folded.length !== text.length) return [text];
  const found = [];
  let at = 0;
  for (const word of words) {
    const place = foundWord(folded, word.toLowerCase(), at);
    if (place < 0) continue;
    if (place > at) found.push(text.slice(at, place));
    found.push(element("mark", {}, text.slice(place, place + word.length)));
    at = place + word.length;
  }
  found.push(text.slice(at));
  return found;
}

const INSIDE = /[\p{L}\p{N}]/u;

// The place of a word that is no part of a longer one; such a part where there is nothing else.
function foundWord(text, word, from) {
  let first = -1;
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (first < 0) first = at;
    const before = at ? text[at - 1] : "";
    const behind = text[at + word.length] || "";
    if (!(INSIDE.test(word[0]) && INSIDE.test(before)) && !(INSIDE.test(word.at(-1)) && INSIDE.test(behind))) return at;
  }
  return first;
}

const KINDS = {
  exact: "the same message",
  substituted: "other numbers or placeholders",
  mended: "other case or punctuation",
  similar: "similar",
  repaired: "similar, its other words translated",
};

// Messages of the memory, with what differs from the sentence marked.
export function matches(list) {
  const node = element("ul", { class: "matches" });
  for (const each of list) {
    const kind = each.suggested ? "corrected by hand" : KINDS[each.kind] || each.kind;
    const near = each.kind === "similar" || each.kind === "repaired" ? `${Math.round(each.similarity * 100)} %` : null;
    const said = [near, kind, each.count > 1 ? `${each.count} times` : null, placeOf(each)].filter(Boolean);
    node.append(
      element(
        "li",
        {},
        element(
          "div",
          { class: "pair" },
          element("p", { dir: "auto" }, each.difference ? marked(each.difference) : each.source),
          element("p", { dir: "auto" }, each.target),
        ),
        element("small", {}, said.join(" · ")),
      ),
    );
  }
  return node;
}
