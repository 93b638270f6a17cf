"""Training of a block model.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

from dataclasses import asdict

from demotic._core import Links
from demotic.align import Text, pharaoh
from demotic.decode.blocks import FIXED, BlockDecoder
from demotic.grammar.blocks import BlockTable, Projection, extract_blocks, load_pairs, save_pairs
from demotic.grammar.orientation import Oriented, orient
from demotic.lm import LanguageModel
from demotic.progress import Progress
from demotic.systems.blocks.config import Config
from demotic.systems.blocks.folds import fold_models, fold_stage
from demotic.systems.blocks.model import BlocksModel
from demotic.systems.blocks.row_training import BlockTraining, Sentences, learn_row
from demotic.systems.directions import INTERSECTION, UNION
from demotic.systems.directions import directions as both_directions
from demotic.systems.stages import Training
from demotic.systems.text_stages import read_dev
from demotic.systems.tuning import tune
from demotic.systems.weights import read_weights, write_weights
from demotic.systems.work import Stage

__all__ = ["fit", "tune"]

LEARNED = "learned.json"
"""Weights before they are tuned."""


def fit(training: Training, config: Config) -> BlocksModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = directions(training, config, text)
    lm = training.language_model(text)
    folds = fold_stage(training, config, text)
    blocks = block_stage(training, config, text, links)
    weights = learn_stage(training, config, text, links, blocks, lm, folds)
    stages = [text, blocks, lm, weights]
    if config.row.tuned:
        start = read_weights(weights.path(LEARNED))

        def decoder() -> BlockDecoder:
            return BlockDecoder(
                BlockTable.load(blocks.path("blocks.bin")),
                LanguageModel.load(lm.path("lm.bin")),
                start,
                pairs=load_pairs(weights.path("pairs.bin")),
                options=config.search,
            )

        stages.append(
            training.tune(
                text, [blocks, lm, weights], decoder, config.tune, {**FIXED, **start}, config.search
            )
        )
    return training.finish(BlocksModel, stages, config.search)


# -- stages ---------------------------------------------------------------------------------------


def directions(training: Training, config: Config, text: Stage) -> Stage:
    """Links; for projection, those that both directions have and those that one of them has."""
    if config.extract.method == "consistent":
        return training.align(text)
    return both_directions(training, text)


def read_links(stage: Stage, config: Config) -> tuple[Links, Projection | None]:
    """The links that :func:`directions` left."""
    if config.extract.method == "consistent":
        return pharaoh.read(stage.path("train.align")), None
    both = Projection(pharaoh.read(stage.path(INTERSECTION)), pharaoh.read(stage.path(UNION)))
    return both.intersection, both


def learn_stage(
    training: Training,
    config: Config,
    text: Stage,
    links: Stage,
    blocks: Stage,
    lm: Stage,
    folds: Stage,
) -> Stage:
    """The weights that the preset's row learns; where they are tuned later, under another name."""
    file = LEARNED if config.row.tuned else "weights.json"
    dev = training.development(text)
    stage = training.work.stage(
        "learn",
        [config.preset, asdict(config.events), asdict(config.learn), asdict(config.search),
         config.seed],
        after=[dev, blocks, lm, folds],
        files=[file, "pairs.bin"],
    )  # fmt: skip
    if stage.wanted:
        held_out = read_dev(dev)
        material = BlockTraining(
            Text.read(text.path("train.source")),
            Text.read(text.path("train.target")),
            read_links(links, config),
            BlockTable.load(blocks.path("blocks.bin")),
            load_pairs(blocks.path("seen.bin")),
            LanguageModel.load(lm.path("lm.bin")),
            config,
            fold_models(folds),
            tuple(held_out.source),
            training.engine.temp,
            training.engine.memory,
            training.threads,
            training.progress,
        )
        found = learn_row(
            material, config.preset, Sentences.of(held_out.source, held_out.reference)
        )
        write_weights(stage.path(file), found.learned.weights)
        save_pairs(found.pairs, stage.path("pairs.bin"))
        stage.finish()
    return stage


def block_stage(training: Training, config: Config, text: Stage, links: Stage) -> Stage:
    """Blocks with orientation counts, and the pairs that may become features."""
    stage = training.work.stage(
        "blocks",
        [asdict(config.extract), asdict(config.events)],
        after=[text, links],
        files=["blocks.bin", "seen.bin"],
    )
    if stage.wanted:
        source = Text.read(text.path("train.source"))
        target = Text.read(text.path("train.target"))
        oriented = oriented_blocks(
            source, target, read_links(links, config), config,
            threads=training.threads, progress=training.progress,
        )  # fmt: skip
        oriented.blocks.save(stage.path("blocks.bin"))
        save_pairs(oriented.pairs, stage.path("seen.bin"))
        stage.finish()
    return stage


def oriented_blocks(
    source: Text,
    target: Text,
    links: tuple[Links, Projection | None],
    config: Config,
    *,
    threads: int,
    progress: Progress,
) -> Oriented:
    """The blocks of aligned text with their orientation counts, and pairs of them."""
    given, projection = links
    table = extract_blocks(
        source, target, given, options=config.extract, projection=projection, threads=threads,
        progress=progress,
    )  # fmt: skip
    return orient(
        table, source, target, given, options=config.events, extraction=config.extract,
        projection=projection, folder=config.engine.temp, memory=config.engine.memory,
        threads=threads, progress=progress,
    )  # fmt: skip
