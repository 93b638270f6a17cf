// The page comes to life: models are asked for, then text and files can be translated.
import { get, useKey } from "./api.js";
import { FileSide } from "./files.js";
import { Choice } from "./languages.js";
import { TextSide } from "./text.js";
import { theming } from "./theme.js";

function byId(name) {
  return document.getElementById(name);
}

function tabs() {
  const sides = { text: byId("text-side"), file: byId("file-side") };
  for (const name of Object.keys(sides)) {
    byId(`tab-${name}`).addEventListener("click", () => {
      for (const [other, side] of Object.entries(sides)) {
        side.hidden = other !== name;
        byId(`tab-${other}`).setAttribute("aria-pressed", String(other === name));
      }
    });
  }
}

async function start() {
  theming(byId("theme"));
  tabs();
  const [{ models, version }, settings] = await Promise.all([get("models"), get("frontend/settings")]);
  byId("version").textContent = `Demotic ${version}`;
  let text = null;
  const choice = new Choice(models, () => text.translate());
  text = new TextSide(choice, { limit: settings.charLimit, suggestions: settings.suggestions });
  byId("tab-file").hidden = !settings.filesTranslation;
  new FileSide(byId("file-side"), choice, settings.supportedFilesFormat || []);
  byId("languages").addEventListener("submit", (event) => event.preventDefault());
  byId("swap").addEventListener("click", () => {
    const turned = text.results[0] ? text.results[0].translated : "";
    choice.turn();
    if (turned) text.source.value = turned;
    text.typed(0);
  });
  if (settings.keyRequired) {
    byId("key-field").hidden = false;
    byId("key").addEventListener("change", () => {
      useKey(byId("key").value.trim());
      text.translate();
    });
  }
}

start().catch((error) => {
  byId("error").hidden = false;
  byId("error").textContent = error.message;
});
