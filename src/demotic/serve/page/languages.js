// Which languages and models are chosen.
import { element } from "./dom.js";

const AUTO = "auto";

export class Choice {
  constructor(models, changed) {
    this.models = models;
    this.changed = changed;
    this.detected = null;
    this.chosen = new Set();
    this.from = document.getElementById("from");
    this.to = document.getElementById("to");
    this.fieldset = document.getElementById("models");
    this.swap = document.getElementById("swap");
    const sources = unique(models.map((each) => each.source));
    if (sources.length > 1) this.from.append(element("option", { value: AUTO }, "Detect language"));
    this.from.append(...sources.map(option));
    if (models.length) this.from.value = models[0].source.code;
    this.fillTargets();
    this.fillModels();
    this.from.addEventListener("change", () => {
      this.detected = null;
      this.fillTargets();
      this.fillModels();
      changed();
    });
    this.to.addEventListener("change", () => {
      this.fillModels();
      changed();
    });
  }

  get source() {
    return this.from.value;
  }

  // The language of the text as far as it is known.
  get known() {
    return this.source === AUTO ? this.detected : this.source;
  }

  get target() {
    return this.to.value;
  }

  // The models to show side by side, the first one leading.
  get selected() {
    const fitting = this.fitting();
    const chosen = fitting.filter((each) => this.chosen.has(each.name));
    return chosen.length ? chosen : fitting.slice(0, 1);
  }

  fitting() {
    return this.models.filter((each) => each.source.code === this.known && each.target.code === this.target);
  }

  // What the server found out about a text whose language it was to detect.
  learn(code) {
    if (this.source !== AUTO || code === this.detected) return;
    this.detected = code;
    this.fillModels();
  }

  canSwap() {
    return this.models.some((each) => each.source.code === this.target && each.target.code === this.known);
  }

  turn() {
    const [from, to] = [this.target, this.known];
    this.from.value = from;
    this.detected = null;
    this.fillTargets();
    this.to.value = to;
    this.fillModels();
  }

  fillTargets() {
    const before = this.to.value;
    const fitting = this.models.filter((each) => this.source === AUTO || each.source.code === this.source);
    const targets = unique(fitting.map((each) => each.target));
    this.to.replaceChildren(...targets.map(option));
    if (targets.some((each) => each.code === before)) this.to.value = before;
  }

  fillModels() {
    const fitting = this.fitting();
    this.swap.disabled = !this.canSwap();
    this.fieldset.hidden = fitting.length < 2;
    const legend = this.fieldset.querySelector("legend");
    this.fieldset.replaceChildren(legend, ...fitting.map((each) => this.chip(each)));
  }

  chip(model) {
    const leading = this.selected.some((each) => each.name === model.name);
    const box = element("input", { type: "checkbox", value: model.name, checked: leading });
    box.addEventListener("change", () => {
      const boxes = [...this.fieldset.querySelectorAll("input")];
      this.chosen = new Set(boxes.filter((each) => each.checked).map((each) => each.value));
      if (!this.chosen.size) {
        box.checked = true;
        this.chosen.add(model.name);
      }
      this.changed();
    });
    const dev = model.dev ? `${model.dev.metric} ${Number(model.dev.value).toFixed(1)} on its development set` : "";
    return element("label", { class: "chip", title: dev || null }, box, " ", ...nameOf(model));
  }
}

// Its name, and its system where that says more.
export function nameOf(model) {
  return model.name === model.system ? [model.name] : [model.name, " ", element("small", {}, model.system)];
}

function option(language) {
  return element("option", { value: language.code }, language.name);
}

function unique(languages) {
  return [...new Map(languages.map((each) => [each.code, each])).values()];
}
