"""Cross-validated tuning: weights for a text that is too small to hold a part of it out.

    models, weights = tuned_on_folds(training, "hiero", stages)

The text is cut into folds.  For each, a model is trained on the others; what these models find for
the sentences that they have not seen goes into one tuner, which so has as many sentences as the
text, with rules as unsure of them as of any other text.  The weights are those of the model of all
the text; the score is that of the models of the folds under the same weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from demotic.corpus import Bitext
from demotic.corpus.splitting import folds
from demotic.learn import Candidates, tune_weights
from demotic.systems import system_named
from demotic.systems.model import Model
from demotic.systems.tuning import TuningTask, taken_apart
from demotic.systems.weights import read_weights, write_weights
from demotic.systems.work import Stage

if TYPE_CHECKING:
    from demotic.systems.stages import Training

FOLDED = "folded-weights.json"


@dataclass(frozen=True, eq=False)
class FoldedTask:
    """What several decoders find, each for a text of its own, as if it were one."""

    tasks: Sequence[TuningTask]

    @property
    def feature_names(self) -> Sequence[str]:
        """Those of each of them."""
        return self.tasks[0].feature_names

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        """Of all sentences, fold after fold."""
        return [found for task in self.tasks for found in task.candidates(weights)]


def tuned_on_folds(
    training: Training, system: str, stages: Sequence[Stage]
) -> tuple[list[tuple[Model, Bitext]], Stage]:
    """The models of the folds with what each has not seen, under the weights of the stage."""
    config: Any = training.config
    models = _models(training, system)
    stage = training.work.stage(
        "folds",
        [config.folds, config.seed, asdict(config.tune), asdict(config.search)],
        after=stages,
        files=[FOLDED],
    )
    if stage.wanted:
        tune = config.tune
        tasks = []
        for model, unseen in models:
            text = taken_apart(model.source, model.target, unseen)
            tasks.append(
                TuningTask(model.decoder, text, tune.candidates, tune.list_size, training.threads)
            )
        found = tune_weights(
            FoldedTask(tasks),
            read_weights(models[0][0].part("weights.json")),
            options=tune.options,
            seed=config.seed,
            threads=training.threads,
            progress=training.progress,
            checkpoint=stage.path(f"folds-{stage.digest[:12]}.json"),
            resume=training.resume,
        )
        write_weights(stage.path(FOLDED), found.weights)
        stage.finish()
    weights = read_weights(stage.path(FOLDED))
    return [(model.with_weights(weights), unseen) for model, unseen in models], stage


def _models(training: Training, system: str) -> list[tuple[Model, Bitext]]:
    """A model of the others for each fold, with the weights that tuning starts from."""
    found = []
    config: Any = training.config
    parts = folds(training.bitext, config.folds, seed=config.seed)
    for number, (unseen, rest) in enumerate(parts, start=1):
        training.progress.say(f"fold {number} of {len(parts)}: {len(rest):,} pairs to learn from")
        folder = training.work.folder / f"fold{number}"
        folder.mkdir(exist_ok=True)
        part = type(training)(
            rest, None, config, out=folder / "model", work=folder / "work", fold=True,
            resume=training.resume, memory=training.memory.use, threads=training.threads,
        )  # fmt: skip
        model: Model = system_named(system).fit(part, config)
        found.append((model, unseen))
    return found
