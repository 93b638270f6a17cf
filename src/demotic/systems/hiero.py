"""Hiero: hierarchical phrase-based translation (Chiang 2007), from two texts to a tuned model.

    model = fit(bitext, dev, Config(), out=Path("de-en.demotic"))

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, replace
from pathlib import Path

from demotic.bundle import Bundle, check_place
from demotic.corpus import Bitext, split
from demotic.learn import MertOptions, mert
from demotic.progress import SILENT, Progress
from demotic.systems.hiero_config import Config, TuneConfig
from demotic.systems.hiero_model import HieroModel, open_model
from demotic.systems.hiero_stages import Training, encoded_dev, write_weights
from demotic.systems.tuning import TuningTask, check_dev_size

__all__ = ["Config", "TuneConfig", "fit", "open_model", "tune"]


def fit(
    bitext: Bitext,
    dev: Bitext | None,
    config: Config,
    *,
    out: Path,
    work: Path | None = None,
    resume: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> HieroModel:
    """Train a model and write it to ``out``; nothing is there before it is complete."""
    check_place(out)
    if dev is None:
        bitext, dev = _held_out(bitext, config, progress)
    check_dev_size(len(dev))
    training = Training(config, _work_folder(out, work), resume, threads, progress)
    text = training.prepare(bitext, dev)
    links = training.align(text)
    rules = training.extract(text, links)
    lm = training.language_model(text)
    weights = training.tune(text, rules, lm)
    training.bundle([text, rules, lm, weights], bitext, dev, out)
    if work is None:
        training.work.remove()
    return open_model(Bundle.open(out))


def tune(
    model: HieroModel,
    dev: Bitext,
    *,
    out: Path,
    options: MertOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> HieroModel:
    """A copy of a model with its weights tuned again, on another development set."""
    check_place(out)
    config = TuneConfig(mert=options or MertOptions())
    task = TuningTask(
        model.rules, model.lm, model.decoder_options, encoded_dev(model.source, model.target, dev),
        config.candidates, config.list_size, threads,
    )  # fmt: skip
    found = mert(
        task, model.weights, options=config.mert, seed=seed, threads=threads, progress=progress
    )
    tuned = model.with_weights(found.weights)
    about = replace(
        model.about,
        config={**model.about.config, "tune": asdict(config)},
        dev=tuned.score(dev, threads=threads, progress=progress),
    )
    with Bundle.create(out, about) as folder:
        for part in model.bundle.parts:
            shutil.copyfile(model.bundle.path(part), folder / part)
        write_weights(folder / "weights.json", found.weights)
    return open_model(Bundle.open(out))


def _held_out(bitext: Bitext, config: Config, progress: Progress) -> tuple[Bitext, Bitext]:
    size = min(config.dev_size, len(bitext) // 10)
    parts = split(bitext, dev=size, test=0, seed=config.seed, progress=progress)
    return parts.train, parts.dev


def _work_folder(out: Path, work: Path | None) -> Path:
    """Beside the model, so that it is on a disk that has room."""
    return work if work is not None else out.with_name(f"{out.name}.work")
