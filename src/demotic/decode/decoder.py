"""What a system asks of its decoder, whatever the grammar and the search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from demotic.forest import Forest

Sentence = str | Sequence[str]
"""Tokens, in a list or separated by spaces."""


class Hypothesis(Protocol):
    """A translation that a decoder found."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its words."""

    @property
    def score(self) -> float:
        """The sum of its features, weighted."""

    @property
    def values(self) -> tuple[float, ...]:
        """Its feature vector, in the order of the decoder's ``feature_names``."""

    @property
    def features(self) -> dict[str, float]:
        """Its features by name."""

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Word links (source position, target position)."""


Found = TypeVar("Found", bound=Hypothesis, covariant=True)


@dataclass(frozen=True, eq=False)
class Choice(Generic[Found]):
    """A translation and what it gains by agreeing with the others."""

    found: Found
    gain: float


@dataclass(frozen=True, eq=False)
class Choices(Generic[Found]):
    """What consensus says of a sentence (``decode/consensus.py``)."""

    own: Choice[Found]
    """The translation of the best score."""
    best: Sequence[Choice[Found]]
    """Those of the largest gain, no two of the same words."""


class Decoder(Protocol[Found]):
    """Turns tokens into tokens; results do not depend on the number of threads."""

    feature_names: tuple[str, ...]

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights."""

    def decode_lines(self, lines: Iterable[Sentence], *, threads: int = 1) -> Sequence[Found]:
        """The best hypothesis for each line."""

    def kbest_lines(
        self, lines: Iterable[Sentence], k: int, *, threads: int = 1
    ) -> Sequence[Sequence[Found]]:
        """The k best hypotheses of each line, no two of the same words."""


@runtime_checkable
class ForestDecoder(Decoder[Found], Protocol[Found]):
    """One that can also give all that it considered."""

    def forests(self, lines: Iterable[Sentence], *, threads: int = 1) -> Sequence[Forest]:
        """A forest for each line, its edges with the feature vector."""

    def consensus_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        scale: float,
        weights: Sequence[float],
        model: float,
        density: int,
        threads: int = 1,
    ) -> Sequence[Choices[Found]]:
        """For each line the derivations that its forest agrees on; see :func:`forest.consensus`."""
