from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.align import HEURISTICS, Links, symmetrise
from demotic.errors import ArgumentError
from tests.oracles import symmetrisation as oracle

Pairs = set[tuple[int, int]]
SYMMETRIC = ("intersection", "union", "grow", "grow-diag")


@st.composite
def directional(draw: st.DrawFn) -> tuple[Pairs, Pairs]:
    """Each target word chooses a source word or none, and the other way round."""
    sources, targets = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    source = st.none() | st.integers(0, sources - 1)
    target = st.none() | st.integers(0, targets - 1)
    forward = draw(st.lists(source, min_size=targets, max_size=targets))
    backward = draw(st.lists(target, min_size=sources, max_size=sources))
    return (
        {(i, j) for j, i in enumerate(forward) if i is not None},
        {(i, j) for i, j in enumerate(backward) if j is not None},
    )


ANY_LINKS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)
BOTH = directional() | st.tuples(ANY_LINKS, ANY_LINKS)


def one(pairs: Pairs) -> Links:
    links = Links()
    links.append(sorted(pairs))
    return links


def run(forward: Pairs, backward: Pairs, heuristic: str) -> Pairs:
    return set(symmetrise(one(forward), one(backward), heuristic)[0])


@pytest.mark.parametrize("heuristic", HEURISTICS)
@given(both=BOTH)
def test_equals_the_published_pseudo_code(heuristic: str, both: tuple[Pairs, Pairs]) -> None:
    assert run(*both, heuristic) == oracle.symmetrise(*both, heuristic)


@given(both=BOTH)
def test_each_step_only_adds_links_and_stays_in_the_union(both: tuple[Pairs, Pairs]) -> None:
    # grow is no subset of grow-diag: a diagonal link taken first may cover the words of another.
    sets = {heuristic: run(*both, heuristic) for heuristic in HEURISTICS}
    assert sets["intersection"] <= sets["grow"] <= sets["union"]
    assert sets["intersection"] <= sets["grow-diag"]
    assert sets["grow-diag"] <= sets["grow-diag-final"] <= sets["union"]
    assert sets["grow-diag"] <= sets["grow-diag-final-and"] <= sets["union"]


@pytest.mark.parametrize("heuristic", SYMMETRIC)
@given(both=BOTH)
def test_directions_can_be_exchanged_unless_final(
    heuristic: str, both: tuple[Pairs, Pairs]
) -> None:
    assert run(*both, heuristic) == run(both[1], both[0], heuristic)


def test_final_looks_at_the_forward_links_first() -> None:
    # Both links cover both of their words newly; whoever comes first takes source word 0.
    forward, backward = {(0, 1)}, {(0, 0)}
    assert run(forward, backward, "grow-diag-final-and") == {(0, 1)}
    assert run(backward, forward, "grow-diag-final-and") == {(0, 0)}


@pytest.mark.parametrize("heuristic", HEURISTICS)
@given(pairs=ANY_LINKS)
def test_equal_directions_are_kept_as_they_are(heuristic: str, pairs: Pairs) -> None:
    assert run(pairs, pairs, heuristic) == pairs


@pytest.mark.parametrize("heuristic", HEURISTICS)
@given(both=BOTH)
def test_symmetrising_the_result_again_changes_nothing(
    heuristic: str, both: tuple[Pairs, Pairs]
) -> None:
    once = run(*both, heuristic)
    assert run(once, once, heuristic) == once


def test_lines_come_out_sorted_and_the_same_for_any_thread_count() -> None:
    chance = random.Random(1)
    forward, backward = Links(), Links()
    for _ in range(5000):
        forward.append([(chance.randrange(9), j) for j in range(9)])
        backward.append([(i, chance.randrange(9)) for i in range(9)])
    links = symmetrise(forward, backward)
    assert len(links) == 5000
    assert all(line == sorted(line) for line in links)
    for threads in (2, 3, 8):
        assert symmetrise(forward, backward, threads=threads) == links


def test_a_chain_against_the_visiting_order_stays_fast() -> None:
    # Each pass of symal over this pair adds one link; the links are visited once all the same.
    length = 5000
    diagonal = {(i, i) for i in range(length)}
    backward = {(length - 1, length - 1)}
    assert run(diagonal, backward, "grow-diag") == diagonal
    assert run(diagonal, backward, "grow") == backward


def test_unequal_line_counts_are_refused() -> None:
    with pytest.raises(ArgumentError, match="1 lines, the backward one 0"):
        symmetrise(one(set()), Links())


def test_an_unknown_heuristic_is_named_with_those_there_are() -> None:
    with pytest.raises(ArgumentError, match="grow-diag-final-and"):
        symmetrise(Links(), Links(), "grow-final")
