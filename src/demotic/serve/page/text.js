// Translating as one types: late answers never overwrite newer ones, several models stand below each other.
import { post } from "./api.js";
import { element, unitsOf } from "./dom.js";
import { Output } from "./output.js";
import { showView } from "./view.js";

const PAUSE = 250;
const AGAIN = 1500;
const SEEN = 220;
const MOST_ALTERNATIVES = 4;

export class TextSide {
  constructor(choice, { limit = -1, suggestions = true } = {}) {
    this.choice = choice;
    this.limit = limit;
    this.suggestions = suggestions;
    this.turn = 0;
    this.results = [];
    this.views = new Map();
    for (const name of ["source", "outputs", "why", "error", "status", "length", "clear", "detected"]) {
      this[name] = document.getElementById(name);
    }
    this.backdrop = document.querySelector(".backdrop");
    this.source.addEventListener("input", () => this.typed());
    this.clear.addEventListener("click", () => {
      this.source.value = "";
      this.typed();
      this.source.focus();
    });
    if (limit > 0) this.source.maxLength = limit;
    addEventListener("resize", () => this.fit());
    this.typed(0);
  }

  typed(pause = PAUSE) {
    this.highlight(null);
    this.fit();
    const count = [...this.source.value].length;
    this.length.textContent = this.limit > 0 ? `${count} of ${this.limit}` : "";
    this.clear.hidden = !count;
    clearTimeout(this.timer);
    if (this.running) this.running.abort();
    this.timer = setTimeout(() => this.translate(), pause);
  }

  // The text field is as high as its text.
  fit() {
    this.source.style.height = "auto";
    this.source.style.height = `${this.source.scrollHeight + 2}px`;
  }

  // Asks every chosen model; what is still on its way is given up.
  async translate() {
    clearTimeout(this.timer);
    if (this.running) this.running.abort();
    const running = new AbortController();
    this.running = running;
    const text = this.source.value;
    const turn = ++this.turn;
    this.views.clear();
    this.explained = null;
    this.closeWhy();
    this.fail(null);
    if (!text.trim()) {
      this.nothing();
      return;
    }
    try {
      if (this.choice.source === "auto") await this.detect(text, running.signal);
      if (turn !== this.turn) return;
      const models = this.choice.selected;
      if (!models.length) throw new Error("There is no model for these languages.");
      this.arrange(models);
      for (const each of this.results) each.wait(true);
      await Promise.all(this.results.map((each) => this.ask(each, text, turn, running.signal)));
      if (turn !== this.turn) return;
      for (const each of this.results.slice(1)) each.differFrom(this.results[0]);
      this.status.textContent = "Translated.";
    } catch (error) {
      if (error.name === "AbortError" || turn !== this.turn) return;
      this.fail(error.message);
      if (error.status === 429 || error.status === 503) {
        this.timer = setTimeout(() => this.translate(), error.after ? 1000 * error.after : AGAIN);
      }
    } finally {
      if (turn === this.turn) for (const each of this.results) each.wait(false);
    }
  }

  async detect(text, signal) {
    const [best] = await post("detect", { q: text }, { signal });
    if (best) this.choice.learn(best.language);
    const model = this.choice.models.find((each) => each.source.code === this.choice.known);
    this.detected.textContent = model ? `Detected: ${model.source.name}` : "";
  }

  async ask(output, text, turn, signal) {
    const { model } = output;
    const body = {
      q: text,
      source: model.source.code,
      target: model.target.code,
      format: "text",
      model: model.name,
      details: true,
    };
    const found = await post("translate", body, { signal });
    if (turn === this.turn) output.show(found.translatedText, found.segments);
  }

  // An output for each model, kept where the models are the same as before.
  arrange(models) {
    if (this.choice.source !== "auto") this.detected.textContent = "";
    const names = models.map((each) => each.name).join("\n");
    if (this.arranged === names) return;
    this.arranged = names;
    const actions = {
      explain: (output, sentence, offset) => this.explain(output, sentence, offset),
      alternatives: (output, sentence) => this.alternatives(output, sentence),
      suggest: (output, sentence, text) => this.suggest(output, sentence, text),
      copy: (text) => this.copy(text),
    };
    this.results = models.map((model) => new Output(model, { named: models.length > 1, correctable: this.suggestions, actions }));
    const legend =
      models.length > 1
        ? element("p", { class: "quiet legend" }, element("span", { class: "differs" }, "Underlined"), ": not the same in all of them")
        : null;
    this.outputs.replaceChildren(element("div", { class: "results" }, ...this.results.map((each) => each.node)), legend || "");
    this.outputs.parentNode.classList.toggle("several", models.length > 1);
    this.fit();
  }

  nothing() {
    this.results = [];
    this.arranged = null;
    this.outputs.parentNode.classList.remove("several");
    this.outputs.replaceChildren(element("p", { class: "placeholder quiet" }, "The translation appears here as you type."));
    if (this.choice.source === "auto") this.detected.textContent = "";
    this.status.textContent = "";
  }

  fail(message) {
    this.error.hidden = message === null;
    this.error.textContent = message || "";
  }

  // -- where a word comes from ------------------------------------------------------------------

  async explain(output, sentence, offset, { memory = true } = {}) {
    const asked = { output, sentence, offset, memory };
    this.asking = asked;
    for (const each of this.results) if (each !== output) each.unchoose();
    const key = JSON.stringify([output.model.name, sentence.source, memory]);
    if (this.explained && this.explained.key === key) {
      this.pick(output, sentence, offset);
      return;
    }
    try {
      if (!this.views.has(key)) this.views.set(key, this.load(output.model, sentence, memory));
      const [view, found] = await this.views.get(key);
      if (this.asking !== asked) return;
      this.showWhy(key, output, sentence, view, found);
      this.pick(output, sentence, offset);
    } catch (error) {
      this.views.delete(key);
      if (this.asking === asked) this.fail(error.message);
    }
  }

  async load(model, sentence, memory) {
    const q = sentence.source.trim();
    const body = { q, source: model.source.code, target: model.target.code, model: model.name };
    const decoded = !memory || sentence.origin === "suggested";
    const [answer, found] = await Promise.all([
      post("explain", decoded ? { ...body, memory: false } : body),
      model.memory || sentence.origin === "suggested" ? post("memory", body) : null,
    ]);
    return [answer.view, found];
  }

  showWhy(key, output, sentence, view, found) {
    const shown = showView(view, {
      onword: (places) => this.marked(output, sentence, view, places),
      extra: {
        memory: found,
        decoded: () => this.explain(output, sentence, null, { memory: false }),
      },
    });
    const close = element("button", { type: "button", class: "quiet-button", "aria-label": "Close the explanation" }, "Close");
    close.addEventListener("click", () => this.leaveWhy(output));
    const head = element("div", { class: "why-head" }, element("h2", {}, "Where it comes from"), close);
    const own = view.text === sentence.text;
    const said = own ? null : element("p", { class: "notice" }, ownWords(sentence, output.model.name));
    const opened = this.why.hidden;
    this.why.hidden = false;
    this.why.onkeydown = (event) => {
      if (event.key === "Escape") this.leaveWhy(output);
    };
    this.why.replaceChildren(head, ...(said ? [said] : []), shown.node);
    this.explained = { key, shown, view, own };
    if (opened) this.showBelow();
  }

  // On a small screen the page moves up a little, so that the explanation is not overlooked.
  showBelow() {
    const hidden = this.why.getBoundingClientRect().top + SEEN - innerHeight;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (hidden > 0) scrollBy({ top: hidden, behavior: still ? "instant" : "smooth" });
  }

  leaveWhy(output) {
    const word = output.chosen && output.chosen.node;
    this.closeWhy();
    if (word) word.focus({ preventScroll: true });
  }

  closeWhy() {
    this.why.hidden = true;
    this.why.replaceChildren();
    this.explained = null;
    this.asking = null;
    this.highlight(null);
  }

  // The token of the view that stands where the word stands.
  pick(output, sentence, offset) {
    const { view, shown, own } = this.explained;
    if (offset === null || !own || !view.steps.length) return;
    const units = unitsOf(view.text);
    const word = view.places.findIndex((place) => place && units[place[0]] <= offset && offset < units[place[1]]);
    if (word >= 0) shown.selectWord(word);
  }

  marked(output, sentence, view, places) {
    if (!places) return;
    if (view.text === sentence.text) output.mark(sentence, places.word);
    const from = sentence.start + (sentence.source.length - sentence.source.trimStart().length);
    const shifted = (place) => place && [place[0] + from, place[1] + from];
    this.highlight({ span: shifted(places.span), linked: places.linked.map(shifted) });
  }

  // Marks behind the text field: the span of a step, and in it the words that are linked.
  highlight(places) {
    this.backdrop.replaceChildren();
    if (!places || !places.span) return;
    const text = this.source.value;
    const units = unitsOf(text);
    const [begin, end] = places.span.map((each) => units[each]);
    const span = element("mark", { class: "span" });
    let at = begin;
    for (const [first, last] of [...places.linked].sort((one, other) => one[0] - other[0])) {
      const [from, to] = [units[first], units[last]];
      if (from < at || to > end) continue;
      span.append(text.slice(at, from), element("mark", { class: "linked" }, text.slice(from, to)));
      at = to;
    }
    span.append(text.slice(at, end));
    this.backdrop.append(text.slice(0, begin), span, text.slice(end));
  }

  // -- other translations, corrections ----------------------------------------------------------

  async alternatives(output, sentence) {
    const { model } = output;
    const body = { q: sentence.source.trim(), source: model.source.code, target: model.target.code };
    try {
      const found = await post("translate", { ...body, format: "text", model: model.name, alternatives: MOST_ALTERNATIVES });
      output.showAlternatives(sentence, (found.alternatives || []).filter((each) => each !== sentence.text));
    } catch (error) {
      this.fail(error.message);
    }
  }

  async suggest(output, sentence, text) {
    if (!text) {
      this.fail("A correction needs some text.");
      return;
    }
    const { model } = output;
    try {
      await post("suggest", { q: sentence.source.trim(), s: text, source: model.source.code, target: model.target.code });
      await this.translate();
      this.status.textContent = "Saved. From now on this sentence is translated so.";
      this.outputs.querySelector(".tools")?.append(element("span", { class: "about good" }, "Saved"));
      this.outputs.querySelector(".word")?.focus({ preventScroll: true });
    } catch (error) {
      this.fail(error.message);
    }
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.status.textContent = "Copied.";
    } catch {
      this.fail("The browser does not let the page copy.");
    }
  }
}

function ownWords(sentence, name) {
  if (sentence.origin === "suggested") return `The translation was corrected by hand. By itself, ${name} says:`;
  return `By itself, ${name} says:`;
}
