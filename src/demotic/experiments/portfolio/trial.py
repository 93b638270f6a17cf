"""One trial: a system is trained on a set under a setting with a seed, and measured.

It runs in a process of its own, so that its memory is its own, too.  Stages that another trial of
the set has finished under the same settings are used again (``systems/trials.py``).
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from demotic.errors import DemoticError
from demotic.experiments.portfolio.texts import Texts
from demotic.systems import configured
from demotic.systems.model import Model
from demotic.systems.quality import metric_for
from demotic.systems.stages import Training
from demotic.systems.trials import Sentences, scored, train


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What is trained, and on what."""

    texts: Texts
    system: str
    settings: Mapping[str, Any]
    """A record of all that differs from the defaults, with the seed."""
    work: Path
    """Folder of stages, some of them perhaps done already."""
    tune: bool = True
    """Is training given something to tune on?"""
    threads: int = 1

    def run(self) -> dict[str, Any]:
        """Train and measure in a process of its own, which ends when this one is told to."""
        context = get_context("spawn")
        stop = context.Event()
        with ProcessPoolExecutor(
            1, mp_context=context, initializer=_watch, initargs=(os.getpid(), stop)
        ) as pool:
            try:
                return pool.submit(measure, self).result()
            except BrokenProcessPool:
                raise DemoticError(
                    "the process that trained ended before its time", path=self.work,
                    remedy="perhaps there is too little memory; finished trials are kept",
                ) from None  # fmt: skip
            except (KeyboardInterrupt, SystemExit):
                stop.set()  # or leaving the pool waits until the trial is done
                raise


def _watch(parent: int, stop: Event) -> None:
    """Work as long as somebody waits for it: whoever is killed may be started again at once."""

    def watch() -> None:
        while not stop.wait(0.5):
            if os.getppid() != parent:
                break
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def measure(trial: Trial) -> dict[str, Any]:
    """Train, translate the halves of the development set and the test set, and score."""
    config = configured(trial.system, trial.settings)
    texts = trial.texts
    with tempfile.TemporaryDirectory(prefix="model-", dir=trial.work.parent) as place:
        training = Training(
            texts.train, texts.tune if trial.tune else None, config,
            out=Path(place) / "model", work=trial.work,
            resume=True, memory=False, threads=trial.threads,
        )  # fmt: skip
        trained = train(trial.system, config, training)
        model = trained.model
        metric = metric_for(texts.target_language, tokenised=config.tokenised)
        tune = texts.tune
        tuned = Sentences(list(tune.source_lines()), [list(tune.target_lines())])
        return {
            "tuned": scored(model, tuned, metric, trial.threads),
            "held": scored(model, texts.held, metric, trial.threads),
            "test": scored(model, texts.test, metric, trial.threads),
            "seconds": trained.seconds,
            "stages": trained.stages,
            "memory": trained.memory,
            "bytes": sum(path.stat().st_size for path in model.bundle.folder.iterdir()),
            "rules": _rules(model),
        }


def _rules(model: Model) -> int | None:
    """How many rules, phrases or blocks there are."""
    for name in ("rules", "blocks"):
        table: Sequence[Any] | None = getattr(model, name, None)
        if table is not None:
            return len(table)
    return None
