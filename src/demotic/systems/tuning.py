"""A decoder and a development set as tuners see them, and models tuned again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
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
from demotic.metrics import Bleu
from demotic.progress import SILENT, Progress
from demotic.systems.weights import write_weights

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.systems.config import TuneConfig
    from demotic.systems.model import Model

Tuned = TypeVar("Tuned", bound="Model")
SMALLEST_DEV = 10
"""Sentences; on fewer, BLEU says nothing."""

Kind = Literal["forest", "kbest"]
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


@dataclass(frozen=True)
class DevSet:
    """Tokens to translate, and the tokens they should become."""

    source: list[str]
    reference: list[str]

    def __post_init__(self) -> None:
        if len(self.source) != len(self.reference):
            raise ArgumentError(
                f"the development set has {len(self.source)} sentences and "
                f"{len(self.reference)} translations"
            )
        check_dev(self.source, self.reference)


def encoded_dev(source: Orthography, target: Orthography, dev: Bitext) -> DevSet:
    """The development set in tokens: the source as a user's text, the target as in training."""
    return DevSet(
        [str(source.encode(pair.source)) for pair in dev],
        [str(encode_pair(source, target, pair.source, pair.target)[1]) for pair in dev],
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

    @property
    def feature_names(self) -> Sequence[str]:
        """The decoder's dense ones, and HELD where weights are held."""
        return (*self.decoder.feature_names, *([HELD] if self.held else []))

    def reduced(self, weights: Mapping[str, float]) -> dict[str, float]:
        """A model's weights as the learner sees them."""
        dense = {*self.decoder.feature_names}
        known = {name: value for name, value in weights.items() if name in dense}
        return known | ({HELD: 1.0} if self.held else {})

    def restored(self, weights: Mapping[str, float]) -> dict[str, float]:
        """A learner's weights as the decoder's; the held ones get the common factor, too."""
        factor = weights.get(HELD, 1.0)
        known = {name: value for name, value in weights.items() if name != HELD}
        return known | {name: factor * value for name, value in self.held.items()}

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        """For each sentence its forest, or its list of best translations."""
        decoder = self.decoder.with_weights(self.restored(weights))
        counts = [statistics_against([line]) for line in self.dev.reference]
        if self.kind == "forest":
            if not isinstance(decoder, ForestDecoder):
                raise ArgumentError(
                    "this decoder gives no forests", remedy="tune on lists: tune.candidates=kbest"
                )
            forests = self._held(decoder.forests(self.dev.source, threads=self.threads))
            return [
                ForestCandidates(forest, count, [line.split()])
                for forest, count, line in zip(forests, counts, self.dev.reference, strict=True)
            ]
        found: list[Candidates] = []
        lists = decoder.kbest_lines(self.dev.source, self.list_size, threads=self.threads)
        for best, count in zip(lists, counts, strict=True):
            rows = np.array([self._row(each) for each in best], dtype=np.float64)
            found.append(KBestCandidates(rows, count([" ".join(each.tokens) for each in best])))
        return found

    def _held(self, forests: Sequence[Forest]) -> Sequence[Forest]:
        """Forests without sparse features."""
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
    metric = Bleu(tokenise="none")
    scales = SCALES[::-1]
    texts = words_by_scale(decoder, dev.source, consensus, scales, threads=threads)
    scores = [metric.score(lines, [dev.reference]).value for lines in texts]
    best = max(scores)
    scale = scales[scores.index(best)]
    progress.say(f"consensus with a scale of {scale:g}: {best:.2f} BLEU")
    return replace(consensus, scale=scale)


def tune(
    model: Tuned,
    dev: Bitext,
    *,
    out: Path,
    options: TunerOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Tuned:
    """A copy of a model with its weights tuned again, on another development set.

    It is tuned as its own section ``tune`` says; ``options`` take the place of its options, and of
    its method where they are those of another one.
    """
    check_place(out)
    config = own_tuning(model)
    if options is not None:
        config = config.with_options(options)
    text = encoded_dev(model.source, model.target, dev)
    held = model.weights.keys() - {*model.decoder.feature_names}
    task = TuningTask(
        model.decoder,
        text,
        config.candidates,
        config.list_size,
        threads,
        {name: model.weights[name] for name in sorted(held) if model.weights[name]},
    )
    options = config.options
    if task.held:
        options = replace(options, fixed=(*options.fixed, HELD))
    found = tune_weights(
        task,
        task.reduced(model.weights),
        options=options,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    settings = {**model.about.config, "tune": asdict(config)}
    weights = task.restored(found.weights)
    return reweighted(model, weights, settings, dev, out, threads, progress)


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
) -> Tuned:
    """A copy of a model in ``out`` with other weights and the settings that led to them."""
    tuned = model.with_weights(weights)
    if model.consensus.method != "off":  # scores have another scale now
        text = encoded_dev(model.source, model.target, dev)
        best = with_best_scale(
            tuned.decoder, text, model.consensus, threads=threads, progress=progress
        )
        tuned = tuned.with_consensus(asdict(best))
        settings = {**settings, "consensus": asdict(best)}
    score = tuned.score(dev, threads=threads, progress=progress)
    about = replace(model.about, config=settings, dev=score)
    with Bundle.create(out, about) as folder:
        for part in model.bundle.parts:
            shutil.copyfile(model.bundle.path(part), folder / part)
        write_weights(folder / "weights.json", weights)
    return model.open(Bundle.open(out))
