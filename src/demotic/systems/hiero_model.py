"""A trained Hiero model at work: text to tokens, decoder, tokens to text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from demotic import files
from demotic.bundle import About, Bundle
from demotic.corpus import Bitext, Encoded, Orthography
from demotic.decode import DecoderOptions, Derivation, HieroDecoder
from demotic.errors import ArgumentError, CorruptFileError
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.metrics import Bleu
from demotic.model import Translation
from demotic.progress import SILENT, Progress
from demotic.systems.config import from_record

if TYPE_CHECKING:
    from demotic.explain import Explanation
    from demotic.forest import Forest

_LINES = 256  # decoded in one call


class HieroModel:
    """Rules, a language model, weights, and how both languages are written."""

    PARTS = (
        "rules.bin", "lm.bin", "weights.json", "source.json", "target.json", "corpus.arrow",
    )  # fmt: skip

    def __init__(
        self,
        parts: Mapping[str, Path],
        options: DecoderOptions,
        weights: Mapping[str, float],
        bundle: Bundle | None = None,
    ) -> None:
        """Use ``demotic.train`` or ``demotic.load``."""
        self._parts = dict(parts)
        self._bundle = bundle
        self.decoder_options = options
        self.weights = dict(weights)
        self.source = _orthography(parts["source.json"])
        self.target = _orthography(parts["target.json"])
        self.rules = RuleTable.load(parts["rules.bin"], verify=False)
        self.lm = LanguageModel.load(parts["lm.bin"], verify=False)
        self.decoder = HieroDecoder(self.rules, self.lm, self.weights, options=options)

    @classmethod
    def of_parts(cls, parts: Mapping[str, Path], options: DecoderOptions) -> Self:
        """A model whose parts are not in a bundle yet."""
        return cls(parts, options, _weights(parts["weights.json"]))

    def with_weights(self, weights: Mapping[str, float]) -> HieroModel:
        """The same model with other weights."""
        return HieroModel(self._parts, self.decoder_options, weights, self._bundle)

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
        return f"<Hiero model {self.source.language}-{self.target.language}, {self.rules!r}>"

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
                encoded = [self.source.encode(line) for line in batch]
                sentences = [each.tokens for each in encoded]
                if nbest == 1:
                    best = self.decoder.decode_lines(sentences, threads=threads)
                    found = [[derivation] for derivation in best]
                else:
                    found = self.decoder.kbest_lines(sentences, nbest, threads=threads)
                for source, derivations in zip(encoded, found, strict=True):
                    yield self._written(source, derivations)
                advance(len(batch))

    def _written(self, source: Encoded, derivations: Sequence[Derivation]) -> list[Translation]:
        """Text for each derivation; those that read the same count once."""
        found: dict[str, Translation] = {}
        for each in derivations:
            text = self.target.decode(each.tokens, source, alignment=each.alignment)
            translation = Translation(
                text, tuple(each.tokens), each.score, each, tuple(each.alignment)
            )
            found.setdefault(text, translation)
        return list(found.values()) or [Translation("", (), 0.0, None, ())]

    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""
        return self.decoder.forest(self.source.encode(text).tokens)

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""
        from demotic.explain import explain

        encoded = self.source.encode(text)
        derivation = self.decoder.decode(encoded.tokens)
        [translation] = self._written(encoded, [derivation])
        return explain(text, translation.text, encoded, derivation, self.weights, self._corpus)

    @cached_property
    def _corpus(self) -> Bitext:
        return Bitext.open(self._parts["corpus.arrow"])

    def score(
        self, bitext: Bitext, *, threads: int = 1, progress: Progress = SILENT
    ) -> dict[str, Any]:
        """BLEU of the model on a bitext, with its signature; text that is tokenised stays so."""
        metric = Bleu(tokenise="none" if self.target.config.tokeniser == "none" else "13a")
        lines = self.translate_lines(bitext.source_lines(), threads=threads, progress=progress)
        score = metric.score([best[0].text for best in lines], [list(bitext.target_lines())])
        return {
            "metric": score.name,
            "value": score.value,
            "signature": score.signature,
            "sentences": len(bitext),
        }


def open_model(bundle: Bundle) -> HieroModel:
    """The model in a bundle."""
    parts = {name: bundle.path(name) for name in HieroModel.PARTS}
    try:
        options = from_record(DecoderOptions, bundle.about.config["decode"])
    except (KeyError, TypeError, ArgumentError) as error:
        raise CorruptFileError(
            f"the decoder's options cannot be read: {error}", path=bundle.folder
        ) from error
    return HieroModel(parts, options, _weights(parts["weights.json"]), bundle)


def _orthography(path: Path) -> Orthography:
    with files.naming(path):
        return Orthography.from_json(path.read_text(encoding="utf-8"))


def _weights(path: Path) -> dict[str, float]:
    try:
        record = json.loads(path.read_bytes())
        return {str(name): float(value) for name, value in record.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptFileError(f"weights that cannot be read: {error}", path=path) from error
