"""Text to tokens, a decoder, tokens to text; the memory comes before, consensus after.

A :class:`demotic.systems.model.Model` is one whose parts come from a bundle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from demotic.decode.bounded import MOST_ZONES, Bounded
from demotic.decode.consensus import Agreement, Consensus, choose
from demotic.decode.decoder import Choices, Decoder, Hypothesis, Sentence
from demotic.errors import ArgumentError, check_characters
from demotic.memory.options import MemoryOptions
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.corpus import Encoded, Orthography
    from demotic.corpus.fallback import Fallback
    from demotic.glossary import TermUse
    from demotic.memory import Match, TranslationMemory
    from demotic.systems.terminology import Terminology

_LINES = 256  # decoded in one call
_OTHERS = 100  # looked at where the best translation has nothing between marks


@dataclass(frozen=True)
class Translation:
    """A sentence in the other language, and how it came about.

    ``tokens`` are the model's, before they were written as text; ``alignment`` holds pairs of
    positions among the source's and these tokens.
    """

    text: str
    tokens: tuple[str, ...]
    score: float
    derivation: Hypothesis | None
    alignment: tuple[tuple[int, int], ...]
    consensus: Agreement | None = None
    """What it gains, where consensus chose it; ``score`` is the model's all the same."""
    memory: Match | None = None
    """Where it comes from, if it was not decoded: it has no derivation then, and a score of 0."""
    source: Encoded | None = None
    """The sentence as it was decoded; ``alignment`` counts its tokens."""
    terms: tuple[TermUse, ...] = ()
    """What became of the terms of the glossary, from left to right in the source."""

    @property
    def features(self) -> dict[str, float]:
        """The features of the derivation with their values; none for a line without words."""
        if self.memory is not None:
            return {"Memory": 1.0, "Similarity": self.memory.similarity}
        return dict(self.derivation.features) if self.derivation is not None else {}

    @property
    def unknown(self) -> int:
        """Words that the model did not know and left as they were."""
        passed = round(abs(self.features.get("PassThrough", 0.0)))
        return max(passed - sum(each.outcome == "put in" for each in self.terms), 0)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from demotic.notebook import card, folded, matrix, outline

        if self.memory is not None:
            place = f"{self.memory.kind} match of the memory: {self.memory.source}"
            return card(self.text, outline(place))
        parts = []
        if self.source is not None and self.alignment:
            words = matrix(self.source.tokens, self.tokens, self.alignment)
            parts.append(folded("words", words))
        if tree := getattr(self.derivation, "tree", None):
            parts.append(folded(f"derivation, score {self.score:.3f}", outline(tree())))
        return card(self.text, *parts)


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Do two stretches overlap, and neither contains the other?"""
    (first, end), (begin, behind) = sorted((one, other))
    return first < begin < end < behind


class Translator(ABC):
    """Translates text by a decoder of tokens."""

    decoder: Decoder[Hypothesis]
    consensus: Consensus
    """How one of the decoder's translations is chosen."""
    memory_options: MemoryOptions
    search: Any
    """Options of the decoder."""
    suggestions: TranslationMemory | None = None
    """What users have said since the model was trained; it goes before the memory."""

    @property
    @abstractmethod
    def source(self) -> Orthography:
        """How the language is written that is read."""

    @property
    @abstractmethod
    def target(self) -> Orthography:
        """How the language is written that it is translated to."""

    @property
    @abstractmethod
    def memory(self) -> TranslationMemory | None:
        """What was translated before; None if nothing is remembered."""

    @property
    @abstractmethod
    def _terminology(self) -> Terminology | None:
        """What keeps translations to a glossary; None without one."""

    @overload
    def translate(self, text: str) -> Translation: ...
    @overload
    def translate(self, text: list[str] | tuple[str, ...]) -> list[Translation]: ...
    def translate(self, text: str | list[str] | tuple[str, ...]) -> Translation | list[Translation]:
        """One line of text, or a list of them."""
        if isinstance(text, str):
            return next(self.translate_lines([text]))
        return self.translate_batch(text)

    def translate_batch(
        self,
        texts: Iterable[str],
        *,
        markup: bool = False,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[Translation]:
        """Many lines at once, in their order."""
        return list(self.translate_lines(texts, markup=markup, threads=threads, progress=progress))

    def translate_lines(
        self,
        lines: Iterable[str],
        *,
        markup: bool = False,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Iterator[Translation]:
        """Any number of lines, read as their translations are asked for.

        ``markup``: lines may hold instructions (``demotic.glossary.instructions``).
        """
        found = self.nbest_lines(lines, 1, markup=markup, threads=threads, progress=progress)
        return (best[0] for best in found)

    def nbest(self, text: str, most: int) -> list[Translation]:
        """The best translations of a line, up to so many different ones, at least one."""
        return next(self.nbest_lines([text], most))

    def nbest_lines(
        self,
        lines: Iterable[str],
        most: int,
        *,
        markup: bool = False,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Iterator[list[Translation]]:
        """The same of any number of lines, in their order."""
        if most < 1:
            raise ArgumentError(f"{most} translations", remedy="ask for 1 or more")
        if isinstance(lines, str):
            raise ArgumentError("one text instead of lines", remedy="give a list of texts")
        rest = iter(lines)
        with progress.step("translating", unit="lines") as advance:
            while batch := list(islice(rest, _LINES)):
                for line in batch:
                    check_characters(line)
                yield from self._batch(batch, most, threads, markup=markup)
                advance(len(batch))

    def _batch(
        self, lines: Sequence[str], nbest: int, threads: int, *, markup: bool
    ) -> Iterator[list[Translation]]:
        """Of each line what the memory has, then what the decoder finds, as far as it is asked."""
        instructed = [self._instructed(line) if markup else None for line in lines]
        known = [
            [] if given else self.remembered(line)[:nbest]
            for line, given in zip(lines, instructed, strict=True)
        ]
        encoded = [
            given or self.encode(line)
            for line, given, found in zip(lines, instructed, known, strict=True)
            if len(found) < nbest
        ]
        repaired = self._repaired(encoded, threads)
        rest = [
            each for each, better in zip(encoded, repaired, strict=True) if nbest > 1 or not better
        ]
        decoded = self._translations(rest, nbest, threads) if rest else iter(())
        waiting, sources = iter(repaired), iter(rest)
        for found in known:
            if len(found) < nbest:
                others = next(waiting)
                if nbest > 1 or not others:
                    others = others + self._with_branches(next(sources), next(decoded), threads)
                told = {each.text: each for each in reversed([*found, *others])}
                found = list(reversed(told.values()))[:nbest]
            yield found

    def remembered(self, text: str) -> list[Translation]:
        """What the memory has for a message, the best first."""
        found = [
            Translation(match.text, tuple(match.text.split()), 0.0, None, (), memory=match)
            for match in self._answers(text)
        ]
        if self._terminology is None or not found:
            return found
        source = self.encode(text)
        return [self._terminology.of(source, each) for each in found]

    def _answers(self, text: str) -> list[Match]:
        """Of suggestions and of the memory; the same message goes before one that is mended."""
        suggested = [] if self.suggestions is None else self.suggestions.answers(text)
        if suggested and suggested[0].kind == "exact":
            return suggested
        stored = [] if self.memory is None else self.memory.answers(text)
        if stored and stored[0].kind == "exact":
            return stored
        return suggested + stored

    def _repaired(self, encoded: Sequence[Encoded], threads: int) -> list[list[Translation]]:
        """For each sentence a similar message of the memory with the decoder's words in it, or
        nothing."""
        found: list[list[Translation]] = [[] for _ in encoded]
        least = self.memory_options.repairs_from
        if self.memory is None or least > 1:
            return found
        plans = [self.memory.repairs(each, least=least) for each in encoded]
        pieces = [piece for each in plans if each is not None for piece in each[1].pieces]
        words = iter(self.decoder.decode_lines(pieces, threads=threads)) if pieces else iter(())
        for number, (source, planned) in enumerate(zip(encoded, plans, strict=True)):
            if planned is None:
                continue
            match, plan = planned
            tokens = plan.filled([next(words).tokens for _ in plan.pieces])
            text = self.target.decode(tokens, source)
            made = Translation(text, tokens, 0.0, None, (), memory=replace(match, text=text))
            if self._terminology is not None:
                made = self._terminology.of(source, made)
                if any(use.outcome == "missing" for use in made.terms):
                    continue  # the decoder can have them put in
            found[number].append(made)
        return found

    def matches(self, text: str, *, most: int = 5) -> list[Match]:
        """Messages of the memory that are similar to a line, though not the same."""
        check_characters(text)
        memories = [each for each in (self.suggestions, self.memory) if each is not None]
        if not memories:
            return []
        encoded, least = self.source.encode(text), self.memory_options.offer
        found: list[Match] = []
        for memory in memories:
            found += memory.similar(encoded, least=least, most=most)
        return sorted(found, key=lambda match: -match.similarity)[:most]

    def translated(self, text: str) -> tuple[Encoded, Translation]:
        """One line as the decoder saw it, and its translation."""
        check_characters(text)
        encoded = self.encode(text)
        known = self.remembered(text) or self._repaired([encoded], 1)[0]
        if known:
            return encoded, known[0]
        [[translation]] = self._translations([encoded], 1, 1)
        [translation] = self._with_branches(encoded, [translation], 1)
        return translation.source or encoded, translation

    def encode(self, text: str) -> Encoded:
        """One line as the decoder sees it, known words for unknown ones where there are any."""
        return self._fallback.known_forms(self.source.encode(text))

    def _instructed(self, line: str) -> Encoded | None:
        """One line as the decoder sees it, if it has instructions."""
        from demotic.glossary.instructions import instructions, with_instructions

        given = instructions(line)
        return with_instructions(given, self.encode) if given else None

    @cached_property
    def _fallback(self) -> Fallback:
        return self.source.fallback(self.knows, self.stranded)

    def knows(self, word: str) -> object:
        """Is a token among the source words of the model?"""
        return True

    def stranded(self, tokens: Sequence[str]) -> Sequence[int]:
        """Places of words that the model cannot translate where they stand."""
        return ()

    def _with_branches(
        self, source: Encoded, found: list[Translation], threads: int
    ) -> list[Translation]:
        """The translations with the branches of ICU arguments translated, each by itself."""
        for span in source.spans:
            if span.kind != "icu":
                continue
            from demotic.corpus.icu import arguments

            for argument in arguments(span.text):
                branches = self.translate_lines(argument.branches, threads=threads)
                filled = argument.filled([each.text for each in branches])
                found = [
                    replace(each, text=each.text.replace(span.text, filled, 1)) for each in found
                ]
        return found

    def _translations(
        self, encoded: Sequence[Encoded], nbest: int, threads: int
    ) -> Iterator[list[Translation]]:
        """The best translations of each line, at least one, with the terms of the glossary."""
        found = self._decoded(encoded, nbest, threads)
        if self._terminology is None:
            return found
        return self._terminology.kept(
            encoded, found, lambda changed: self._decoded(changed, nbest, threads)
        )

    def _decoded(
        self, encoded: Sequence[Encoded], nbest: int, threads: int
    ) -> Iterator[list[Translation]]:
        """What the decoder says of each line."""
        sentences = [self._bounded(each) for each in encoded]
        found: Sequence[Sequence[Hypothesis]]
        if self.consensus.method != "off":
            chosen = choose(self.decoder, sentences, self.consensus, nbest, threads=threads)
            for source, choices in zip(encoded, chosen, strict=True):
                yield self._agreed(source, choices)
            return
        if nbest == 1:
            best = self.decoder.decode_lines(sentences, threads=threads)
            found = [[derivation] for derivation in best]
        else:
            found = self.decoder.kbest_lines(sentences, nbest, threads=threads)
        for source, sentence, derivations in zip(encoded, sentences, found, strict=True):
            if isinstance(sentence, Bounded) and derivations:
                derivations = self._filled(source, sentence, derivations)
            yield self._written(source, derivations)

    def _filled(
        self, source: Encoded, sentence: Bounded, found: Sequence[Hypothesis]
    ) -> Sequence[Hypothesis]:
        """What was found, if the best leaves no pair of marks empty; else those first that do
        not."""
        from demotic.corpus.mark_pairs import emptied

        enclosed = self.source.enclosed(source) if sentence.zones else []

        def empty(one: Hypothesis) -> bool:
            return emptied(source.tokens, one.tokens, one.alignment, enclosed)

        if not enclosed or not empty(found[0]):
            return found
        [others] = self.decoder.kbest_lines([sentence], max(_OTHERS, len(found)))
        return sorted(others, key=empty)[: len(found)]

    def _bounded(self, source: Encoded) -> Sentence:
        """The tokens, with what stands between brackets, quotation marks or tags kept together,
        and sentences and paragraphs apart, unless there are very many of them: decoders look at
        each for each phrase."""
        zones, walls = [*source.zones], [*source.walls]  # those that somebody asked for
        if getattr(self.search, "zones", False) and self.source.config.tokeniser != "none":
            found = self.source.enclosed(source)
            if len(found) <= MOST_ZONES:
                zones += [
                    zone for zone in found if not any(_cross(zone, each) for each in source.zones)
                ]
            if len(ends := self.source.walls(source)) <= MOST_ZONES:
                walls += ends
        bounded = zones or walls
        return Bounded(source.tokens, zones=zones, walls=walls) if bounded else source.tokens

    def _agreed(self, source: Encoded, choices: Choices[Hypothesis]) -> list[Translation]:
        """Text for what consensus chose, with the reasons."""
        [own] = self._written(source, [choices.own.found])
        gains = {id(choice.found): choice.gain for choice in choices.best}
        options = self.consensus
        return [
            replace(
                each,
                consensus=Agreement(
                    options.method,
                    options.factor,
                    gains[id(each.derivation)],
                    own.text,
                    own.score,
                    choices.own.gain,
                ),
            )
            for each in self._written(source, [choice.found for choice in choices.best])
        ]

    def _written(self, source: Encoded, derivations: Sequence[Hypothesis]) -> list[Translation]:
        """Text for each derivation; those that read the same count once."""
        found: dict[str, Translation] = {}
        for each in derivations:
            text = self.target.decode(each.tokens, source, alignment=each.alignment)
            translation = Translation(
                text, tuple(each.tokens), each.score, each, tuple(each.alignment), source=source
            )
            found.setdefault(text, translation)
        return list(found.values()) or [Translation("", (), 0.0, None, (), source=source)]
