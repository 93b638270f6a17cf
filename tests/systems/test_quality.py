"""Figures that do not mislead: words of the language, spans whole, yardsticks beside them."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

import demotic
from demotic.corpus import Bitext
from demotic.inspection import inspect
from demotic.metrics import Bleu
from demotic.progress import PlainProgress
from demotic.systems import quality
from demotic.systems.quality import Yardstick, assess, tell, warnings
from tests.systems import toys


def yardstick(language: str = "de") -> Yardstick:
    return Yardstick.of(language, tokenised=False)


def test_placeholders_and_tags_are_one_token_each() -> None:
    source = ["Hello <strong>%(first_name)s</strong>, see {% url 'home' %}"] * 3
    target = [["Hallo <strong>%(first_name)s</strong>, siehe {% url 'home' %}"] * 3]
    assert Bleu().score(source, target).value > 60  # 13a counts the signs within
    assert yardstick().score(source, target).value < 50
    assert yardstick().score(target[0], target).value == pytest.approx(100)


def test_lines_of_few_words_are_measured_by_what_they_have() -> None:
    """Without a single sequence of four words BLEU would be 0."""
    lines = ["Seite löschen", "Alle Seiten löschen"]
    figures = yardstick().figures(lines, [lines])
    assert figures["value"] == pytest.approx(100)
    assert "eff:yes" in figures["signature"]
    assert yardstick().score(["Seite", "alle Seiten"], [lines]).value < 100
    longer = [*lines, "Alle Seiten jetzt löschen"]
    assert "eff:no" in yardstick().figures(longer, [longer])["signature"]


def test_different_placeholders_are_different_tokens() -> None:
    lines = ["a b %(one)s c d"]
    assert yardstick().score(lines, [lines]).value == pytest.approx(100)
    assert yardstick().score(lines, [["a b %(two)s c d"]]).value < 60


def test_words_are_those_of_the_language() -> None:
    assert "tok:zh" in yardstick("zh_CN").figures(["你好"], [["你好"]])["signature"]
    assert "tok:char" in yardstick("th").figures(["ก"], [["ก"]])["signature"]
    assert "tok:13a" in yardstick("de").figures(["a"], [["a"]])["signature"]
    tokens = Yardstick.of("ja", tokenised=True)
    assert "tok:none" in tokens.figures(["a"], [["a"]])["signature"]
    japanese = yardstick("ja")
    assert japanese.score(["猫が座った。"], [["猫が座りました。"]]).value > 0


def test_characters_count_where_a_tokeniser_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(quality._TOKENISERS, "ja", "ja-mecab")
    monkeypatch.setattr(quality, "tokeniser", _missing)
    assert "tok:char" in yardstick("ja").figures(["猫"], [["猫"]])["signature"]


def _missing(name: str, *, lowercase: bool) -> None:
    if name == "ja-mecab":
        raise demotic.errors.MissingDependencyError("no mecab")


def test_a_model_keeps_its_figures_and_inspect_shows_them(toy_model: Path) -> None:
    dev = demotic.load(toy_model).about.dev
    assert set(dev) >= {"value", "chrf", "untouched", "memory", "samples", "warnings"}
    assert dev["signature"].endswith("|spans:one")
    assert dev["untouched"]["value"] < dev["value"]
    assert len(dev["samples"]) == 5
    shown = "\n".join(inspect(toy_model).lines())
    assert dev["samples"][0]["reference"] in shown
    assert dev["warnings"][0] in shown
    heard = StringIO()
    tell(dev, "the development set", PlainProgress(heard))
    lines = heard.getvalue().splitlines()
    assert lines[0].startswith(f"BLEU {dev['value']:.2f}, chrF {dev['chrf']['value']:.2f} on the")
    assert f"warning: {dev['warnings'][0]}" in lines


def test_the_memory_alone_is_measured(toy_model: Path) -> None:
    known = toys.memory(400).select(range(30))
    model = demotic.load(toy_model)
    figures = assess(model, known, pairs=400)
    assert figures["memory"]["answered"] == 30
    assert figures["memory"]["value"] > 80
    without = assess(model.with_memory({"use": False}), known, pairs=400)
    assert "memory" not in without


FIGURES = {
    "value": 30.0, "sentences": 500, "chrf": {"value": 50.0},
    "untouched": {"value": 5.0, "chrf": 20.0}, "memory": {"value": 20.0},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "pairs", "said"),
    [
        ({}, 5000, None),
        ({"value": 4.0, "chrf": {"value": 19.0}}, 5000, "no better than leaving the text as it is"),
        ({"value": 4.0, "memory": {"value": 1.0}}, 5000, "too low to be of use"),
        ({"value": 8.0, "memory": {"value": 1.0}}, 5000, "too low to be of use"),
        ({}, 400, "400 pairs are little"),
        ({"sentences": 40}, 5000, "40 sentences measure roughly"),
        ({"memory": {"value": 35.0}}, 5000, "of the memory is better"),
    ],
)
def test_warnings_come_in_words(changed: dict[str, object], pairs: int, said: str | None) -> None:
    found = list(warnings(FIGURES | changed, pairs))
    assert (said is None and not found) or (said is not None and said in found[0])


def test_copies_are_called_by_their_name(toy_model: Path) -> None:
    lines = [pair.source for pair in toys.text(30, 5)]
    same = Bitext.from_pairs(zip(lines, lines, strict=True))
    figures = assess(demotic.load(toy_model), same, pairs=5000)
    assert figures["untouched"]["value"] == pytest.approx(100)
    assert "do not use this model" in figures["warnings"][0]
