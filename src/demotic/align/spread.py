"""The aligner on a text in pieces elsewhere: they count, and this process adds up.

    with SpreadTrainer(source_lines, target_lines, vocab, core_options, engine) as trainer:
        trainer.expect("model1", 0, len(trainer), threads)
        trainer.maximise(threads)

A piece has cells of its own, for the words that meet in it.  In each round it is sent the weights
of these, and sends back what it counted, in whole numbers; so the sums, and all that follows, are
those of one machine.  Which cells of the whole text a piece has is found once and kept in a file.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.engine.arrays import as_array, read_arrays, write_arrays
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays

_ROOM = 1 << 30  # bytes that a piece may take before it works on a file
_SOURCE_WORD = np.uint64(32)  # bits that it is moved by in a cell's key; the target word is below
_DIRECTIONS = ("forward", "backward")


class SpreadTrainer:
    """What ``_core.AlignerTrainer`` is on one machine; to be closed."""

    def __init__(
        self,
        source: _core.TokenLines,
        target: _core.TokenLines,
        vocab: _core.Vocab,
        options: _core.AlignerOptions,
        engine: Engine,
        progress: Progress = SILENT,
    ) -> None:
        self._source, self._target, self._options, self._engine = source, target, options, engine
        self._home = tempfile.TemporaryDirectory(prefix="demotic-", dir=engine.temp)
        try:
            self._keys = self._find_cells(progress)
        except BaseException:
            self._home.cleanup()
            raise
        rows = np.arange(1, len(vocab) + 1, dtype=np.uint64) << _SOURCE_WORD
        ends = np.searchsorted(self._keys, rows).astype(np.uint32)
        self._whole = _core.AlignerTrainer(ends, self._keys.astype(np.uint32), vocab, options)

    def __enter__(self) -> SpreadTrainer:
        return self

    def __exit__(self, *_: object) -> None:
        self._home.cleanup()

    def __len__(self) -> int:
        return len(self._source)

    def _numbers(self) -> range:
        """Of the pieces."""
        return range(-(-len(self) // self._engine.piece))

    @property
    def skipped(self) -> int:
        """Pairs with a side that is too long."""
        longest = np.maximum(*(_lengths(side) for side in (self._source, self._target)))
        return int((longest > self._options.max_length).sum())

    def expect(self, stage: str, begin: int, end: int, threads: int) -> None:
        """Count the links that all pairs, and no part of them, are expected to have."""
        assert (begin, end) == (0, len(self))
        _, null, *jumps = self._whole.weights()
        weights = _Weights(null.reshape(-1, 2), jumps)
        job = ExpectLinks(stage, _settings(self._options))
        sums = _Sums(len(weights.null))
        for number, counts in enumerate(self._engine.map(job, self._pieces(weights))):
            kept = self._kept(number)
            self._whole.add_counts_of(kept["cells"], counts["cells"][:-2])  # the spare one's
            sums.add(counts, kept["words"])
        self._whole.add_counts(stage, self._options.max_length, *sums.arrays())

    def maximise(self, threads: int) -> float:
        """Set the weights from the counts; the log-likelihood that the old ones gave."""
        return self._whole.maximise(threads)

    def prune(self, threads: int) -> None:
        """Drop cells that hardly took part; pieces that have them are sent the spare cell's."""
        self._whole.prune(threads)
        ends, targets = self._whole.cell_arrays()
        keys = _keys(ends, targets.astype(np.uint64))
        places = np.searchsorted(keys, self._keys)
        lost = keys[np.minimum(places, len(keys) - 1)] != self._keys if len(keys) else True
        renumbered = np.where(lost, len(keys), places).astype(np.uint32)
        for number in self._numbers():
            kept = self._kept(number)
            write_arrays(self._path(number), {**kept, "cells": renumbered[kept["cells"]]})
        self._keys = keys

    def model(self, vocab: _core.Vocab) -> _core.AlignerModel:
        """What was learned."""
        return self._whole.model(vocab)

    def _find_cells(self, progress: Progress) -> NDArray[np.uint64]:
        """The keys of all cells, in their order; pieces get the numbers of theirs."""
        job = FindCells(_settings(self._options))
        union = _Union()
        found = self._engine.map(job, self._pieces(None), "finding pairs of words", progress)
        for number, cells in enumerate(found):
            words = _words(self._lines(number))
            keys = _keys(cells["ends"], words[cells["targets"]], words)
            write_arrays(self._path(number), {"keys": keys, "words": words})
            union.add(keys)
        keys = union.all()
        for number in self._numbers():
            kept = self._kept(number)
            places = np.searchsorted(keys, kept["keys"]).astype(np.uint32)
            write_arrays(self._path(number), {"cells": places, "words": kept["words"]})
        return keys

    def _pieces(self, weights: _Weights | None) -> Iterator[Arrays]:
        """The text under the numbers that words have in a piece, and the weights of its cells."""
        for number in self._numbers():
            source, source_ends, target, target_ends = self._lines(number)
            words = _words((source, source_ends, target, target_ends))
            piece: dict[str, NDArray[Any]] = {
                "source": np.searchsorted(words, source).astype(np.uint32),
                "source_ends": source_ends,
                "target": np.searchsorted(words, target).astype(np.uint32),
                "target_ends": target_ends,
                "words": np.array([len(words)]),
            }
            if weights is not None:
                kept = self._kept(number)
                spare = np.ones(2, np.float32)
                piece["cells"] = np.concatenate([self._whole.weights_of(kept["cells"]), spare])
                piece["null"] = weights.null[words].reshape(-1)
                piece.update(zip(_DIRECTIONS, weights.jumps, strict=True))
            yield piece

    def _lines(self, number: int) -> tuple[NDArray[Any], ...]:
        begin = number * self._engine.piece
        end = begin + self._engine.piece
        return (*self._source.arrays(begin, end), *self._target.arrays(begin, end))

    def _path(self, number: int) -> Path:
        return Path(self._home.name) / f"{number}.cells"

    def _kept(self, number: int) -> dict[str, NDArray[Any]]:
        return read_arrays(self._path(number))


@dataclass(frozen=True)
class _Weights:
    """Of the empty word, forward and backward side by side, and of jumps."""

    null: NDArray[np.float32]
    jumps: list[NDArray[np.float32]]


class _Sums:
    """Of what pieces counted, but for cells."""

    def __init__(self, words: int) -> None:
        self.null = np.zeros((words, 2), np.int64)
        self.jumps: list[NDArray[np.int64]] = []
        self.likelihood = 0

    def add(self, counts: Arrays, words: NDArray[np.uint64]) -> None:
        """A piece's, which has each word once."""
        self.null[words] += counts["null"].reshape(-1, 2)
        jumps = [counts[name] for name in _DIRECTIONS]
        before = self.jumps or [np.zeros_like(each) for each in jumps]
        self.jumps = [one + other for one, other in zip(before, jumps, strict=True)]
        self.likelihood += int(counts["likelihood"][0])

    def arrays(self) -> tuple[Any, ...]:
        """As the core takes them, without those of cells."""
        return np.zeros(0, np.int64), self.null.reshape(-1), *self.jumps, self.likelihood


class _Union:
    """Sorted keys of many pieces, each once."""

    def __init__(self) -> None:
        self._all = np.zeros(0, np.uint64)
        self._waiting: list[NDArray[np.uint64]] = []

    def add(self, keys: NDArray[np.uint64]) -> None:
        """Those of a piece; they are joined when they are as many as all before."""
        self._waiting.append(keys)
        if sum(map(len, self._waiting)) > len(self._all):
            self._join()

    def all(self) -> NDArray[np.uint64]:
        """All of them."""
        self._join()
        return self._all

    def _join(self) -> None:
        self._all = _distinct(np.concatenate([self._all, *self._waiting]))
        self._waiting = []


def _distinct(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Ascending, each once; ``np.unique`` takes five times as long."""
    numbers.sort(kind="stable")  # which merges what is sorted already
    new = np.ones(len(numbers), np.bool_)
    new[1:] = numbers[1:] != numbers[:-1]
    return numbers[new]


def _lengths(lines: _core.TokenLines) -> NDArray[np.int64]:
    _, ends = lines.arrays(0, len(lines))
    return _sizes(ends)


def _sizes(ends: NDArray[Any]) -> NDArray[np.int64]:
    """Of lines or rows that end there."""
    sizes: NDArray[np.int64] = ends.astype(np.int64)
    sizes[1:] -= sizes[:-1].copy()
    return sizes


def _words(lines: tuple[NDArray[Any], ...]) -> NDArray[np.uint64]:
    """The ids of a piece's words, ascending, the unknown word first as in every vocabulary."""
    source, _, target, _ = lines
    return _distinct(np.concatenate([np.zeros(1, np.uint32), source, target]).astype(np.uint64))


def _keys(
    ends: NDArray[np.uint32], targets: NDArray[np.uint64], words: NDArray[np.uint64] | None = None
) -> NDArray[np.uint64]:
    """One number for each cell: its source word, then its target word."""
    rows = np.arange(len(ends), dtype=np.uint64) if words is None else words
    sources = np.repeat(rows, _sizes(ends))
    return (sources << _SOURCE_WORD) | targets


# -- what is done with a piece ---------------------------------------------------------------------

Settings = tuple[tuple[str, Any], ...]
_NAMES = ("max_length", "agreement", "null_probability", "lexical_prior", "jump_smoothing")


def _settings(options: _core.AlignerOptions) -> Settings:
    """Those of a piece's trainer, which counts and does not maximise: spelling is of no account."""
    return tuple((name, getattr(options, name)) for name in _NAMES)


def _trainer(piece: Arrays, settings: Settings) -> _core.AlignerTrainer:
    source, target = (
        _core.TokenLines.of(piece[side], piece[f"{side}_ends"]) for side in ("source", "target")
    )
    options, vocab = _core.AlignerOptions(), _core.Vocab()
    for name, value in settings:
        setattr(options, name, value)
    for number in range(len(vocab), int(piece["words"][0])):
        vocab.add(str(number))
    return _core.AlignerTrainer(source, target, vocab, options, tempfile.gettempdir(), _ROOM, 1)


@dataclass(frozen=True)
class FindCells:
    """Which words meet in a piece."""

    settings: Settings

    def __call__(self, piece: Arrays) -> Arrays:
        """Rows of target words."""
        ends, targets = _trainer(piece, self.settings).cell_arrays()
        return {"ends": ends, "targets": targets}


@dataclass(frozen=True)
class ExpectLinks:
    """What the pairs of a piece are expected to have."""

    stage: str
    settings: Settings

    def __call__(self, piece: Arrays) -> Arrays:
        """The counts of a round."""
        trainer = _trainer(piece, self.settings)
        trainer.take(piece["cells"], piece["null"], *(piece[name] for name in _DIRECTIONS))
        trainer.expect(self.stage, 0, len(trainer), 1)
        cells, null, *jumps, likelihood = trainer.counts()
        sums = dict(zip(_DIRECTIONS, jumps, strict=True))
        return {"cells": cells, "null": null, "likelihood": np.array([likelihood]), **sums}


@dataclass(frozen=True)
class AlignLines:
    """The links of a piece by a trained aligner, in a file that all machines see."""

    path: str

    def __call__(self, piece: Arrays) -> Arrays:
        """Both directions."""
        source, target = piece["source"].tobytes(), piece["target"].tobytes()
        both = zip(_DIRECTIONS, _loaded(self.path).align(source, target, 1), strict=True)
        result: dict[str, NDArray[Any]] = {}
        for name, links in both:
            result[name], result[f"{name}_ends"] = links.arrays(0, len(links))
        return result


@functools.lru_cache(maxsize=1)
def _loaded(path: str) -> _core.AlignerModel:
    """For all pieces that a process gets."""
    return _core.AlignerModel.load(path)


def aligned_elsewhere(
    model: _core.AlignerModel, batches: Iterable[tuple[bytes, bytes]], engine: Engine
) -> Iterator[tuple[_core.Links, _core.Links]]:
    """The links of pieces of a text, in their order."""
    with tempfile.TemporaryDirectory(prefix="demotic-", dir=engine.temp) as name:
        folder = Path(name).absolute()
        folder.chmod(0o755)  # executors may be other users
        path = str(folder / "aligner")
        model.save(path, "")
        pieces = (
            {"source": as_array(ours), "target": as_array(theirs)} for ours, theirs in batches
        )
        for found in engine.map(AlignLines(path), pieces):
            forward, backward = (
                _core.Links.of(found[side], found[f"{side}_ends"]) for side in _DIRECTIONS
            )
            yield forward, backward
