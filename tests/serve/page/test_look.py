"""Keyboard, names, contrast, themes, small screens, directions of text, text that is script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.explain.html import page as file_of
from demotic.explain.view import view
from tests.serve.page.audit import low_contrast, nameless
from tests.serve.page.conftest import Visit
from tests.serve.page.test_text import TEXT, chosen, typed

SCRIPT = (
    "noun1 </script><script>alert(1)</script><img src=x onerror=alert(2)> "
    "\"'><svg onload=alert(3)>."
)
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}


def explained(page: Any, text: str = TEXT, name: str = "umt") -> None:
    chosen(page, name)
    typed(page, text)
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".view")


def focused(page: Any) -> str:
    return str(page.evaluate("() => document.activeElement.id || document.activeElement.className"))


def test_the_keyboard_goes_everywhere(visit: Visit) -> None:
    page = visit()
    chosen(page, "umt")
    typed(page)
    page.focus("#source")
    for _ in range(10):
        page.keyboard.press("Tab")
        if "word" in focused(page):
            break
    page.wait_for_selector(".view")
    words = page.locator(".output .word").all_text_contents()
    assert page.evaluate("() => document.activeElement.textContent") == words[0]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.textContent") == words[1]
    page.wait_for_selector(f".output .linked:text-is('{words[1]}')")
    page.keyboard.press("End")
    assert page.evaluate("() => document.activeElement.textContent") == words[-1]
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(focused(page).split(" ")[0])
        if page.evaluate("() => document.activeElement.matches('.picture .box')"):
            break
    assert "quiet-button" in seen
    at = page.get_attribute(".picture .box.chosen", "data-step")
    assert at == "0"
    page.keyboard.press("ArrowDown")
    assert page.get_attribute(".picture .box.chosen", "data-step") == "1"
    page.keyboard.press("ArrowUp")
    assert page.get_attribute(".picture .box.chosen", "data-step") == "0"
    outline = page.evaluate(
        "() => getComputedStyle(document.querySelector('.box:focus rect')).strokeWidth"
    )
    assert outline == "4px"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_and_contrast(visit: Visit, scheme: str, size: str) -> None:
    page = visit(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    explained(page)
    page.click("summary")
    page.click("text=Alternatives")
    page.wait_for_selector(".alternatives")
    assert nameless(page) == []
    assert low_contrast(page) == []
    page.click("text=Correct")
    page.check("#models input[value=transducer]")
    page.wait_for_selector(".differs")
    assert nameless(page) == []
    assert low_contrast(page) == []
    page.click("#tab-file")
    assert nameless(page) == []
    assert low_contrast(page) == []
    duration = page.evaluate(
        "() => getComputedStyle(document.querySelector('.chip')).transitionDuration"
    )
    assert duration == "0s"


def ground(page: Any) -> str:
    return str(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))


def test_the_theme_follows_the_system_or_the_switch(visit: Visit) -> None:
    dark, light = visit(color_scheme="dark"), visit(color_scheme="light")
    assert ground(dark) != ground(light)
    light.click("#theme")
    light.click("#theme")
    assert light.text_content("#theme") == "Theme: dark"
    assert ground(light) == ground(dark)
    light.reload()
    light.wait_for_selector(".placeholder")
    assert ground(light) == ground(dark)


@pytest.mark.parametrize("name", ["hiero", "phrase", "amasis"])
def test_a_phone_shows_all_without_moving_sideways(visit: Visit, name: str) -> None:
    page = visit(viewport=SIZES["phone"], has_touch=True, is_mobile=True)
    explained(page, TEXT.replace("zzz", "z" * 60), name)
    page.check("#models input[value=transducer]")
    page.wait_for_selector(".result >> nth=1")
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= SIZES["phone"]["width"]
    page.click("#tab-file")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_text_from_right_to_left_runs_so(visit: Visit) -> None:
    page = visit()
    explained(page, "שלום noun1 עולם noun2.", "hiero")
    for place in ("#source", ".output", ".view .source", ".view .target"):
        direction = page.evaluate(
            "s => getComputedStyle(document.querySelector(s)).direction", place
        )
        assert direction == "rtl", place
    xs = [
        page.locator(f".picture .words text[data-source='{i}']").bounding_box()["x"]
        for i in (0, 1, 2)
    ]
    assert xs == sorted(xs, reverse=True)
    page.focus(".output .word >> nth=0")
    page.keyboard.press("ArrowLeft")
    words = page.locator(".output .word").all_text_contents()
    assert page.evaluate("() => document.activeElement.textContent") == words[1]


def test_script_in_a_text_stays_text(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    explained(page, SCRIPT, "phrase")
    assert "alert(1)" in page.text_content(".view")
    page.click("text=Correct")
    page.fill(".correction textarea", f"Non {SCRIPT}")
    page.click("text=Save")
    page.wait_for_selector(".suggested")
    assert "alert(2)" in page.text_content(".output")
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".memory")
    page.click("#tab-file")
    quoted = SCRIPT.replace('"', '\\"')
    for kind, text in ((".txt", SCRIPT), (".po", f'msgid "{quoted}"\nmsgstr ""\n')):
        path = tmp_path / f"<img src=x onerror=alert(4)>{kind}"
        path.write_text(text)
        page.set_input_files("#file", path)
        page.click("text=Translate the file")
        page.wait_for_selector(f".report h2:has-text('{kind}')")
    assert "alert(3)" in page.text_content(".segments")
    parsed = "img[src=x], svg[onload], main script"
    assert page.locator(parsed).count() == 0


def test_a_file_comes_back_filled_with_a_report(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "app.po"
    entries = [TEXT, "The noun3 verb4 the noun1."]
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    path.write_text(head + "".join(f'\nmsgid "{each}"\nmsgstr ""\n' for each in entries))
    page = visit()
    chosen(page, "hiero")
    page.click("#tab-file")
    page.click("text=Translate the file")
    assert "Choose a file first" in page.text_content("#file-side")
    page.set_input_files("#file", path)
    page.click("text=Translate the file")
    page.wait_for_selector(".segments")
    assert page.locator(".segments tbody tr").count() == 2
    assert TEXT in page.text_content(".segments tbody tr >> nth=0"), "what is unsure comes first"
    assert "2 segments" in page.text_content(".report h2")
    with page.expect_download() as download:
        page.click("text=Download the translation")
    filled = Path(download.value.path()).read_text()
    assert 'msgstr ""\n\n' not in filled.split("\n\n", 1)[1]
    assert "zzz" in filled.split("msgstr")[2]
    page.set_input_files(
        "#file", {"name": "broken.po", "mimeType": "text/plain", "buffer": b"msgid"}
    )
    page.expected = ["Failed to load resource"]
    page.click("text=Translate the file")
    page.wait_for_selector(".drop .notice.error")


# -- explanations in a file of their own ------------------------------------------------------


def test_a_file_of_explanations_is_drawn(
    visit: Visit, every_system: dict[str, Path], tmp_path: Path
) -> None:
    views = []
    for path in every_system.values():
        model = demotic.load(path)
        views += [
            view(model.with_memory({"use": False}), each)
            for each in (TEXT, SCRIPT, "", "שלום noun1")
        ]
        views.append(view(model, next(iter(model.training_corpus)).source))
    (tmp_path / "why.html").write_text(file_of(views), encoding="utf-8")
    page = visit(f"file://{tmp_path / 'why.html'}", color_scheme="dark")
    assert page.locator(".view").count() == len(views)
    assert page.locator(".picture").count() == 3 * len(every_system)
    assert page.locator(".memory").count() >= len(every_system)
    for box in page.locator(".view").all()[::5]:
        before = box.locator(".step h3").text_content()
        box.locator(".target .word").last.click()
        assert box.locator(".step h3").text_content() != before
    assert nameless(page) == []
    assert low_contrast(page) == []


def test_a_very_long_sentence_is_not_drawn(
    visit: Visit, every_system: dict[str, Path], tmp_path: Path
) -> None:
    found = view(demotic.load(every_system["hiero"]), "noun1 " * 300)
    (tmp_path / "why.html").write_text(file_of([found]), encoding="utf-8")
    page = visit(f"file://{tmp_path / 'why.html'}")
    assert "too many to draw" in page.text_content(".view")
    page.click(".target .word >> nth=7")
    assert page.locator(".step h3").count() == 1
