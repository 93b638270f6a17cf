"""Rounds of relinking raise the likelihood, drop wrong links, and stop."""

from __future__ import annotations

import pytest

from demotic.errors import ArgumentError
from demotic.transduce.generative import NULL, GenerativeTransducer
from demotic.transduce.relinking import likelihood, relink
from demotic.trees import bitree
from tests.transduce.test_generative import WORDS, examples


def everywhere(found: object, targets: list[list[str]]) -> list[list[list[int]]]:
    return [
        [list(range(len(target))) for _ in one.tree.words]
        for one, target in zip(found, targets, strict=True)  # type: ignore[call-overload]
    ]


def test_rounds_find_the_links_that_are_likely() -> None:
    """Some pairs begin with the links of a careless aligner."""
    found, targets = examples()
    wrong = [
        bitree(one.tree, [[(len(target) - 1, 1.0)]] + [[]] * (len(one.links) - 1), len(target))
        if number % 5 == 0
        else one
        for number, (one, target) in enumerate(zip(found, targets, strict=True))
    ]
    made = relink(wrong, targets, everywhere(found, targets))
    assert 1 < len(made.likelihoods) <= 6
    assert max(made.likelihoods) > made.likelihoods[0]
    assert max(made.likelihoods) == pytest.approx(likelihood(made.model, made.bitrees, targets))

    def right(bitrees: object) -> int:
        return sum(
            link >= 0 and WORDS[one.tree.words[token]] == target[link]
            for one, target in zip(bitrees, targets, strict=True)  # type: ignore[call-overload]
            for token, link in enumerate(one.links)
        )

    assert right(made.bitrees) > right(wrong)


def test_likelihood_is_that_of_words_and_orders() -> None:
    import math

    found, targets = examples(1)
    model = GenerativeTransducer.count(*examples())
    [one], [target] = found, targets
    words = [target[link] if link >= 0 else NULL for link in one.links]
    product = 1.0
    for token, word in enumerate(words):
        above = one.tree.head_of(token)
        source = one.tree.words[token]
        product *= (
            model.of_word(source, word)
            if above < 0
            else model.of_sibling(source, word, words[above])
        )
    for share in model.orders_of(one):
        assert 0 < share < 1
        product *= share
    assert likelihood(model, found, targets) == pytest.approx(math.log(product))
    with pytest.raises(ArgumentError, match="differ"):
        relink(found, targets, [])
