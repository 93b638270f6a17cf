"""Batch MIRA: its passes are those of the oracle, and forests are searched for hopes and fears."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError
from demotic.learn import Known, MiraOptions
from demotic.learn.known import corpus_bleu
from demotic.learn.mira import bleu_gain
from demotic.learn.rounds import Decoded, Round, Situation
from tests.forest.toys import FEATURES, Pair
from tests.learn.dev_sets import forest_candidates, references_of, search_of, toys
from tests.oracles import mert as lists_oracle
from tests.oracles import mira as oracle

START = [0.3, -0.2, 0.5]
BEGAN = [1.0, 0.0, 0.0]


def learner(known: lists_oracle.Lists, free: list[bool], **options: float) -> _core.Mira:
    settings = {"c": 0.01, "decay": 0.999, "l2": 0.0, **options}
    return _core.Mira(
        *search_of(known).lists(), np.array(START), np.array(BEGAN), np.array(free), **settings
    )


@given(
    st.integers(0, 2**32),
    st.sampled_from([0.01, 0.1, 5.0]),
    st.sampled_from([1.0, 0.999, 0.5]),
    st.sampled_from([0.0, 0.01]),
    st.booleans(),
)
def test_passes_are_those_of_the_oracle(
    seed: int, c: float, decay: float, l2: float, all_free: bool
) -> None:
    rng = random.Random(seed)
    known = lists_oracle.random_lists(rng, sentences=6, size=12)
    free = [True, all_free, True]
    ours = learner(known, free, c=c, decay=decay, l2=l2)
    theirs = oracle.Learner(known, START, BEGAN, free, c=c, decay=decay, l2=l2)
    for _ in range(5):
        order = rng.sample(range(len(known)), len(known))
        ours.run(np.array(order, dtype=np.uint32))
        theirs.run(order)
        assert np.asarray(ours.mean()) == pytest.approx(theirs.mean(), abs=1e-9)
        if not all_free and not l2:
            assert ours.mean()[1] == pytest.approx(START[1])


@given(st.integers(0, 2**32))
def test_the_best_of_lists_are_found_for_any_threads(seed: int) -> None:
    known = [
        each
        for i in range(70)
        for each in lists_oracle.random_lists(random.Random(seed + i), sentences=3)
    ]
    ours = learner(known, [True] * 3)
    expected = lists_oracle.corpus_bleu(known, START)
    for threads in (1, 3):
        statistics = ours.best_statistics(np.array(START), threads)
        assert corpus_bleu(statistics) == pytest.approx(expected)


def test_an_update_makes_the_hope_lead_by_what_it_is_better() -> None:
    """With room to move, the margin after one visit is the difference in BLEU."""
    good = lists_oracle.Hypothesis([1.0, 0.0, 0.0], [4, 3, 2, 1, 4, 3, 2, 1, 4, 4])
    bad = lists_oracle.Hypothesis([0.0, 2.0, 0.0], [1, 0, 0, 0, 4, 3, 2, 1, 4, 4])
    ours = learner([[good, bad]], [True] * 3, c=1e9)
    ours.run(np.array([0], dtype=np.uint32))
    before = oracle.Learner([[good, bad]], START, BEGAN, [True] * 3)
    margin = np.asarray(ours.mean()) @ np.subtract(good.features, bad.features)
    assert margin == pytest.approx(before.bleu(good) - before.bleu(bad))


@pytest.mark.parametrize("lost", [True, False])
def test_a_round_behind_weights_that_lead_astray_begins_where_decoding_was_best(lost: bool) -> None:
    good = lists_oracle.Hypothesis([1.0, 0.0, 0.0], [4, 3, 2, 1, 4, 3, 2, 1, 4, 4])
    bad = lists_oracle.Hypothesis([0.0, 2.0, 0.0], [1, 0, 0, 0, 4, 3, 2, 1, 4, 4])
    known = search_of([[good, bad]] * 3)
    sound, astray = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    before, after = (sound, astray) if lost else (astray, sound)

    def decoded(weights: np.ndarray) -> Round:
        named = dict(zip("abc", weights.tolist(), strict=True))
        return Round(1, named, Decoded(known.bleu(weights)), 0.0, 0.0, 0.0, 0, 0)

    at = Situation(
        weights=after, start=sound, free=np.ones(3), rounds=(decoded(before),),
        rng=np.random.default_rng(0), threads=1,
    )  # fmt: skip
    found = MiraOptions(c=1e-9, passes=3).optimise(known, at)
    assert found.weights == pytest.approx(sound, abs=1e-6)
    assert found.converged is not lost
    assert found.reached == pytest.approx(known.bleu(sound))


def test_gains_are_the_slopes_of_bleu() -> None:
    """One match more, or one word more, changes BLEU times reference length by its gain."""
    for words in (9000, 12000):
        row = np.array([[6000, 3600, 2100, 1200, words, words, words, words, words, 10000]])
        gains = bleu_gain(row)

        def worth(change: np.ndarray, row: np.ndarray = row) -> float:
            return corpus_bleu(row + change) / 100 * 10000

        for n in range(4):
            one = np.zeros_like(row)
            one[0, n] = 1
            assert worth(one) - worth(0 * one) == pytest.approx(gains[n + 1], rel=1e-3)
        word = np.array([[0, 0, 0, 0, 1, 1, 1, 1, 1, 0]])
        assert worth(word) - worth(0 * word) == pytest.approx(gains[0], rel=1e-3)


def test_orders_of_no_match_gain_as_if_they_had_one() -> None:
    row = np.array([[3, 1, 0, 0, 4, 3, 2, 1, 4, 5]])
    worth = corpus_bleu(row) / 100 * 5
    assert worth > 0
    word = worth * (5 / 4**2 - (1 / 4 + 1 / 3 + 1 / 2 + 1) / 4)
    assert bleu_gain(row) == pytest.approx([word, worth / 12, worth / 4, worth / 4, worth / 4])


def linear(case: Pair, words: tuple[str, ...], references: list[str], gain: list[float]) -> float:
    known = {
        tuple(line.split()[i : i + n])
        for line in references
        for n in range(1, 5)
        for i in range(len(line.split()) - n + 1)
    }
    found = [words[i : i + n] for n in range(1, 5) for i in range(len(words) - n + 1)]
    return gain[0] * len(words) + sum(gain[len(ngram)] for ngram in found if ngram in known)


@given(st.integers(0, 2**32), st.sampled_from([-1.0, 0.0, 1.0, 2.5]))
def test_forests_are_explored_for_the_best_sums_of_score_and_gain(seed: int, scale: float) -> None:
    rng = random.Random(seed)
    case = toys(seed, sentences=1)[0]
    references = references_of(rng)
    weights = [rng.gauss(0, 1) for _ in FEATURES]
    gain = [-rng.random(), *(10 * rng.random() for _ in range(4))]
    known = Known(FEATURES, 1)
    known.add([forest_candidates(case.forest, references)])
    known.aim(gain)
    best: dict[tuple[str, ...], float] = {}
    for tree in case.trees():
        words, features = case.toy.words(tree), case.toy.features(tree)
        score = sum(w * features.get(name, 0.0) for w, name in zip(weights, FEATURES, strict=True))
        value = score + scale * linear(case, words, references, gain)
        best[words] = max(value, best.get(words, -np.inf))
    for k in (1, 3):
        known.explore(np.array(weights), [scale], k)
        _, rows, _ = known.lists()
        assert len(rows) == min(k, len(best))
    values = sorted(best.values(), reverse=True)[:3]
    if scale == 0:
        assert sorted(rows @ weights, reverse=True) == pytest.approx(values, abs=1e-4)


@given(st.integers(0, 2**32))
def test_hopes_of_forests_are_as_good_as_enumeration_finds(seed: int) -> None:
    """What is explored for gain alone is a string of the largest gain."""
    rng = random.Random(seed)
    case = toys(seed, sentences=1)[0]
    references = references_of(rng)
    gain = [-rng.random(), *(10 * rng.random() for _ in range(4))]
    asked: list[str] = []
    given_forest = forest_candidates(case.forest, references)

    def statistics(texts: list[str]) -> object:
        asked.extend(texts)
        return given_forest.statistics(texts)

    known = Known(FEATURES, 1)
    known.add([type(given_forest)(case.forest, statistics, given_forest.references)])  # type: ignore[arg-type]
    known.aim(gain)
    known.explore(np.zeros(3), [1.0], 1)
    found = linear(case, tuple(asked[0].split()), references, gain)
    best = max(linear(case, case.toy.words(tree), references, gain) for tree in case.trees())
    assert found == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": -1.0}, "c must be"),
        ({"decay": 1.5}, "decay and l2"),
        ({"passes": 0}, "passes, searches and strings"),
        ({"l2": 2.0}, "decay and l2"),
        ({"holdout": 1.0}, "holdout"),
        ({"average": 0}, "average"),
    ],
)
def test_settings_without_sense_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        MiraOptions(**options)  # type: ignore[arg-type]


def test_lists_that_do_not_fit_are_refused() -> None:
    off, rows, statistics = search_of(lists_oracle.random_lists(random.Random(1))).lists()
    weights, free = np.array(START), np.ones(3, dtype=np.bool_)

    def made(off: np.ndarray, weights: np.ndarray) -> _core.Mira:
        return _core.Mira(off, rows, statistics, weights, weights, free, 0.01, 0.999, 0.0)

    with pytest.raises(ArgumentError, match="must have 2 features"):
        made(off, weights[:2].copy())
    with pytest.raises(ArgumentError, match="borders"):
        made(off[:-1].copy(), weights)
    with pytest.raises(ArgumentError, match="sentence 1 has no hypothesis"):
        made(np.concatenate([off[:1], off]), weights)
    with pytest.raises(ArgumentError, match=f"no sentence {len(off)}"):
        made(off, weights).run(np.array([len(off) - 1], dtype=np.uint32))
