"""A decoder whose rules are made for the sentences at hand.

    decoder = LazyDecoder(HieroDecoder, rules, lm, weights, options=HieroSearch())
    decoder.decode("das haus ist klein .")

It has what other decoders have; each slice of sentences gets a rule table, and a decoder of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from demotic.decode.core_decoder import CoreForestDecoder
from demotic.decode.decoder import Choices, Sentence
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.decode.derivation import Derivation
    from demotic.forest import Forest
    from demotic.grammar import RuleTable
    from demotic.grammar.lazy import LazyRules
    from demotic.lm import LanguageModel

Each = TypeVar("Each")
_TOGETHER = 32  # sentences that share a table


class LazyDecoder:
    """Translates lists of tokens; safe to share between threads."""

    def __init__(
        self,
        kind: Callable[..., Any],
        rules: LazyRules,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        further: Sequence[Any] = (),
        classifiers: Any = None,
        options: Any,
    ) -> None:
        self.kind, self.lazy, self.lm, self.options = kind, rules, lm, options
        self._more = {"further": further, "classifiers": classifiers, "options": options}
        empty = kind(rules.table([]), lm, weights, **self._more)
        self.feature_names, self.weights = empty.feature_names, empty.weights

    @property
    def rules(self) -> RuleTable:
        """A table with the columns that all have, and no rules."""
        return self.lazy.table([])

    def with_weights(self, weights: Mapping[str, float]) -> LazyDecoder:
        """The same decoder with other weights."""
        return LazyDecoder(self.kind, self.lazy, self.lm, weights, **self._more)

    def decoder_of(self, sentences: Sequence[Sentence], *, threads: int = 1) -> CoreForestDecoder:
        """A decoder of the rules for some sentences."""
        table = self.lazy.table(sentences, threads=threads)
        made: CoreForestDecoder = self.kind(table, self.lm, self.weights, **self._more)
        return made

    # -- one sentence ---------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Derivation:
        """The best derivation found."""
        return self.decode_lines([sentence])[0]

    def kbest(self, sentence: Sentence, k: int, *, unique: bool = True) -> list[Derivation]:
        """The k best derivations of what the search kept, best first."""
        return self.kbest_lines([sentence], k, unique=unique)[0]

    def forest(self, sentence: Sentence) -> Forest:
        """What the search kept."""
        return self.forests([sentence])[0]

    # -- many sentences -------------------------------------------------------------------------

    def decode_lines(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Derivation]:
        """One derivation for each line; the number of threads never shows in the results."""
        return list(self.decode_stream(lines, threads=threads, progress=progress))

    def decode_stream(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> Iterator[Derivation]:
        """As :meth:`decode_lines`, one derivation after the other as lines come in."""
        return self._slices(
            lines, threads, progress, lambda made, few: made.decode_lines(few, threads=threads)
        )

    def kbest_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        unique: bool = True,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[list[Derivation]]:
        """The k best derivations of each line."""

        def run(made: CoreForestDecoder, few: list[Sentence]) -> list[list[Derivation]]:
            return made.kbest_lines(few, k, unique=unique, threads=threads)

        return list(self._slices(lines, threads, progress, run))

    def forests(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """One forest for each line."""
        return list(
            self._slices(
                lines, threads, progress, lambda made, few: made.forests(few, threads=threads)
            )
        )

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
        progress: Progress = SILENT,
    ) -> list[Choices[Derivation]]:
        """For each line the k derivations that its forest agrees on."""

        def run(made: CoreForestDecoder, few: list[Sentence]) -> list[Choices[Derivation]]:
            return made.consensus_lines(
                few, k, scale=scale, weights=weights, model=model, density=density, threads=threads
            )

        return list(self._slices(lines, threads, progress, run))

    def _slices(
        self,
        lines: Iterable[Sentence],
        threads: int,
        progress: Progress,
        run: Callable[[CoreForestDecoder, list[Sentence]], Iterable[Each]],
    ) -> Iterator[Each]:
        total = len(lines) if isinstance(lines, Sequence) else None
        rest = iter(lines)
        with progress.step("translating", total=total, unit="sentences") as advance:
            while few := list(islice(rest, _TOGETHER)):
                yield from run(self.decoder_of(few, threads=threads), few)
                advance(len(few))
