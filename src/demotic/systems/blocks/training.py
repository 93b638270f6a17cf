"""Training of a block model.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from demotic._core import Links
from demotic.align import Text, align, pharaoh, symmetrise
from demotic.decode.blocks import BlockDecoder
from demotic.errors import ArgumentError
from demotic.grammar.blocks import BlockPairs, BlockTable, Projection, extract_blocks, load_pairs
from demotic.grammar.orientation import BlockEvents, block_events, orient
from demotic.lm import LanguageModel
from demotic.progress import SILENT, Progress
from demotic.systems.blocks.config import Config
from demotic.systems.blocks.learning import Learned, learn_local
from demotic.systems.blocks.model import BlocksModel
from demotic.systems.blocks.oracle import OracleEvents, oracle_events
from demotic.systems.blocks.rows import ROWS
from demotic.systems.stages import Training, read_dev
from demotic.systems.tuning import tune
from demotic.systems.weights import write_weights
from demotic.systems.work import Stage

__all__ = ["BlockTraining", "fit", "learn_row", "tune"]


def fit(training: Training, config: Config) -> BlocksModel:
    """Train a model and write it; nothing is there before it is complete."""
    text = training.prepare()
    links = directions(training, config, text)
    lm = training.language_model(text)
    blocks = block_stage(training, config, text, links)
    weights = training.work.stage(
        "learn",
        [config.preset, asdict(config.events), asdict(config.learn), asdict(config.decode),
         config.seed],
        after=[text, blocks, lm],
        files=["weights.json", "pairs.bin"],
    )  # fmt: skip
    if weights.wanted:
        material = BlockTraining(
            Text.read(text.path("train.source")),
            Text.read(text.path("train.target")),
            read_links(links, config),
            BlockTable.load(blocks.path("blocks.bin")),
            load_pairs(blocks.path("seen.bin")),
            LanguageModel.load(lm.path("lm.bin")),
            config,
            training.engine.temp,
            training.engine.memory,
            training.threads,
            training.progress,
        )
        held_out = read_dev(text)
        found = learn_row(
            material, config.preset, held_out.source, [[line] for line in held_out.reference]
        )
        write_weights(weights.path("weights.json"), found.learned.weights)
        found.pairs.save_binary(str(weights.path("pairs.bin")))
        weights.finish()
    training.bundle("blocks", [text, blocks, lm, weights], BlocksModel, config.decode)
    return training.finish(BlocksModel)


# -- stages ---------------------------------------------------------------------------------------


def directions(training: Training, config: Config, text: Stage) -> Stage:
    """Links; for projection, those that both directions have and those that one of them has."""
    if config.blocks.extraction == "consistent":
        return training.align(text)
    if config.align.file is not None:
        raise ArgumentError(
            "projection needs links in both directions, not a file of them",
            remedy="leave the alignment to Demotic, or take consistent blocks",
        )
    stage = training.work.stage(
        "directions",
        asdict(config.align),
        after=[text],
        files=["intersection.align", "union.align"],
    )
    if stage.wanted:
        found = align(
            Text.read(text.path("train.source")),
            Text.read(text.path("train.target")),
            method=config.align.method,
            threads=training.threads,
            progress=training.progress,
        )
        assert found.forward is not None
        assert found.backward is not None
        for name in ("intersection", "union"):
            links = symmetrise(found.forward, found.backward, name, threads=training.threads)
            pharaoh.write(stage.path(f"{name}.align"), links)
        stage.finish()
    return stage


def read_links(stage: Stage, config: Config) -> tuple[Links, Projection | None]:
    """The links that :func:`directions` left."""
    if config.blocks.extraction == "consistent":
        return pharaoh.read(stage.path("train.align")), None
    both = Projection(
        pharaoh.read(stage.path("intersection.align")), pharaoh.read(stage.path("union.align"))
    )
    return both.intersection, both


def block_stage(training: Training, config: Config, text: Stage, links: Stage) -> Stage:
    """Blocks with orientation counts, and the pairs that may become features."""
    stage = training.work.stage(
        "blocks",
        [asdict(config.blocks), asdict(config.events)],
        after=[text, links],
        files=["blocks.bin", "seen.bin"],
    )
    if stage.wanted:
        source = Text.read(text.path("train.source"))
        target = Text.read(text.path("train.target"))
        given, projection = read_links(links, config)
        table = extract_blocks(
            source, target, given, options=config.blocks, projection=projection,
            progress=training.progress,
        )  # fmt: skip
        oriented = orient(
            table, source, target, given, options=config.events, block_options=config.blocks,
            projection=projection, threads=training.threads, progress=training.progress,
        )  # fmt: skip
        oriented.blocks.save(stage.path("blocks.bin"))
        oriented.pairs.save_binary(str(stage.path("seen.bin")))
        stage.finish()
    return stage


# -- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BlockTraining:
    """What rows are trained from."""

    source: Text
    target: Text
    links: tuple[Links, Projection | None]
    blocks: BlockTable
    pairs: BlockPairs
    """Those that may become features."""
    lm: LanguageModel
    config: Config
    temp: Path | None = None
    memory: int = 1 << 30
    threads: int = 1
    progress: Progress = SILENT

    def events(self, *, pairs: bool) -> BlockEvents:
        """The events of the training text."""
        return self._with_pairs if pairs else self._without_pairs

    @cached_property
    def _with_pairs(self) -> BlockEvents:
        return self._events(self.pairs)

    @cached_property
    def _without_pairs(self) -> BlockEvents:
        if "_with_pairs" in vars(self):
            return self._with_pairs  # pairs are passed over where they do not learn
        return self._events(None)

    def _events(self, pairs: BlockPairs | None) -> BlockEvents:
        links, projection = self.links
        return block_events(
            self.blocks, self.source, self.target, links, lm=self.lm, pairs=pairs,
            options=self.config.events, block_options=self.config.blocks, projection=projection,
            folder=self.temp, memory=self.memory, threads=self.threads, progress=self.progress,
        )  # fmt: skip

    def decoder(self, row: str, found: RowResult) -> BlockDecoder:
        """The decoder of a row."""
        options = replace(self.config.decode, reorder=ROWS[row].reorder)
        return BlockDecoder(
            self.blocks, self.lm, found.learned.weights, pairs=found.pairs, options=options
        )


@dataclass(frozen=True, eq=False)
class RowResult:
    """A trained row; rows 6 to 9 with the events of their oracles."""

    learned: Learned
    pairs: BlockPairs
    oracle: OracleEvents | None = None


def learn_row(
    material: BlockTraining,
    name: str,
    dev_source: Sequence[str],
    dev_references: Sequence[Sequence[str]],
    *,
    joint: RowResult | None = None,
) -> RowResult:
    """Train a row of the paper's table 2; rows 6 to 9 learn their real-valued features on dev.

    ``joint`` is row 5, if it is there already (step 1 of the modified training).
    """
    row, config = ROWS[name], material.config
    how = {"seed": config.seed, "threads": material.threads, "progress": material.progress}
    if row.floats == "training":
        learned = learn_local(
            material.events(pairs=row.pairs),
            row,
            config.learn,
            **how,  # type: ignore[arg-type]
        )
        return RowResult(learned, _weighted(material, row.pairs, learned))
    joint = joint or learn_row(material, "row5", dev_source, dev_references)
    oracles = oracle_events(
        material.decoder("row5", joint),
        dev_source,
        dev_references,
        config.events,
        list_size=config.learn.list_size,
        threads=material.threads,
        progress=material.progress,
    )
    material.progress.say(
        f"{oracles.count:,} events of oracles (BLEU {oracles.bleu:.2f} instead of "
        f"{oracles.first_bleu:.2f}), {oracles.alone:,} with one candidate"
    )
    floats = learn_local(
        oracles.events,
        ROWS["row4"],
        config.learn,
        options=config.learn.oracle,
        before=joint.learned.weights,
        **how,  # type: ignore[arg-type]
    )
    if not row.pairs:
        return RowResult(floats, _weighted(material, False, floats), oracles)
    learned = learn_local(
        material.events(pairs=True),
        row,
        config.learn,
        frozen=floats.weights,
        **how,  # type: ignore[arg-type]
    )
    return RowResult(learned, _weighted(material, True, learned), oracles)


def _weighted(material: BlockTraining, pairs: bool, learned: Learned) -> BlockPairs:
    from demotic.grammar.blocks import no_pairs

    return material.pairs.with_weights(learned.pairs) if pairs else no_pairs()
