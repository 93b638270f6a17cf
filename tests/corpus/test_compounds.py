"""Compound splitting."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.corpus import CompoundOptions, Orthography, OrthographyConfig
from demotic.corpus.compounds import Compounds, candidates, choose, rejoin
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
    assert rejoin(tokens.split()) == whole.split()


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


def test_development_text_decides(data) -> None:
    def learnt(language: str) -> Orthography:
        folder = f"europarl-{language}-en"
        return Orthography.learn(
            slice_of(data, f"{folder}/train.{language}.gz", 3000),
            language,
            config=OrthographyConfig(compounds="auto"),
            dev=slice_of(data, f"{folder}/dev.{language}.gz", 500),
        )

    assert learnt("de").config.compounds == "on"
    assert learnt("fr").config.compounds == "off"


def test_choice_is_the_shortest_description_and_reports_unknown_words() -> None:
    train = Counter({"haus": 50, "boot": 40, "garten": 30, "tür": 20})
    dev = Counter({"hausboot": 3, "gartenhaus": 2, "haus": 5})
    chosen, trials = choose(train, dev, candidates("de"))
    assert chosen is not None
    best = min(trials[1:], key=lambda trial: trial.bits_per_word)
    assert best.options == chosen
    assert best.bits_per_word < trials[0].bits_per_word
    assert trials[0].unknown == pytest.approx(0.5)
    assert best.unknown < 0.5
    assert choose(train, Counter({"haus": 5}), candidates("de"))[0] is None
