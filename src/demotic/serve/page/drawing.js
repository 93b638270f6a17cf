// Pictures of derivations as SVG: trees over the source words, and phrases between two lines of words.
import { drawn, roving, signed } from "./dom.js";

const GAP = 14;
const LEVEL = 64;
const BOX = 40;
const PAD = 11;
const MOST_LETTERS = 26;

const measuring = document.createElement("canvas").getContext("2d");

function widthOf(text, size, weight = 400) {
  measuring.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measuring.measureText(text).width;
}

function cut(text) {
  const letters = [...text];
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join("")}…` : text;
}

const CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩";

// One side of a rule; what stands for a part below is a number in a circle.
export function sideText(symbols) {
  if (!symbols.length) return "–";
  return symbols
    .map((each) => (typeof each === "number" ? CIRCLED[each] || `[${each + 1}]` : each))
    .join(" ");
}

const ISOLATE = (text) => `\u2068${text}\u2069`;

export function ruleText(step) {
  return `${ISOLATE(sideText(step.source))} → ${ISOLATE(sideText(step.target))}`;
}

// What a step is called where its rule does not say it.
export function kindText(step) {
  const kinds = {
    "pass-through": "left as it is",
    glue: "side by side",
    goal: "whole sentence",
    straight: "in order",
    inverted: "swapped",
  };
  return kinds[step.kind] || "";
}

function below(step) {
  const order = step.order === null ? "" : `${step.order} · `;
  const what = kindText(step) || step.lhs;
  return `${order}${what} · ${signed(step.contribution)}`;
}

function above(step, flipped) {
  if (step.kind === "inverted") return "⇄";
  if (step.kind === "straight") return flipped ? "←" : "→";
  return cut(sideText(step.target));
}

// A tree over the source words, which stand in a line at its foot. Returns the picture and its boxes by step.
export function tree(view, { select, flipped }) {
  const { steps } = view;
  const covered = steps.map((step) => new Set(step.children.flatMap((child) => range(...steps[child].span))));
  // The parts of each step from left to right: other steps, and words that it covers itself.
  const parts = steps.map((step, at) => {
    const own = range(...step.span)
      .filter((word) => !covered[at].has(word))
      .map((word) => ({ word, at: word }));
    const others = step.children.map((child) => ({ step: child, at: steps[child].span[0] }));
    return [...own, ...others].sort((one, other) => one.at - other.at);
  });
  const wordWidth = view.source_tokens.map((token) => widthOf(cut(token), 15, 500) + 8);
  const boxWidth = steps.map(
    (step) => Math.max(widthOf(above(step, flipped), 14, 600), widthOf(below(step), 11)) + 2 * PAD,
  );
  const width = new Array(steps.length).fill(0);
  const depth = new Array(steps.length).fill(0);
  const partWidth = (part) => (part.step === undefined ? wordWidth[part.word] : width[part.step]);
  for (let at = steps.length - 1; at >= 0; at--) {
    const inside = parts[at].reduce((sum, part) => sum + partWidth(part) + GAP, -GAP);
    width[at] = Math.max(boxWidth[at], inside);
  }
  const left = new Array(steps.length).fill(0);
  const words = new Array(view.source_tokens.length).fill(null);
  const owner = new Array(words.length).fill(0);
  steps.forEach((step, at) => {
    const inside = parts[at].reduce((sum, part) => sum + partWidth(part) + GAP, -GAP);
    let x = left[at] + (width[at] - inside) / 2;
    for (const part of parts[at]) {
      if (part.step === undefined) {
        words[part.word] = x + wordWidth[part.word] / 2;
        owner[part.word] = at;
      } else {
        left[part.step] = x;
        depth[part.step] = depth[at] + 1;
      }
      x += partWidth(part) + GAP;
    }
  });
  const whole = width[0] + 2 * GAP;
  const levels = Math.max(...depth) + 1;
  const bottom = levels * LEVEL + 26;
  const place = (x) => (flipped ? whole - x - GAP : x + GAP);
  const centre = steps.map((_, at) => place(left[at] + width[at] / 2));
  const top = (at) => depth[at] * LEVEL + 4;
  const lines = drawn("g", { class: "lines" });
  const boxes = drawn("g", { class: "boxes" });
  const found = [];
  steps.forEach((step, at) => {
    for (const part of parts[at]) {
      const [x, y] = part.step === undefined ? [place(words[part.word]), bottom - 20] : [centre[part.step], top(part.step)];
      const from = top(at) + BOX;
      lines.append(
        drawn("path", {
          class: part.step === undefined ? "own" : "branch",
          "data-step": part.step === undefined ? at : part.step,
          d: `M${centre[at]},${from} C${centre[at]},${from + 16} ${x},${y - 18} ${x},${y}`,
        }),
      );
    }
  });
  steps.forEach((step, at) => {
    const box = boxOf(step, at, centre[at], top(at), boxWidth[at], above(step, flipped), below(step), select);
    boxes.append(box);
    found.push(box);
  });
  const feet = drawn("g", { class: "words" });
  view.source_tokens.forEach((token, word) => {
    if (words[word] === null) return;
    const text = drawn("text", { x: place(words[word]), y: bottom, "data-source": word }, ISOLATE(cut(token)));
    text.addEventListener("click", () => select(owner[word]));
    feet.append(text);
  });
  const parent = new Array(steps.length).fill(0);
  steps.forEach((step, at) => step.children.forEach((child) => (parent[child] = at)));
  const picture = framed(whole, bottom + 12, "Derivation tree", lines, boxes, feet);
  roving(picture, found, {
    vertical: (at, key) => found[key === "ArrowUp" ? parent[at] : steps[at].children[0]],
  });
  return { picture, boxes: found };
}

function boxOf(step, at, x, y, width, head, foot, select) {
  const box = drawn(
    "g",
    {
      class: `box ${step.kind}`,
      role: "button",
      "aria-label": `${ruleText(step)}, ${below(step)}`,
      "data-step": at,
    },
    drawn("title", {}, `${ruleText(step)}  ${below(step)}`),
    drawn("rect", { x: x - width / 2, y, width, height: BOX, rx: 8 }),
    drawn("text", { class: "head", x, y: y + 17 }, ISOLATE(head)),
    drawn("text", { class: "foot", x, y: y + 32 }, foot),
  );
  box.addEventListener("click", () => select(at));
  box.addEventListener("focus", () => select(at));
  return box;
}

// Source phrases above, their translations below in their own order, a band from each to its own.
export function phrases(view, { select, flipped, flippedBelow }) {
  const used = view.steps.map((step, at) => ({ step, at })).filter(({ step }) => !step.children.length);
  const texts = used.map(({ step }) => [
    cut(view.source_tokens.slice(...step.span).join(" ")),
    cut(step.words.map((word) => view.tokens[word]).join(" ") || "–"),
  ]);
  const widths = texts.map((pair) => pair.map((text) => widthOf(text, 15, 500) + 2 * PAD));
  const layOut = (order, side, mirrored) => {
    const begin = new Array(used.length).fill(0);
    let x = GAP;
    for (const at of mirrored ? [...order].reverse() : order) {
      begin[at] = x;
      x += widths[at][side] + GAP;
    }
    return [begin, x];
  };
  const numbers = used.map((_, at) => at);
  const bySource = [...numbers].sort((one, other) => used[one].step.span[0] - used[other].step.span[0]);
  const [upper, upperEnd] = layOut(bySource, 0, flipped);
  const [lower, lowerEnd] = layOut(numbers, 1, flippedBelow);
  const whole = Math.max(upperEnd, lowerEnd);
  const shift = [(whole - upperEnd) / 2, (whole - lowerEnd) / 2];
  const bands = drawn("g", { class: "bands" });
  const boxes = drawn("g", { class: "boxes" });
  const found = [];
  used.forEach(({ step, at }, number) => {
    const [a, b] = [upper[number] + shift[0], lower[number] + shift[1]];
    const [wide, narrow] = widths[number];
    bands.append(
      drawn("path", {
        "data-step": at,
        d: `M${a},46 C${a},76 ${b},86 ${b},116 h${narrow} C${b + narrow},86 ${a + wide},76 ${a + wide},46 z`,
      }),
    );
    const box = drawn(
      "g",
      {
        class: `box ${step.kind}`,
        role: "button",
        "aria-label": `${ruleText(step)}, ${signed(step.contribution)}`,
        "data-step": at,
      },
      drawn("title", {}, `${ruleText(step)}  ${signed(step.contribution)}`),
      drawn("rect", { x: a, y: 10, width: wide, height: 36, rx: 8 }),
      drawn("text", { class: "head", x: a + wide / 2, y: 33 }, ISOLATE(texts[number][0])),
      drawn("rect", { x: b, y: 116, width: narrow, height: 36, rx: 8 }),
      drawn("text", { class: "head", x: b + narrow / 2, y: 139 }, ISOLATE(texts[number][1])),
      drawn("text", { class: "foot", x: b + narrow / 2, y: 168 }, signed(step.contribution)),
    );
    box.addEventListener("click", () => select(at));
    box.addEventListener("focus", () => select(at));
    boxes.append(box);
    found[number] = box;
  });
  const picture = framed(whole, 176, "Phrases in order", bands, boxes);
  roving(picture, found);
  return { picture, boxes: found };
}

function framed(width, height, name, ...children) {
  return drawn(
    "svg",
    { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      role: "group", "aria-label": `${name}: arrow keys move between steps`, class: "picture" },
    ...children,
  );
}

function range(begin, end) {
  return Array.from({ length: Math.max(0, end - begin) }, (_, at) => begin + at);
}
