"""The training of an Amasis model, from two texts to tuned weights.

The story is :func:`fit`; the stages of its own are :func:`item_table` and :func:`labels`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from demotic import _core, files
from demotic.align import Links, Text, pharaoh
from demotic.align.lexical import LexicalTable
from demotic.decode.amasis import AmasisDecoder
from demotic.grammar import RuleTable
from demotic.grammar.items import extract_items, label_corpora
from demotic.lm import LanguageModel, cluster
from demotic.progress import SILENT, Progress
from demotic.systems.amasis.config import Config
from demotic.systems.amasis.labels import learn_labels
from demotic.systems.amasis.model import AmasisModel, load_labels
from demotic.systems.classifiers import word_classifiers
from demotic.systems.rules_model import further_models, load_classifiers
from demotic.systems.stages import Training
from demotic.systems.tuning import tune
from demotic.systems.work import Stage

__all__ = ["corpora_for", "fit", "item_table", "label_model", "tune"]


def fit(training: Training, config: Config) -> AmasisModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = training.align(text)
    rules = item_table(training, config, text, links)
    labels = label_model(training, config, text, links)
    lm = training.language_model(text)
    further = training.further_models(text)
    if config.lm.bilingual:
        further.append(training.bilingual_model(text, links))
    further += word_classifiers(training, config.classifiers, text, links)
    decoder = _decoder(config, rules, labels, lm, further)
    parts = [rules, labels, lm, *further]
    weights = training.tune(text, parts, decoder, config.tune, config.start, config.search)
    return training.finish(AmasisModel, [text, *parts, weights], config.search)


def item_table(training: Training, config: Config, text: Stage, links: Stage) -> Stage:
    """Items with their scores (section 5 of the paper's system)."""
    stage = training.work.stage(
        "extract", asdict(config.extract), after=[text, links], files=["rules.bin", "items.json"]
    )
    if stage.wanted:
        source, target = Text.read(text.path("train.source")), Text.read(text.path("train.target"))
        aligned = pharaoh.read(links.path("train.align"))
        _, counts = extract_items(
            source,
            target,
            aligned,
            lexical=LexicalTable.estimate(source, target, aligned, progress=training.progress),
            options=config.extract,
            out=stage.path("rules.bin"),
            engine=training.engine,
            progress=training.progress,
        )
        files.write_lines(stage.path("items.json"), [json.dumps(asdict(counts))])
        stage.finish()
    return stage


def label_model(training: Training, config: Config, text: Stage, links: Stage) -> Stage:
    """Labels by SEARN."""
    stage = training.work.stage(
        "labels",
        [
            asdict(config.learn),
            config.extract.attach,
            config.extract.max_words,
            config.extract.compose,
            config.seed,
        ],
        after=[text, links],
        files=["labels.bin", "labels.json"],
    )
    if stage.wanted:
        source, target = Text.read(text.path("train.source")), Text.read(text.path("train.target"))
        classes = None
        if config.learn.features == "classes":
            classes = cluster(
                text.path("train.source"),
                classes=config.learn.classes,
                skip_special=True,
                threads=training.threads,
                progress=training.progress,
            )
        aligned = pharaoh.read(links.path("train.align"))
        corpora = corpora_for(
            source, target, aligned, config, classes=classes, progress=training.progress
        )
        record = learn_labels(
            corpora,
            source,
            target,
            config.learn,
            out=stage.path("labels.bin"),
            classes=classes,
            seed=config.seed,
            threads=training.threads,
            progress=training.progress,
            checkpoint=stage.path(f"searn-{stage.digest[:12]}.json"),
            resume=training.resume,
        )
        files.write_lines(stage.path("labels.json"), [json.dumps(record)])
        stage.finish()
    return stage


def corpora_for(
    source: Text,
    target: Text,
    links: Links,
    config: Config,
    *,
    classes: Mapping[str, int] | None = None,
    progress: Progress = SILENT,
) -> _core.LabelCorpora:
    """Items with their labels, as the configuration says what labels go by."""
    return label_corpora(
        source,
        target,
        links,
        options=config.extract,
        features=config.learn.features,
        stack=config.learn.stack,
        words=config.learn.loss == "bleu",
        classes=classes,
        min_count=config.learn.min_count,
        max_reductions=config.learn.max_reductions,
        holdout=config.learn.holdout,
        progress=progress,
    )


def _decoder(
    config: Config, rules: Stage, labels: Stage, lm: Stage, further: Sequence[Stage]
) -> Callable[[], AmasisDecoder]:
    """Makes a decoder from what stages left, when it is wanted; its weights come later."""

    def make() -> AmasisDecoder:
        parts = {name: stage.path(name) for stage in further for name in stage.files}
        return AmasisDecoder(
            RuleTable.load(rules.path("rules.bin")),
            LanguageModel.load(lm.path("lm.bin")),
            {},
            labels=load_labels(labels.path("labels.bin")),
            further=further_models(parts, verify=True),
            classifiers=load_classifiers(parts, verify=True),
            options=config.search,
        )

    return make
