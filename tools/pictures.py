"""Takes the pictures of the page, and of a derivation of each system, for README and docs.

    .venv/bin/python tools/pictures.py [docs/pictures] [page derivations]

A small memory of messages is made up here, models are trained on it, `demotic serve` shows them,
and Debian's Chromium looks at the page (the extra `test` has Playwright).
"""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import demotic
from demotic.corpus import Bitext
from demotic.explain.html import page as html_page
from demotic.explain.view import view
from demotic.systems import SYSTEMS

# English, German, gender, German plural
NOUNS = [
    ("file", "Datei", "f", "Dateien"), ("folder", "Ordner", "m", "Ordner"),
    ("page", "Seite", "f", "Seiten"), ("message", "Nachricht", "f", "Nachrichten"),
    ("picture", "Bild", "n", "Bilder"), ("account", "Konto", "n", "Konten"),
    ("comment", "Kommentar", "m", "Kommentare"), ("address", "Adresse", "f", "Adressen"),
    ("link", "Link", "m", "Links"), ("user", "Benutzer", "m", "Benutzer"),
    ("list", "Liste", "f", "Listen"), ("document", "Dokument", "n", "Dokumente"),
    ("folder", "Verzeichnis", "n", "Verzeichnisse"), ("picture", "Foto", "n", "Fotos"),
]  # fmt: skip
# English, its participle, German, its participle
VERBS = [
    ("delete", "deleted", "löschen", "gelöscht"), ("save", "saved", "speichern", "gespeichert"),
    ("open", "opened", "öffnen", "geöffnet"), ("move", "moved", "verschieben", "verschoben"),
    ("rename", "renamed", "umbenennen", "umbenannt"), ("copy", "copied", "kopieren", "kopiert"),
    ("print", "printed", "drucken", "gedruckt"), ("find", "found", "finden", "gefunden"),
]  # fmt: skip
ADJECTIVES = [("new", "neu"), ("old", "alt"), ("selected", "ausgewählt"), ("last", "letzt")]
WHO = {"m": "der", "f": "die", "n": "das"}
WHOM = {"m": "den", "f": "die", "n": "das"}
THIS = {"m": "diesen", "f": "diese", "n": "dieses"}
OLD = {"m": "en", "f": "e", "n": "e"}


def messages() -> list[tuple[str, str]]:
    """English messages with their German translations, in an order that looks like one's own."""
    found = [pair for noun, verb in itertools.product(NOUNS, VERBS) for pair in _about(noun, verb)]
    random.Random(1).shuffle(found)
    return found


def _about(noun: tuple[str, ...], verb: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    (thing, ding, kind, dinge), (do, done, tun, getan) = noun, verb
    who, whom = WHO[kind], WHOM[kind]
    yield f"{do.title()} the {thing}?", f"{whom.title()} {ding} {tun}?"
    yield f"The {thing} was {done}.", f"{who.title()} {ding} wurde {getan}."
    yield f"The {thing} could not be {done}.", f"{who.title()} {ding} konnte nicht {getan} werden."
    yield f"%d {thing}s were {done}.", f"%d {dinge} wurden {getan}."
    yield f"Really {do} the {thing}?", f"{whom.title()} {ding} wirklich {tun}?"
    yield (
        f"Do you really want to {do} this {thing}?",
        f"Möchten Sie {THIS[kind]} {ding} wirklich {tun}?",
    )
    for (old, alt), (more, mehr, _, _) in zip(ADJECTIVES, VERBS, strict=False):
        yield f"{do.title()} the {old} {thing}.", f"{whom.title()} {alt}{OLD[kind]} {ding} {tun}."
        if more != do:
            yield (
                f"You can {do} or {more} the {old} {thing}.",
                f"Sie können {whom} {alt}{OLD[kind]} {ding} {tun} oder {mehr}.",
            )


FEW = {"mira": {"iterations": 3}, "mert": {"iterations": 2, "restarts": 0}}
QUICK = {"lm": {"order": 4}, "dev_size": 120, "tune": FEW}


def learn(system: str, folder: Path) -> Path:
    """A model from English to German."""
    bitext = Bitext.from_pairs(
        messages()[:400], source_language="en", target_language="de", file="messages.tmx"
    )
    config = {**QUICK, "trees": {"source": "induced"}} if system == "transducer" else QUICK
    out = folder / f"en-de-{system}"
    demotic.train(bitext, system=system, config=config, effort="quick", out=out)
    return out


def train(folder: Path) -> list[Path]:
    """English to German by three systems, and one model back."""
    pairs = messages()[:400]
    models = [learn(system, folder) for system in ("hiero", "phrase", "umt")]
    turned = Bitext.from_pairs(
        [(german, english) for english, german in pairs],
        source_language="de", target_language="en", file="messages.tmx",
    )  # fmt: skip
    models.append(folder / "de-en")
    demotic.train(turned, system="phrase", config=QUICK, effort="quick", out=models[-1])
    return models


TEXT = (
    "You can rename or print the new picture.\n"
    "Do you really want to move the selected folder?\n"
    "The last message could not be found."
)


class Camera:
    """A browser at the page."""

    def __init__(self, browser: Any, address: str, out: Path) -> None:
        self._browser, self._address, self._out = browser, address, out

    def page(self, *models: str, text: str = TEXT, **options: Any) -> Any:
        context = self._browser.new_context(
            **{"viewport": {"width": 1180, "height": 760}, "reduced_motion": "reduce", **options}
        )
        page = context.new_page()
        page.goto(self._address)
        page.wait_for_selector(".placeholder")
        for box in page.query_selector_all("#models input"):
            if box.get_attribute("value") in models:
                box.check()
        for box in page.query_selector_all("#models input:checked"):
            if models and box.get_attribute("value") not in models:
                box.uncheck()
        page.fill("#source", text)
        page.wait_for_selector(".result[aria-busy=false] .word")
        return page

    def take(self, page: Any, name: str) -> None:
        page.mouse.move(0, 0)
        page.wait_for_timeout(300)
        path = self._out / f"{name}.png"
        page.screenshot(path=path)
        page.context.close()
        print(f"{path} {path.stat().st_size // 1024} KB")


def explain(page: Any, word: str) -> None:
    page.click(f".output .word:text-is('{word}')")
    page.wait_for_selector(".view")


def pictures(camera: Camera) -> None:
    page = camera.page("en-de-hiero", viewport={"width": 1180, "height": 480})
    camera.take(page, "page")
    page = camera.page("en-de-hiero", viewport={"width": 1180, "height": 1180})
    explain(page, "neue")
    camera.take(page, "word")
    page = camera.page("en-de-hiero", "en-de-phrase", "en-de-umt")
    camera.take(page, "side-by-side")
    page = camera.page("en-de-umt", text=TEXT.splitlines()[0])
    explain(page, "neue")
    page.focus(".replay input")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.evaluate("() => document.querySelector('.why').scrollIntoView()")
    camera.take(page, "slider")
    page = camera.page("en-de-phrase", viewport={"width": 390, "height": 844}, color_scheme="dark")
    explain(page, "neue")
    page.evaluate("() => window.scrollTo(0, document.querySelector('.panels').offsetTop)")
    camera.take(page, "phone")


def derivations(browser: Any, out: Path) -> None:
    """One sentence as each system explains it, a word of it chosen."""
    with tempfile.TemporaryDirectory() as temp:
        for system in SYSTEMS:
            model = demotic.load(learn(system, Path(temp))).with_memory({"use": False})
            shown = Path(temp) / f"{system}.html"
            shown.write_text(html_page([view(model, TEXT.splitlines()[0])]), encoding="utf-8")
            page = browser.new_context(viewport={"width": 1180, "height": 620}).new_page()
            page.goto(shown.as_uri())
            page.wait_for_selector(".view")
            path = out / f"derivation-{system}.png"
            page.screenshot(path=path)
            page.context.close()
            print(f"{path} {path.stat().st_size // 1024} KB")


def of_the_page(browser: Any, out: Path) -> None:
    """Pictures of `demotic serve`."""
    with tempfile.TemporaryDirectory() as temp:
        models = train(Path(temp))
        command = [sys.executable, "-m", "demotic", "serve", *models, "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            said = next(line for line in server.stderr if "listening on" in line)
            pictures(Camera(browser, said.split()[-1], out))
            server.terminate()


def main() -> None:
    from playwright.sync_api import sync_playwright

    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    out.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:] or ["page", "derivations"]
    with sync_playwright() as running:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = running.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        if "derivations" in wanted:
            derivations(browser, out)
        if "page" in wanted:
            of_the_page(browser, out)
        browser.close()


if __name__ == "__main__":
    main()
