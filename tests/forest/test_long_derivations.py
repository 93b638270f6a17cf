"""Small forests whose derivations no memory holds: errors, at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder, envelopes


def doubling(levels: int, *words: str) -> Forest:
    """Each node is both tails of the next one's edge; its lowest has several equal derivations."""
    builder = ForestBuilder()
    node = builder.add_node("X", 0, 1)
    for _ in range(2):
        builder.add_edge(node, [], builder.add_rule("X", ["a"], words))
    both = builder.add_rule("X", [0, 1], [0, 1])
    for _ in range(levels):
        above = builder.add_node("X", 0, 1)
        builder.add_edge(above, [node, node], both, score=-1.0)
        node = above
    return builder.finalize(node)


USES: dict[str, Callable[[Forest], object]] = {
    "viterbi": lambda forest: forest.viterbi(),
    "oracle": lambda forest: forest.oracle(np.zeros(forest.edges)),
    "kbest": lambda forest: forest.kbest(1),
    "unique": lambda forest: forest.kbest(2, unique=True),
    "sample": lambda forest: forest.sample(1, 1),
    "envelope": lambda forest: envelopes([forest], {}, {})[0].derivation(0),
}


@pytest.mark.parametrize("words", [(), ("b",)])
@pytest.mark.parametrize("use", USES)
def test_what_is_too_long_to_be_written_out_is_refused(use: str, words: tuple[str, ...]) -> None:
    with pytest.raises(ArgumentError, match="a derivation of more than 16777216 edges or words"):
        USES[use](doubling(60, *words))


def test_long_strings_of_few_edges_are_refused() -> None:
    forest = doubling(12, *["b"] * 5000)
    with pytest.raises(ArgumentError, match="edges or words"):
        print(forest.viterbi().tokens)


def test_what_is_not_written_out_has_no_limit() -> None:
    forest = doubling(60, "b")
    assert forest.prune(0.0).nodes == 61
    assert forest.log_z() == pytest.approx((np.log(2) - 1) * 2.0**60)
    assert len(doubling(10, "b").viterbi().tokens) == 1024
