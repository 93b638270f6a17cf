"""The HMM aligner of Thot (Ortiz-Martínez and Casacuberta 2014): ``pip install 'demotic[thot]'``.

Each direction is trained by Thot, IBM model 1 first; the symmetrisation is ours.  Sentences longer
than Thot's limit (1,024 words) get no links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from demotic._core import Links
from demotic.align.text import Text
from demotic.errors import MissingDependencyError
from demotic.progress import SILENT, Advance, Progress

_BATCH = 1000


@dataclass(frozen=True, kw_only=True)
class ThotOptions:
    """Rounds of training; everything else stays at Thot's defaults."""

    ibm1_iterations: int = 5
    hmm_iterations: int = 5


def align(
    source: Text,
    target: Text,
    *,
    options: ThotOptions | None = None,
    progress: Progress = SILENT,
) -> tuple[Links, Links]:
    """The forward and the backward links."""
    options = options or ThotOptions()
    sources, targets = list(source.sentences()), list(target.sentences())
    rounds = 2 * (options.ibm1_iterations + options.hmm_iterations + 1)
    with progress.step("aligning with Thot", rounds, "rounds") as advance:
        forward = _direction(sources, targets, lambda i, j: (i, j), options, advance)
        backward = _direction(targets, sources, lambda j, i: (i, j), options, advance)
    return forward, backward


def _direction(
    given: list[list[str]],
    generated: list[list[str]],
    link: Callable[[int, int], tuple[int, int]],
    options: ThotOptions,
    advance: Advance,
) -> Links:
    """Links from p(generated | given); ``link`` makes a (source, target) pair of two positions."""
    model = _trained(given, generated, options, advance)
    limit = model.max_sentence_length
    links = Links()
    for begin in range(0, len(given), _BATCH):
        short = [
            n
            for n in range(begin, min(begin + _BATCH, len(given)))
            if 0 < len(given[n]) <= limit and 0 < len(generated[n]) <= limit
        ]
        best = model.get_best_alignments([given[n] for n in short], [generated[n] for n in short])
        found = dict(zip(short, best, strict=True))
        for n in range(begin, min(begin + _BATCH, len(given))):
            # For each generated word its partner, counted from 1; 0 is NULL.
            partners = found[n][1].to_list() if n in found else []
            links.append([link(at - 1, word) for word, at in enumerate(partners) if at > 0])
    advance(1)
    return links


def _trained(
    given: list[list[str]], generated: list[list[str]], options: ThotOptions, advance: Advance
) -> Any:
    try:
        from thot import alignment
    except ImportError:
        raise MissingDependencyError(
            "the method 'thot' needs the package sil-thot", remedy="pip install 'demotic[thot]'"
        ) from None
    ibm1 = alignment.Ibm1AlignmentModel()
    for pair in zip(given, generated, strict=True):
        ibm1.add_sentence_pair(*pair)
    _run(ibm1, options.ibm1_iterations, advance)
    hmm = alignment.HmmAlignmentModel(ibm1)
    _run(hmm, options.hmm_iterations, advance)
    return hmm


def _run(model: Any, iterations: int, advance: Advance) -> None:
    model.start_training()
    for _ in range(iterations):
        model.train()
        advance(1)
    model.end_training()
