"""The undirected decoder against its definition, action by action."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demotic.decode import HieroDecoder, HieroSearch, Perturbation
from tests.decode.grammars import WEIGHTS, grammars, sentences
from tests.decode.undirected import ALL_WEIGHTS, Sentence, told_apart
from tests.oracles import cky
from tests.oracles.undirected import LN10, Problem, Tree

Cff = Literal["raw", "delta", "off"]
orders = st.integers(0, 4)
kappas = st.sampled_from([0.0, 0.5, 1.0])
cffs = st.sampled_from(["raw", "delta", "off"])
ANYTHING = Perturbation(temperature=1e6, width=10**6, rollouts=30)


@settings(max_examples=150, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=orders,
    kappa=kappas,
    cff=cffs,
    bounds=st.sampled_from(["local", "words"]),
)
def test_every_action_is_the_best_there_is_and_has_the_features_of_its_definition(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float, cff: Cff, bounds: str
) -> None:
    at = Sentence(rules, tokens, order=order, kappa=kappa, cff=cff, bounds=bounds)
    found = at.decoder.decode(tokens)
    choices, trees = at.choices(found), at.states(found)
    for action, choice, tree in zip(found.actions, choices, trees[:-1], strict=True):
        ranking = at.problem.ranking(tree)
        assert action.choices == len(ranking)
        assert action.score == pytest.approx(ranking[0][0], abs=1e-6)
        assert choice in {other for score, other in ranking if score > ranking[0][0] - 1e-6}
        assert action.features == pytest.approx(at.problem.phi(tree, choice), abs=1e-6)
        assert action.score == pytest.approx(
            sum(at.decoder.weights[n] * v for n, v in action.features.items()), abs=1e-9
        )
    assert trees[-1].complete
    assert at.problem.words(trees[-1]) == found.tokens


@settings(max_examples=80, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=orders,
    cff=cffs,
    turn=st.sampled_from(["margin", "age"]),
    argmax=st.sampled_from(["lazy", "eager"]),
)
def test_slots_come_by_how_sure_they_are_or_by_their_age(
    rules: list[cky.Rule], tokens: list[str], order: int, cff: Cff, turn: str, argmax: str
) -> None:
    at = Sentence(rules, tokens * 2, order=order, kappa=1.0, cff=cff, turn=turn, argmax=argmax)
    found = at.decoder.decode(tokens * 2)
    trees = at.states(found)
    for action, choice, tree in zip(found.actions, at.choices(found), trees[:-1], strict=True):
        scores: dict[int | None, list[float]] = {}
        for score, other in at.problem.ranking(tree):
            scores.setdefault(other.at, []).append(score)
        assert action.score == pytest.approx(max(scores[choice.at]), abs=1e-6)
        if choice.at is None:
            continue
        if turn == "age":
            assert choice.at == tree.slots[0]
            continue
        margins = {
            slot: first - rest[0] if rest else math.inf
            for slot, (first, *rest) in ((s, sorted(v, reverse=True)) for s, v in scores.items())
        }
        assert margins[choice.at] >= max(margins.values()) - 1e-6
    assert trees[-1].complete


@settings(max_examples=80, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, kappa=kappas, cff=cffs)
def test_the_path_is_that_of_the_definition(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float, cff: Cff
) -> None:
    at = Sentence(told_apart(rules), tokens, order=order, kappa=kappa, cff=cff)
    end, closest = at.problem.follow(Tree())
    assume(closest > 1e-6)
    assert at.decoder.decode(tokens).tokens == at.problem.words(end)


# -- what is reached -------------------------------------------------------------------------------


def every_end(problem: Problem) -> set[frozenset[int]]:
    """The edges of whatever some sequence of actions ends in."""
    seen: set[Tree] = {Tree()}
    waiting, ends = [Tree()], set()
    while waiting:
        tree = waiting.pop()
        if tree.complete:
            ends.add(tree.edges)
        for choice in problem.actions(tree):
            after = problem.apply(tree, choice)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


@settings(max_examples=30, deadline=None)
@given(rules=grammars, tokens=st.lists(st.sampled_from("ABC"), min_size=1, max_size=3))
def test_sequences_of_actions_end_in_the_derivations_and_nowhere_else(
    rules: list[cky.Rule], tokens: list[str]
) -> None:
    at = Sentence(rules, tokens, order=2)
    derivations = set(at.problem.insides(at.problem.goal))
    assert every_end(at.problem) == derivations
    strayed = at.decoder.kbest(tokens, 10**6, unique=False, perturbation=ANYTHING)
    reached = {at.states(derivation)[-1].edges for derivation in strayed}
    assert len(reached) == len(strayed)
    assert reached <= derivations


@pytest.mark.parametrize("order", [0, 1, 3])
def test_random_roll_outs_reach_every_derivation(order: int) -> None:
    rules = [
        cky.Rule("X", ("A",), ("a",), -0.5),
        cky.Rule("X", ("A", "[X]"), (0, "of"), -0.25),
        cky.Rule("X", ("[X]", "B", "[X]"), (1, 0), -1.0),
        cky.Rule("X", ("B",), ("b", "c"), -0.125),
        cky.Rule("X", ("[X]", "B"), ("the", 0), -0.75),
    ]
    tokens = ["A", "B", "A"]
    at = Sentence(rules, tokens, order=order)
    noise = Perturbation(temperature=1e6, width=10**6, rollouts=2000)
    strayed = at.decoder.kbest(tokens, 10**6, unique=False, perturbation=noise)
    reached = {at.states(derivation)[-1].edges for derivation in strayed}
    assert reached == set(at.problem.insides(at.problem.goal))


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, seed=st.integers(0, 2**63))
def test_any_policy_completes_and_covers_each_source_word_once(
    rules: list[cky.Rule], tokens: list[str], order: int, seed: int
) -> None:
    at = Sentence(rules, tokens, order=order)
    noise = Perturbation(seed=seed, temperature=1e6, width=10**6, rollouts=5)
    for found in at.decoder.kbest(tokens, 10, unique=False, perturbation=noise):
        assert len(found.actions) == len(found.steps)
        assert sorted(action.step for action in found.actions) == list(range(len(found.steps)))
        covered: list[int] = []
        for step in found.steps:
            own = set(range(step.begin, step.end))
            for child in step.children:
                own -= set(range(found.steps[child].begin, found.steps[child].end))
            covered.extend(own)
        assert sorted(covered) == list(range(len(tokens)))


# -- sums ------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, kappa=kappas, seed=st.integers(0, 2**63))
def test_features_of_actions_sum_to_those_of_the_derivation_in_any_order(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float, seed: int
) -> None:
    at = Sentence(rules, tokens, order=order, kappa=kappa, cff="delta")
    noise = Perturbation(seed=seed, temperature=1e6, width=10**6, rollouts=6)
    lm = at.decoder.lm
    for found in at.decoder.kbest(tokens, 10, unique=False, perturbation=noise):
        totals = dict.fromkeys(at.decoder.feature_names, 0.0)
        for action in found.actions:
            for name, value in action.features.items():
                totals[name] += value
        for name, value in found.features.items():
            assert totals[name] == pytest.approx(value, abs=1e-9)
        # What telescopes: bounds opened are bounds closed, estimates become complete words.
        opened = at.problem.outside[at.problem.goal]
        assert totals["Cff1"] == pytest.approx(0, abs=1e-9)
        assert totals["Cff2"] == pytest.approx(0, abs=1e-9)
        assert totals["CffHead"] == pytest.approx(opened, abs=1e-9)
        if lm is not None:
            words = [w if w not in ("<s>", "</s>") else "\0" for w in found.tokens]
            scores = lm.full_scores(" ".join(words))
            assert totals["LanguageModel"] == pytest.approx(
                LN10 * math.fsum(score.log10 for score in scores), abs=1e-9
            )
        model = sum(at.decoder.weights[name] * value for name, value in found.features.items())
        assert found.score == pytest.approx(model, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.lists(st.sampled_from(["A", "B", "the", "neu"]), min_size=1, max_size=6),
    order=st.integers(1, 4),
)
def test_bounds_from_a_chart_are_exact_where_there_is_one_derivation(
    tokens: list[str], order: int
) -> None:
    rules = [cky.Rule("X", ("A",), ("of", "a"), -0.5), cky.Rule("X", ("B",), ("b",), -0.25)]
    weights = WEIGHTS | {"Cff1": 1.0, "Cff2": 1.0, "CffHead": 1.0}
    at = Sentence(
        rules, tokens, order=order, weights=weights, kappa=1.0, cff="delta", bounds="chart"
    )
    found = at.decoder.decode(tokens)
    total = 0.0
    for action in found.actions:
        total += sum(weights[name] * value for name, value in action.features.items())
        if action.kind == "start":
            assert total == pytest.approx(found.score, abs=1e-4)
    assert total == pytest.approx(found.score, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(1, 4), kappa=kappas)
def test_bounds_from_a_chart_leave_lazy_and_eager_argmax_the_same(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float
) -> None:
    lazy, eager = (
        Sentence(rules, tokens, order=order, kappa=kappa, bounds="chart", argmax=argmax).decoder
        for argmax in ("lazy", "eager")
    )
    assert lazy.decode(tokens).actions == eager.decode(tokens).actions


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, cff=st.sampled_from(["raw", "delta"]))
def test_without_language_model_bounds_lead_to_the_best_derivation(
    rules: list[cky.Rule], tokens: list[str], cff: Cff
) -> None:
    weights = WEIGHTS | {"Cff1": 1.0, "Cff2": 1.0, "CffHead": 1.0}
    at = Sentence(rules, tokens, order=0, weights=weights, cff=cff)
    best = at.problem.inside[at.problem.goal]
    assert at.decoder.decode(tokens).score == pytest.approx(best, abs=1e-6)


# -- search ----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=orders,
    kappa=kappas,
    cff=cffs,
    stale_queue=st.booleans(),
    width=st.integers(1, 3),
)
def test_lazy_and_eager_argmax_agree(
    rules: list[cky.Rule],
    tokens: list[str],
    order: int,
    kappa: float,
    cff: Cff,
    stale_queue: bool,
    width: int,
) -> None:
    options: dict[str, Any] = {
        "kappa": kappa,
        "cff": cff,
        "stale_queue": stale_queue,
        "restarts": width,
        "beam": width,
    }
    lazy, eager = (
        Sentence(rules, tokens, order=order, argmax=argmax, **options).decoder
        for argmax in ("lazy", "eager")
    )
    for sentence in (tokens, tokens[:1]):
        assert lazy.decode(sentence).actions == eager.decode(sentence).actions
    lists = [
        [found.actions for found in decoder.kbest(tokens, 5, unique=False)]
        for decoder in (lazy, eager)
    ]
    assert lists[0] == lists[1]
    assert lazy.counters.lm_evaluations <= eager.counters.lm_evaluations


@settings(max_examples=60, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=st.integers(1, 3),
    restarts=st.integers(1, 3),
    beam=st.integers(1, 3),
)
def test_no_setting_beats_exhaustive_search(
    rules: list[cky.Rule], tokens: list[str], order: int, restarts: int, beam: int
) -> None:
    at = Sentence(rules, tokens, order=order, restarts=restarts, beam=beam)
    exact = HieroDecoder(at.decoder.rules, at.decoder.lm, WEIGHTS, options=HieroSearch(pops=10**9))
    best = exact.decode(tokens).score
    assert at.decoder.decode(tokens).score <= best + 1e-4
    for pops in (1, 30):
        limited = HieroDecoder(
            at.decoder.rules, at.decoder.lm, WEIGHTS, options=HieroSearch(pops=pops)
        )
        assert limited.decode(tokens).score <= best + 1e-4


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, restarts=st.integers(2, 4))
def test_restarts_keep_the_best_of_the_best_starts(
    rules: list[cky.Rule], tokens: list[str], order: int, restarts: int
) -> None:
    at = Sentence(told_apart(rules), tokens, order=order, restarts=restarts)
    starts = at.problem.ranking(Tree())
    assume(all(a[0] - b[0] > 1e-6 for a, b in itertools.pairwise(starts)))
    scores = []
    for _, start in starts[:restarts]:
        end, closest = at.problem.follow(at.problem.apply(Tree(), start))
        assume(closest > 1e-6)
        complete, _ = at.problem.lm_sums(end)
        local = sum(map(at.problem.local, end.edges))
        scores.append(local + ALL_WEIGHTS["LanguageModel"] * complete)
    assert at.decoder.decode(tokens).score == pytest.approx(max(scores), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=st.lists(st.sampled_from("ABC"), min_size=1, max_size=2))
def test_a_beam_as_wide_as_the_space_finds_the_best_derivation(
    rules: list[cky.Rule], tokens: list[str]
) -> None:
    at = Sentence(rules, tokens, order=2, beam=5000, restarts=5000)
    exact = HieroDecoder(at.decoder.rules, at.decoder.lm, WEIGHTS, options=HieroSearch(pops=10**9))
    assert at.decoder.decode(tokens).score == pytest.approx(exact.decode(tokens).score, abs=1e-4)


def test_a_negative_weight_of_the_language_model_is_searched_eagerly() -> None:
    rules = [
        cky.Rule("X", ("A",), (word,), -i / 8) for i, word in enumerate(["a", "b", "c", "the"])
    ]
    weights = ALL_WEIGHTS | {"LanguageModel": -1.5}
    at = Sentence(rules, ["A", "A"], order=2, weights=weights, kappa=1.0)
    found = at.decoder.decode(["A", "A"])
    for action, tree in zip(found.actions, at.states(found), strict=False):
        assert action.score == pytest.approx(at.problem.ranking(tree)[0][0], abs=1e-6)


def test_a_stale_queue_does_not_see_words_that_came_beside_a_gap() -> None:
    rules = [
        cky.Rule("X", ("A",), ("a",), 0.0),
        cky.Rule("X", ("A",), ("c",), -0.125),
        cky.Rule("X", ("B",), ("the",), -0.25),
        cky.Rule("X", ("[X]", "C", "[X]"), (0, 1), -0.5),
    ]
    tokens = ["A", "C", "B"]
    weights = ALL_WEIGHTS | {"LanguageModel": 2.0}
    runs = {
        stale: Sentence(rules, tokens, order=2, weights=weights, stale_queue=stale)
        for stale in (False, True)
    }
    fresh, stale = (runs[s].decoder.decode(tokens) for s in (False, True))
    assert {name: stale.features[name] for name in WEIGHTS} == pytest.approx(
        {name: sum(action.features[name] for action in stale.actions) for name in WEIGHTS},
        abs=1e-9,
    )
    scores = [
        sum(runs[True].decoder.weights[n] * v for n, v in action.features.items())
        for action in stale.actions
    ]
    assert [a.score for a in stale.actions] != pytest.approx(scores, abs=1e-6)
    assert [a.score for a in fresh.actions] == pytest.approx(
        [
            sum(runs[False].decoder.weights[n] * v for n, v in action.features.items())
            for action in fresh.actions
        ],
        abs=1e-9,
    )
