"""The local block model: events a second, memory, forty passes; matching and search.

    python -m benchmarks.blocks [--sentences N] [--passes P] [--data FOLDER]

Multi30k German-English, lower-cased, tokenised, with the alignment that comes with it; one thread,
CPU time.  Learning speed is measured on the events of the text, and on made-up events as the paper
describes them, 12.8 candidates each with five real-valued features and one binary; the latter with
the same features in sparse rows, and with costs, too.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.corpora import data_folder
from demotic import _core, files
from demotic.align import Text, pharaoh
from demotic.decode import BlockDecoder
from demotic.grammar import EventOptions, block_events, extract_blocks, orient
from demotic.learn import SgdOptions, perceptron, sgd
from demotic.lm.estimation import estimate
from demotic.systems.blocks.config import LearnConfig
from demotic.systems.blocks.learning import decoder_weights

TURNS = 8


class Clock:
    """CPU seconds of named pieces of work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        begin = time.process_time()
        yield
        self.seconds[name] = time.process_time() - begin


def made_up(events: int) -> _core.EventGroups:
    """Events as the paper has them: one event a group, 12 or 13 candidates."""
    rng = np.random.default_rng(1)
    sizes = np.where(rng.random(events) < 0.8, 13, 12)
    total = int(sizes.sum())
    binaries = max(1, events // 5)
    return _core.EventGroups(
        5, binaries, np.cumsum([0, *sizes], dtype=np.uint64),
        rng.random(total * 5, dtype=np.float32) * 5,
        rng.integers(0, binaries, total).astype(np.uint32),
        np.arange(events, dtype=np.uint32), rng.integers(0, 12, events).astype(np.uint32),
    )  # fmt: skip


def in_rows(events: _core.EventGroups) -> _core.EventGroups:
    """The same with sparse rows and costs, 0 for the label and 1 for the others."""
    cost = np.ones(events.candidates, np.float32)
    cost[events.group_ptr[:-1] + events.label] = 0.0
    return _core.EventGroups(
        events.width, events.sparse_size, events.group_ptr, events.features,
        np.zeros(0, np.uint32), events.group, events.label,
        np.arange(events.candidates + 1, dtype=np.uint64), events.binary,
        np.ones(events.candidates, np.float32), cost,
    )  # fmt: skip


def rate(learn: Callable[[], object], events: int) -> float:
    """Events a second, in the best of several turns: other work on the machine only slows down."""
    least = math.inf
    for _ in range(TURNS):
        begin = time.process_time()
        learn()
        least = min(least, time.process_time() - begin)
    return events / least


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=None, help="of the training text")
    parser.add_argument("--passes", type=int, default=40)
    parser.add_argument("--matching", choices=("aligned", "string"), default="aligned")
    parser.add_argument("--data", type=Path, default=None)
    given = parser.parse_args()
    folder = (given.data or data_folder()) / "multi30k" / "tok"

    print("made-up events, 12.8 candidates, 5 floats and 1 binary each; M events/s")
    for count in (20_000, 500_000):
        events = made_up(count)
        one = SgdOptions(passes=1, unit="event")
        descent = rate(partial(sgd, events, options=one), count)
        rival = rate(partial(perceptron, events, passes=1), count)
        print(
            f"  {count:8,} events  gradient descent {descent / 1e6:5.2f}  "
            f"perceptron {rival / 1e6:5.2f}"
        )
        events = in_rows(events)
        rows = rate(partial(sgd, events, options=one), count)
        careful = rate(partial(sgd, events, options=one, loss="expected-cost"), count)
        rival = rate(partial(perceptron, events, passes=1), count)
        print(
            f"    in sparse rows, with costs: {rows / 1e6:5.2f}  perceptron {rival / 1e6:5.2f}  "
            f"expected cost {careful / 1e6:5.2f}"
        )

    def lines(name: str) -> list[str]:
        return list(islice(files.read_lines(folder / name), given.sentences))

    source, target = Text.of(lines("train.de.gz")), Text.of(lines("train.en.gz"))
    links = pharaoh.read(folder / "train.de-en.align.gz").slice(0, len(source))
    clock = Clock()
    options = EventOptions(matching=given.matching, unigram="per-word")
    with tempfile.TemporaryDirectory() as temp:
        text = Path(temp) / "train.en"
        files.write_lines(text, lines("train.en.gz"))
        lm = estimate(text, order=3).model()
    with clock("extraction"):
        table = extract_blocks(source, target, links)
    with clock("orientation"):
        oriented = orient(table, source, target, links, options=options)
    with clock("events"):
        found_events = block_events(
            oriented.blocks, source, target, links, lm=lm, pairs=oriented.pairs, options=options
        )
    groups = found_events.successors
    arrays = (groups.features, groups.binary, groups.group, groups.label, groups.group_ptr)
    size = sum(array.nbytes for array in arrays)
    print(f"\n{len(source):,} sentence pairs: {len(table):,} blocks; {oriented.counts}")
    print(
        f"  {len(groups):,} L/R events in {groups.groups:,} groups, {groups.candidates:,} "
        f"candidates, {len(oriented.pairs):,} pairs: {size / 1e6:,.0f} MB, "
        f"{size / len(groups):.0f} bytes an event"
    )
    with clock(f"{given.passes} passes, a step a group"):
        found = sgd(groups, options=SgdOptions(passes=given.passes))
    with clock("1 pass, a step an event"):
        sgd(groups, options=SgdOptions(passes=1, unit="event"))
    neutral = sgd(found_events.neutral, options=SgdOptions(passes=1))
    for name, seconds in clock.seconds.items():
        print(f"  {name:32} {seconds:8.2f} s")
    by_group = given.passes * len(groups) / clock.seconds[f"{given.passes} passes, a step a group"]
    by_event = len(groups) / clock.seconds["1 pass, a step an event"]
    print(f"  a step a group {by_group / 1e6:.2f} M events/s, an event {by_event / 1e6:.2f}")

    weights = decoder_weights(found.weights.dense, neutral.weights.dense, LearnConfig())
    decoder = BlockDecoder(oriented.blocks, lm, weights)
    sentences = list(files.read_lines(folder / "test2016.de.gz"))[:300]
    decoder.decode_lines(sentences)
    counters = decoder.counters
    print(
        f"  search {1000 * counters.seconds['search'] / len(sentences):.2f} ms a sentence, "
        f"{counters.nodes / len(sentences):,.0f} nodes, {counters.lm_blocks / len(sentences):,.0f} "
        "blocks scored by the language model"
    )
    print(f"  at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB in use")


if __name__ == "__main__":
    main()
