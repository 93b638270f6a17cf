"""Train, dev and test parts of a bitext: no sentence of one part occurs in another.

    parts = split(bitext, dev=1000, test=1000)       # or fractions: dev=0.01
    parts.train, parts.dev, parts.test; print(parts.report)

Every source sentence has a 64-bit hash; those with the smallest hashes make the test set, those
with the largest the dev set, all others are for training.  So the parts depend on the sentences
and the seed alone, not on their order, and with fractions a sentence stays in its part when the
corpus grows.  Sentences are compared in lower case, NFC, with runs of white space as one space.

All pairs of a source sentence go to one part.  A pair whose *target* sentence stands in another
part is left out: of train for dev and test, of dev for test.  Memory: 16 bytes for each pair.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from demotic.corpus.bitext import Bitext
from demotic.corpus.ids import as_integers, sentence_digests
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from demotic.corpus.ids import Hashes

    Mask = NDArray[np.bool_]

_HASHES = 1 << 64


@dataclass(frozen=True)
class SplitReport:
    """Pairs in each part, and left out because their target sentence stands in another part."""

    train: int
    dev: int
    test: int
    left_out: int

    def to_json(self) -> str:
        """The same as a JSON object."""
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        return (
            f"train {self.train:,}, dev {self.dev:,}, test {self.test:,} pairs; left out "
            f"{self.left_out:,} whose target sentence stands in another part"
        )


@dataclass(frozen=True)
class Split:
    """The three parts."""

    train: Bitext
    dev: Bitext
    test: Bitext
    report: SplitReport


def normalised(sentence: str) -> str:
    """The form in which sentences are compared."""
    return " ".join(unicodedata.normalize("NFC", sentence.lower()).split())


def split(
    bitext: Bitext,
    *,
    dev: int | float,
    test: int | float,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Split:
    """Split by hash; sizes are numbers of pairs (int) or fractions of the sentences (float).

    A part can come out smaller than the number asked for when too few sentences are free.
    """
    import numpy as np

    _check_sizes(dev, test, len(bitext))
    sources, targets = _hashes(bitext, seed, progress)
    in_test = _take(sources, np.ones(len(bitext), dtype=bool), test, largest=False)
    free = ~in_test & ~np.isin(targets, targets[in_test])
    in_dev = _take(sources, free, dev, largest=True)
    in_train = free & ~in_dev & ~np.isin(targets, targets[in_dev])
    parts = bitext.partition([in_train, in_dev, in_test])
    train_size, dev_size, test_size = (len(part) for part in parts)
    left_out = len(bitext) - train_size - dev_size - test_size
    report = SplitReport(train_size, dev_size, test_size, left_out)
    return Split(train=parts[0], dev=parts[1], test=parts[2], report=report)


def folds(bitext: Bitext, number: int, *, seed: int = 0) -> list[tuple[Bitext, Bitext]]:
    """For cross-validation: a part, and the rest to learn from, up to ``number`` times.

    Each sentence is in one of the parts, with all pairs that have its source sentence; these are
    as equally large as that allows.  Pairs whose target sentence stands in a part are not in its
    rest.  Sentences are compared as :func:`split` does, and drawn by the seed.
    """
    import numpy as np

    sources, targets = _hashes(bitext, seed, SILENT)
    _, sentence_of, counts = np.unique(sources, return_inverse=True, return_counts=True)
    sizes = [0] * min(number, len(counts))
    part_of = np.empty(len(counts), dtype=np.int64)
    for sentence in np.argsort(-counts, kind="stable"):
        smallest = sizes.index(min(sizes))
        part_of[sentence] = smallest
        sizes[smallest] += int(counts[sentence])
    found = []
    for part in range(len(sizes)):
        inside = part_of[sentence_of] == part
        rest = ~inside & ~np.isin(targets, targets[inside])
        one, other = bitext.partition([inside, rest])
        found.append((one, other))
    return found


def _check_sizes(dev: int | float, test: int | float, pairs: int) -> None:
    share = 0.0
    for name, size in (("dev", dev), ("test", test)):
        valid = 0 <= size < 1 if isinstance(size, float) else size >= 0
        if not valid:
            raise ArgumentError(
                f"{name} is {size}", remedy="give a number of pairs, or a fraction such as 0.01"
            )
        share += size if isinstance(size, float) else size / max(pairs, 1)
    if share >= 1:
        raise ArgumentError(
            f"dev={dev} and test={test} leave nothing of {pairs} pairs for training",
            remedy="ask for smaller parts",
        )


def _hashes(bitext: Bitext, seed: int, progress: Progress) -> tuple[Hashes, Hashes]:
    """The hashes of all source and of all target sentences."""
    salt = f"split {seed}".encode()[:16]
    sources, targets = bytearray(), bytearray()
    with progress.step("splitting", total=len(bitext), unit="pairs") as advance:
        for batch in bitext.batches():
            for digests, side in ((sources, "source"), (targets, "target")):
                digests += sentence_digests(_normalised(batch.column(side).to_pylist()), salt)
            advance(batch.num_rows)
    return as_integers(bytes(sources)), as_integers(bytes(targets))


def _normalised(sentences: Iterable[str]) -> list[str]:
    return [normalised(sentence) for sentence in sentences]


def _take(sources: Hashes, free: Mask, size: int | float, *, largest: bool) -> Mask:
    """The free rows of the sentences with the smallest or largest hashes."""
    import numpy as np

    if isinstance(size, float):
        border = int(size * _HASHES)
        if not border:
            return np.zeros_like(free)
        if largest:
            return free & (sources >= np.uint64(_HASHES - border))
        return free & (sources < np.uint64(border))
    sentences, counts = np.unique(sources[free], return_counts=True)
    if largest:
        sentences, counts = sentences[::-1], counts[::-1]
    # As many whole sentences as fit; one with too many translations is passed over.
    sure = int(np.searchsorted(np.cumsum(counts), size, "right"))
    chosen = list(range(sure))
    room = size - int(counts[:sure].sum())
    for index in range(sure, counts.size):
        if room == 0:
            break
        if counts[index] <= room:
            chosen.append(index)
            room -= int(counts[index])
    return free & np.isin(sources, sentences[chosen])
