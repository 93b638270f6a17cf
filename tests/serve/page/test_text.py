"""Typing, choosing words, comparing and correcting, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.explain.view import view
from tests.serve.asking import serving
from tests.serve.page.conftest import Visit

TEXT = "The adj1 noun2 does not verb3 %d noun4 zzz."
OTHER = "The noun5 verb6 the adj7 noun8 qqq."


def typed(page: Any, text: str = TEXT) -> None:
    """Waits for the translation of this text, not of one before."""

    def answers(response: Any) -> bool:
        return bool(
            response.url.endswith("/translate") and response.request.post_data_json["q"] == text
        )

    with page.expect_response(answers):
        page.fill("#source", text)
    page.wait_for_selector(".result[aria-busy=false] .word")


def chosen(page: Any, *names: str) -> None:
    """Only these models."""
    for name in names:
        page.check(f"#models input[value={name}]")
    for box in page.query_selector_all("#models input:checked"):
        if box.get_attribute("value") not in names:
            box.uncheck()


def output(page: Any) -> str:
    return str(page.text_content(".output"))


def told(every_system: dict[str, Path], name: str, text: str = TEXT) -> dict[str, Any]:
    return view(demotic.load(every_system[name]), text)


def test_typing_translates(visit: Visit, every_system: dict[str, Path]) -> None:
    page = visit()
    page.focus("#source")
    page.keyboard.type(TEXT)
    first = next(iter(every_system))
    expected = demotic.load(every_system[first]).translate(TEXT).text
    page.wait_for_function(
        "t => document.querySelector('.output')?.textContent === t", arg=expected
    )
    page.click("#clear")
    page.wait_for_selector(".placeholder")
    assert page.input_value("#source") == ""


def test_a_late_answer_does_not_overwrite_a_newer_one(visit: Visit) -> None:
    page = visit()
    held: list[Any] = []

    def hold(route: Any) -> None:
        if json.loads(route.request.post_data)["q"] == TEXT:
            held.append(route)
        else:
            route.continue_()

    page.route("**/translate", hold)
    page.fill("#source", TEXT)
    page.wait_for_function("() => document.querySelector('.result')?.ariaBusy === 'true'")
    while not held:
        page.wait_for_timeout(20)
    typed(page, OTHER)
    after = output(page)
    assert "qqq" in after
    held[0].fulfill(json={"translatedText": "late", "segments": []})
    page.wait_for_timeout(100)
    assert output(page) == after


def test_a_word_tells_where_it_comes_from(visit: Visit, every_system: dict[str, Path]) -> None:
    page = visit()
    typed(page)
    chosen(page, "hiero")
    found = told(every_system, "hiero")
    at, number = next(
        (at, word["step"])
        for at, word in enumerate(found["words"])
        if (rivals := found["steps"][word["step"]]["rivals"]) and rivals["others"] > 1
    )
    word, step = found["text"][slice(*found["places"][at])], found["steps"][number]
    page.click(f".output .word:text-is('{word}')")
    page.wait_for_selector(".view")
    assert page.text_content(".view .target .linked") == word
    words = [TEXT[slice(*place)] for place in found["source_places"][slice(*step["span"])]]
    assert page.locator(".view .source .span").all_text_contents() == words
    linked = [TEXT[slice(*found["source_places"][i])] for i, j in found["alignment"] if j == at]
    assert page.locator(".view .source .linked").all_text_contents() == linked
    covered = found["source_places"][slice(*step["span"])]
    begin, end = covered[0][0], covered[-1][1]
    assert page.text_content(".backdrop .span") == TEXT[begin:end]
    assert page.locator(".picture .box").count() == len(found["steps"])
    assert page.get_attribute(".picture .box.chosen", "data-step") == str(number)
    names = page.locator(".step .bars tbody th").all_text_contents()
    large = [each for each in step["features"] if abs(each["contribution"]) >= 0.0005]
    assert len(names) == len(large)
    sums = [
        float(each.replace("−", "-"))
        for each in page.locator(".step .bars td:last-child").all_text_contents()
    ]
    assert sum(sums) == pytest.approx(step["contribution"], abs=0.01 * len(sums))
    assert page.locator(".step .rivals .chosen").count() == 1
    assert f"{step['rivals']['others']} rules cover" in page.text_content(".step")
    assert page.locator(".evidence li").count() == len(step["evidence"])
    assert step["evidence"][0]["source"] in page.text_content(".evidence")
    page.click(".picture .box[data-step='0']")
    assert page.get_attribute(".picture .box.chosen", "data-step") == "0"
    page.click("text=Close")
    assert page.is_hidden("#why")
    assert page.query_selector(".backdrop mark") is None
    page.click(f".output .word:text-is('{word}')")
    page.wait_for_selector(".view")
    page.focus(".view .target .word >> nth=0")
    page.keyboard.press("Escape")
    assert page.is_hidden("#why")
    assert page.evaluate("() => document.activeElement.closest('.output') !== null")


@pytest.mark.parametrize("name", ["phrase", "blocks", "amasis", "transducer"])
def test_each_system_is_drawn_in_its_way(
    visit: Visit, every_system: dict[str, Path], name: str
) -> None:
    page = visit()
    chosen(page, name)
    typed(page)
    page.click(".output .word >> nth=1")
    page.wait_for_selector(".view")
    found = told(every_system, name)
    leaves = [step for step in found["steps"] if not step["children"]]
    if found["shape"] == "phrases":
        assert page.locator(".picture .bands path").count() == len(leaves)
    else:
        assert page.locator(".picture .box").count() == len(found["steps"])
    if found["shape"] == "stack":
        rows = page.locator(".stack tbody tr")
        assert rows.count() == len(leaves)
        assert found["text"].rstrip(".").split()[-1] in rows.last.text_content()
        rows.last.locator("button").click()
        assert "chosen" in rows.last.get_attribute("class")


def test_the_slider_replays_how_the_tree_grew(visit: Visit, every_system: dict[str, Path]) -> None:
    page = visit()
    chosen(page, "umt")
    typed(page)
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".replay")
    steps = told(every_system, "umt")["steps"]
    slider = page.locator(".replay input")
    assert slider.get_attribute("max") == str(len(steps))
    slider.focus()
    page.keyboard.press("Home")
    for number in range(1, len(steps) + 1):
        assert page.locator(".picture .box:not(.later)").count() == number
        newest = next(at for at, step in enumerate(steps) if step["order"] == number)
        assert page.get_attribute(".picture .box.chosen", "data-step") == str(newest)
        assert page.text_content(".replay .said").startswith(f"{number} of {len(steps)}")
        page.keyboard.press("ArrowRight")
    words = page.text_content(".replay .partial").split()
    assert words == told(every_system, "umt")["tokens"]
    page.click("text=Play")
    page.wait_for_selector("text=Pause")
    page.wait_for_function("() => document.querySelector('.replay input').value > 1")


def test_models_stand_side_by_side_with_differences_marked(visit: Visit) -> None:
    page = visit()
    chosen(page, "phrase", "transducer")
    typed(page)
    page.wait_for_function("() => document.querySelectorAll('.result .word').length > 2")
    page.wait_for_selector(".differs.word")
    results = page.locator(".result")
    assert results.count() == 2
    words = [results.nth(i).locator(".word").all_text_contents() for i in range(2)]
    kept = [results.nth(i).locator(".word:not(.differs)").all_text_contents() for i in range(2)]
    assert kept[0] == kept[1]
    assert kept[0] != words[0] or kept[1] != words[1]
    results.nth(1).locator(".word").first.click()
    page.wait_for_selector(".view")
    assert "transducer" in page.text_content(".view .facts")


def test_what_was_translated_before_is_shown(visit: Visit, every_system: dict[str, Path]) -> None:
    model = demotic.load(every_system["hiero"])
    stored = next(iter(model.training_corpus))
    page = visit()
    chosen(page, "hiero")
    typed(page, stored.source)
    assert page.locator(".sentence.memory").count() == 1
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".memory")
    assert stored.target in page.text_content(".memory")
    page.click("text=Show what the model says by itself")
    page.wait_for_selector(".picture")
    typed(page, stored.source.replace("noun", "zzz", 1))
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".matches del")
    assert page.locator(".matches ins").first.text_content().startswith("zzz")


def test_a_correction_is_used_from_then_on(visit: Visit) -> None:
    page = visit()
    text = "The adj5 noun6 verb7 the noun8 ppp."
    typed(page, text)
    page.click("text=Alternatives")
    page.wait_for_selector(".alternatives button")
    page.locator(".alternatives button").first.click()
    assert page.input_value(".correction textarea") != output(page)
    page.keyboard.press("Escape")
    page.click("text=Correct")
    page.fill(".correction textarea", "Le mot juste.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".suggested")
    assert output(page) == "Le mot juste."
    page.click(".output .word >> nth=0")
    page.wait_for_selector(".view")
    assert "corrected by hand" in page.text_content("#why")
    other = visit()
    chosen(other, "phrase")
    typed(other, text)
    assert output(other) == "Le mot juste."


def test_languages_can_be_swapped_and_detected(visit: Visit, back: Path) -> None:
    page = visit()
    typed(page)
    before = output(page)
    page.click("#swap")
    page.wait_for_function("t => document.querySelector('#source').value === t", arg=before)
    assert page.input_value("#from") == "fr"
    assert page.input_value("#to") == "en"
    page.wait_for_selector(".word")
    assert page.is_hidden("#models")
    page.select_option("#from", "auto")
    page.wait_for_function(
        "() => document.querySelector('#detected').textContent.includes('Detected')"
    )


def test_what_goes_wrong_is_said(visit: Visit) -> None:
    page = visit()
    page.expected = ["Failed to load resource", "net::"]
    page.route("**/translate", lambda route: route.fulfill(status=400, json={"error": "too much"}))
    page.fill("#source", TEXT)
    page.wait_for_selector("#error:text-is('too much')")
    page.unroute("**/translate")
    page.route("**/translate", lambda route: route.abort())
    page.fill("#source", OTHER)
    page.wait_for_selector("#error:text-is('The server does not answer.')")
    page.unroute("**/translate")
    refusals = [503]

    def busy(route: Any) -> None:
        if refusals:
            route.fulfill(status=refusals.pop(), json={"error": "busy"})
        else:
            route.continue_()

    page.route("**/translate", busy)
    page.fill("#source", TEXT)
    page.wait_for_selector(".word")
    assert page.is_hidden("#error")


def test_a_server_may_want_a_key_and_take_neither_files_nor_corrections(
    visit: Visit, every_system: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "keys.txt").write_text("open-sesame\n")
    refusing = ("--no-files", "--no-suggestions", "--api-keys", tmp_path / "keys.txt")
    with serving(every_system["phrase"], *refusing) as running:
        page = visit(running.url)
        page.expected = ["Failed to load resource"]
        page.wait_for_selector(".placeholder")
        page.fill("#source", TEXT)
        page.wait_for_selector("#error:visible")
        page.fill("#key", "open-sesame")
        page.keyboard.press("Tab")
        page.wait_for_selector(".word")
        assert page.is_hidden("#error")
        page.click(".output .word >> nth=0")
        page.wait_for_selector(".view")
        assert page.is_hidden("#tab-file")
        assert page.locator("text=Correct").count() == 0
        page.click("text=Alternatives")
        page.wait_for_selector(".alternatives li")
        assert page.locator(".alternatives button").count() == 0
