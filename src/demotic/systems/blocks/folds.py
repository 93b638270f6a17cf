"""Language models that have not seen the lines which they price.

    stage = fold_stage(training, config, text)
    lms = fold_models(stage)         # lms[i % n] is made of the text without line i (and others)

The paper's language model comes from other text than its events.  A model of the very sentences
that events are made of finds each true word likely, and its costs get more weight than they deserve
on new text.  Where there is no other text, each of a few models is estimated without some lines,
and these are priced by it.
"""

from __future__ import annotations

from dataclasses import asdict

from demotic import files
from demotic.lm import LanguageModel
from demotic.lm.estimation import estimate
from demotic.systems.blocks.config import Config
from demotic.systems.stages import Training
from demotic.systems.work import Stage

SMALLEST = 2
"""Lines of a fold."""


def fold_stage(training: Training, config: Config, text: Stage) -> Stage:
    """Estimate as many models as ``learn.lm_folds`` says; none where it is 0 or the text tiny."""
    folds = config.learn.lm_folds
    if sum(1 for _ in files.read_lines(text.path("train.target"))) < SMALLEST * folds:
        folds = 0
    stage = training.work.stage(
        "folds",
        [asdict(config.lm), folds],
        after=[text],
        files=[f"fold{number}.bin" for number in range(folds)],
    )
    if stage.wanted:
        rest = stage.path("fold.text")
        for number, name in enumerate(stage.files):
            lines = files.read_lines(text.path("train.target"))
            files.write_lines(
                rest,
                (line for i, line in enumerate(lines) if i % folds != number),
            )
            estimate(
                rest, order=config.lm.order, prune=config.lm.prune, skip_special=True,
                memory=training.engine.memory, temp=training.engine.temp,
                threads=training.threads, progress=training.progress,
            ).save(stage.path(name))  # fmt: skip
        rest.unlink(missing_ok=True)
        stage.finish()
    return stage


def fold_models(stage: Stage) -> tuple[LanguageModel, ...]:
    """The models of a finished stage."""
    return tuple(LanguageModel.load(stage.path(name)) for name in stage.files)
