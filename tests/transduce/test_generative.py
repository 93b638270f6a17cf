"""The generative transducer: estimates that add up, and a search that finds the best tree."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from demotic.decode import TreeSearch
from demotic.transduce.generative import NULL, GenerativeTransducer, Interpolated
from demotic.trees import Bitree, Tree, bitree, penn

BANK = """(S (NP (D the) (N house)) (VP (V is) (A red)))
(S (NP (D the) (A red) (N house)) (V is))
(NP (D the) (N house))
(VP (V is) (NP (D the) (N house)))"""
WORDS = {"the": "la", "house": "maison", "is": "est", "red": "rouge"}


def trees() -> list[Tree]:
    return list(penn.parse(BANK.splitlines()))


def examples(count: int = 60) -> tuple[list[Bitree], list[list[str]]]:
    """Adjectives go behind nouns, articles depend on nouns, sometimes are missing."""
    draw = random.Random(1)
    found, targets = [], []
    for _ in range(count):
        tree = draw.choice(trees())
        order = sorted(range(len(tree.words)), key=lambda k: k + 1.5 * (tree.words[k] == "red"))
        target, places = [], {}
        for k in order:
            word = WORDS[tree.words[k]]
            if word == "la" and draw.random() < 0.3:
                word = draw.choice(["le", NULL])
            if word:
                places[k] = len(target)
                target.append(word)
        candidates = [[(places[k], 1.0)] if k in places else [] for k in range(len(tree.words))]
        found.append(bitree(tree, candidates, len(target)))
        targets.append(target)
    return found, targets


def model() -> GenerativeTransducer:
    return GenerativeTransducer.count(*examples())


def test_estimates_add_up_to_one() -> None:
    made = model()
    for source, known in made.known.items():
        assert sum(made.of_word(source, t) for t in known) == pytest.approx(1)
        for head in ("maison", NULL, "never seen"):
            assert sum(made.of_sibling(source, t, head) for t in known) == pytest.approx(1)
    assert made.of_sibling("the", "la", "maison") > made.of_sibling("the", "le", "maison")


def test_what_was_seen_often_is_believed_and_the_rest_backs_off() -> None:
    made = Interpolated()
    for outcome in ("a", "a", "a", "b"):
        made.add("x", outcome)
    assert made.share("x", "a", 0.5) == pytest.approx((3 + 2 * 0.5) / 6)
    assert made.share("x", "c", 0.1) == pytest.approx(2 * 0.1 / 6)
    assert made.share("y", "a", 0.25) == 0.25


def cost_of(made: GenerativeTransducer, tree: Tree, words: tuple[str, ...]) -> float:
    """Of the translations alone: the root's given its word, all others given their heads'."""
    total = 0.0
    for token, (source, word) in enumerate(zip(tree.words, words, strict=True)):
        above = tree.head_of(token)
        if above < 0:
            total -= math.log(made.of_word(source, word))
        else:
            total -= math.log(made.of_sibling(source, word, words[above]))
    return total


def test_the_search_finds_what_trying_all_translations_finds() -> None:
    """With orders that cost nothing: their estimates are taken out."""
    made = model()
    made.orders = [Interpolated(), Interpolated(), Interpolated()]  # one half each
    options = TreeSearch(threshold=0.0, beam=1000, erased="score", unknown="drop")
    for tree in trees():
        found, _ = made.transduce(tree, options=options)
        every = itertools.product(*(made.known[word] for word in tree.words))
        best = min(cost_of(made, tree, words) for words in every)
        attached = len(tree.words) - 1
        assert found.cost == pytest.approx(best + attached * math.log(2))


def test_orders_are_learned_from_what_swapped() -> None:
    made = model()
    [tree] = penn.parse(["(S (NP (D the) (A red) (N house)) (V is))"])
    found, names = made.transduce(tree)
    assert [names[t] for _, t in found.words] == ["la", "maison", "rouge", "est"]


def test_unknown_words_are_dropped_or_copied() -> None:
    made = model()
    [tree] = penn.parse(["(NP (D the) (N gizmo))"])
    for unknown, expected in (("drop", set()), ("copy", {"gizmo"})):
        found, names = made.transduce(tree, options=TreeSearch(unknown=unknown))  # type: ignore[arg-type]
        assert {names[t] for _, t in found.words} & {"gizmo"} == expected
