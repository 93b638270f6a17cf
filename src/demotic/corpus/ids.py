"""Stable ids of sentence pairs, and how often each was seen before.

The id of a pair is the 64-bit BLAKE2b hash of ``source + "\\n" + target`` (UTF-8) as 16 hex digits:
the same pair has the same id on every run and machine, wherever it stands.  When a pair comes
again, its later copies are told apart by an ordinal: ``0f3a...``, ``0f3a...-2``, ``0f3a...-3``.
Reading files in another order therefore gives the same ids; copies are alike anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]


def pair_digests(sources: Sequence[str], targets: Sequence[str]) -> bytes:
    """Eight bytes for each pair."""
    return b"".join(
        [
            blake2b(f"{source}\n{target}".encode(), digest_size=8).digest()
            for source, target in zip(sources, targets, strict=True)
        ]
    )


def sentence_digests(sentences: Sequence[str], salt: bytes) -> bytes:
    """Eight bytes for each sentence; another salt gives other hashes."""
    return b"".join(
        [blake2b(text.encode(), digest_size=8, salt=salt).digest() for text in sentences]
    )


def as_integers(digests: bytes) -> Hashes:
    """Digests as an array of integers, the same on every machine."""
    import numpy as np

    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def stable_ids(digests: bytes, seen: Occurrences) -> list[str]:
    """The ids of pairs, given those seen so far."""
    text = digests.hex()
    ids = [text[begin : begin + 16] for begin in range(0, len(text), 16)]
    before = seen.add(as_integers(digests))
    for copy in before.nonzero()[0].tolist():
        ids[copy] = f"{ids[copy]}-{before[copy] + 1}"
    return ids


class Occurrences:
    """A multiset of hashes in 8 bytes each (three times that for a moment while it grows).

    Sorted runs, each longer than the next, merged as they come (a binary counter): a set of Python
    integers would take ten times the memory.
    """

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def add(self, hashes: Hashes) -> NDArray[np.int64]:
        """Add hashes; for each, how often it occurred before, in this call or an earlier one."""
        import numpy as np

        order = np.argsort(hashes, kind="stable")
        run = hashes[order]
        before = np.arange(run.size) - np.searchsorted(run, run)
        for old in self._runs:
            left = np.searchsorted(old, run)
            known = np.flatnonzero(old[np.minimum(left, old.size - 1)] == run)
            before[known] += np.searchsorted(old, run[known], "right") - left[known]
        result = np.empty_like(before)
        result[order] = before
        while run.size and self._runs and self._runs[-1].size <= run.size:
            run = np.concatenate([self._runs.pop(), run])
            run.sort(kind="stable")  # merges the two runs in linear time
        if run.size:
            self._runs.append(run)
        return result
