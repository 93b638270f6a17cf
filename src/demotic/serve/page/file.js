// Explanations in a file of their own: the views are in the file.
import { element } from "./dom.js";
import { showView } from "./view.js";

const views = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("views");
main.replaceChildren(element("h1", {}, "Why it is translated so"));
views.forEach((view, at) => {
  const shown = showView(view);
  const number = views.length > 1 ? ` ${at + 1} of ${views.length}` : "";
  main.append(element("section", { class: "card", "aria-label": `Explanation${number}` }, shown.node));
});
