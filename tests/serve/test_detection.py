"""Which language is it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.files import read_lines
from demotic.serve.detection import Detector
from demotic.serve.languages import canonical, language_name, right_to_left

SAMPLES = {
    "en": ["the house is on the hill", "where is the old man", "they were going to the market"],
    "de": ["das Haus steht auf dem Hügel", "wo ist der alte Mann", "sie gingen auf den Markt"],
    "ru": ["дом стоит на холме", "где старик", "они шли на рынок"],
    "zh": ["房子在山上", "老人在哪里", "他们去市场"],
}


def test_scripts_tell_at_once() -> None:
    detector = Detector(SAMPLES)
    for code, text in (("ru", "что это такое"), ("zh", "这是什么地方"), ("de", "der Mann ist alt")):
        (first, share), *others = detector.detect(text)
        assert first == code
        assert share > 80
        assert share + sum(each for _, each in others) == pytest.approx(100, abs=0.3)


def test_nothing_to_go_by_says_nothing() -> None:
    for text in ("", "123 :-)", "<b></b>"):
        assert {share for _, share in Detector(SAMPLES).detect(text)} == {25.0}


def test_markup_and_case_do_not_matter() -> None:
    detector = Detector(SAMPLES)
    assert detector.detect("<the the='the'>DER MANN</the>") == detector.detect("der mann")


def test_real_sentences_are_told_apart(data: Path) -> None:
    folder = data / "multi30k"
    lines = {code: list(read_lines(folder / f"val.{code}.gz"))[:600] for code in ("de", "en", "fr")}
    detector = Detector({code: each[:400] for code, each in lines.items()})
    wrong = [
        (code, line)
        for code, each in lines.items()
        for line in each[400:]
        if detector.detect(line)[0][0] != code
    ]
    assert len(wrong) <= 3
    short = [
        detector.detect(" ".join(line.split()[2:5]))[0][0] == code
        for code, each in lines.items()
        for line in each[400:]
    ]
    assert sum(short) >= 0.95 * len(short)


def test_names_and_directions_of_languages() -> None:
    assert language_name("de") == "German"
    assert language_name("pt_BR") == "Portuguese (Brazil)"
    assert language_name("de-AT") == "German (AT)"
    assert language_name("qaa") == "qaa"
    left, right = ("de", "az", "zh-Hans"), ("ar", "he-IL", "fa", "az-arab", "ur")
    assert [right_to_left(code) for code in (*left, *right)] == [False] * 3 + [True] * 5
    assert [canonical(code) for code in ("pt_br", "zh-hans", "DE")] == ["pt-BR", "zh-Hans", "de"]
