// A slider that shows a derivation as it grew, step by step.
import { element } from "./dom.js";
import { ruleText } from "./drawing.js";

const PAUSE = 900;

const ACTIONS = {
  start: "It begins here",
  down: "Grown downwards, into a gap",
  up: "Grown upwards, around what is there",
};

export function replay(view, { show }) {
  const ordered = view.steps
    .map((step, at) => ({ step, at }))
    .filter(({ step }) => step.order !== null)
    .sort((one, other) => one.step.order - other.step.order);
  if (ordered.length < 2) return null;
  const slider = element("input", {
    type: "range",
    min: 1,
    max: ordered.length,
    value: ordered.length,
    "aria-label": "Step of the derivation",
  });
  const said = element("p", { class: "said", "aria-live": "polite" });
  const partial = element("p", { class: "partial", dir: "auto", "aria-label": "Words so far" });
  let timer = null;
  const play = element("button", { type: "button", class: "quiet-button" }, "Play");
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  const at = (number) => {
    const { step, at: index } = ordered[number - 1];
    const action = ACTIONS[step.action] || (step.action ? `Label ${step.action}` : "");
    slider.setAttribute("aria-valuetext", `step ${number} of ${ordered.length}: ${ruleText(step)}`);
    said.replaceChildren(
      element("b", {}, `${number} of ${ordered.length}`),
      ` ${action}${action ? ": " : ""}`,
      element("bdi", {}, ruleText(step)),
    );
    const there = new Set(ordered.slice(0, number).map((each) => each.at));
    for (let each = 0; each < view.steps.length; each++) {
      if (view.steps[each].order === null && number === ordered.length) there.add(each);
    }
    partial.replaceChildren(...wordsSoFar(view, there, index));
    show(there, index);
  };
  slider.addEventListener("input", () => {
    stop();
    at(Number(slider.value));
  });
  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    if (Number(slider.value) === ordered.length) slider.value = 1;
    at(Number(slider.value));
    play.textContent = "Pause";
    timer = setInterval(() => {
      if (!slider.isConnected || Number(slider.value) >= ordered.length) {
        stop();
        return;
      }
      slider.value = Number(slider.value) + 1;
      at(Number(slider.value));
    }, PAUSE);
  });
  const node = element("div", { class: "replay" }, play, slider, said, partial);
  return { node, reset: stop };
}

// The words that steps have written, a dot for each gap that is still open.
function wordsSoFar(view, there, newest) {
  const writer = new Array(view.tokens.length).fill(-1);
  view.steps.forEach((step, at) => step.words.forEach((word) => (writer[word] = at)));
  const said = [];
  let gap = false;
  view.tokens.forEach((token, word) => {
    const known = there.has(writer[word]);
    if (!known) {
      if (!gap) said.push(element("span", { class: "gap" }, "…"), " ");
      gap = true;
      return;
    }
    gap = false;
    said.push(element(writer[word] === newest ? "b" : "span", {}, element("bdi", {}, token)), " ");
  });
  return said;
}
