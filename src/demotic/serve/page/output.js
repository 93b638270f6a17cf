// What one model makes of the text: its sentences, word by word, with what can be done to each.
import { element, percent, roving, unitsOf } from "./dom.js";
import { shared, wordsOf } from "./differences.js";
import { nameOf } from "./languages.js";

const UNSURE = 0.35;

const ORIGINS = {
  memory: "from the memory",
  suggested: "corrected by hand",
};

// `actions`: explain(output, sentence, offset, word), correct(output, sentence), alternatives(output, sentence).
export class Output {
  constructor(model, { named, correctable, actions }) {
    this.model = model;
    this.correctable = correctable;
    this.actions = actions;
    this.sentences = [];
    this.words = [];
    this.text = element("div", { class: "output", dir: "auto", lang: model.target.code });
    this.tools = element("div", { class: "tools" });
    const head = named ? element("h2", {}, ...nameOf(model)) : null;
    this.node = element("section", { class: "result", "aria-label": `Translation by ${model.name}` }, head, this.text, this.tools);
  }

  wait(waiting) {
    this.node.classList.toggle("waiting", waiting);
    this.node.setAttribute("aria-busy", String(waiting));
  }

  show(translated, segments) {
    this.translated = translated;
    this.words = [];
    this.sentences = placed(translated, segments);
    const nodes = [];
    let at = 0;
    this.sentences.forEach((sentence, number) => {
      nodes.push(translated.slice(at, sentence.at));
      nodes.push(this.sentence(sentence, number));
      at = sentence.at + sentence.text.length;
    });
    nodes.push(translated.slice(at));
    const name = "Translation: arrow keys move from word to word";
    const group = element("div", { role: "group", class: "words", "aria-label": name }, ...nodes);
    this.text.replaceChildren(group);
    roving(group, this.words.map((each) => each.node));
    this.tools.replaceChildren();
    if (this.sentences.length) this.showTools(null);
  }

  sentence(sentence, number) {
    const node = element("span", { class: `sentence ${sentence.origin}`, "data-sentence": number });
    let at = 0;
    for (const word of wordsOf(sentence.text)) {
      node.append(sentence.text.slice(at, word.start));
      const shown = element(
        "span",
        { class: "word", role: "button", "aria-pressed": "false", "data-start": word.start },
        word.text,
      );
      const entry = { node: shown, text: word.text, start: word.start, sentence };
      shown.addEventListener("click", () => this.choose(entry));
      shown.addEventListener("focus", () => this.chosen === entry || this.choose(entry));
      this.words.push(entry);
      node.append(shown);
      at = word.start + word.text.length;
    }
    node.append(sentence.text.slice(at));
    const doubtful = sentence.sure !== null && sentence.sure < UNSURE;
    if (doubtful || sentence.unknown) node.classList.add("unsure");
    sentence.node = node;
    return node;
  }

  choose(entry) {
    this.chosen = entry;
    for (const each of this.words) {
      const own = each === entry;
      each.node.classList.toggle("linked", own);
      each.node.setAttribute("aria-pressed", String(own));
    }
    for (const each of this.sentences) each.node.classList.toggle("current", each === entry.sentence);
    this.showTools(entry.sentence);
    this.actions.explain(this, entry.sentence, entry.start);
  }

  unchoose() {
    this.chosen = null;
    for (const each of this.words) {
      each.node.classList.remove("linked", "span");
      each.node.setAttribute("aria-pressed", "false");
    }
  }

  // Marks what the explanation says belongs together; places are code points of the sentence.
  mark(sentence, place) {
    if (!place) return;
    const units = unitsOf(sentence.text);
    const [begin, end] = [units[place[0]], units[place[1]]];
    for (const each of this.words) {
      const inside = each.sentence === sentence && each.start < end && each.start + each.text.length > begin;
      each.node.classList.toggle("linked", inside);
      each.node.setAttribute("aria-pressed", String(inside));
    }
  }

  showTools(given) {
    const sentence = given || (this.sentences.length === 1 ? this.sentences[0] : null);
    const copy = element("button", { type: "button", class: "quiet-button" }, "Copy");
    copy.addEventListener("click", () => this.actions.copy(this.translated));
    const nodes = [copy];
    if (sentence) {
      if (this.correctable) {
        const correct = element("button", { type: "button", class: "quiet-button" }, "Correct");
        correct.addEventListener("click", () => this.correct(sentence, sentence.text));
        nodes.push(correct);
      }
      if (this.model.nbest) {
        const others = element("button", { type: "button", class: "quiet-button" }, "Alternatives");
        others.addEventListener("click", () => this.actions.alternatives(this, sentence));
        nodes.push(others);
      }
      nodes.push(...about(sentence).map((each) => element("span", { class: `about ${each[0]}` }, each[1])));
    } else {
      const unsure = this.sentences.some((each) => each.node.classList.contains("unsure"));
      const hint = `Choose a word to see where it comes from.${unsure ? " Dotted: not sure." : ""}`;
      nodes.push(element("span", { class: "quiet" }, hint));
    }
    this.tools.replaceChildren(...nodes);
  }

  showAlternatives(sentence, list) {
    const box = element("ul", { class: "alternatives", "aria-label": "Alternatives" });
    for (const text of list) {
      if (!this.correctable) {
        box.append(element("li", { dir: "auto" }, text));
        continue;
      }
      const use = element("button", { type: "button", class: "link-button", dir: "auto" }, text);
      use.addEventListener("click", () => this.correct(sentence, text));
      box.append(element("li", {}, use));
    }
    if (!list.length) box.append(element("li", { class: "quiet" }, "There is no other translation."));
    this.tools.append(box);
    const first = box.querySelector("button");
    if (first) first.focus();
  }

  correct(sentence, text) {
    const field = element("textarea", { dir: "auto", lang: this.model.target.code, rows: 2, "aria-label": "Your translation of this sentence" });
    field.value = text;
    const save = element("button", { type: "submit", class: "strong-button" }, "Save");
    const cancel = element("button", { type: "button", class: "quiet-button" }, "Cancel");
    const form = element(
      "form",
      { class: "correction", "aria-label": "Correct this sentence" },
      element("p", { class: "quiet", dir: "auto" }, sentence.source),
      field,
      element("p", {}, save, " ", cancel),
    );
    const close = () => {
      this.showTools(sentence);
      this.tools.querySelector("button").focus();
    };
    cancel.addEventListener("click", close);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      save.disabled = true;
      await this.actions.suggest(this, sentence, field.value.trim());
      save.disabled = false;
    });
    this.tools.replaceChildren(form);
    field.focus();
  }

  // Marks the words that another output does not have, and its words that this one does not have: sentence by
  // sentence where both have as many.
  differFrom(other) {
    for (const each of this.words) each.node.classList.remove("differs");
    const alike = this.sentences.length === other.sentences.length;
    const parts = ({ words, sentences }) =>
      alike ? sentences.map((sentence) => words.filter((each) => each.sentence === sentence)) : [words];
    const theirs = parts(other);
    parts(this).forEach((own, at) => {
      const lists = [own, theirs[at]];
      const common = shared(...lists.map((words) => words.map((each) => each.text)));
      lists.forEach((words, side) => {
        words.forEach((each, number) => common[side].has(number) || each.node.classList.add("differs"));
      });
    });
  }
}

function about(sentence) {
  const said = [];
  if (ORIGINS[sentence.origin]) said.push(["good", ORIGINS[sentence.origin]]);
  if (sentence.sure !== null && sentence.origin === "decoded") {
    said.push([sentence.sure < UNSURE ? "bad" : "good", `${percent(sentence.sure)} sure`]);
  }
  if (sentence.unknown) said.push(["bad", sentence.unknown === 1 ? "1 unknown word" : `${sentence.unknown} unknown words`]);
  return said;
}

// Where each sentence stands in the translation, one behind the other.
function placed(text, segments) {
  let from = 0;
  const found = [];
  for (const each of segments) {
    const own = each.text.trim();
    if (!own) continue;
    const at = text.indexOf(own, from);
    if (at < 0) continue;
    found.push({ ...each, text: own, at });
    from = at + own.length;
  }
  return found;
}
