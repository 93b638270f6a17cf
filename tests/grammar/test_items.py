"""Items are what recursive splitting gives, and their labels put every word in its place."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.align import LexicalTable, Links, Text
from demotic.errors import ArgumentError, DemoticError
from demotic.grammar import ItemExtraction, extract_items, items_of, label_corpora
from demotic.grammar.items import Item, ItemCounts, composed_items_of, operations_of
from demotic.grammar.table import Rule
from tests.oracles import itg

WORDS = 7
links_of = st.sets(st.tuples(st.integers(0, WORDS - 1), st.integers(0, WORDS - 1)), min_size=1)


def found(links: object, **options: object) -> tuple[list[Item], list[Item]]:
    words = [str(i) for i in range(WORDS)]
    return items_of(words, words, list(links), ItemExtraction(**options))  # type: ignore[call-overload, arg-type]


@given(links_of)
def test_one_pass_gives_the_tiling_of_recursive_splitting(links: set[tuple[int, int]]) -> None:
    items, _ = found(links)
    inner, sources, targets = itg.compressed(links)
    tree = itg.split(inner, 0, len(sources) - 1)
    wanted = [(sources[i], sources[j] + 1) for i, j, _, _ in itg.leaves(tree)]
    assert [item.source for item in items if item.target[0] < item.target[1]] == wanted
    for item, (_, _, low, high) in zip(
        (i for i in items if i.target[0] < i.target[1]), itg.leaves(tree), strict=True
    ):
        assert item.target[0] <= targets[low] < targets[high] + 1 <= item.target[1]


@given(links_of)
def test_labels_are_the_tree_in_postorder(links: set[tuple[int, int]]) -> None:
    linked = {s for s, _ in links}
    items, _ = found(links)
    inner, sources, _ = itg.compressed(links)
    tree = itg.split(inner, 0, len(sources) - 1)
    full = [i for i in items if set(range(*i.source)) & linked]
    if len(full) == len(items):  # items without target words have labels of their own
        labels = [list(item.operations) for item in items]
        assert labels == itg.postorder(tree)
        numbers = {leaf: number for number, leaf in enumerate(itg.leaves(tree))}
        assert itg.build(labels) == itg.shape(tree, numbers)


@given(links_of, st.sampled_from(["next", "previous"]))
def test_labels_put_each_target_word_in_its_place(links: set[tuple[int, int]], attach: str) -> None:
    items, _ = found(links, attach=attach)
    [whole] = itg.execute([range(*i.target) for i in items], [i.operations for i in items])
    assert whole == list(range(WORDS))
    assert [word for i in items for word in range(*i.source)] == list(range(WORDS))


@given(links_of)
def test_the_signs_of_a_label_alternate(links: set[tuple[int, int]]) -> None:
    for item in found(links)[0]:
        signs = item.operations[1:]
        assert all(one != other for one, other in itertools.pairwise(signs))


@given(links_of)
def test_sub_items_are_the_leaves_of_blocks_within(links: set[tuple[int, int]]) -> None:
    inner, sources, targets = itg.compressed(links)

    def below(leaf: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
        inside = [x for tree in itg.blocks_within(inner, leaf) for x in itg.leaves(tree)]
        return inside + [x for each in inside for x in below(each)]

    wanted = [x for leaf in itg.leaves(itg.split(inner, 0, len(sources) - 1)) for x in below(leaf)]
    spans = sorted(
        ((sources[i], sources[j] + 1), (targets[lo], targets[hi] + 1)) for i, j, lo, hi in wanted
    )
    everything = found(links, sub_items="all")[1]
    assert sorted((i.source, i.target) for i in everything) == spans
    small = [
        ((sources[i], sources[j] + 1), (targets[lo], targets[hi] + 1))
        for i, j, lo, hi in wanted
        if i == j or lo == hi
    ]
    assert sorted((i.source, i.target) for i in found(links)[1]) == sorted(small)
    assert found(links, sub_items="none")[1] == []


@given(links_of, st.integers(2, 5))
def test_neighbours_that_are_a_block_together_are_composed(
    links: set[tuple[int, int]], limit: int
) -> None:
    items, composed = found(links, compose=limit, sub_items="none")
    wanted = []
    for first, last in itertools.combinations(range(len(items)), 2):
        words = sorted(w for item in items[first : last + 1] for w in range(*item.target))
        source = (items[first].source[0], items[last].source[1])
        if source[1] - source[0] <= limit and words and words[-1] - words[0] + 1 == len(words):
            wanted.append((source, (words[0], words[-1] + 1)))
    assert [(item.source, item.target) for item in composed] == wanted
    assert found(links, compose=limit)[0] == found(links)[0]


@given(links_of, st.integers(0, 4), st.sampled_from(["next", "previous"]))
def test_loose_items_have_any_of_the_unlinked_words_at_their_borders(
    links: set[tuple[int, int]], compose: int, attach: str
) -> None:
    items, others = found(links, compose=compose, sub_items="none", attach=attach)
    linked = {target for _, target in links}
    wanted = set()
    for item in [*items, *others]:
        inside = [word for word in range(*item.target) if word in linked]
        if not inside:
            continue
        for begin, end in itertools.product(range(WORDS), range(1, WORDS + 1)):
            edges = {*range(begin, inside[0]), *range(inside[-1] + 1, end)}
            if begin <= inside[0] and end > inside[-1] and not edges & linked:
                wanted.add((item.source, (begin, end)))
    cut, loose = found(links, compose=compose, sub_items="none", attach=attach, loose=True)
    every = [(item.source, item.target) for item in [*items, *loose]]
    assert cut == items
    assert len(every) == len(set(every))
    assert {each for each in every if each[1][0] < each[1][1]} == wanted


@given(links_of, st.integers(2, 5))
def test_labels_of_the_longest_composed_items_put_each_word_in_its_place(
    links: set[tuple[int, int]], limit: int
) -> None:
    words = [str(i) for i in range(WORDS)]
    options = ItemExtraction(compose=limit)
    cut = composed_items_of(words, words, list(links), options)
    [whole] = itg.execute([range(*i.target) for i in cut], [i.operations for i in cut])
    assert whole == list(range(WORDS))
    assert [word for i in cut for word in range(*i.source)] == list(range(WORDS))
    small, composed = found(links, compose=limit, sub_items="none")
    longest = {item.source[0]: (item.source, item.target) for item in [*small, *composed]}
    assert [(item.source, item.target) for item in cut] == [longest[i.source[0]] for i in cut]


def permutation(order: tuple[int, ...]) -> list[Item]:
    words = [str(i) for i in order]
    return items_of(words, words, list(enumerate(order)))[0]


def test_only_the_two_inside_out_permutations_of_four_stay_whole() -> None:
    sizes = {order: len(permutation(order)) for order in itertools.permutations(range(4))}
    assert {order for order, size in sizes.items() if size == 1} == {(1, 3, 0, 2), (2, 0, 3, 1)}
    assert sum(size == 4 for size in sizes.values()) == 22


@pytest.mark.parametrize(
    ("words", "count"), [(1, 1), (2, 2), (3, 6), (4, 22), (5, 90), (6, 394), (7, 1806)]
)
def test_labels_and_permutations_match_one_to_one(words: int, count: int) -> None:
    labels = {
        tuple(item.label for item in items)
        for order in itertools.permutations(range(words))
        if len(items := permutation(order)) == words
    }
    assert len(labels) == count  # the large Schröder numbers


# The example of the paper's appendix: 一个 了解 中国 音乐 的 很好 的 方式.
SOURCE = ["a", "learn", "china", "music", "de", "great", "de", "way"]
TARGET = ["a", "great", "way", "to", "learn", "about", "Chinese", "music"]
LINKS = [(0, 0), (1, 3), (1, 4), (1, 5), (2, 6), (3, 7), (5, 1), (7, 2)]


def test_the_example_of_the_paper() -> None:
    items, _ = items_of(SOURCE, TARGET, LINKS)
    assert [" ".join(item.operations) for item in items] == [
        "S", "S", "S R+", "S R+", "S R+", "S", "S R+", "S R+ R- R+",
    ]  # fmt: skip
    assert [TARGET[slice(*item.target)] for item in items] == [
        ["a"], ["to", "learn", "about"], ["Chinese"], ["music"], [], ["great"], [], ["way"],
    ]  # fmt: skip
    [words] = itg.execute(
        [TARGET[slice(*item.target)] for item in items], [item.operations for item in items]
    )
    assert " ".join(words) == "a great way to learn about Chinese music"


def test_the_example_as_it_is_printed() -> None:
    """With 的/the twice the same labels write "the" twice: the paper's result needs 的/ε."""
    items, _ = items_of(SOURCE, TARGET, LINKS)
    printed = [TARGET[slice(*item.target)] or ["the"] for item in items]
    [words] = itg.execute(printed, [item.operations for item in items])
    assert " ".join(words) == "a great the way to learn about Chinese music the"


def test_leading_words_without_links_wait_for_the_first_item() -> None:
    items, _ = items_of(["x", "y", "a", "b"], ["B", "A"], [(2, 1), (3, 0)])
    assert [item.operations for item in items] == [
        ("S",), ("S", "R+"), ("S", "R+"), ("S", "R-"),
    ]  # fmt: skip


def test_links_may_come_twice_and_a_single_item_is_shifted() -> None:
    assert items_of(["a"], ["b"], [(0, 0), (0, 0)])[0] == [Item((0, 1), (0, 1), 0)]


def test_pairs_without_links_or_too_long_are_skipped() -> None:
    assert items_of(["a"], ["b"], []) == ([], [])
    assert items_of(["a", "b"], ["c"], [(0, 0)], ItemExtraction(max_words=1)) == ([], [])


def test_links_outside_their_sentences_are_refused() -> None:
    with pytest.raises(ArgumentError, match="outside"):
        items_of(["a"], ["b"], [(0, 1)])


def test_operations_are_those_of_the_numbering() -> None:
    assert [" ".join(operations_of(label)) for label in range(5)] == [
        "S", "S R+", "S R-", "S R+ R-", "S R- R+",
    ]  # fmt: skip


# -- tables and labels of a text ------------------------------------------------------------------


def texts(
    *pairs: tuple[str, str, list[tuple[int, int]]],
) -> tuple[Text, Text, Links]:
    links = Links()
    for _, _, line in pairs:
        links.append(sorted(line))
    return Text.of([p[0] for p in pairs]), Text.of([p[1] for p in pairs]), links


PAIRS = texts(
    ("le chat noir", "the black cat", [(0, 0), (1, 2), (2, 1)]),
    ("le chien", "the dog", [(0, 0), (1, 1)]),
    ("un chat donc", "a cat", [(0, 0), (1, 1)]),
    ("vide", "", []),
)


def test_the_table_has_items_with_and_without_target_words(tmp_path: Path) -> None:
    source, target, links = PAIRS
    options = ItemExtraction(unaligned=True)
    table, counts = extract_items(source, target, links, out=tmp_path / "t.bin", options=options)
    rules = {
        (" ".join(r.source), " ".join(r.target)): r for r in (table[i] for i in range(len(table)))
    }
    assert rules.keys() == {
        ("le", "the"), ("chat", "cat"), ("noir", "black"), ("chien", "dog"), ("un", "a"),
        ("donc", ""),
    }  # fmt: skip
    assert (counts.pairs, counts.skipped, counts.items, counts.empty_items) == (4, 1, 8, 1)
    assert [rule.scores["Deleted"] for rule in rules.values()].count(1.0) == 1
    lexical = LexicalTable.estimate(source, target, links)
    empty = rules["donc", ""].scores
    assert empty["LexicalTargetGivenSource"] == pytest.approx(0.0)  # "donc" never has a link
    wanted = lexical.source_given_target("donc", "NULL")
    assert 2.718281828459045 ** empty["LexicalSourceGivenTarget"] == pytest.approx(wanted)


def test_long_items_stay_out_of_the_table_alone(tmp_path: Path) -> None:
    crossing = [(0, 1), (1, 3), (2, 0), (3, 2)]
    source, target, links = texts(
        ("a b c d", "A B C D", crossing), ("x y", "X Y", [(0, 0), (1, 1)])
    )
    table, counts = extract_items(
        source, target, links, out=tmp_path / "t.bin", options=ItemExtraction(max_item=3)
    )
    assert (len(table), counts.long_items, counts.sub_items) == (6, 1, 4)
    assert counts.lengths[:4] == (2, 0, 0, 1)


def test_words_in_items_of_more_than_seven_are_counted(tmp_path: Path) -> None:
    order = [1, 3, 5, 7, 0, 2, 4, 6]  # which no two orders make
    words = [*"abcdefgh"]
    source, target, links = texts(
        (" ".join(words), " ".join(words).upper(), list(enumerate(order))),
        ("x y", "X Y", [(0, 0), (1, 1)]),
    )
    _, counts = extract_items(source, target, links, out=tmp_path / "t.bin")
    assert (counts.items, counts.words, counts.long_words) == (3, 10, 8)


def test_pairs_that_teach_nothing_are_passed_over_and_counted(tmp_path: Path) -> None:
    def pair(words: int) -> tuple[str, str, list[tuple[int, int]]]:
        return " ".join(["a"] * words), " ".join(["b"] * words), [(i, i) for i in range(words)]

    wrong = [("a b", "c", []), ("", "c", []), ("a", "", []), pair(101)]
    every = texts(*wrong, pair(100))
    _, counts = extract_items(*every, out=tmp_path / "t.bin")
    assert (counts.pairs, counts.skipped, counts.items) == (5, 4, 100)
    corpora = label_corpora(*every, holdout=0)
    assert (corpora.sentences, corpora.skipped) == (1, 4)


def test_sentences_with_a_label_of_too_many_joins_teach_nothing() -> None:
    every = label_corpora(*PAIRS, min_count=1, holdout=0)
    few = label_corpora(*PAIRS, min_count=1, holdout=0, max_reductions=1)
    assert (every.sentences, few.sentences, few.beyond) == (3, 2, 1)  # the one of S,R-,R+
    assert (len(every.label_counts) // 2, len(few.label_counts) // 2) == (2, 1)


def table_of(tmp_path: Path, **options: object) -> tuple[set[tuple[str, str]], ItemCounts]:
    table, counts = extract_items(
        *PAIRS, out=tmp_path / "t.bin", options=ItemExtraction(**options)  # type: ignore[arg-type]
    )  # fmt: skip
    rules = (table[i] for i in range(len(table)))
    return {(" ".join(r.source), " ".join(r.target)) for r in rules}, counts


def test_composed_items_stand_in_the_table_beside_their_parts(tmp_path: Path) -> None:
    parts, _ = table_of(tmp_path)
    whole, counts = table_of(tmp_path, compose=2)
    assert whole - parts == {
        ("chat noir", "black cat"), ("le chien", "the dog"), ("un chat", "a cat"),
        ("chat donc", "cat"),
    }  # fmt: skip
    assert parts < whole
    assert counts.composed_items == 4


def test_loose_items_stand_in_the_table_beside_the_others(tmp_path: Path) -> None:
    source, target = Text.of(["le chat", "le chat"]), Text.of(["the little cat", "the cat"])
    links = Links()
    links.append([(0, 0), (1, 2)])
    links.append([(0, 0), (1, 1)])

    def entries(**options: Any) -> set[tuple[str, str]]:
        table, counts = extract_items(
            source, target, links, out=tmp_path / "t.bin", options=ItemExtraction(**options)
        )
        assert counts.loose_items == (2 if options.get("loose") else 0)
        rules = (table[i] for i in range(len(table)))
        return {(" ".join(r.source), " ".join(r.target)) for r in rules}

    tight = {("le", "the"), ("chat", "cat"), ("chat", "little cat")}
    assert entries() == tight
    assert entries(loose=True) == tight | {("le", "the little")}
    assert entries(loose=True, min_loose=2) == {("le", "the"), ("chat", "cat")}


@pytest.mark.parametrize("least", [2, 3])
def test_composed_items_that_few_sentences_gave_are_dropped(tmp_path: Path, least: int) -> None:
    rng = random.Random(least)

    def pair() -> tuple[str, str, list[tuple[int, int]]]:
        words = rng.choices("ab", k=5)
        links = {(rng.randrange(5), rng.randrange(5)) for _ in range(rng.randint(4, 6))}
        return " ".join(words), " ".join(words).upper(), sorted(links)

    corpus = texts(*(pair() for _ in range(60)))

    def entries(number: int) -> dict[str, Rule]:
        options = ItemExtraction(compose=4, min_composed=number, max_targets=0)
        table, _ = extract_items(*corpus, out=tmp_path / "t.bin", options=options)
        return {str(table[i]): replace(table[i], id=0) for i in range(len(table))}

    def composed(rule: Rule) -> bool:
        if not rule.links:
            return False
        links, sources, _ = itg.compressed(rule.links)
        return len(itg.leaves(itg.split(links, 0, len(sources) - 1))) > 1

    every = entries(1)
    rare = {name for name, rule in every.items() if composed(rule) and len(rule.origins) < least}
    assert entries(least) == {name: rule for name, rule in every.items() if name not in rare}
    assert 0 < len(rare) < sum(map(composed, every.values())) < len(every)


def test_items_without_target_words_can_stay_out_of_the_table(tmp_path: Path) -> None:
    without, counts = table_of(tmp_path, empty_items=False, compose=2)
    assert without == table_of(tmp_path, compose=2)[0] - {("donc", "")}
    assert counts.empty_items == 1


def test_labels_are_learned_from_both_cuts_of_a_sentence() -> None:
    options = ItemExtraction(compose=2)
    both = label_corpora(*PAIRS, options=options, min_count=1, holdout=0)
    assert both.gold(0, False) == [(0, False), (0, False), (4, False)]  # le; chat; noir
    assert both.gold(1, False) == [(0, False), (1, False)]  # le; chat noir
    assert both.sentences == 6
    held = label_corpora(*PAIRS, options=options, min_count=1, holdout=3)
    assert (held.sentences, held.held_out) == (4, 1)


def test_labels_come_with_what_is_forced() -> None:
    corpora = label_corpora(*PAIRS, min_count=1, holdout=0)
    assert corpora.gold(0, False) == [(0, False), (0, False), (4, False)]  # S; S; S,R-,R+
    assert corpora.gold(2, False)[-1] == (1, True)
    assert (corpora.sentences, corpora.skipped) == (3, 1)


def test_links_outside_a_text_are_refused_with_their_line(tmp_path: Path) -> None:
    wrong = texts(("a b", "c d", [(0, 0), (1, 1)]), ("a", "b", [(0, 5)]))
    for use in (
        lambda: extract_items(*wrong, out=tmp_path / "t.bin"),
        lambda: label_corpora(*wrong),
    ):
        with pytest.raises(DemoticError) as caught:
            use()
        assert caught.value.line == 2


def test_text_without_order_is_refused() -> None:
    with pytest.raises(DemoticError, match="no order to learn"):
        label_corpora(*texts(("a", "b", [(0, 0)])))
