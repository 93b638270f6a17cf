"""Estimate n-gram language models: interpolated modified Kneser-Ney, as KenLM's lmplz does it.

    from demotic.lm.estimation import estimate

    result = estimate("text.en.gz", order=5)
    result.save("en.arpa.gz")          # or "en.bin", the memory-mapped form
    model = result.model()

The text has one sentence per line, tokens separated by spaces.  ``memory`` bounds the buffers; what
does not fit is sorted in temporary files.  The result is the same for any memory and any number of
threads.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic import _core
from demotic.errors import ArgumentError
from demotic.lm.model import LanguageModel, ngram_sink
from demotic.lm.text import check_words, paths_of, read_into
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.engine import Engine

MAX_ORDER = 8


@dataclass(frozen=True)
class Discounts:
    """What is taken from adjusted counts of 1, 2, and 3 or more, for one order."""

    one: float
    two: float
    three: float
    fallback: bool
    """The text did not support an estimate (Chen and Goodman 1998, equation 26)."""


class Estimate:
    """An estimated model: look at it, save it, or load it as a ``LanguageModel``."""

    def __init__(self, core: _core.LmEstimated, *, words: int, lines: int) -> None:
        self._core = core
        self.words = words
        self.lines = lines

    @property
    def order(self) -> int:
        return self._core.order

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams the model has, from unigrams on."""
        return tuple(self._core.counts)

    @property
    def discounts(self) -> tuple[Discounts, ...]:
        return tuple(
            Discounts(one=d.amount[1], two=d.amount[2], three=d.amount[3], fallback=d.fallback)
            for d in self._core.discounts
        )

    def save(self, path: str | Path, *, progress: Progress = SILENT) -> None:
        """Write ARPA (``.arpa``, ``.arpa.gz``) or, under any other name, the binary form."""
        with (
            ngram_sink(path) as sink,
            progress.step(f"writing {path}", total=sum(self.counts), unit="n-grams") as advance,
        ):
            self._core.play(sink, advance)

    def model(self) -> LanguageModel:
        """The model in memory, ready for queries."""
        builder = _core.LmBuilder()
        self._core.play(builder)
        return LanguageModel(builder.finish())

    def ngrams(self, order: int) -> Iterator[tuple[tuple[str, ...], float, float]]:
        """Words, log10 probability and log10 back-off of each n-gram of one order."""
        if not 1 <= order <= self.order:
            raise ArgumentError(f"the model has orders 1 to {self.order}, not {order}")
        words = self._core.words()
        ids, probs, backoffs = self._core.arrays(order)
        for row, prob, backoff in zip(ids.tolist(), probs.tolist(), backoffs.tolist(), strict=True):
            yield tuple(words[i] for i in row), prob, backoff


def estimate(
    text: str | Path | Sequence[str | Path],
    *,
    order: int = 5,
    memory: int = 1 << 30,
    temp: str | Path | None = None,
    discount_fallback: bool = True,
    prune: Sequence[int] = (),
    vocab_limit: int | None = None,
    skip_special: bool = False,
    threads: int = 1,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> Estimate:
    """Estimate a model of the given order (1-8) from tokenised text.

    ``memory``: bytes for text, sorting and result; the vocabulary comes on top.
    ``temp``: folder of temporary files; by default the system's.
    ``discount_fallback``: use the discounts 0.5, 1, 1.5 for an order where the text does not
    support an estimate (too small, or artificial); an error otherwise.
    ``prune``: drop n-grams seen this often or less, one threshold per order from unigrams on; the
    last one counts for all higher orders.  ``(0, 0, 1)`` drops trigrams and longer seen once.
    ``vocab_limit``: keep only n-grams over this many most frequent words; the rest is ``<unk>``.
    ``skip_special``: pass over the words ``<s>``, ``</s>`` and ``<unk>`` in the text, which are an
    error otherwise.
    ``engine``: one that spreads work counts n-grams in pieces of the text.
    """
    if not 1 <= order <= MAX_ORDER:
        raise ArgumentError(f"order {order}: Demotic estimates orders 1 to {MAX_ORDER}")
    if memory < 1:
        raise ArgumentError(f"memory {memory}: give a number of bytes")
    if any(threshold < 0 for threshold in prune):
        raise ArgumentError("pruning thresholds cannot be negative")
    if vocab_limit is not None and vocab_limit < 1:
        raise ArgumentError(f"vocabulary limit {vocab_limit}: give a number of words")
    folder = str(temp) if temp is not None else tempfile.gettempdir()

    options: dict[str, Any] = {
        "order": order,
        "memory": memory,
        "temp": folder,
        "discount_fallback": discount_fallback,
        "prune": list(prune),
        "vocab_limit": vocab_limit or 0,
        "threads": max(1, threads),
    }
    if engine is not None and engine.spread:
        return _estimate_spread(text, options, engine, skip_special, progress)
    # A quarter for the ids leaves room to sort the n-grams beside them.
    core_text = _core.LmText(folder, max(1, memory // 4), skip_special)
    read_into(core_text, text, "reading text", progress)
    words, lines = core_text.words, core_text.lines
    with progress.step("estimating", unit="n-grams") as advance:
        core = _core.lm_estimate(core_text, **options, advance=advance)
    return Estimate(core, words=words, lines=lines)


def _estimate_spread(
    text: str | Path | Sequence[str | Path],
    options: dict[str, Any],
    engine: Engine,
    skip_special: bool,
    progress: Progress,
) -> Estimate:
    from demotic.lm.spread import QUERY, SpreadText, columns_of

    paths = paths_of(text)
    counted = SpreadText(
        paths, options["order"], engine, skip_special=skip_special, progress=progress
    )
    check_words(counted.words, paths)
    core = _core.LmCountedText(counted.vocab, counted.frequencies, **options)
    with engine.aggregate(counted, counted.schema, QUERY, progress) as runs:
        for run in runs:
            for batch in run:
                core.add(*columns_of(batch))
    with progress.step("estimating", unit="n-grams") as advance:
        estimated = core.estimate(advance)
    return Estimate(estimated, words=counted.words, lines=counted.lines)
