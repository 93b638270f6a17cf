"""A decoder and a development set as tuners see them, and models tuned again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from demotic.bundle import Bundle, check_place
from demotic.corpus import Bitext, Orthography, encode_pair
from demotic.decode.consensus import SCALES, Consensus, words_by_scale
from demotic.decode.decoder import Decoder, ForestDecoder, Hypothesis
from demotic.errors import ArgumentError, CorruptFileError
from demotic.forest.many import hold_sparse
from demotic.learn import (
    Candidates,
    ForestCandidates,
    KBestCandidates,
    TunerOptions,
    statistics_against,
    tune_weights,
)
from demotic.learn.examples import thinned
from demotic.metrics import Bleu
from demotic.progress import SILENT, Progress
from demotic.systems.imputing import NONE, Imputed, ImputedConfig, impute
from demotic.systems.weights import write_weights

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.systems.config import TuneConfig
    from demotic.systems.model import Model

Tuned = TypeVar("Tuned", bound="Model")
SMALLEST_DEV = 10
"""Sentences; on fewer, BLEU says nothing."""

Kind = Literal["forest", "kbest"]
_TOGETHER = 64  # sentences whose forests are there as a whole
HELD = "SparseFeatures"
"""What sparse features are worth under weights that are not tuned, as one feature."""


def check_dev(source: Iterable[str], target: Iterable[str]) -> None:
    """Raise where tuning would only learn noise; pairs with a blank side do not count."""
    blank = [not (one.strip() and other.strip()) for one, other in zip(source, target, strict=True)]
    sentences = len(blank) - sum(blank)
    if sentences < SMALLEST_DEV:
        without = f" (and {sum(blank)} without words)" if any(blank) else ""
        raise ArgumentError(
            f"a development set of {sentences} sentence{'' if sentences == 1 else 's'}{without} is "
            "too small to tune on",
            remedy=f"give at least {SMALLEST_DEV}, better some hundred sentences",
        )


def check_pairs(bitext: Bitext) -> None:
    """Raise where there is nothing to learn from: pairs with a blank side do not count."""
    if not any(pair.source.strip() and pair.target.strip() for pair in bitext):
        raise ArgumentError(
            f"{len(bitext):,} pairs, and none of them has words on both sides",
            remedy="give a text with translations",
        )


@dataclass(frozen=True)
class DevSet:
    """Tokens to translate, and the tokens they should become."""

    source: list[str]
    reference: list[str]
    further: tuple[list[str], ...] = ()
    """Further references, a list for each; an empty line is none."""

    def __post_init__(self) -> None:
        for lines in (self.reference, *self.further):
            if len(self.source) != len(lines):
                raise ArgumentError(
                    f"the development set has {len(self.source)} sentences and "
                    f"{len(lines)} translations"
                )

    @property
    def references(self) -> list[list[str]]:
        """All references of each sentence."""
        return [
            [first, *(line for line in others if line.strip())]
            for first, *others in zip(self.reference, *self.further, strict=True)
        ]

    def select(self, rows: Iterable[int]) -> DevSet:
        """Only these sentences."""
        chosen = [*rows]
        texts = (self.source, self.reference, *self.further)
        source, reference, *further = ([text[row] for row in chosen] for text in texts)
        return DevSet(source, reference, tuple(further))

    def bleu(self, lines: Sequence[str]) -> float:
        """Of translations into tokens."""
        return Bleu(tokenise="none").score(lines, streams(self.reference, *self.further)).value


def streams(first: Sequence[str], *others: Sequence[str]) -> list[list[str]]:
    """References as metrics take them, where an empty line of further ones is the first one."""
    return [
        [*first],
        *([line if line.strip() else own for own, line in zip(first, other, strict=True)]
          for other in others),
    ]  # fmt: skip


def check_references(dev: Bitext, further: Sequence[Sequence[str]]) -> None:
    """Raise unless further references have a line for each sentence."""
    for number, lines in enumerate(further, 2):
        if len(lines) != len(dev):
            raise ArgumentError(
                f"the development set has {len(dev)} sentences, and reference {number} "
                f"{len(lines)}",
                remedy="give a line for each sentence, an empty one where there is none",
            )


def encoded_dev(
    source: Orthography, target: Orthography, dev: Bitext, further: Sequence[Sequence[str]] = ()
) -> DevSet:
    """The development set in tokens; raises where it is too small."""
    text = taken_apart(source, target, dev, further)
    check_dev(text.source, text.reference)
    return text


def taken_apart(
    source: Orthography, target: Orthography, dev: Bitext, further: Sequence[Sequence[str]] = ()
) -> DevSet:
    """Text in tokens: the source as a user's text, the target as in training."""
    check_references(dev, further)

    def encoded(pairs: Iterable[tuple[str, str]]) -> list[str]:
        return [str(encode_pair(source, target, one, other)[1]) for one, other in pairs]

    return DevSet(
        [str(source.encode(pair.source)) for pair in dev],
        encoded((pair.source, pair.target) for pair in dev),
        tuple(encoded(zip(dev.source_lines(), lines, strict=True)) for lines in further),
    )


@dataclass(frozen=True, eq=False)
class TuningTask:
    """Decodes the development set with the weights that a learner asks for."""

    decoder: Decoder[Hypothesis]
    dev: DevSet
    kind: Kind = "forest"
    list_size: int = 100
    threads: int = 1
    held: Mapping[str, float] = field(default_factory=dict)
    """Weights of sparse features, which are not learned: together they are one feature, HELD."""
    learns: bool = False
    """Are they learned instead?  HELD stands for those that were decoded with."""
    imputed: Imputed = NONE
    """Sentences that are tuned on, too, and judge nothing."""
    density: int = 0
    """The best edges that are kept of a forest, for each source word; 0: all."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The decoder's dense ones, and HELD where there are others."""
        return (*self.decoder.feature_names, *([HELD] if self.held or self.learns else []))

    def reduced(self, weights: Mapping[str, float]) -> dict[str, float]:
        """A model's weights as the learner sees them."""
        dense = {*self.decoder.feature_names}
        known = {name: value for name, value in weights.items() if name in dense}
        return known | ({HELD: 1.0} if HELD in self.feature_names else {})

    def tuner(self, options: TunerOptions) -> TunerOptions:
        """The options of a tuner that leaves HELD as it is."""
        if HELD not in self.feature_names:
            return options
        return replace(options, fixed=(*options.fixed, HELD))

    def restored(self, weights: Mapping[str, float]) -> dict[str, float]:
        """A learner's weights as the decoder's; the held ones get the common factor, too."""
        factor = weights.get(HELD, 1.0)
        known = {name: value for name, value in weights.items() if name != HELD}
        return known | {name: factor * value for name, value in self.held.items()}

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        """For each sentence its forest, or its list of best translations."""
        decoder = self.decoder.with_weights(self.restored(weights))
        source = [*self.dev.source, *self.imputed.source]
        references = [*self.dev.references, *([line] for line in self.imputed.reference)]
        often = [*([0.0 if self.imputed.alone else 1.0] * len(self.dev.source)),
                 *self.imputed.weights]  # fmt: skip
        judges = [number < len(self.dev.source) for number in range(len(source))]
        counts = [statistics_against(lines) for lines in references]
        if self.kind == "forest":
            return [
                ForestCandidates(
                    forest, count, [line.split() for line in lines], own if self.learns else None,
                    weight, judge,
                )
                for (own, forest), count, lines, weight, judge in zip(
                    self._forests(decoder, source, weights), counts, references, often, judges,
                    strict=True,
                )
            ]  # fmt: skip
        found: list[Candidates] = []
        lists = decoder.kbest_lines(source, self.list_size, threads=self.threads)
        for best, count, weight, judge in zip(lists, counts, often, judges, strict=True):
            rows = np.array([self._row(each) for each in best], dtype=np.float64)
            statistics = count([" ".join(each.tokens) for each in best])
            found.append(KBestCandidates(rows, statistics, weight, judge))
        return found

    def _forests(
        self, decoder: Decoder[Hypothesis], source: Sequence[str], weights: Mapping[str, float]
    ) -> Iterator[tuple[Forest, Forest]]:
        """Of each sentence the forest, and the same without sparse features.

        A few sentences at a time, so that forests of large sets are there as they are kept alone.
        """
        if not isinstance(decoder, ForestDecoder):
            raise ArgumentError(
                "this decoder gives no forests", remedy="tune on lists: tune.candidates=kbest"
            )
        for begin in range(0, len(source), _TOGETHER):
            full = decoder.forests(source[begin : begin + _TOGETHER], threads=self.threads)
            if self.density:
                full = [thinned(forest, self.density) for forest in full]
            yield from zip(full, self._held(full, weights), strict=True)

    def _held(self, forests: Sequence[Forest], weights: Mapping[str, float]) -> Sequence[Forest]:
        """Forests without sparse features."""
        if self.learns:
            return hold_sparse(forests, weights, name=HELD, threads=self.threads)
        if all(len(forest.space) == forest.space.dense for forest in forests):
            return forests
        name = HELD if self.held else None
        return hold_sparse(forests, self.held, name=name, threads=self.threads)

    def _row(self, found: Hypothesis) -> list[float]:
        """The features of a translation."""
        if not self.held:
            return [*found.values]
        worth = sum(self.held.get(name, 0.0) * value for name, value in found.features.items())
        return [*found.values, worth]


def has_sparse_features(decoder: Decoder[Hypothesis]) -> bool:
    """Do its rules have features beside those that all rules have?"""
    return bool(getattr(getattr(decoder, "rules", None), "sparse_features", 0))


def with_best_scale(
    decoder: Decoder[Hypothesis],
    dev: DevSet,
    consensus: Consensus,
    *,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Consensus:
    """Consensus with the scale that gives the best BLEU on a development set.

    Of equals the largest, which is closest to the model's own choice.
    """
    scales = SCALES[::-1]
    texts = words_by_scale(decoder, dev.source, consensus, scales, threads=threads)
    scores = [dev.bleu(lines) for lines in texts]
    best = max(scores)
    scale = scales[scores.index(best)]
    progress.say(f"consensus with a scale of {scale:g}: {best:.2f} BLEU")
    return replace(consensus, scale=scale)


def tune(
    model: Tuned,
    dev: Bitext,
    *,
    out: Path,
    references: Sequence[Sequence[str]] = (),
    options: TunerOptions | None = None,
    imputed: ImputedConfig | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Tuned:
    """A copy of a model with its weights tuned again, on another development set.

    It is tuned as its own section ``tune`` says; ``options`` take the place of its options, and of
    its method where they are those of another one.  ``references`` are beside those of ``dev``;
    ``imputed`` are sentences without a source.
    """
    check_place(out)
    config = replace(own_tuning(model), imputed=ImputedConfig())
    if options is not None:
        config = config.with_options(options)
    if imputed is not None:
        config = replace(config, imputed=imputed)
    text = encoded_dev(model.source, model.target, dev, references)
    held = model.weights.keys() - {*model.decoder.feature_names}
    others = {name: model.weights[name] for name in sorted(held) if model.weights[name]}
    learns = config.learns_sparse and has_sparse_features(model.decoder)
    task = TuningTask(
        model.decoder, text, config.candidates, config.list_size, threads,
        {} if learns else others, learns,
        impute(
            config.imputed, model.source, model.target,
            (model.about.source_language, model.about.target_language),
            threads=threads, progress=progress,
        ),
        config.options.kept_edges,
    )  # fmt: skip
    found = tune_weights(
        task,
        task.reduced(model.weights) | (others if learns else {}),
        options=task.tuner(config.options),
        seed=seed,
        threads=threads,
        progress=progress,
    )
    settings = {**model.about.config, "tune": _written(config)}
    weights = task.restored(found.weights)
    return reweighted(model, weights, settings, dev, out, threads, progress, references)


def _written(config: TuneConfig) -> dict[str, Any]:
    """A section for the model to keep."""
    record: dict[str, Any] = json.loads(json.dumps(asdict(config), default=str))
    return record


def own_tuning(model: Model) -> TuneConfig:
    """How a model says that it was tuned."""
    from demotic.systems.config import TuneConfig
    from demotic.systems.records import from_record, known

    try:
        return from_record(TuneConfig, known(TuneConfig, model.about.config["tune"]))
    except (KeyError, TypeError, ArgumentError) as error:
        raise CorruptFileError(
            f"the model's settings of tuning cannot be read: {error}", path=model.bundle.folder
        ) from error


def reweighted(
    model: Tuned,
    weights: Mapping[str, float],
    settings: Mapping[str, Any],
    dev: Bitext,
    out: Path,
    threads: int = 1,
    progress: Progress = SILENT,
    references: Sequence[Sequence[str]] = (),
) -> Tuned:
    """A copy of a model in ``out`` with other weights and the settings that led to them."""
    tuned = model.with_weights(weights)
    if model.consensus.method != "off":  # scores have another scale now
        text = encoded_dev(model.source, model.target, dev, references)
        best = with_best_scale(
            tuned.decoder, text, model.consensus, threads=threads, progress=progress
        )
        tuned = tuned.with_consensus(asdict(best))
        settings = {**settings, "consensus": asdict(best)}
    from demotic.systems.quality import assess

    pairs = len(model.training_corpus)
    figures = assess(
        tuned, dev, pairs=pairs, references=references, threads=threads, progress=progress
    )
    about = replace(model.about, config=settings, dev=figures)
    with Bundle.create(out, about) as folder:
        for part in model.bundle.parts:
            shutil.copyfile(model.bundle.path(part), folder / part)
        write_weights(folder / "weights.json", weights)
    return model.open(Bundle.open(out))
