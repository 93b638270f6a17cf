"""The line search equals brute force, on lists and on forests."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from demotic.errors import ArgumentError
from demotic.forest import ForestBuilder
from demotic.learn import (
    ForestCandidates,
    KBestCandidates,
    Known,
    decoded_bleu,
    statistics_against,
)
from demotic.metrics import Bleu
from tests.forest.toys import FEATURES
from tests.learn.dev_sets import (
    candidates,
    derivations,
    forest_candidates,
    lines,
    lists,
    references_of,
    search_of,
    toys,
)
from tests.oracles import mert as oracle

Line = tuple[list[float], list[float]]
seeds = st.integers(0, 2**32)
RIGHT = [4, 3, 2, 1, 4, 3, 2, 1, 4, 4]
WRONG = [1, 0, 0, 0, 4, 3, 2, 1, 4, 4]


@given(lists, lines)
def test_best_step_equals_every_breakpoint_enumerated(known: oracle.Lists, line: Line) -> None:
    w, d = line
    step = search_of(known).steps(np.array(w), np.array([d]))[0]
    assert step.bleu == pytest.approx(oracle.best_bleu(known, w, d), abs=1e-9)


@given(lists, lines)
def test_no_point_of_a_dense_grid_is_better(known: oracle.Lists, line: Line) -> None:
    w, d = line
    step = search_of(known).steps(np.array(w), np.array([d]))[0]
    grid = [x / 20 for x in range(-200, 200)]
    assert step.bleu >= max(oracle.bleu_at(known, w, d, x) for x in grid) - 1e-9


@given(lists, lines)
def test_bleu_is_the_same_all_over_the_interval(known: oracle.Lists, line: Line) -> None:
    w, d = line
    search = search_of(known)
    step = search.steps(np.array(w), np.array([d]))[0]
    low, high = max(step.low, step.x - 1), min(step.high, step.x + 1)
    assert step.low <= step.x <= step.high
    for part in (0.001, 0.3, 0.5, 0.77, 0.999):
        x = low + part * (high - low)
        assert oracle.bleu_at(known, w, d, x) == pytest.approx(step.bleu, abs=1e-9)
    there = np.array(w) + step.x * np.array(d)
    assert search.bleu(there) == pytest.approx(step.bleu, abs=1e-9)


@given(lists, lines)
def test_bleu_of_weights_equals_its_definition(known: oracle.Lists, line: Line) -> None:
    w, _ = line
    found = search_of(known).bleu(np.array(w))
    assert found == pytest.approx(oracle.corpus_bleu(known, w), abs=1e-9)


@given(seeds, lines)
def test_forests_equal_their_derivations_enumerated(seed: int, line: Line) -> None:
    w, d = line
    rng = random.Random(seed)
    cases = toys(seed, most=10)
    references = [references_of(rng) for _ in cases]
    written = [derivations(c, r) for c, r in zip(cases, references, strict=True)]
    for hypotheses in written:  # which of two derivations of one line counts is nobody's business
        statistics: dict[tuple[float, ...], list[int]] = {}
        for h in hypotheses:
            assume(statistics.setdefault(tuple(h.features), h.statistics) == h.statistics)
    search = Known(FEATURES, len(cases))
    search.add([forest_candidates(c.forest, r) for c, r in zip(cases, references, strict=True)])
    step = search.steps(np.array(w), np.array([d]))[0]
    assert step.bleu == pytest.approx(oracle.best_bleu(written, w, d), abs=1e-9)
    assert oracle.bleu_at(written, w, d, step.x) == pytest.approx(step.bleu, abs=1e-9)


@given(lists, lists, lines)
def test_lists_of_two_decodings_equal_one_longer_list(
    first: oracle.Lists, second: oracle.Lists, line: Line
) -> None:
    w, d = line
    shared = min(len(first), len(second))
    search = Known(FEATURES, shared)
    added = search.add([candidates(one) for one in first[:shared]])
    assert search.add([candidates(one) for one in first[:shared]]) == 0
    added += search.add([candidates(one) for one in second[:shared]])
    both = [a + b for a, b in zip(first[:shared], second[:shared], strict=True)]
    assert added == sum(
        len({(tuple(h.features), tuple(h.statistics)) for h in one}) for one in both
    )
    step = search.steps(np.array(w), np.array([d]))[0]
    assert step.bleu == pytest.approx(oracle.best_bleu(both, w, d), abs=1e-9)


def test_the_best_step_may_lie_beyond_the_last_breakpoint() -> None:
    search = Known(["f"], 1)
    search.add([KBestCandidates(np.array([[1.0], [0.0]]), np.array([RIGHT, WRONG]))])
    right = search.steps(np.array([-5.0]), np.array([[1.0]]))[0]
    assert (right.low, right.high, right.bleu) == (5.0, np.inf, pytest.approx(100))
    assert right.x == pytest.approx(5.5)
    left = search.steps(np.array([-5.0]), np.array([[-2.0]]))[0]
    assert (left.low, left.high) == (-np.inf, -2.5)
    assert left.x < -2.5


def test_the_widest_of_equally_good_intervals_is_taken() -> None:
    # Lines: wrong to 0, right to 1, wrong to 2, right to 9, wrong.
    slopes = [0.0, 1.0, 2.0, 3.0, 4.0]
    intercepts = [0.0, 0.0, -1.0, -3.0, -12.0]
    rows = [RIGHT if i % 2 else WRONG for i in range(5)]
    search = Known(["slope", "intercept"], 1)
    search.add([KBestCandidates(np.array([slopes, intercepts]).T, np.array(rows))])
    step = search.steps(np.array([0.0, 1.0]), np.array([[1.0, 0.0]]))[0]
    assert (step.low, step.high, step.x) == (2.0, 9.0, 5.5)


@given(st.integers(1, 3), st.integers(-3, 3))
def test_of_hypotheses_on_the_same_line_the_first_counts(w: int, d: int) -> None:
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.25, 0.75]])  # all the same for equal weights
    search = Known(["f", "g"], 1)
    search.add([KBestCandidates(rows, np.array([WRONG, RIGHT, RIGHT]))])
    step = search.steps(np.full(2, float(w)), np.full((1, 2), float(d)))[0]
    assert step.bleu == pytest.approx(oracle.bleu(WRONG))


def test_a_direction_that_changes_nothing_stays_where_it_is() -> None:
    search = Known(["f"], 1)
    search.add([KBestCandidates(np.array([[1.0], [1.0]]), np.array([RIGHT, WRONG]))])
    step = search.steps(np.array([2.0]), np.array([[1.0]]))[0]
    assert (step.x, step.bleu) == (0.0, pytest.approx(100))


def test_bleu_on_forests_is_sacrebleu_with_several_references() -> None:
    rng = random.Random(5)
    cases = toys(5, sentences=12)
    references = [references_of(rng) for _ in cases]
    given = [forest_candidates(c.forest, r) for c, r in zip(cases, references, strict=True)]
    search = Known(FEATURES, len(cases))
    search.add(given)
    weights = np.array([0.31, -0.17, 0.71])
    texts = [case.forest.rescore(weights).viterbi().text for case in cases]
    streams = [list(stream) for stream in zip(*references, strict=True)]
    expected = Bleu(tokenise="none").score(texts, streams).value
    assert expected > 0
    assert search.bleu(weights) == pytest.approx(expected, abs=1e-9)
    assert decoded_bleu(FEATURES, given, weights) == pytest.approx(expected, abs=1e-9)


def test_each_text_of_a_forest_is_scored_once() -> None:
    asked: list[str] = []
    count = statistics_against(["a b c a", "a c b b a"])

    def statistics(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return count(texts)

    case = toys(11, sentences=1)[0]
    search = Known(FEATURES, 1)
    search.add([ForestCandidates(case.forest, statistics)])
    rng = np.random.default_rng(1)
    for _ in range(5):
        search.steps(rng.standard_normal(3), rng.standard_normal((4, 3)))
    assert len(asked) == len(set(asked)) > 1


def test_what_a_search_found_in_a_forest_outlives_the_forest() -> None:
    rng = random.Random(3)
    cases = toys(21, sentences=6)
    references = [references_of(rng) for _ in cases]
    given = [forest_candidates(c.forest, r) for c, r in zip(cases, references, strict=True)]
    search = Known(FEATURES, len(cases))
    search.add(given)
    w, d = np.array([0.4, -0.2, 0.6]), np.array([[0.5, 1.0, -0.3]])
    before = search.steps(w, d)[0]
    found = search.hypotheses
    assert found > len(cases)
    assert search.steps(w, d, lists_only=True)[0].bleu == pytest.approx(before.bleu)
    search.steps(w, d)
    search.forget()
    assert len(cases) <= search.hypotheses <= found
    lists_only = Known(FEATURES, len(cases))
    lists_only.restore(*search.lists())
    after = lists_only.steps(w, d)[0]
    assert (after.bleu, after.x) == (pytest.approx(before.bleu), pytest.approx(before.x))
    assert search.steps(w, d)[0].bleu == pytest.approx(before.bleu)


def test_threads_do_not_change_the_result() -> None:
    rng = random.Random(9)
    known = oracle.random_lists(rng, sentences=40, size=20) * 3
    cases = toys(9, sentences=len(known))
    references = [references_of(rng) for _ in cases]
    w = np.array([0.4, -0.2, 0.6])
    d = np.random.default_rng(0).standard_normal((7, 3))
    results = []
    for threads in (1, 2, 3):
        search = search_of(known, threads)
        search.add([forest_candidates(c.forest, r) for c, r in zip(cases, references, strict=True)])
        steps = search.steps(w, d)
        results.append((steps, search.hypotheses, [array.tobytes() for array in search.lists()]))
    assert results[0] == results[1] == results[2]


def test_a_cap_on_segments_is_told() -> None:
    builder = ForestBuilder(features=["slope", "square"])
    top = builder.add_node("S", 0, 1)
    for i in range(9):  # nine tangents of a parabola, all of them on the envelope
        rule = builder.add_rule("S", [], [f"w{i}"], {"slope": i, "square": -i * i})
        builder.add_edge(top, [], rule, 0.0)
    forest = builder.finalize(top)
    for cap, truncated in ((4, 1), (9, 0)):
        search = Known(["slope", "square"], 1, max_segments=cap)
        search.add([ForestCandidates(forest, statistics_against(["w1"]))])
        search.steps(np.array([0.0, 1.0]), np.array([[1.0, 0.0]]))
        assert search.truncated == truncated


# -- bad input ----------------------------------------------------------------------------------


def test_a_feature_that_is_no_number_is_named() -> None:
    search = Known(["lm", "words"], 1)
    for value, name in ((np.nan, "not a number"), (-np.inf, "infinite")):
        rows = np.array([[1.0, 2.0], [0.0, value]])
        with pytest.raises(ArgumentError, match=f"sentence 1, hypothesis 2.*'words' is {name}"):
            search.add([KBestCandidates(rows, np.array([RIGHT, WRONG]))])


def test_a_wrong_number_of_features_is_refused() -> None:
    search = Known(["lm", "words"], 1)
    with pytest.raises(ArgumentError, match="sentence 1 has 3 features, the task names 2"):
        search.add([KBestCandidates(np.zeros((1, 3)), np.array([RIGHT]))])
    case = toys(1, sentences=1)[0]
    with pytest.raises(ArgumentError, match="names other features"):
        search.add([forest_candidates(case.forest, ["a"])])
    with pytest.raises(ArgumentError, match="a value per feature"):
        search.bleu(np.zeros(3))


def test_lists_and_statistics_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no hypotheses"):
        KBestCandidates(np.zeros((0, 2)), np.zeros((0, 10)))
    with pytest.raises(ArgumentError, match="2 rows of features and 1 of statistics"):
        KBestCandidates(np.zeros((2, 2)), np.array([RIGHT]))
    with pytest.raises(ArgumentError, match="10 columns"):
        KBestCandidates(np.zeros((1, 2)), np.zeros((1, 9)))
    with pytest.raises(ArgumentError, match="a row per hypothesis"):
        KBestCandidates(np.zeros(2), np.array([RIGHT]))
    search = Known(["f"], 1)
    with pytest.raises(ArgumentError, match="never negative"):
        search.add([KBestCandidates(np.zeros((1, 1)), -np.array([RIGHT]))])
    with pytest.raises(ArgumentError, match="2 sentences of a dev set of 1"):
        search.add([KBestCandidates(np.zeros((1, 1)), np.array([RIGHT]))] * 2)
    with pytest.raises(ArgumentError, match="sentence 1 has no hypothesis"):
        Known(["f"], 1).bleu(np.ones(1))


def test_statistics_of_the_wrong_number_of_texts_are_refused() -> None:
    case = toys(1, sentences=1)[0]
    search = Known(FEATURES, 1)
    search.add([ForestCandidates(case.forest, lambda texts: np.zeros((len(texts) + 1, 10)))])
    with pytest.raises(ArgumentError, match="sentence 1: 2 rows of statistics for 1"):
        search.bleu(np.ones(3))


@pytest.mark.parametrize("wrong", [np.zeros((1, 9)), [[1.0], [1.0, 2.0]]])
def test_statistics_that_cannot_be_are_named_by_their_sentence(wrong: ArrayLike) -> None:
    cases = toys(1, sentences=2)
    search = Known(FEATURES, 2)
    right = ForestCandidates(cases[0].forest, statistics_against(["a"]))
    search.add([right, ForestCandidates(cases[1].forest, lambda texts: wrong)])
    with pytest.raises(ArgumentError, match=r"^sentence 2: "):
        search.bleu(np.ones(3))


def test_weights_of_zero_go_one_beyond_the_last_breakpoint() -> None:
    search = Known(["f"], 1)
    search.add([KBestCandidates(np.array([[1.0], [0.0]]), np.array([RIGHT, WRONG]))])
    step = search.steps(np.zeros(1), np.array([[1.0]]))[0]
    assert (step.low, step.x) == (0.0, 1.0)


def test_an_empty_dev_set_is_refused() -> None:
    with pytest.raises(ArgumentError, match="dev set is empty"):
        Known(["f"], 0)
