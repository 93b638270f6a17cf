"""Consensus: not the most probable translation, but the one that most of the others resemble.

    options = Consensus(method="forest", scale=2.0)
    for each in choose(decoder, ["das haus ist klein ."], options):
        print(each.best[0].found.text, each.best[0].gain, each.own.found.text)

``forest`` weighs the n-grams of all that the search kept (Tromble et al. 2008; DeNero, Chiang and
Knight 2009; Kumar et al. 2009); ``kbest`` compares the translations of a list with each other
(Kumar and Byrne 2004), and so works for every decoder.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from demotic.decode.decoder import Choice, Choices, Decoder, Found, Sentence
from demotic.errors import ArgumentError, check_choices, check_counts

if TYPE_CHECKING:
    from demotic.decode.decoder import ForestDecoder

Method = Literal["off", "forest", "kbest"]
SCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""What ``auto`` tries."""
UNCHOSEN = 4.0
"""``auto``, where nothing was tried."""
_LINES = 32  # whose forests, or lists, are in memory together, for each thread


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """Whether translations are chosen by what they have in common with the others."""

    method: Method = "off"
    """``off`` takes the best one; ``forest`` the one whose n-grams are the most probable in all
    that the search kept; ``kbest`` the one of a list with the best expected BLEU.  The system umt
    has lists alone."""
    scale: float | Literal["auto"] = "auto"
    """The model's scores are multiplied by it before they become probabilities: a large one trusts
    the best translation, a small one the crowd.  ``auto`` is the best one on the development set
    where a model is trained with consensus, and 4 elsewhere."""
    list_size: int = 100
    """Translations in a list, for ``kbest``."""
    density: int = 50
    """For ``forest``: the best edges kept for each source word; 0 keeps all."""
    model: float = 1.0
    """For ``forest``: how much the model's own score counts beside the n-grams; 0: nothing."""
    precision: float = 0.85
    """For ``forest``: how many of a translation's words are expected to be right."""
    ratio: float = 0.72
    """For ``forest``: how much less often an n-gram is right than one that is a word shorter."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "list_size", least=1)
        check_counts(self, "density")
        if self.scale != "auto" and not 0 <= self.scale < math.inf:
            raise ArgumentError(f"scale is {self.scale}", remedy="give a number from 0 up, or auto")
        if not 0 <= self.model < math.inf:
            raise ArgumentError(f"model is {self.model}", remedy="give a number from 0 up")
        for name in ("precision", "ratio"):
            if not 0 < getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be above 0 and at most 1")

    @property
    def factor(self) -> float:
        """The scale as a number."""
        return UNCHOSEN if self.scale == "auto" else float(self.scale)


@dataclass(frozen=True)
class Agreement:
    """What consensus made of a translation, and the model's own best one beside it.

    Gains are linear BLEU in units of a word (``forest``), or expected BLEU, 0 to 100 (``kbest``).
    """

    method: Method
    scale: float
    gain: float
    own: str
    """The translation of the best score."""
    own_score: float
    own_gain: float


def choose(
    decoder: Decoder[Found],
    lines: Sequence[Sentence],
    options: Consensus,
    k: int = 1,
    *,
    threads: int = 1,
) -> Iterator[Choices[Found]]:
    """For each line up to k different translations, those of the largest gain first."""
    if options.method == "off":
        raise ArgumentError("there is no consensus to be had", remedy="choose forest or kbest")
    step = _LINES * max(1, threads)
    for begin in range(0, len(lines), step):
        part = lines[begin : begin + step]
        if options.method == "forest":
            yield from with_forests(decoder).consensus_lines(
                part, k, threads=threads, **_settings(options), scale=options.factor
            )
            continue
        lists = decoder.kbest_lines(part, options.list_size, threads=threads)
        for found, gains in zip(
            lists, _expected(lists, options.factor, threads=threads), strict=True
        ):
            ranked = [Choice(found[i], gains[i]) for i in _ranking(gains)[:k]]
            yield Choices(Choice(found[0], gains[0]), ranked)


def words_by_scale(
    decoder: Decoder[Found],
    lines: Sequence[Sentence],
    options: Consensus,
    scales: Sequence[float],
    *,
    threads: int = 1,
) -> list[list[str]]:
    """What consensus chooses for each line, under each of several scales; decoded once."""
    from demotic.forest import consensus

    chosen: list[list[str]] = [[] for _ in scales]
    step = _LINES * max(1, threads)
    for begin in range(0, len(lines), step):
        part = lines[begin : begin + step]
        if options.method == "forest":
            forests = with_forests(decoder).forests(part, threads=threads)
            for texts, scale in zip(chosen, scales, strict=True):
                agreed = consensus(forests, scale=scale, **_settings(options), threads=threads)
                texts += [each.best[0][0].text for each in agreed]
        else:
            lists = decoder.kbest_lines(part, options.list_size, threads=threads)
            for texts, scale in zip(chosen, scales, strict=True):
                gains = _expected(lists, scale, threads=threads)
                texts += [
                    " ".join(found[_ranking(gain)[0]].tokens)
                    for found, gain in zip(lists, gains, strict=True)
                ]
    return chosen


def with_forests(decoder: Decoder[Found]) -> ForestDecoder[Found]:
    """The decoder, if it gives forests."""
    from demotic.decode.decoder import ForestDecoder

    if not isinstance(decoder, ForestDecoder):
        raise ArgumentError(
            "this decoder keeps no forests to agree in",
            remedy="choose the consensus of a kbest list",
        )
    return decoder


def _settings(options: Consensus) -> dict[str, Any]:
    from demotic.forest import linear_bleu

    return {
        "weights": linear_bleu(options.precision, options.ratio),
        "model": options.model,
        "density": options.density,
    }


def _expected(
    lists: Sequence[Sequence[Any]], scale: float, *, threads: int
) -> Sequence[Sequence[float]]:
    """For each translation of each list the BLEU+1 to expect (Lin and Och 2004)."""
    from demotic import _core
    from demotic.metrics.bleu import bleu_options

    return _core.expected_bleu(
        [[" ".join(each.tokens) for each in found] for found in lists],
        [[each.score for each in found] for found in lists],
        scale,
        bleu_options("add-k", 1.0, effective_order=True),
        threads,
    )


def _ranking(gains: Sequence[float]) -> list[int]:
    """By gain; of equals the one that was better before."""
    return sorted(range(len(gains)), key=lambda i: -gains[i])
