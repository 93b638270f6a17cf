"""Trials: a system trained under some settings and measured on text that no training saw.

    begin(work, [work, other])                    # with the stages that are finished there
    tried = train(system, config, training)       # a model, and what it took
    record = scored(tried.model, held, metric)    # BLEU with statistics to resample

Trials of several settings share the stages that are the same for all; what those took counts for
each of them, since whoever trains that model alone has to do them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from demotic import files
from demotic.metrics import Bleu, Chrf
from demotic.systems import system_named
from demotic.systems.config import TrainingConfig
from demotic.systems.model import Model
from demotic.systems.stages import Training
from demotic.systems.work import WorkFolder, peak_memory

Line = TypeVar("Line")


@dataclass(frozen=True)
class Sentences:
    """What is translated, and the references, a sequence for each."""

    source: list[str]
    references: list[list[str]]


def halves(lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[Line]]:
    """A development set's half to tune on, and the half that settings are judged by: every other
    sentence, since neighbours are often alike."""
    return lines[::2], lines[1::2]


def begin(work: Path, finished: Sequence[Path]) -> None:
    """A work folder with the stages that are finished in the first folder that is there.

    ``work`` itself may be one of them: what a trial that was killed left half-done goes, lest its
    cost be counted in part.
    """
    for folder in finished:
        if folder.is_dir():
            with files.atomic_folder(work) as place:
                WorkFolder(folder, resume=True).copy(place)
            return
    with files.naming(work):
        work.parent.mkdir(parents=True, exist_ok=True)


@dataclass(frozen=True)
class Trained:
    """A model, and what it took as if no stage had been done before."""

    model: Model
    seconds: float
    """Of CPU time, all stages together."""
    stages: dict[str, float]
    """The same for each stage; ``rest`` for what belongs to none."""
    memory: int
    """The most bytes."""


def train(system: str, config: TrainingConfig, training: Training) -> Trained:
    """Train a model from the stages that are there."""
    begun = time.process_time()
    model = system_named(system).fit(training, config)
    spent = time.process_time() - begun
    stages = {stage.name: stage for stage in training.work.stages}
    seconds = {name: stage.cost.seconds for name, stage in stages.items()}
    done_here = sum(stage.cost.seconds for stage in stages.values() if stage.finished_here)
    seconds["rest"] = spent - done_here
    memory = max([peak_memory(), *(stage.cost.memory for stage in stages.values())])
    return Trained(model, sum(seconds.values()), seconds, memory)


def scored(model: Model, text: Sentences, metric: Bleu, threads: int) -> dict[str, Any]:
    """Translations with their scores, and with statistics to resample."""
    model.decoder  # noqa: B018 - opened before the clock starts
    begun = time.process_time()
    lines = [each.text for each in model.translate_lines(text.source, threads=threads)]
    seconds = time.process_time() - begun
    statistics = metric.statistics(lines, text.references)
    totals = statistics.sum(axis=0)
    return {
        "bleu": metric.corpus_value(statistics),
        "chrf": Chrf().score(lines, text.references).value,
        "length": float(totals[-2] / max(1.0, totals[-1])),
        "ms": 1000 * seconds / max(1, len(lines)),
        "signature": metric.signature(len(text.references)),
        "statistics": statistics.astype(int).tolist(),
        "lines": lines,
    }
