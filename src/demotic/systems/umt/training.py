"""The training of a UMT model, from two texts to learned weights.

The story is :func:`fit`; the stage of UMT's own is :func:`learn_weights`, which learns from
roll-outs on the development set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from demotic import files
from demotic.bundle import check_place
from demotic.corpus import Bitext
from demotic.decode import HieroDecoder, HieroSearch
from demotic.decode.undirected import UndirectedSearch
from demotic.errors import ArgumentError, CorruptFileError
from demotic.grammar import RuleTable
from demotic.learn import DrlOptions, TunerOptions
from demotic.lm import LanguageModel
from demotic.progress import SILENT, Progress
from demotic.systems.cdlm import confusion_column
from demotic.systems.finishing import keep
from demotic.systems.hiero.config import START
from demotic.systems.imputing import ImputedConfig
from demotic.systems.records import from_record, known
from demotic.systems.rules import decoder_of, extract_rules
from demotic.systems.stages import Training
from demotic.systems.text_stages import read_dev
from demotic.systems.tuning import encoded_dev, reweighted
from demotic.systems.umt.choice import Chooser
from demotic.systems.umt.config import Config
from demotic.systems.umt.learning import Learner
from demotic.systems.umt.model import UmtModel
from demotic.systems.umt.sparse import write_sparse
from demotic.systems.umt.start import holding
from demotic.systems.weights import read_weights, write_weights
from demotic.systems.work import Stage


def fit(training: Training, config: Config) -> UmtModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = training.align(text)
    rules = extract_rules(training, config.extract, text, links)
    lm = training.language_model(text)
    rules = confusion_column(training, config.cdlm, text, rules, lm)
    base = START
    if config.starts_from_mert and training.settled is None:
        base = mert_weights(training, config, text, rules, lm)
    weights = learn_weights(training, config, text, rules, lm, base)
    training.config = config = chosen(config, weights)
    return training.finish(UmtModel, [text, rules, lm, weights], config.search)


def mert_weights(
    training: Training, config: Config, text: Stage, rules: Stage, lm: Stage
) -> dict[str, float]:
    """The weights that tuning finds for cube pruning with the same rules and language model."""
    search = HieroSearch(span_limit=config.search.span_limit)
    decoder = decoder_of(HieroDecoder, rules, lm, search)
    stage = training.tune(
        text, [rules, lm], decoder, config.tune, START, search, file="mert-weights.json",
        sparse=False,
    )  # fmt: skip
    return read_weights(stage.path("mert-weights.json"))


def learn_weights(
    training: Training,
    config: Config,
    text: Stage,
    rules: Stage,
    lm: Stage,
    base: Mapping[str, float],
) -> Stage:
    """Weights, and the way to search that goes with them."""
    settings = [
        config.preset, config.features, asdict(config.search), asdict(config.learn),
        asdict(config.choice), config.seed, dict(base),
    ]  # fmt: skip
    if training.settled is not None:
        return keep(training, "learn", ["weights.json", "sparse.npz", "learning.json"])
    dev = training.development(text)
    stage = training.work.stage(
        "learn",
        settings,
        after=[dev, rules, lm],
        files=["weights.json", "sparse.npz", "learning.json"],
    )
    if stage.wanted:
        learner = Learner(
            rules=RuleTable.load(rules.path("rules.bin")),
            lm=LanguageModel.load(lm.path("lm.bin")),
            dev=read_dev(dev),
            seed=config.seed,
            threads=training.threads,
            reward=config.learn.reward,
            rewards=config.learn.rewards,
            memory=config.learn.memory,
            folder=training.work.folder,
            origin=" ".join(each.digest for each in (dev, rules, lm)),
            resume=training.resume,
            progress=training.progress,
        )
        choice = Chooser(learner, config, base)
        best = choice.run()
        write_weights(stage.path("weights.json"), best.weights)
        write_sparse(stage.path("sparse.npz"), best.sparse)
        record = {
            "chosen": best.to_record(),
            "trials": [trial.to_record() for trial in choice.trials],
        }
        files.write_lines(stage.path("learning.json"), [json.dumps(record, indent=1)])
        stage.finish()
    return stage


def chosen(config: Config, stage: Stage) -> Config:
    """The configuration with what a finished stage chose: how to search, and the rate."""
    record = json.loads(stage.path("learning.json").read_bytes())["chosen"]
    drl = from_record(DrlOptions, record["drl"])
    return replace(
        config,
        search=from_record(UndirectedSearch, record["search"]),
        learn=replace(config.learn, drl=drl),
    )


def tune(
    model: UmtModel,
    dev: Bitext,
    *,
    out: Path,
    references: Sequence[Sequence[str]] = (),
    options: TunerOptions | None = None,
    imputed: ImputedConfig | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> UmtModel:
    """A copy of a model that went on learning from its own weights, on another development set.

    Of ``options`` only the number of iterations counts: so many epochs.
    """
    check_place(out)
    if model.search.sparse_bits or model.weights.keys() - {*model.decoder.feature_names}:
        raise ArgumentError(
            "a model with sparse features does not learn again", remedy="train it again"
        )
    config = _config(model)
    if options is not None and type(options) is not type(config.tune.options):
        raise ArgumentError(
            "a model of the system umt learns again from its own roll-outs, by no other method",
            remedy="leave out the tuner",
        )
    if imputed is not None and imputed.text is not None:
        raise ArgumentError(
            "a model of the system umt learns again from the development set alone",
            remedy="leave out imputed sources",
        )
    # A model whose weights were left as they are has learned for no epoch.
    epochs = config.learn.drl.epochs or DrlOptions().epochs
    drl = replace(config.learn.drl, epochs=epochs if options is None else options.iterations)
    learner = Learner(
        rules=model.rules,
        lm=model.lm,
        dev=encoded_dev(model.source, model.target, dev, references),
        seed=seed,
        threads=threads,
        reward=config.learn.reward,
        rewards=config.learn.rewards,
        memory=config.learn.memory,
        progress=progress,
    )
    start = {name: model.weights.get(name, 0.0) for name in model.decoder.feature_names}
    trial = learner.learn(model.search, holding(start, drl, config.features, model.search), start)
    settings: dict[str, Any] = {**model.about.config}
    settings["learn"] = {**settings["learn"], "drl": asdict(drl)}
    return reweighted(model, trial.weights, settings, dev, out, threads, progress, references)


def _config(model: UmtModel) -> Config:
    try:
        return from_record(Config, known(Config, model.about.config))
    except (TypeError, ArgumentError) as error:
        raise CorruptFileError(
            f"the model's configuration cannot be read: {error}",
            path=model.bundle.folder,
            remedy="a model of another version of Demotic has to be trained again",
        ) from error
