"""Compound splitting."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.corpus import CompoundOptions, Orthography, OrthographyConfig
from demotic.corpus.compounds import Compounds, rejoined
from demotic.corpus.normalise import plain_spaces
from tests.corpus.texts import slice_of
from tests.oracles.compounds import best_score, score

WORDS = st.text(alphabet="abs", min_size=1, max_size=10)


@settings(max_examples=300)
@given(
    word=WORDS,
    counts=st.dictionaries(st.text(alphabet="abs", min_size=1, max_size=5), st.integers(1, 50)),
    options=st.builds(
        CompoundOptions,
        min_part=st.integers(1, 3),
        min_count=st.integers(1, 4),
        max_parts=st.integers(1, 5),
        fillers=st.sampled_from([(), ("s",), ("s", "as")]),
    ),
)
def test_split_has_the_best_score_of_all_splits(
    word: str, counts: dict[str, int], options: CompoundOptions
) -> None:
    kept = {part: count for part, count in counts.items() if len(part) >= options.min_part}
    pieces = Compounds(options, kept).split(word)
    assert "".join(pieces) == word
    if len(word) >= 2 * options.min_part and len(word) > 1:
        assert score(pieces, kept, options) == pytest.approx(best_score(word, kept, options))
    else:
        assert pieces == (word,)


def test_parts_take_their_usual_case_and_come_back() -> None:
    lines = ["Gut sind der Plan und die Aktion."] * 5 + ["Alt ist das Haus, die Tür auch."] * 5
    german = Orthography.learn(
        lines,
        "de",
        config=OrthographyConfig(
            compounds="on", compound_options=CompoundOptions(min_part=3, fillers=("s",))
        ),
    )
    encoded = german.encode("Der „Aktionsplan“ gilt: Haustür!")
    assert str(encoded) == "der „￭ Aktion ⁀s⁀ Plan ￭“ gilt ￭: Haus ⁀⁀ Tür ￭!"
    assert german.decode(encoded.tokens, encoded) == "Der „Aktionsplan“ gilt: Haustür!"


@pytest.mark.parametrize(
    ("tokens", "whole"),
    [
        ("Aktion ⁀s⁀ Plan", "Aktionsplan"),
        ("Haus ⁀⁀ Tür ⁀⁀ Schloss", "Haustürschloss"),
        ("⁀s⁀ Plan", "Plan"),
        ("Plan ⁀s⁀", "Plan"),
        ("Plan ⁀s⁀ ￭,", "Plan ￭,"),
        ("Plan ⁀s⁀ ⟦num1⟧", "Plan ⟦num1⟧"),
        ("⟦num1⟧ ⁀s⁀ Plan", "⟦num1⟧ Plan"),
        ("Plan ⁀⁀ ⁀s⁀ Haus", "Plan Haus".replace(" ", "s").replace("H", "h")),
    ],
)
def test_joints_without_neighbours_vanish(tokens: str, whole: str) -> None:
    assert [token for _, token in rejoined(tokens.split())] == whole.split()


def test_round_trip_with_compounds_is_exact_on_real_text(data) -> None:
    lines = slice_of(data, "multi30k/train.de.gz", 4000)
    config = OrthographyConfig(compounds="on", casing="none")
    german = Orthography.learn(lines, "de", config=config)
    split = 0
    for line in lines[:1000]:
        encoded = german.encode(line)
        split += "⁀" in str(encoded)
        assert german.decode(encoded.tokens, encoded) == plain_spaces(line)
    assert split > 50


def learned(lines: list[str], language: str) -> Orthography:
    return Orthography.learn(lines, language, config=OrthographyConfig(compounds="auto"))


@pytest.mark.parametrize(
    ("corpus", "language", "decision"),
    [
        ("europarl-de-en", "de", "on"),
        ("europarl-de-en", "en", "off"),
        ("europarl-fr-en", "fr", "off"),
        ("multi30k", "de", "on"),
        ("multi30k", "en", "off"),
    ],
)
def test_training_text_decides(data, corpus: str, language: str, decision: str) -> None:
    lines = slice_of(data, f"{corpus}/train.{language}.gz", 4000)
    orthography = learned(lines, language)
    assert orthography.config.compounds == decision
    assert Orthography.from_json(orthography.to_json()).config.compounds == decision
    assert any("⁀" in str(each) for each in orthography.encode_lines(lines)) == (decision == "on")


def test_share_is_that_of_running_words() -> None:
    counts = Counter({"haus": 50, "boot": 40, "hausboot": 6, "tür": 4})
    splitter = Compounds.learn(counts, CompoundOptions())
    assert splitter.share(counts) == pytest.approx(0.06)
    assert splitter.share({}) == 0.0


@pytest.mark.parametrize(
    ("language", "compounds", "decision"),
    [("de", 1, "on"), ("de", 0, "off"), ("en", 1, "off"), ("de-AT", 1, "on")],
)
def test_automatic_splitting_asks_for_the_language_and_for_compounds(
    language: str, compounds: int, decision: str
) -> None:
    lines = ["haus boot tür"] * 15 + ["hausboot"] * compounds
    assert learned(lines, language).config.compounds == decision


def test_options_are_kept_when_the_text_decides() -> None:
    options = CompoundOptions(min_part=3, min_count=2)
    lines = ["haus tür"] * 3 + ["haustür"]
    config = OrthographyConfig(compounds="auto", compound_options=options)
    german = Orthography.learn(lines, "de", config=config)
    assert german.config.compound_options == options
    assert german.encode("haustür").tokens == ("haus", "⁀⁀", "tür")
