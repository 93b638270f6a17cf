// A file is translated as a whole: its report, the doubtful segments first, and the file to take home.
import { upload } from "./api.js";
import { counted, element, percent } from "./dom.js";

const PAGE = 50;

const ORIGINS = { memory: "memory", fuzzy: "similar match", translated: "translated" };

export class FileSide {
  constructor(node, choice, formats) {
    this.choice = choice;
    const file = element("input", { type: "file", id: "file", name: "file" });
    const submit = element("button", { type: "submit", class: "strong-button" }, "Translate the file");
    this.said = element("p", { class: "quiet", role: "status" });
    this.report = element("div", { class: "report" });
    const form = element(
      "form",
      { class: "panel drop", "aria-label": "Translate a file" },
      element("label", { for: "file", class: "drop-name" }, "Choose a file, or drop it here"),
      file,
      element("p", { class: "quiet" }, formats.length ? `It may be ${formats.join(", ")}.` : ""),
      element("p", {}, submit),
      this.said,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (file.files.length) this.translate(file.files[0], submit);
      else this.said.textContent = "Choose a file first.";
    });
    for (const name of ["dragover", "dragleave", "drop"]) {
      form.addEventListener(name, (event) => {
        event.preventDefault();
        form.classList.toggle("over", name === "dragover");
      });
    }
    form.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      file.files = event.dataTransfer.files;
      this.translate(file.files[0], submit);
    });
    node.append(form, this.report);
  }

  async translate(file, submit) {
    const model = this.choice.selected[0];
    if (!model) {
      this.said.textContent = "Choose the languages first.";
      return;
    }
    submit.disabled = true;
    this.said.className = "quiet";
    this.said.textContent = `Translating ${file.name} with ${model.name} …`;
    this.report.replaceChildren();
    try {
      const fields = { file, source: model.source.code, target: model.target.code, model: model.name };
      const found = await upload("translate_file", fields);
      this.said.textContent = `${file.name} is translated.`;
      this.show(file, found);
    } catch (error) {
      this.said.className = "notice error";
      this.said.textContent = error.message;
    } finally {
      submit.disabled = false;
    }
  }

  show(file, { translatedFileUrl, report, reportUrl }) {
    const links = element(
      "p",
      { class: "downloads" },
      element("a", { class: "strong-button", href: here(translatedFileUrl), download: true }, "Download the translation"),
      reportUrl ? element("a", { href: here(reportUrl), target: "_blank", rel: "noopener" }, "The report as a page") : null,
    );
    const segments = report.segments.length;
    const total = Math.max(segments, 1);
    const tiles = element("ul", { class: "tiles", "aria-label": "Segments by where they come from" });
    for (const [name, count] of Object.entries(report.counts)) {
      const bar = element("span", { class: "bar plus", "aria-hidden": "true" });
      bar.style.width = `${(100 * count) / total}%`;
      tiles.append(element("li", {}, element("b", {}, count.toLocaleString("en")), " ", name, bar));
    }
    for (const [name, count] of Object.entries(report.terms || {})) {
      tiles.append(element("li", {}, element("b", {}, count.toLocaleString("en")), ` terms ${name}`));
    }
    const unknown = report.segments.filter((each) => each.unknown_words).length;
    if (unknown) tiles.append(element("li", { class: "doubtful" }, element("b", {}, unknown), " with unknown words"));
    const body = element("tbody");
    const more = element("button", { type: "button", class: "quiet-button" }, "Show more");
    let shown = 0;
    const next = () => {
      for (const number of report.first_to_look_at.slice(shown, shown + PAGE)) body.append(row(report.segments[number]));
      shown += PAGE;
      more.hidden = shown >= report.first_to_look_at.length;
    };
    more.addEventListener("click", next);
    next();
    const head = ["line", "source", "translation", ""].map((name) => element("th", { scope: name ? "col" : null }, name));
    this.report.replaceChildren(
      element(
        "section",
        { class: "panel", "aria-label": "Report" },
        element("h2", {}, `${file.name}: ${counted(segments, "segment")}`),
        links,
        tiles,
        report.first_to_look_at.length ? element("h3", {}, "Look at these first") : null,
        report.first_to_look_at.length
          ? element("table", { class: "segments" }, element("thead", {}, element("tr", {}, ...head)), body)
          : null,
        more,
      ),
    );
    this.report.querySelector("a").focus();
  }
}

function row(segment) {
  const said = [ORIGINS[segment.origin] || segment.origin];
  if (segment.origin !== "memory" && segment.needs_no_edit !== undefined) said.push(`${percent(segment.needs_no_edit)} sure`);
  if (segment.unknown_words) said.push(`${segment.unknown_words} unknown`);
  for (const each of segment.terms || []) if (each.outcome === "missing") said.push(`${each.term}: missing`);
  return element(
    "tr",
    {},
    element("td", { class: "number" }, String(segment.line)),
    element("td", { dir: "auto" }, segment.source),
    element("td", { dir: "auto" }, segment.target || ""),
    element("td", { class: segment.unknown_words ? "doubtful" : null }, said.join(", ")),
  );
}

// The server names itself as it was called; the page knows better how it was reached.
function here(address) {
  const { pathname, search } = new URL(address, document.baseURI);
  const name = pathname.split("/").slice(-2).join("/");
  return new URL(name + search, document.baseURI).href;
}
