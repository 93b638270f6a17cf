"""The training of a Hiero model, from two texts to a tuned translator.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

from demotic.decode import HieroDecoder
from demotic.systems.cdlm import confusion_column
from demotic.systems.classifiers import word_classifiers
from demotic.systems.hiero.config import START, Config
from demotic.systems.hiero.model import HieroModel
from demotic.systems.pruning import prune_rules
from demotic.systems.rules import decoder_of, extract_rules
from demotic.systems.stages import Training
from demotic.systems.tuning import tune

__all__ = ["fit", "tune"]


def fit(training: Training, config: Config) -> HieroModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = training.align(text)
    rules = extract_rules(training, config.extract, text, links)
    lm = training.language_model(text)
    rules = confusion_column(training, config.cdlm, text, rules, lm)
    further = training.further_models(text)
    further += word_classifiers(training, config.classifiers, text, links)
    decoder = decoder_of(HieroDecoder, rules, lm, config.search, further)
    weights = training.tune(text, [rules, lm, *further], decoder, config.tune, START, config.search)
    others = [lm, *further]
    kept = prune_rules(training, config.prune, rules, decoder, others, weights)
    return training.finish(HieroModel, [text, rules, kept, *others, weights], config.search)
