// A whole explanation: both texts word by word, the derivation drawn, and the step that was chosen.
import { counted, element, isolated, percent, rightToLeft, roving, signed, unitsOf } from "./dom.js";
import { phrases, ruleText, tree } from "./drawing.js";
import { replay } from "./replay.js";
import { bars, matches, stepDetails } from "./step.js";

const MOST_DRAWN = 250;

const SYSTEMS = {
  hiero: "hiero: rules with gaps, a tree found bottom-up",
  umt: "umt: one tree that grows in any order",
  phrase: "phrase: phrases in any order",
  blocks: "blocks: neighbouring blocks, some of them swapped",
  amasis: "amasis: items on a stack",
  transducer: "transducer: a parsed source, word by word",
};

// `extra.memory` are matches that are fresher than the view's own; `extra.decoded` asks for the model's own words.
export function showView(view, { onword = () => {}, extra = {} } = {}) {
  const node = element("article", { class: "view" });
  const state = { view, node, boxes: [], chosen: null, word: null, onword };
  state.source = wordLine(view.source, view.source_places, view.source_tokens, null);
  const target = wordLine(view.text, view.places, view.tokens, (word) => selectWord(state, word));
  state.target = target;
  node.append(
    element(
      "div",
      { class: "texts" },
      element("p", { class: "line source", dir: "auto", lang: view.languages.source || null }, ...state.source.nodes),
      element(
        "p",
        {
          class: "line target",
          dir: "auto",
          lang: view.languages.target || null,
          role: view.steps.length ? "group" : null,
          "aria-label": view.steps.length ? "Translation: arrow keys move from word to word" : null,
        },
        ...target.nodes,
      ),
    ),
    facts(view),
  );
  if (view.steps.length) derivation(state);
  remembered(state, extra);
  roving(node.querySelector(".line.target"), target.words.filter(Boolean));
  if (view.steps.length) {
    const first = target.words.findIndex(Boolean);
    if (first >= 0) selectWord(state, first);
    else selectStep(state, 0);
  }
  return {
    node,
    selectWord: (word) => selectWord(state, word),
    selectStep: (step) => selectStep(state, step),
    spans: () => highlighted(state),
  };
}

// The text as it is, its tokens as elements where they have a place.
function wordLine(text, places, tokens, select) {
  const units = unitsOf(text);
  const nodes = [];
  const words = new Array(tokens.length).fill(null);
  let at = 0;
  places.forEach((place, number) => {
    if (!place || units[place[0]] < at) return;
    const [begin, end] = [units[place[0]], units[place[1]]];
    if (begin > at) nodes.push(text.slice(at, begin));
    const word = element("span", { class: "word", "data-token": number }, text.slice(begin, end));
    if (select) {
      word.setAttribute("role", "button");
      word.setAttribute("aria-pressed", "false");
      word.addEventListener("click", () => select(number));
      word.addEventListener("focus", () => select(number));
    }
    nodes.push(word);
    words[number] = word;
    at = end;
  });
  nodes.push(text.slice(at));
  return { nodes, words };
}

function facts(view) {
  const said = [SYSTEMS[view.system] || view.system];
  if (view.memory) said.push("from the memory");
  else if (view.score !== null) said.push(`score ${signed(view.score)}`);
  if (view.confidence !== null) said.push(`${percent(view.confidence)} sure that it needs no edit`);
  if (view.cdlm) said.push(`confusion model ${signed(view.cdlm.contribution)} (${percent(view.cdlm.share)})`);
  const list = element("ul", { class: "facts" }, ...said.map((each) => element("li", {}, each)));
  for (const term of view.terms) {
    const outcome = { used: "used", "put in": "put in by the glossary", missing: "missing" }[term.outcome];
    const words = `${term.term} → ${term.targets.join(", ")}`;
    list.append(element("li", { class: `term ${term.outcome.replace(" ", "-")}` }, isolated(words), `: ${outcome}`));
  }
  return list;
}

function derivation(state) {
  const { view, node } = state;
  const flipped = rightToLeft(view.source);
  const select = (step) => selectStep(state, step);
  if (view.steps.length > MOST_DRAWN) {
    node.append(element("p", { class: "notice" }, `${counted(view.steps.length, "step")}: too many to draw.`));
  } else {
    const inOrder = view.shape === "phrases";
    const drawing = inOrder
      ? phrases(view, { select, flipped, flippedBelow: rightToLeft(view.text) })
      : tree(view, { select, flipped });
    state.boxes = [...drawing.picture.querySelectorAll("[data-step]")];
    state.feet = [...drawing.picture.querySelectorAll("[data-source]")];
    const name = inOrder ? "Phrases" : view.shape === "source-tree" ? "Source tree" : "Derivation";
    const frame = element("div", { class: "diagram", role: "region", "aria-label": name, tabindex: "0" }, drawing.picture);
    if (flipped) frame.classList.add("flipped");
    node.append(frame);
    const player = replay(view, {
      show: (there, newest) => {
        for (const box of state.boxes) box.classList.toggle("later", !there.has(Number(box.dataset.step)));
        selectStep(state, newest);
      },
    });
    if (player) node.append(player.node);
    state.player = player;
  }
  if (view.shape === "stack") node.append(stackTable(state));
  state.details = element("div", { class: "step" });
  state.said = element("p", { class: "hidden-name", role: "status" });
  node.append(
    state.said,
    state.details,
    element(
      "details",
      { class: "whole" },
      element("summary", {}, "What the whole score is made of"),
      bars(view.contributions),
    ),
  );
  if (view.consensus) {
    const { own, own_score: score } = view.consensus;
    const same = own === view.text;
    node.append(
      element(
        "p",
        { class: "notice" },
        "Chosen because most of the possible translations agree with it. ",
        same ? "It also has the best score." : "The best score has: ",
        same ? "" : element("b", {}, isolated(own)),
        same ? "" : ` (${signed(score)})`,
      ),
    );
  }
}

// Items as they were shifted, and the fragments on the stack behind each.
function stackTable(state) {
  const { view } = state;
  const shifts = view.steps
    .map((step, at) => ({ step, at }))
    .filter(({ step }) => step.stack !== null)
    .sort((one, other) => one.step.order - other.step.order);
  const body = element("tbody");
  for (const { step, at } of shifts) {
    const choose = element("button", { type: "button", class: "link-button", "data-row": at }, ruleText(step));
    choose.addEventListener("click", () => selectStep(state, at));
    body.append(
      element(
        "tr",
        { "data-step": at },
        element("td", { class: "number" }, String(step.order)),
        element("td", {}, choose),
        element("td", {}, element("code", {}, step.action || "")),
        element("td", {}, ...step.stack.map((each) => element("span", { class: "fragment", dir: "auto" }, each || "–"))),
      ),
    );
  }
  state.rows = [...body.children];
  const head = ["", "item", "label", "stack afterwards"];
  return element(
    "div",
    { class: "scrolling", role: "region", "aria-label": "Stack", tabindex: "0" },
    element(
      "table",
      { class: "stack" },
      element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: name ? "col" : null }, name)))),
      body,
    ),
  );
}

function remembered(state, extra) {
  const { view, node } = state;
  const answers = extra.memory ? extra.memory.answers : view.memory ? [view.memory] : [];
  const known = new Set(answers.map((each) => each.source));
  const similar = (extra.memory ? extra.memory.similar : view.matches).filter((each) => !known.has(each.source));
  if (answers.length) {
    node.append(
      element(
        "section",
        { class: "memory" },
        element("h3", {}, view.memory ? "Translated before" : "Translated before, in the memory"),
        matches(answers),
      ),
    );
  }
  if (view.memory && extra.decoded) {
    const button = element("button", { type: "button", class: "quiet-button" }, "Show what the model says by itself");
    button.addEventListener("click", extra.decoded);
    node.append(button);
  }
  if (similar.length) {
    node.append(element("section", { class: "memory" }, element("h3", {}, "Similar messages"), matches(similar)));
  }
}

function selectWord(state, word) {
  const at = state.view.steps.findIndex((step) => step.words.includes(word));
  if (at < 0) return;
  state.word = word;
  choose(state, at);
}

function selectStep(state, step) {
  state.word = null;
  choose(state, step);
}

function choose(state, at) {
  const { view } = state;
  const changed = state.chosen !== at;
  state.chosen = at;
  const step = view.steps[at];
  const linked = new Set(
    view.alignment.filter(([, to]) => (state.word === null ? step.words.includes(to) : to === state.word)).map(([from]) => from),
  );
  state.source.words.forEach((word, number) => {
    if (!word) return;
    word.classList.toggle("span", number >= step.span[0] && number < step.span[1]);
    word.classList.toggle("linked", linked.has(number));
  });
  state.target.words.forEach((word, number) => {
    if (!word) return;
    const own = number === state.word;
    word.classList.toggle("span", step.words.includes(number));
    word.classList.toggle("linked", own);
    word.setAttribute("aria-pressed", String(own));
  });
  for (const box of state.boxes) box.classList.toggle("chosen", Number(box.dataset.step) === at);
  inSight(state, at);
  for (const foot of state.feet || []) foot.classList.toggle("linked", linked.has(Number(foot.dataset.source)));
  for (const row of state.rows || []) row.classList.toggle("chosen", Number(row.dataset.step) === at);
  state.said.textContent = saidOf(state, step, linked);
  if (changed) state.details.replaceChildren(stepDetails(view, at));
  state.onword(highlighted(state));
}

// What is chosen in a few words, for those who listen.
function saidOf(state, step, linked) {
  const { view, word } = state;
  if (word === null) return ruleText(step);
  const from = [...linked].map((each) => view.source_tokens[each]).join(" ");
  return `${view.tokens[word]}${from ? ` from ${from}` : ""}, by the rule ${ruleText(step)}`;
}

// A wide picture is moved sideways until the chosen step can be seen; the page stays where it is.
function inSight(state, at) {
  const box = state.boxes.find((each) => each.classList.contains("box") && Number(each.dataset.step) === at);
  if (!box || !box.isConnected) return;
  const frame = box.closest(".diagram");
  const [own, whole] = [box.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (own.left < whole.left || own.right > whole.right) {
    frame.scrollLeft += (own.left + own.right) / 2 - (whole.left + whole.right) / 2;
  }
}

// The places in both texts of what is chosen, in code points, for whoever shows these texts, too.
function highlighted(state) {
  const { view } = state;
  if (state.chosen === null) return null;
  const step = view.steps[state.chosen];
  const places = view.source_places.slice(...step.span).filter(Boolean);
  const linked = view.alignment
    .filter(([, to]) => (state.word === null ? step.words.includes(to) : to === state.word))
    .map(([from]) => view.source_places[from])
    .filter(Boolean);
  return {
    span: places.length ? [places[0][0], places[places.length - 1][1]] : null,
    linked,
    word: state.word === null ? null : view.places[state.word],
  };
}
