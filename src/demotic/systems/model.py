"""A trained model at work, whatever its system: text to tokens, a decoder, tokens to text.

class HieroModel(Model):
    SYSTEM = "hiero"
    PARTS = (*Model.PARTS, "rules.bin", "lm.bin")             # files of the bundle
    SEARCH = HieroSearch                                      # the section ``search`` of its config

    def _open_decoder(self, weights): ...                     # from self.part(...), self.search
    def forest(self, text): ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from demotic import files
from demotic.bundle import About, Bundle
from demotic.decode.bounded import Bounded
from demotic.decode.consensus import Agreement, Consensus, choose, with_forests
from demotic.decode.decoder import Choices, Decoder, Hypothesis, Sentence
from demotic.errors import ArgumentError, CorruptFileError
from demotic.memory.options import OFF, MemoryOptions
from demotic.progress import SILENT, Progress
from demotic.systems.records import from_record, over
from demotic.systems.weights import read_weights

if TYPE_CHECKING:
    from demotic.corpus import Bitext, Encoded, Orthography
    from demotic.corpus.fallback import Fallback
    from demotic.explain import Explanation
    from demotic.forest import Forest
    from demotic.memory import Match, TranslationMemory
    from demotic.systems.confidence import Confidence
    from demotic.systems.quality import Yardstick

MEMORY = "memory.bin"
"""The part of a bundle that any model may have: what was translated before."""
_LINES = 256  # decoded in one call
BEST_SCORE = Consensus()
"""Without consensus."""
Description = tuple[str, Callable[[Path, bool | None], dict[str, Any]]]
"""What people call a file, and what is in it; all of it must make sense where that is asked for."""


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

    @property
    def features(self) -> dict[str, float]:
        """The features of the derivation with their values; none for a line without words."""
        if self.memory is not None:
            return {"Memory": 1.0, "Similarity": self.memory.similarity}
        return dict(self.derivation.features) if self.derivation is not None else {}

    def __str__(self) -> str:
        return self.text


class Model(ABC):
    """A trained translator: its parts, its weights, and how both languages are written."""

    SYSTEM: ClassVar[str]
    """Its name among ``SYSTEMS``."""
    PARTS: ClassVar[tuple[str, ...]] = (
        "weights.json", "source.json", "target.json", "corpus.arrow",
    )  # fmt: skip
    """The files of its bundle."""
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    """Those that it may have besides."""
    SEARCH: ClassVar[type[Any]]
    """Options of the decoder; the section ``search`` of the model's configuration."""
    FINAL: ClassVar[bool] = True
    """Can weights that were tuned stay when the other parts are made again from more text?"""
    FACTS: ClassVar[Mapping[str, Description]] = {}
    """For ``demotic inspect``: files that no other system has, by their name or the kind that their
    header gives."""

    decoder: Decoder[Hypothesis]
    search: Any
    """Options of the decoder, a ``SEARCH``."""
    consensus: Consensus
    """How one of the decoder's translations is chosen."""

    def __init__(
        self,
        parts: Mapping[str, Path],
        search: Any,
        weights: Mapping[str, float],
        bundle: Bundle | None = None,
        consensus: Consensus = BEST_SCORE,
        memory: MemoryOptions = OFF,
    ) -> None:
        """Use ``demotic.train`` or ``demotic.load``."""
        self._parts = dict(parts)
        self._bundle = bundle
        self.search = search
        self.consensus = consensus
        self.memory_options = memory
        self.weights = dict(weights)
        self.decoder = self._open_decoder(self.weights)

    @abstractmethod
    def _open_decoder(self, weights: Mapping[str, float]) -> Decoder[Hypothesis]:
        """The decoder, from the model's parts and options."""

    @classmethod
    def open(cls, bundle: Bundle) -> Self:
        """The model in a bundle."""
        optional = [name for name in (*cls.OPTIONAL, MEMORY) if name in bundle.parts]
        parts = {name: bundle.path(name) for name in (*cls.PARTS, *optional)}
        if bundle.thorough:
            cls._check_parts(parts)
        try:
            search = from_record(cls.SEARCH, bundle.about.config["search"])
            # Models of earlier versions know of no consensus.
            consensus = from_record(Consensus, bundle.about.config.get("consensus", {}))
            memory = from_record(MemoryOptions, bundle.about.config.get("memory", {}))
        except (AttributeError, KeyError, TypeError, ArgumentError) as error:
            raise CorruptFileError(
                f"the decoder's options cannot be read: {error}", path=bundle.folder
            ) from error
        return cls(parts, search, read_weights(parts["weights.json"]), bundle, consensus, memory)

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        """Raise unless each part is what a training would have written, as far as can be told.

        Checksums know nothing of who made them.  What is not checked may give a wrong translation,
        and nothing worse.
        """
        if "lm.bin" in parts:
            from demotic.lm import LanguageModel

            LanguageModel.load(parts["lm.bin"], verify=True)
        if MEMORY in parts:
            from demotic import _core

            with files.naming(parts[MEMORY]):
                _core.Memory(str(parts[MEMORY]), True)

    @classmethod
    def of_parts(cls, parts: Mapping[str, Path], search: Any) -> Self:
        """A model whose parts are not in a bundle yet."""
        return cls(parts, search, read_weights(parts["weights.json"]))

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same model with other weights."""
        return self._like(weights=weights)

    def with_search(self, settings: Mapping[str, Any]) -> Self:
        """The same model, searching in another way: settings of its section ``search``."""
        for name in settings:
            if not hasattr(self.search, name):
                has = ", ".join(each.name for each in fields(self.search))
                raise ArgumentError(
                    f"a model of the system {self.SYSTEM} searches without '{name}'",
                    remedy=f"it has {has}",
                )
        search = over(self.search, settings)
        return self._like(search=search)

    def with_consensus(self, settings: Mapping[str, Any]) -> Self:
        """The same model, choosing in another way: settings of its section ``consensus``."""
        consensus = over(self.consensus, settings)
        if consensus.method == "forest":
            with_forests(self.decoder)  # complains if need be
        return self._like(consensus=consensus)

    def with_memory(self, settings: Mapping[str, Any]) -> Self:
        """The same model with other settings of its section ``memory``: ``{"use": False}``."""
        return self._like(memory=over(self.memory_options, settings))

    def _like(
        self,
        *,
        search: Any = None,
        weights: Mapping[str, float] | None = None,
        consensus: Consensus | None = None,
        memory: MemoryOptions | None = None,
    ) -> Self:
        """The same model, but for what is given."""
        return type(self)(
            self._parts,
            self.search if search is None else search,
            self.weights if weights is None else weights,
            self._bundle,
            consensus or self.consensus,
            memory or self.memory_options,
        )

    def part(self, name: str) -> Path:
        """Where a part is."""
        return self._parts[name]

    # Read when the first line comes: taking text apart is half of what there is to import.

    @cached_property
    def source(self) -> Orthography:
        """How the language is written that the model reads."""
        return _orthography(self.part("source.json"))

    @cached_property
    def target(self) -> Orthography:
        """How the language is written that the model writes."""
        return _orthography(self.part("target.json"))

    @property
    def bundle(self) -> Bundle:
        """Where the model is on disk."""
        if self._bundle is None:
            raise ArgumentError("the model was not saved yet")
        return self._bundle

    @property
    def about(self) -> About:
        """System, languages, configuration, development score, provenance."""
        return self.bundle.about

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, or to one file if the name ends in ``.demotic``."""
        self.bundle.copy(path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.part('weights.json').parent}>"

    # -- translating ----------------------------------------------------------------------------

    @overload
    def translate(self, text: str) -> Translation: ...
    @overload
    def translate(self, text: str, nbest: int) -> list[Translation]: ...
    def translate(self, text: str, nbest: int | None = None) -> Translation | list[Translation]:
        """One line of text; with ``nbest``, a list of up to so many different translations."""
        found = next(iter(self.translate_lines([text], nbest=nbest or 1)))
        return found[0] if nbest is None else found

    def translate_lines(
        self,
        lines: Iterable[str],
        *,
        nbest: int = 1,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Iterator[list[Translation]]:
        """Many lines, in their order; for each the best translations, at least one."""
        if nbest < 1:
            raise ArgumentError(f"nbest is {nbest}", remedy="ask for 1 or more translations")
        rest = iter(lines)
        with progress.step("translating", unit="lines") as advance:
            while batch := list(islice(rest, _LINES)):
                yield from self._batch(batch, nbest, threads)
                advance(len(batch))

    def _batch(self, lines: Sequence[str], nbest: int, threads: int) -> Iterator[list[Translation]]:
        """Of each line what the memory has, then what the decoder finds, as far as it is asked."""
        known = [self._remembered(line)[:nbest] for line in lines]
        asked = [line for line, found in zip(lines, known, strict=True) if len(found) < nbest]
        encoded = [self.encode(line) for line in asked]
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

    @cached_property
    def memory(self) -> TranslationMemory | None:
        """What was translated before, mapped; None if the model has none, or uses none."""
        if MEMORY not in self._parts or not self.memory_options.use:
            return None
        from demotic.memory import TranslationMemory

        return TranslationMemory.load(self.part(MEMORY), self.source, self.target)

    def _remembered(self, text: str) -> list[Translation]:
        if self.memory is None:
            return []
        return [
            Translation(match.text, tuple(match.text.split()), 0.0, None, (), memory=match)
            for match in self.memory.answers(text)
        ]

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
            match = replace(match, text=text)
            found[number].append(Translation(text, tokens, 0.0, None, (), memory=match))
        return found

    def matches(self, text: str, *, most: int = 5) -> list[Match]:
        """Messages of the memory that are similar to a line, though not the same."""
        if self.memory is None:
            return []
        return self.memory.similar(
            self.source.encode(text), least=self.memory_options.offer, most=most
        )

    def translated(self, text: str) -> tuple[Encoded, Translation]:
        """One line as the decoder saw it, and its translation."""
        encoded = self.encode(text)
        known = self._remembered(text) or self._repaired([encoded], 1)[0]
        if known:
            return encoded, known[0]
        [[translation]] = self._translations([encoded], 1, 1)
        [translation] = self._with_branches(encoded, [translation], 1)
        return encoded, translation

    def encode(self, text: str) -> Encoded:
        """One line as the decoder sees it, known words for unknown ones where there are any."""
        return self._fallback.known_forms(self.source.encode(text))

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
                filled = argument.filled([best[0].text for best in branches])
                found = [
                    replace(each, text=each.text.replace(span.text, filled, 1)) for each in found
                ]
        return found

    def _translations(
        self, encoded: Sequence[Encoded], nbest: int, threads: int
    ) -> Iterator[list[Translation]]:
        """The best translations of each line, at least one."""
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
        for source, derivations in zip(encoded, found, strict=True):
            yield self._written(source, derivations)

    def _bounded(self, source: Encoded) -> Sentence:
        """The tokens, with what stands between brackets, quotation marks or tags kept together,
        and paragraphs apart."""
        if not getattr(self.search, "zones", False) or self.source.config.tokeniser == "none":
            return source.tokens
        from demotic.corpus.mark_pairs import enclosing, pairs

        tags = enclosing(source.spans)
        zones = [
            (pair.first, pair.last + 1)
            for pair in pairs(source.tokens, tags)
            if pair.last > pair.first + 1
        ]
        walls = source.layout.paragraphs
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
                text, tuple(each.tokens), each.score, each, tuple(each.alignment)
            )
            found.setdefault(text, translation)
        return list(found.values()) or [Translation("", (), 0.0, None, ())]

    @abstractmethod
    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""
        encoded, translation = self.translated(text)
        if translation.memory is None:
            found = self._explained(text, encoded, translation)
            return replace(found, matches=tuple(self.matches(text)))
        from demotic.explain import Explanation

        return Explanation(
            text, translation.text, encoded.tokens, (), (), 0.0, {}, {}, (),
            memory=translation.memory,
        )  # fmt: skip

    def _explained(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        from demotic.decode import Derivation
        from demotic.explain import explain

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        found = explain(
            text, translation.text, encoded, derivation, self.weights, self.training_corpus
        )
        return replace(found, consensus=translation.consensus)

    @cached_property
    def training_corpus(self) -> Bitext:
        """The sentence pairs that the model learned from."""
        from demotic.corpus import Bitext

        return Bitext.open(self.part("corpus.arrow"))

    @cached_property
    def confidence(self) -> Confidence | None:
        """How sure the model is of a translation; None if its development set could not tell."""
        from demotic.systems.confidence import Confidence

        return Confidence.from_record((self.about.dev or {}).get("confidence") or {})

    def yardstick(self) -> Yardstick:
        """What translations are measured by; text that is tokenised stays so."""
        from demotic.systems.quality import Yardstick

        tokenised = self.target.config.tokeniser == "none"
        return Yardstick.of(self.target.language, tokenised=tokenised)

    def score(
        self,
        bitext: Bitext,
        *,
        references: Sequence[Sequence[str]] = (),
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> dict[str, Any]:
        """BLEU and chrF of the model on a bitext, with their signatures.

        ``references`` are further ones, a line for each pair; an empty one is none.
        """
        from demotic.systems.tuning import check_references, streams

        check_references(bitext, references)
        lines = self.translate_lines(bitext.source_lines(), threads=threads, progress=progress)
        texts = [best[0].text for best in lines]
        return self.yardstick().figures(texts, streams(list(bitext.target_lines()), *references))


def _orthography(path: Path) -> Orthography:
    from demotic.corpus import Orthography

    with files.naming(path):
        return Orthography.from_json(path.read_text(encoding="utf-8"))
