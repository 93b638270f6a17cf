"""No text makes a translation slower than its length does: sixteen times as much of it takes about
sixteen times as long, where anything quadratic takes 256 times as long.

CPU time is compared with CPU time of the same process, five times as much as is expected is let
pass, and who fails has three attempts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import demotic
from demotic.corpus.compounds import CompoundOptions, Compounds
from demotic.corpus.icu import arguments
from demotic.systems.model import Model
from tests import awkward
from tests.systems import toys

SIZE = 1_000
TIMES = 16
MARGIN = 5
LEAST = 0.004  # seconds that small things count as
FEW = (
    "known word", "letters", "tags", "pairs of brackets", "brackets in brackets", "tags in tags",
    "one word",
)  # fmt: skip
LINEAR = ("umt", "phrase", "blocks", "amasis", "transducer")  # hiero has all patterns


def seconds(call: Callable[[str], object], text: str) -> float:
    begin = time.process_time()
    call(text)
    return time.process_time() - begin


def grows_no_faster_than_the_text(call: Callable[[str], object], name: str, size: int) -> bool:
    short, long = awkward.text(name, size), awkward.text(name, TIMES * size)
    for attempt in range(3):
        # Another beginning, or the answer would be remembered.
        one = min(seconds(call, f"{attempt}{each} {short}") for each in range(2))
        if seconds(call, f"{attempt} {long}") < MARGIN * TIMES * max(one, LEAST):
            return True
    return False


@pytest.fixture(scope="module")
def hiero(toy_model: Path) -> Model:
    model = demotic.load(toy_model)
    model.translate("The adj1 noun2 verb3 %d noun4.")  # what is imported and built once
    return model


@pytest.mark.parametrize("name", awkward.NAMES)
def test_text_is_translated_in_linear_time(hiero: Model, name: str) -> None:
    assert grows_no_faster_than_the_text(hiero.translate, name, SIZE)


@pytest.mark.parametrize("system", LINEAR)
def test_all_decoders_take_linear_time(system: str) -> None:
    config = {
        **toys.UNTUNED,
        **({"trees": {"source": "induced"}} if system == "transducer" else {}),
    }
    model = demotic.train(toys.memory(60), dev=toys.text(20), system=system, config=config)
    model.translate("The adj1 noun2 verb3 %d noun4.")
    slow = [
        name for name in FEW if not grows_no_faster_than_the_text(model.translate, name, SIZE // 4)
    ]
    assert slow == []


@pytest.mark.parametrize("name", FEW)
def test_the_memory_is_searched_in_linear_time(hiero: Model, name: str) -> None:
    assert grows_no_faster_than_the_text(hiero.matches, name, SIZE)


def test_compounds_of_a_megabyte_are_left_alone() -> None:
    counts = {"aaaa": 9, "aaaaa": 9, "aaaaaa": 9}
    splitter = Compounds(CompoundOptions(max_parts=100), counts)
    assert len(splitter.split("a" * 200)) > 1
    word = "a" * (1 << 20)
    assert splitter.split(word) == (word,)
    assert word not in splitter._known


def test_messages_within_messages_end_somewhere(hiero: Model) -> None:
    deep = awkward.text("plurals in plurals", 1 << 16)
    assert arguments(deep) == []
    assert arguments("{0,plural,other{{1,plural,other{a}}}}")
    assert hiero.translate(deep).text
