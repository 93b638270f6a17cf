"""Looking ahead: actions scored by the whole yield, its gaps filled with the best branches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import Perturbation
from demotic.errors import ArgumentError
from tests.decode.grammars import WEIGHTS, grammars, sentences
from tests.decode.undirected import Sentence
from tests.oracles import cky

UNIT = WEIGHTS | {"Cff1": 1.0, "Cff2": 1.0, "CffHead": 1.0}
orders = st.integers(1, 4)


@settings(max_examples=120, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, seed=st.integers(0, 2**63))
def test_scores_of_actions_sum_to_that_of_the_derivation_in_any_order(
    rules: list[cky.Rule], tokens: list[str], order: int, seed: int
) -> None:
    at = Sentence(rules, tokens, order=order, weights=UNIT, bounds="chart", lookahead=True)
    noise = Perturbation(seed=seed, temperature=1e3, width=10**6, rollouts=6)
    for found in at.decoder.kbest(tokens, 8, unique=False, perturbation=noise):
        total = sum(action.score for action in found.actions)
        assert total == pytest.approx(found.score, abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.lists(st.sampled_from(["A", "B", "the", "neu"]), min_size=1, max_size=8),
    order=orders,
)
def test_where_there_is_one_derivation_nothing_comes_as_a_surprise(
    tokens: list[str], order: int
) -> None:
    rules = [cky.Rule("X", ("A",), ("of", "a"), -0.5), cky.Rule("X", ("B",), ("b",), -0.25)]
    at = Sentence(rules, tokens, order=order, weights=UNIT, bounds="chart", lookahead=True)
    found = at.decoder.decode(tokens)
    assert found.actions[0].score == pytest.approx(found.score, abs=1e-3)
    for action in found.actions[1:]:
        assert action.score == pytest.approx(0, abs=1e-3)


@settings(max_examples=120, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders)
def test_a_greedy_path_never_loses_what_its_first_action_promised(
    rules: list[cky.Rule], tokens: list[str], order: int
) -> None:
    at = Sentence(rules, tokens * 2, order=order, weights=UNIT, bounds="chart", lookahead=True)
    found = at.decoder.decode(tokens * 2)
    # To go on as the bounds have it changes nothing, so the best action is no worse than that.
    assert all(action.score >= -1e-4 for action in found.actions[1:])
    assert found.score >= found.actions[0].score - 1e-3


@settings(max_examples=80, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=st.integers(0, 4),
    beam=st.integers(1, 3),
    restarts=st.integers(1, 3),
)
def test_lazy_and_eager_argmax_agree(
    rules: list[cky.Rule], tokens: list[str], order: int, beam: int, restarts: int
) -> None:
    lazy, eager = (
        Sentence(
            rules,
            tokens,
            order=order,
            bounds="chart",
            lookahead=True,
            beam=beam,
            restarts=restarts,
            argmax=argmax,
        ).decoder
        for argmax in ("lazy", "eager")
    )
    assert lazy.decode(tokens).actions == eager.decode(tokens).actions
    lists = [
        [found.actions for found in decoder.kbest(tokens, 5, unique=False)]
        for decoder in (lazy, eager)
    ]
    assert lists[0] == lists[1]


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders, restarts=st.integers(1, 3))
def test_what_is_known_of_a_gap_is_looked_at_again_when_it_changes(
    rules: list[cky.Rule], tokens: list[str], order: int, restarts: int
) -> None:
    tokens = tokens * 2
    at = Sentence(
        rules, tokens, order=order, weights=UNIT, bounds="chart", lookahead=True, restarts=restarts
    )
    found = at.decoder.decode(tokens)
    # A rank of 1 is the policy's own choice, worked out without anything that was kept.
    noise = Perturbation(temperature=0.0, rollouts=1)
    assert found.score >= at.decoder.kbest(tokens, 2, perturbation=noise)[-1].score - 1e-9
    if restarts == 1:
        assert len(at.decoder.kbest(tokens, 2, unique=False, perturbation=noise)) == 1


def test_features_of_actions_are_not_changed_by_looking_ahead() -> None:
    rules = [
        cky.Rule("X", ("A",), ("a",), -0.5),
        cky.Rule("X", ("[X]", "B", "[X]"), (1, "of", 0), -0.25),
    ]
    tokens = ["A", "B", "A"]
    at = Sentence(rules, tokens, order=3, kappa=0.5, bounds="chart", lookahead=True)
    found = at.decoder.decode(tokens)
    for name, value in found.features.items():
        if not name.startswith("Cff"):
            total = sum(action.features[name] for action in found.actions)
            assert total == pytest.approx(value, abs=1e-9)


def test_looking_ahead_needs_a_chart() -> None:
    with pytest.raises(ArgumentError, match="chart"):
        Sentence([cky.Rule("X", ("A",), ("a",))], ["A"], lookahead=True)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=sentences, order=orders)
def test_repairs_look_ahead_as_well(rules: list[cky.Rule], tokens: list[str], order: int) -> None:
    plain, repaired = (
        Sentence(
            rules, tokens, order=order, weights=UNIT, bounds="chart", lookahead=True, repairs=passes
        ).decoder.decode(tokens)
        for passes in (0, 2)
    )
    assert repaired.score >= plain.score - 1e-9
