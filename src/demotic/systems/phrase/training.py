"""Training of a phrase model.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict

from demotic import files
from demotic.decode import PhraseDecoder
from demotic.grammar import PhraseExtraction, RuleTable
from demotic.systems.cdlm import confusion_column
from demotic.systems.classifiers import word_classifiers
from demotic.systems.phrase.config import START, Config
from demotic.systems.phrase.model import PhraseModel
from demotic.systems.rules import decoder_of, extract_rules
from demotic.systems.stages import Training
from demotic.systems.text_stages import fingerprint_file
from demotic.systems.tuning import tune
from demotic.systems.work import Stage

__all__ = ["fit", "phrase_table", "tune"]


def fit(training: Training, config: Config) -> PhraseModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    rules = phrase_table(training, config.extract, text)
    lm = training.language_model(text)
    rules = confusion_column(training, config.cdlm, text, rules, lm)
    further = training.further_models(text)
    if config.lm.bilingual:
        further.append(training.bilingual_model(text, training.align(text)))
    if config.classifiers.method != "off":
        further += word_classifiers(training, config.classifiers, text, training.align(text))
    decoder = decoder_of(PhraseDecoder, rules, lm, config.search, further)
    weights = training.tune(text, [rules, lm, *further], decoder, config.tune, START, config.search)
    return training.finish(PhraseModel, [text, rules, lm, *further, weights], config.search)


def phrase_table(training: Training, options: PhraseExtraction, text: Stage) -> Stage:
    """Phrases extracted from the aligned text, or those of a table that somebody else made."""
    if options.table is None:
        return extract_rules(training, options.as_rules(), text, training.align(text))
    stage = training.work.stage(
        "extract",
        [asdict(options), fingerprint_file(options.table)],
        after=[text],
        files=["rules.bin"],
    )
    if stage.wanted:
        out = stage.path("rules.bin")
        if options.table.suffix == ".bin":
            RuleTable.load(options.table, verify=True)
            # Not into the file that is there: another folder or a model may hold the same one.
            with files.atomic_path(out) as temporary, files.naming(options.table):
                shutil.copyfile(options.table, temporary)
        else:
            RuleTable.from_text(options.table, out=out, progress=training.progress)
        if options.sparse.templates:
            table = RuleTable.load(out)
            table.with_templates(options.sparse, out=out, progress=training.progress)
        stage.finish()
    return stage
