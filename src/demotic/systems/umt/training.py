"""The training of an UMT model, from two texts to learned weights."""

from __future__ import annotations

from pathlib import Path

from demotic.corpus import Bitext
from demotic.learn import MertOptions
from demotic.progress import SILENT, Progress
from demotic.systems.hiero import START, extract_rules
from demotic.systems.stages import Training
from demotic.systems.umt.config import Config
from demotic.systems.umt.model import UmtModel
from demotic.systems.umt.stages import chosen, learn_again, learn_weights, mert_weights


def fit(training: Training, config: Config) -> UmtModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = training.align(text)
    rules = extract_rules(training, config.grammar, text, links)
    lm = training.language_model(text)
    base = START
    if config.starts_from_mert:
        base = mert_weights(training, config, text, rules, lm)
    weights = learn_weights(training, config, text, rules, lm, base)
    training.config = config = chosen(config, weights)
    training.bundle("umt", [text, rules, lm, weights], UmtModel, config.decode)
    return training.finish(UmtModel)


def tune(
    model: UmtModel,
    dev: Bitext,
    *,
    out: Path,
    options: MertOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> UmtModel:
    """A copy of a model that went on learning, on another development set.

    Of ``options`` only the number of iterations counts: so many epochs.
    """
    epochs = options.iterations if options is not None else None
    return learn_again(
        model, dev, out=out, epochs=epochs, seed=seed, threads=threads, progress=progress
    )
