"""Repairs of finished trees: never worse, and what comes out could have grown so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import HieroDecoder, HieroSearch
from tests.decode.grammars import WEIGHTS, grammars, sentences
from tests.decode.undirected import Sentence
from tests.oracles import cky

cffs = st.sampled_from(["raw", "delta", "off"])
bounds = st.sampled_from(["local", "words", "chart"])


@settings(max_examples=50, deadline=None)
@given(
    rules=grammars, tokens=sentences, order=st.integers(1, 4), kappa=st.sampled_from([0.0, 1.0]),
    cff=cffs, bounds=bounds, repairs=st.integers(1, 3), width=st.integers(1, 4),
)  # fmt: skip
def test_repairs_help_and_leave_a_derivation_that_could_have_grown_so(
    rules: list[cky.Rule],
    tokens: list[str],
    order: int,
    kappa: float,
    cff: str,
    bounds: str,
    repairs: int,
    width: int,
) -> None:
    settings = {"order": order, "kappa": kappa, "cff": cff, "bounds": bounds}
    plain = Sentence(rules, tokens, **settings).decoder.decode(tokens)
    decoder = Sentence(rules, tokens, **settings, repairs=repairs, repair_width=width).decoder
    found = decoder.decode(tokens)
    assert found.score >= plain.score - 1e-9
    exact = HieroDecoder(decoder.rules, decoder.lm, WEIGHTS, options=HieroSearch(pops=10**9))
    assert found.score <= exact.decode(tokens).score + 1e-4

    assert sorted(action.step for action in found.actions) == list(range(len(found.steps)))
    order_of = {action.step: number for number, action in enumerate(found.actions)}
    parents = {child: i for i, step in enumerate(found.steps) for child in step.children}
    for number, action in enumerate(found.actions):
        step = found.steps[action.step]
        if action.kind == "start":
            assert number == 0
            assert not step.children
        elif action.kind == "down":
            assert order_of[parents[action.step]] < number
        else:
            assert order_of[step.children[action.slot]] < number
    for name in decoder.feature_names:
        if not name.startswith("Cff"):
            total = math.fsum(action.features[name] for action in found.actions)
            assert total == pytest.approx(found.features[name], abs=1e-9)


def test_a_branch_that_was_chosen_in_the_dark_is_repaired() -> None:
    worse = 0
    better = 0
    for words in (["A", "B"], ["A", "B", "C"], ["B", "A", "C", "A"], ["C", "B", "A", "B"]):
        rules = [
            cky.Rule("X", ("A",), ("a",), -1.0),
            cky.Rule("X", ("A",), ("b",), -1.1),
            cky.Rule("X", ("B",), ("b",), -1.0),
            cky.Rule("X", ("B",), ("a",), -1.1),
            cky.Rule("X", ("C",), ("c",), -1.0),
            cky.Rule("X", ("C",), ("a",), -1.05),
        ]
        plain = Sentence(rules, words, order=3).decoder.decode(words).score
        repaired = Sentence(rules, words, order=3, repairs=2).decoder.decode(words).score
        better += repaired > plain + 1e-9
        worse += repaired < plain - 1e-9
    assert worse == 0
    assert better > 0


def test_repairs_of_very_long_sentences_are_bounded() -> None:
    rules = [cky.Rule("X", (s,), (t,), -1.0 - i / 10) for s in "ABC" for i, t in enumerate("abc")]

    def steps(length: int) -> int:
        words = ["ABC"[i * i % 3] for i in range(length)]
        decoder = Sentence(rules, words, order=3, repairs=1).decoder
        decoder.decode(words)
        return decoder.counters.steps

    assert steps(200) > 3 * steps(100)
    assert steps(800) < 1.5 * steps(400)
