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
from demotic.decode.consensus import Agreement, Consensus, choose, with_forests
from demotic.decode.decoder import Choices, Decoder, Hypothesis
from demotic.errors import ArgumentError, CorruptFileError
from demotic.progress import SILENT, Progress
from demotic.systems.records import from_record, over
from demotic.systems.weights import read_weights

if TYPE_CHECKING:
    from demotic.corpus import Bitext, Encoded, Orthography
    from demotic.corpus.fallback import Fallback
    from demotic.explain import Explanation
    from demotic.forest import Forest

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

    @property
    def features(self) -> dict[str, float]:
        """The features of the derivation with their values; none for a line without words."""
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
    ) -> None:
        """Use ``demotic.train`` or ``demotic.load``."""
        self._parts = dict(parts)
        self._bundle = bundle
        self.search = search
        self.consensus = consensus
        self.weights = dict(weights)
        self.decoder = self._open_decoder(self.weights)

    @abstractmethod
    def _open_decoder(self, weights: Mapping[str, float]) -> Decoder[Hypothesis]:
        """The decoder, from the model's parts and options."""

    @classmethod
    def open(cls, bundle: Bundle) -> Self:
        """The model in a bundle."""
        optional = [name for name in cls.OPTIONAL if name in bundle.parts]
        parts = {name: bundle.path(name) for name in (*cls.PARTS, *optional)}
        if bundle.thorough:
            cls._check_parts(parts)
        try:
            search = from_record(cls.SEARCH, bundle.about.config["search"])
            # Models of earlier versions know of no consensus.
            consensus = from_record(Consensus, bundle.about.config.get("consensus", {}))
        except (AttributeError, KeyError, TypeError, ArgumentError) as error:
            raise CorruptFileError(
                f"the decoder's options cannot be read: {error}", path=bundle.folder
            ) from error
        return cls(parts, search, read_weights(parts["weights.json"]), bundle, consensus)

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        """Raise unless each part is what a training would have written, as far as can be told.

        Checksums know nothing of who made them.  What is not checked may give a wrong translation,
        and nothing worse.
        """
        if "lm.bin" in parts:
            from demotic.lm import LanguageModel

            LanguageModel.load(parts["lm.bin"], verify=True)

    @classmethod
    def of_parts(cls, parts: Mapping[str, Path], search: Any) -> Self:
        """A model whose parts are not in a bundle yet."""
        return cls(parts, search, read_weights(parts["weights.json"]))

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same model with other weights."""
        return type(self)(self._parts, self.search, weights, self._bundle, self.consensus)

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
        return type(self)(self._parts, search, self.weights, self._bundle, self.consensus)

    def with_consensus(self, settings: Mapping[str, Any]) -> Self:
        """The same model, choosing in another way: settings of its section ``consensus``."""
        consensus = over(self.consensus, settings)
        if consensus.method == "forest":
            with_forests(self.decoder)  # complains if need be
        return type(self)(self._parts, self.search, self.weights, self._bundle, consensus)

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
                encoded = [self.encode(line) for line in batch]
                found = self._translations(encoded, nbest, threads)
                for source, translations in zip(encoded, found, strict=True):
                    yield self._with_branches(source, translations, threads)
                advance(len(batch))

    def translated(self, text: str) -> tuple[Encoded, Translation]:
        """One line as the decoder saw it, and its translation."""
        encoded = self.encode(text)
        [[translation]] = self._translations([encoded], 1, 1)
        [translation] = self._with_branches(encoded, [translation], 1)
        return encoded, translation

    def encode(self, text: str) -> Encoded:
        """One line as the decoder sees it, known words for unknown ones where there are any."""
        return self._fallback.known_forms(self.source.encode(text))

    @cached_property
    def _fallback(self) -> Fallback:
        return self.source.fallback(self.knows)

    def knows(self, word: str) -> bool:
        """Is a token among the source words of the model?"""
        return True

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
        sentences = [each.tokens for each in encoded]
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
        return self._explained(text, *self.translated(text))

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

    def score(
        self,
        bitext: Bitext,
        *,
        references: Sequence[Sequence[str]] = (),
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> dict[str, Any]:
        """BLEU of the model on a bitext, with its signature; text that is tokenised stays so.

        ``references`` are further ones, a line for each pair; an empty one is none.
        """
        from demotic.metrics import Bleu
        from demotic.systems.tuning import check_references, streams

        metric = Bleu(tokenise="none" if self.target.config.tokeniser == "none" else "13a")
        lines = self.translate_lines(bitext.source_lines(), threads=threads, progress=progress)
        check_references(bitext, references)
        all_references = streams(list(bitext.target_lines()), *references)
        score = metric.score([best[0].text for best in lines], all_references)
        return {
            "metric": score.name,
            "value": score.value,
            "signature": score.signature,
            "sentences": len(bitext),
        }


def _orthography(path: Path) -> Orthography:
    from demotic.corpus import Orthography

    with files.naming(path):
        return Orthography.from_json(path.read_text(encoding="utf-8"))
