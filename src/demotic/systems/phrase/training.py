"""Training of a phrase model.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict

from demotic import files
from demotic.decode import PhraseDecoder
from demotic.grammar import RuleTable
from demotic.systems.hiero.stages import decoder_of, extract_rules
from demotic.systems.phrase.config import START, Config, PhraseTableConfig
from demotic.systems.phrase.model import PhraseModel
from demotic.systems.stages import Training, fingerprint_file
from demotic.systems.tuning import tune
from demotic.systems.work import Stage

__all__ = ["fit", "phrase_table", "tune"]


def fit(training: Training, config: Config) -> PhraseModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    rules = phrase_table(training, config.phrases, text)
    lm = training.language_model(text)
    decoder = decoder_of(PhraseDecoder, rules, lm, config.decode)
    weights = training.mert(text, [rules, lm], decoder, config.tune, START, config.decode)
    training.bundle("phrase", [text, rules, lm, weights], PhraseModel, config.decode)
    return training.finish(PhraseModel)


def phrase_table(training: Training, config: PhraseTableConfig, text: Stage) -> Stage:
    """Phrases extracted from the aligned text, or those of a table that somebody else made."""
    if config.table is None:
        return extract_rules(training, config.extraction(), text, training.align(text))
    stage = training.work.stage(
        "extract",
        [asdict(config), fingerprint_file(config.table)],
        after=[text],
        files=["rules.bin"],
    )
    if stage.wanted:
        out = stage.path("rules.bin")
        if config.table.suffix == ".bin":
            RuleTable.load(config.table, verify=True)
            with files.naming(config.table):
                shutil.copyfile(config.table, out)
        else:
            RuleTable.from_text(config.table, out=out, progress=training.progress)
        stage.finish()
    return stage
