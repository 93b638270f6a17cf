"""Long sentences are parsed in pieces that keep what their parses say."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from demotic.parse.pieces import LABEL, MOST, TOGETHER, cuts, in_pieces, joined
from demotic.trees import Tree, dependency_tree, flat_tree
from demotic.trees.tree import TOP
from tests.trees.forests import trees

TEXT = st.lists(st.sampled_from(["a", "b2", ",", ".", "-", "?!"]), max_size=90)


@given(TEXT, st.integers(1, 12))
def test_pieces_are_short_and_not_too_many(words: list[str], most: int) -> None:
    ends = cuts(words, most)
    sizes = [b - a for a, b in pairwise(ends)]
    assert sum(sizes) == len(words)
    assert all(1 <= size <= most for size in sizes) or not words
    assert len(sizes) <= 1 + 4 * len(words) / most


def test_pieces_end_with_stops_rather_than_other_signs_and_with_signs_rather_than_words() -> None:
    assert cuts([*"ab.c,defg"], 8) == [0, 3, 9]
    assert cuts([*"abcd,efghi"], 8) == [0, 5, 10]
    assert cuts([*"abc.,defg"], 9) == [0, 9]
    assert cuts(["a"] * 10, 4) == [0, 4, 7, 10]


@given(st.lists(trees(4), min_size=1, max_size=20))
def test_the_whole_keeps_the_words_and_heads_of_its_pieces(parts: list[Tree]) -> None:
    whole = joined(parts)
    assert whole.words == tuple(word for tree in parts for word in tree.words)
    assert whole.tags == tuple(tag for tree in parts for tag in tree.tags)
    assert whole.labels[-1] == TOP
    assert whole.heads.count(-1) == 1
    begin = 0
    for number, tree in enumerate(parts):
        for token, head in enumerate(tree.heads):
            if head >= 0:
                assert whole.heads[begin + token] == begin + head
            elif number:
                assert whole.tags[whole.heads[begin + token]] in whole.tags
        begin += len(tree.words)
    for node, below in enumerate(whole.children):
        assert all(child < node for child in below)


def test_no_word_of_a_long_sentence_has_many_dependents() -> None:
    parts = [flat_tree(["a", "b", "."], ["A", "B", "C"])] * 1000
    heads = Counter(joined(parts).heads)
    levels = math.ceil(math.log(len(parts), TOGETHER))
    assert max(heads.values()) <= 2 + levels * (TOGETHER - 1)


def test_roots_of_further_pieces_stand_beside_the_first() -> None:
    one = dependency_tree(["a", "b"], ["A", "B"], [-1, 0], ["root", "obj"])
    whole = joined([one, flat_tree(["c"], ["C"]), one])
    assert whole.relations == ("root", "obj", "parataxis", "parataxis", "obj")
    assert whole.heads == (-1, 0, 0, 0, 3)
    assert whole.labels.count(LABEL) == 1
    flat = flat_tree(["c", "d"], ["C", "D"])
    assert joined([one, flat]).labels.count(LABEL) == 2  # over all, and over the flat one


def test_only_sentences_that_are_too_long_are_cut() -> None:
    asked: list[int] = []

    def parse(words: list[list[str]], tags: list[list[str]]) -> list[Tree | None]:
        asked.extend(map(len, words))
        return [
            None if each == ["a"] else flat_tree(each, its)
            for each, its in zip(words, tags, strict=True)
        ]

    sentences = [["a"], ["b"] * (MOST + 5), ["c"] * 100, ["d"] * 101]
    tags = [["T"] * len(each) for each in sentences]
    found = list(in_pieces(sentences, tags, 100, parse))
    assert asked == [1, MOST + 5, 100, 26, 25, 25, 25]
    assert [list(tree.words) for tree in found] == sentences
    assert all(tree.flat for tree in found)
