"""A trained model, whatever its system: a translator whose parts are in a bundle.

class HieroModel(Model):
    SYSTEM = "hiero"
    PARTS = (*Model.PARTS, "rules.bin", "lm.bin")             # files of the bundle
    SEARCH = HieroSearch                                      # the section ``search`` of its config

    def _open_decoder(self, weights): ...                     # from self.part(...), self.search
    def forest(self, text): ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from demotic import files
from demotic.bundle import About, Bundle
from demotic.decode.consensus import Consensus, with_forests
from demotic.decode.decoder import Decoder, Hypothesis
from demotic.errors import ArgumentError, CorruptFileError
from demotic.memory.options import OFF, MemoryOptions
from demotic.progress import SILENT, Progress
from demotic.systems.records import from_record, over
from demotic.systems.translator import Translation, Translator
from demotic.systems.weights import read_weights

if TYPE_CHECKING:
    from demotic.corpus import Bitext, Encoded, Orthography, StoredPairs
    from demotic.explain import Explanation
    from demotic.explain.rivals import Rivals
    from demotic.forest import Forest
    from demotic.glossary import Glossary
    from demotic.memory import TranslationMemory
    from demotic.metrics.score import Score
    from demotic.systems.confidence import Confidence
    from demotic.systems.quality import Yardstick
    from demotic.systems.terminology import Terminology

MEMORY = "memory.bin"
"""The part of a bundle that any model may have: what was translated before."""
GLOSSARY = "glossary.tsv"
"""Likewise: terms whose translation is decided."""
_BEST_SCORE = Consensus()
"""Without consensus."""
Shape = Literal["tree", "stack", "phrases", "source-tree"]
"""A derivation tree; items shifted onto a stack; phrases in order; a parse with translations."""
Description = tuple[str, Callable[[Path, bool | None], dict[str, Any]]]
"""What people call a file, and what is in it; all of it must make sense where that is asked for."""


class Model(Translator):
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
    SHAPE: ClassVar[Shape] = "tree"
    """What an explanation is drawn as."""
    FACTS: ClassVar[Mapping[str, Description]] = {}
    """For ``demotic inspect``: files that no other system has, by their name or the kind that their
    header gives."""

    search: Any
    """Options of the decoder, a ``SEARCH``."""

    def __init__(
        self,
        parts: Mapping[str, Path],
        search: Any,
        weights: Mapping[str, float],
        bundle: Bundle | None = None,
        consensus: Consensus = _BEST_SCORE,
        memory: MemoryOptions = OFF,
        glossary: Glossary | None = None,
    ) -> None:
        """Use ``demotic.train`` or ``demotic.load``."""
        self._parts = dict(parts)
        self._bundle = bundle
        self.search = search
        self.consensus = consensus
        self.memory_options = memory
        self._glossary = glossary
        self.weights = dict(weights)
        self.decoder = self._open_decoder(self.weights)

    @abstractmethod
    def _open_decoder(self, weights: Mapping[str, float]) -> Decoder[Hypothesis]:
        """The decoder, from the model's parts and options."""

    @classmethod
    def open(cls, bundle: Bundle) -> Self:
        """The model in a bundle."""
        optional = [name for name in (*cls.OPTIONAL, MEMORY, GLOSSARY) if name in bundle.parts]
        parts = {name: bundle.path(name) for name in (*cls.parts_of(bundle.parts), *optional)}
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
    def parts_of(cls, names: Collection[str]) -> tuple[str, ...]:
        """The files that a model must have, where there are files of these names."""
        return cls.PARTS

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
        if GLOSSARY in parts:
            from demotic.glossary import read_glossary

            read_glossary([parts[GLOSSARY]])

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

    def with_glossary(self, glossary: Glossary) -> Self:
        """The same model, keeping to these terms instead of those of its own glossary."""
        return self._like(glossary=glossary)

    def with_suggestions(self, suggestions: TranslationMemory | None) -> Self:
        """The same model, which answers from these before its own memory."""
        made = self._like()
        made.suggestions = suggestions
        return made

    def _like(
        self,
        *,
        search: Any = None,
        weights: Mapping[str, float] | None = None,
        consensus: Consensus | None = None,
        memory: MemoryOptions | None = None,
        glossary: Glossary | None = None,
    ) -> Self:
        """The same model, but for what is given."""
        made = type(self)(
            self._parts,
            self.search if search is None else search,
            self.weights if weights is None else weights,
            self._bundle,
            consensus or self.consensus,
            memory or self.memory_options,
            self._glossary if glossary is None else glossary,
        )
        made.suggestions = self.suggestions
        return made

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

    @property
    def source_language(self) -> str:
        """What it reads: ``en``, ``pt-BR``."""
        return self.about.source_language

    @property
    def target_language(self) -> str:
        """What it writes."""
        return self.about.target_language

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, or to one file if the name ends in ``.demotic``."""
        self.bundle.copy(path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.part('weights.json').parent}>"

    @cached_property
    def memory(self) -> TranslationMemory | None:
        """What was translated before, mapped; None if the model has none, or uses none."""
        if MEMORY not in self._parts or not self.memory_options.use:
            return None
        from demotic.memory import TranslationMemory

        return TranslationMemory.load(self.part(MEMORY), self.source, self.target)

    @cached_property
    def glossary(self) -> Glossary:
        """The terms that the model keeps to: those it was given, else those it was trained with."""
        from demotic.glossary import Glossary, read_glossary

        if self._glossary is not None:
            return self._glossary
        return read_glossary([self.part(GLOSSARY)]) if GLOSSARY in self._parts else Glossary()

    @cached_property
    def _terminology(self) -> Terminology | None:
        if self._glossary is None and GLOSSARY not in self._parts:
            return None
        from demotic.systems.terminology import Terminology

        return Terminology(self, self.glossary) if self.glossary else None

    # -- what stands behind a translation -------------------------------------------------------

    @abstractmethod
    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""
        return self.explanation_of(text, *self.translated(text))

    def explanation_of(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        """The same of a translation that was made before, with its line as it was decoded."""
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

    def step_values(
        self, encoded: Encoded, translation: Translation
    ) -> list[dict[str, float]] | None:
        """The features of each step of an explanation, where a system keeps them by itself."""
        return None

    def rivals_of(self, translation: Translation, step: int, most: int) -> Rivals | None:
        """What else there is for the words of a step of an explanation, with the best so many."""
        return None

    @cached_property
    def training_corpus(self) -> StoredPairs:
        """The sentence pairs that the model learned from."""
        from demotic.corpus import StoredPairs

        return StoredPairs(self.part("corpus.arrow"))

    @cached_property
    def confidence(self) -> Confidence | None:
        """How sure the model is of a translation; None if its development set could not tell."""
        from demotic.systems.confidence import Confidence

        return Confidence.from_record((self.about.dev or {}).get("confidence") or {})

    def sure(self, translation: Translation) -> float | None:
        """The probability that a translation needs no edit; None if the model cannot tell."""
        if self.confidence is None or translation.source is None:
            return None
        near = 0.0 if self.memory is None else self.memory.nearest(translation.source)
        return self.confidence.of(translation, near)

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
    ) -> Score:
        """BLEU of the model on a bitext, with its signature.

        ``references`` are further ones, a line for each pair; an empty one is none.
        """
        from demotic.systems.tuning import check_references, streams

        check_references(bitext, references)
        lines = self.translate_lines(bitext.source_lines(), threads=threads, progress=progress)
        texts = [each.text for each in lines]
        return self.yardstick().score(texts, streams(list(bitext.target_lines()), *references))


def _orthography(path: Path) -> Orthography:
    from demotic.corpus import Orthography

    with files.naming(path):
        try:
            return Orthography.from_json(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise CorruptFileError(
                f"byte {error.start + 1} is no UTF-8 text", remedy="copy the model again"
            ) from None
