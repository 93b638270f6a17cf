"""Looking things up in a translation memory, small and large.

    python -m benchmarks.remembering [SEGMENTS ...]

Memories of invented messages, a thousandth of the size (or 10,000) beside each size given, by
default ten million: lookups should not take longer in the large one than its cache misses explain.
Every figure is CPU time of one thread for each lookup, from Python.  Each needs about 0.3 kB of
memory for each message to build, and as much of disk.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from demotic import _core
from demotic.corpus import Orthography, OrthographyConfig
from demotic.memory import TranslationMemory

SIZE = 10_000_000
WORDS = 50_000
ASKED = 20_000
SLICE = 50_000


def message(rng: random.Random) -> list[str]:
    """Two to nine words, some of them far more frequent than others."""
    return [f"w{int(WORDS ** rng.random())}" for _ in range(rng.randrange(2, 10))]


def made(path: Path, size: int) -> list[list[str]]:
    """Write a memory; some of its messages, evenly spaced."""
    rng = random.Random(1)
    builder = _core.MemoryBuilder()
    some = []
    for begin in range(0, size, SLICE):
        rows = []
        for number in range(begin, min(size, begin + SLICE)):
            words = [*message(rng), f"n{number}"]
            text = " ".join(words)
            rows.append([text, text.upper(), "", text, "a.po", str(number), text, "", ""])
            if number % max(1, size // ASKED) == 0:
                some.append(words)
        builder.add(rows)
    builder.save(str(path))
    return some


def microseconds(call: Callable[[list[str]], object], asked: Sequence[list[str]]) -> float:
    """CPU time for each of many."""
    for words in asked[:100]:
        call(words)
    begin = time.process_time()
    for words in asked:
        call(words)
    return 1e6 * (time.process_time() - begin) / len(asked)


def measure(size: int) -> dict[str, float]:
    """Lookups by their kind, in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.bin"
        some = made(path, size)
        random.Random(2).shuffle(some)
        plain = Orthography("en", OrthographyConfig(casing="none"))
        memory = TranslationMemory.load(path, plain, plain)
        core = memory.core
        texts = {id(words): " ".join(words) for words in some}
        missing = {id(words): f"{texts[id(words)]} more" for words in some}
        changed = [[*words[:-1], "other"] for words in some[: ASKED // 10]]
        return {
            "the message is there": microseconds(lambda w: core.find(texts[id(w)]), some),
            "it is not": microseconds(lambda w: core.find(missing[id(w)]), some),
            "answers, spaces and keys included": microseconds(
                lambda w: memory.answers(texts[id(w)]), some
            ),
            "similar messages (0.7)": microseconds(lambda w: core.similar(w, 0.7, 5), changed),
        }


def main(sizes: Sequence[int]) -> None:
    for size in sizes:
        small = max(10_000, size // 1000)
        few, many = measure(small), measure(size)
        print(f"microseconds a lookup: {small:,} messages, {size:,} messages, ratio")
        for name, value in many.items():
            print(f"  {name:<36} {few[name]:8.2f} {value:8.2f} {value / few[name]:6.1f}")


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [SIZE])
