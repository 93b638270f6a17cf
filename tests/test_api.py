"""What somebody who writes Python sees first."""

from __future__ import annotations

import json
import warnings
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import demotic
from demotic.corpus import Bitext
from demotic.errors import ArgumentError, EncodingError
from demotic.metrics import Score
from demotic.progress import JsonProgress, PlainProgress, QuietProgress
from tests import public_api
from tests.systems import toys


def test_one_text_gives_one_translation_and_a_list_gives_a_list(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    lines = toys.lines(5, 3)
    alone = [model.translate(line) for line in lines]
    assert [each.text for each in model.translate(lines)] == [each.text for each in alone]
    assert [each.text for each in model.translate(tuple(lines))] == [each.text for each in alone]
    assert [each.text for each in model.translate_batch(iter(lines), threads=2)] == [
        each.text for each in alone
    ]
    assert next(model.translate_lines(iter(lines))).text == alone[0].text
    assert model.translate([]) == []


def test_lists_of_the_best_are_asked_for_by_name(toy_model: Path) -> None:
    model = demotic.load(toy_model).with_memory({"use": False})
    line = "The adj1 noun2 does not verb3 noun4."
    best = model.nbest(line, 4)
    assert best[0].text == model.translate(line).text
    assert len({each.text for each in best}) == len(best) > 1
    assert [[each.text for each in found] for found in model.nbest_lines([line, line], 4)] == [
        [each.text for each in best]
    ] * 2
    with pytest.raises(ArgumentError, match="0 translations"):
        model.nbest(line, 0)


def test_a_text_where_lines_belong_is_refused(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    for call in (model.translate_batch, model.translate_lines):
        with pytest.raises(ArgumentError, match="one text instead of lines"):
            list(call("noun1"))


def test_models_tell_their_languages_and_scores(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    assert (model.source_language, model.target_language) == ("en", "fr")
    score = model.score(toys.text(20))
    assert isinstance(score, Score)
    assert 0 < score.value < 100
    assert score.name == "BLEU"
    assert demotic.tune is not None


def test_what_speaks_against_a_model_is_a_warning(tmp_path: Path) -> None:
    few = toys.memory(30)
    with pytest.warns(demotic.DemoticWarning, match="30 pairs are little") as said:
        demotic.train(few, config=toys.UNTUNED, out=tmp_path / "m")
    assert {each.filename for each in said} == {__file__}, "the caller's line, not ours"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        demotic.train(few, config=toys.UNTUNED, out=tmp_path / "q", progress=QuietProgress())
    heard = StringIO()
    PlainProgress(heard).warn("mind this")
    JsonProgress(heard).warn("and this")
    first, second = heard.getvalue().splitlines()
    assert first == "warning: mind this"
    assert json.loads(second) == {"event": "warning", "text": "and this"}


def test_swapped_sides_are_noticed(tmp_path: Path) -> None:
    pairs = [(f"дом номер {i} стоит у реки", f"house {i}") for i in range(40)]
    wrong = Bitext.from_pairs(pairs, source_language="en", target_language="ru", file="x.tsv")
    with pytest.warns(demotic.DemoticWarning, match="seem to be swapped"):
        demotic.train(wrong, config=toys.UNTUNED, out=tmp_path / "m")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Don't stop (yet)! Pay $5.20, or 50%.", "en"),
        ("Er sagte: „Das ist's!“", "de"),
        ("L'été d'aujourd'hui…", "fr"),
        ("东京2020年。Hello世界", "zh"),
        ("a ￭ b | ⟦x⟧ <b>&amp;</b>", "en"),
        ("", "en"),
    ],
)
def test_tokens_become_the_text_again(text: str, language: str) -> None:
    tokens = demotic.tokenise(text, language)
    assert demotic.detokenise(tokens, language) == text
    assert all(token and " " not in token for token in tokens)


def test_what_is_no_text_has_no_tokens() -> None:
    with pytest.raises(EncodingError):
        demotic.tokenise("\ud800")


def test_sentences_are_the_text_in_pieces() -> None:
    text = "See Fig. 3. It shows Mr. Smith.  (All of him.)"
    found = demotic.split_sentences(text, "en")
    assert "".join(found) == text
    assert len(found) == 3


@pytest.mark.filterwarnings("ignore::demotic.DemoticWarning")
def test_the_program_that_mypy_reads_runs(tmp_path: Path) -> None:
    memory, out = tmp_path / "memory.tsv", tmp_path / "en-fr.demotic"
    text = toys.memory(200)
    memory.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in text), encoding="utf-8")
    model = public_api.train(memory, out)
    lines = toys.lines(3, 5)
    assert len(public_api.translate(out, lines)) == 3
    assert public_api.tune(model, toys.text(20), tmp_path / "tuned").about.system == "hiero"
    terms, document = tmp_path / "terms.tsv", tmp_path / "app.properties"
    terms.write_text("noun2\tnom2\n", encoding="utf-8")
    document.write_text("a = The noun2.\n", encoding="utf-8")
    assert public_api.around(model, terms, document).startswith(b"a = ")
    sides = list(text.source_lines()), list(text.target_lines())
    assert public_api.parts(*sides, tmp_path / "tokens") < 0
    assert public_api.measure(["a b c d"], ["a b d"], ["a b c d"]) == pytest.approx(100)
    seen = np.eye(8, dtype=bool).repeat(8, 0)
    assert public_api.learn(seen, ["x"] * 32 + ["y"] * 32) == ["x"] * 32 + ["y"] * 32
    assert "memory.tsv" in public_api.refuse(memory)
    assert public_api.text("It works. So it does!") == "It works. So it does!"
