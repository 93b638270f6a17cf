"""The global model: its loss and gradient by enumeration, and what it learns."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder
from demotic.learn import CrfExample, CrfOptions, crf
from demotic.learn.crf import loss_and_gradient
from tests.forest.toys import FEATURES, Pair, small_pairs

weights = st.fixed_dictionaries({name: st.floats(-1.5, 1.5) for name in FEATURES})


def part(forest: Forest, words: list[str]) -> Forest:
    found = forest.restrict(words)
    assert found is not None
    return found


@given(small_pairs, weights, st.integers(0, 10))
def test_loss_and_gradient_equal_enumeration(pair: Pair, w: dict[str, float], choice: int) -> None:
    listed = pair.forest.kbest(pair.forest.count())
    words = list(listed[choice % len(listed)].tokens)
    example = CrfExample(pair.forest, part(pair.forest, words))
    names = pair.forest.features
    vectors = np.array([[each.features.get(name, 0.0) for name in names] for each in listed])
    mass = np.exp(vectors @ np.array([w[name] for name in names]))
    right = np.array([list(each.tokens) == words for each in listed])
    z, z_right = mass.sum(), mass[right].sum()
    loss, gradient = loss_and_gradient(example, w)
    assert loss == pytest.approx(math.log(z) - math.log(z_right), abs=1e-6)
    expected = mass @ vectors / z
    wanted = mass[right] @ vectors[right] / z_right
    np.testing.assert_allclose(gradient.dense(), expected - wanted, atol=1e-5)


def _choice(right: str) -> CrfExample:
    """A sentence with two translations, told apart by one feature each."""
    builder = ForestBuilder(features=["good", "bad"])
    node = builder.add_node("S", 0, 1)
    for word in ("good", "bad"):
        builder.add_edge(node, [], builder.add_rule("S", ["s"], [word], {word: 1.0}))
    forest = builder.finalize(node)
    return CrfExample(forest, part(forest, [right]))


def test_what_is_right_becomes_probable_and_fixed_weights_stay() -> None:
    examples = [_choice("good")] * 20 + [_choice("bad")] * 5
    result = crf(examples, {"good": 0.0, "bad": 0.0}, options=CrfOptions(passes=60, eta=0.3, l2=0))
    odds = result.weights["good"] - result.weights["bad"]
    assert odds == pytest.approx(math.log(4), abs=0.25)
    assert result.losses[-1] < result.losses[0]
    fixed = crf(examples, {"good": 0.0, "bad": 0.25}, fixed={"bad"})
    assert fixed.weights["bad"] == 0.25
    held = crf(examples, {"good": 0.0, "bad": 0.0}, options=CrfOptions(passes=20, l2=10.0))
    assert abs(held.weights["good"]) < abs(result.weights["good"])


def test_steps_are_adagrads() -> None:
    """Two sentences, gone through by hand in the order that the losses tell."""
    examples = [_choice("good"), _choice("bad"), _choice("good")]
    initial = {"good": 0.7, "bad": -0.2}
    options = CrfOptions(passes=2, eta=0.3, l2=0.05)
    found = crf(examples, initial, options=options)

    def by_hand(orders: tuple[tuple[int, ...], ...]) -> tuple[dict[str, float], list[float]]:
        weights, squares, losses = dict(initial), dict.fromkeys(initial, 0.0), []
        for order in orders:
            total = 0.0
            for at in order:
                loss, gradient = loss_and_gradient(examples[at], weights)
                slopes = gradient.named()
                total += loss
                for name in initial:
                    slope = slopes.get(name, 0.0) + 0.05 * (weights[name] - initial[name])
                    squares[name] += slope**2
                    weights[name] -= 0.3 * slope / math.sqrt(squares[name])
            losses.append(total / 3)
        return weights, losses

    ways = [by_hand(orders) for orders in product(permutations(range(3)), repeat=2)]
    assert any(
        found.weights == pytest.approx(weights) and found.losses == pytest.approx(tuple(losses))
        for weights, losses in ways
    )
    assert len({round(weights["good"], 6) for weights, _ in ways}) > 3, "the order matters"


def test_another_seed_is_another_order() -> None:
    examples = [_choice("good"), _choice("bad")] * 4
    found = [crf(examples, {}, seed=seed).weights for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert crf(examples, {}).weights == found[0], "the seed where none is given"
    few, many = (crf(examples, {}, options=CrfOptions(passes=n)) for n in (0, 1))
    assert (few.weights, few.losses) == ({}, ())
    assert len(many.losses) == 1


@pytest.mark.parametrize("wrong", [{"passes": -1}, {"eta": 0.0}, {"l2": -0.1}])
def test_options_without_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ArgumentError, match="eta is above 0"):
        crf([_choice("good")], {}, options=CrfOptions(**wrong))  # type: ignore[arg-type]


def test_a_loss_beyond_all_numbers_is_named_by_its_sentence() -> None:
    with pytest.raises(ArgumentError, match=r"loss of sentence [12] is not finite"):
        crf([_choice("good"), _choice("bad")], {}, options=CrfOptions(eta=1e308))


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no forests"):
        crf([], {})
    with pytest.raises(ArgumentError, match="eta"):
        crf([_choice("good")], {}, options=CrfOptions(eta=0.0))
