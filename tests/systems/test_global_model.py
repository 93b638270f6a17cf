"""The global model over translation graphs of blocks."""

from __future__ import annotations

import pytest

from demotic.decode import BlockDecoder
from demotic.errors import ArgumentError
from demotic.learn import CrfOptions
from demotic.systems.blocks.global_model import examples_of, learn_global
from tests.decode.test_block_decoder import EXACT, model

SOURCE = ["a b c", "b a", "a c", "q"]
REFERENCES = [["x y z"], ["x y", "y x"], ["w w w w"], ["q"]]


def decoder() -> BlockDecoder:
    table, pairs, lm = model()
    return BlockDecoder(table, lm, {"FirstWord": -0.5, "Unigram": -0.1}, pairs=pairs, options=EXACT)


def test_right_parts_are_references_or_else_oracles() -> None:
    examples, reached = examples_of(decoder(), SOURCE, REFERENCES)
    assert len(examples) == len(SOURCE)
    assert 0 < reached < len(SOURCE)
    assert {each.text for each in examples[0].right.kbest(100, unique=True)} == {"x y z"}
    for example in examples:
        assert example.right.count() <= example.all.count()
        assert len(example.right.kbest(100, unique=True)) == 1


def test_references_become_more_probable() -> None:
    start = decoder()
    found = learn_global(start, SOURCE, REFERENCES, rounds=2, options=CrfOptions(passes=20))
    assert found.rounds[-1].losses[-1] < found.rounds[0].losses[0]
    assert found.weights != start.weights
    assert found.sentences == len(SOURCE)
    with pytest.raises(ArgumentError, match="one round"):
        learn_global(start, SOURCE, REFERENCES, rounds=0)
