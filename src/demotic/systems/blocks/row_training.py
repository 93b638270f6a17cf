"""Training of the rows of the paper's table 2, from events to weights.

material = BlockTraining(source, target, links, blocks, pairs, lm, config)
row5 = learn_row(material, "row5")
row6 = learn_row(material, "row6", dev, joint=row5)      # learns on the oracles of dev
row7 = learn_row(material, "row7", dev, floats=row6)     # pairs, on top of row 6
material.decoder("row7", row7).decode("das haus")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from demotic._core import Links
from demotic.align import Text
from demotic.decode.blocks import BlockDecoder
from demotic.errors import ArgumentError
from demotic.grammar.blocks import BlockPairs, BlockTable, Projection, no_pairs
from demotic.grammar.orientation import BlockEvents, block_events
from demotic.learn import SgdOptions
from demotic.lm import LanguageModel
from demotic.progress import SILENT, Progress
from demotic.systems.blocks.config import Config
from demotic.systems.blocks.learning import Learned, learn_local, warn_of_signs
from demotic.systems.blocks.lengths import learn_lengths
from demotic.systems.blocks.oracle import OracleEvents, corpus_bleu, oracle_events
from demotic.systems.blocks.rows import ROWS

STEPS: dict[str, SgdOptions] = {
    **{f"{eta:g}": SgdOptions(unit="event", eta_float=eta) for eta in (1e-5, 1e-3, 1e-2)},
    "AdaGrad 0.1": SgdOptions(unit="event", adagrad=True, eta_float=0.1),
}
"""Steps on the events of oracles, which are too few for those of the training text; which of them
is taken, BLEU on the development set says.  The first one is the paper's."""


@dataclass(frozen=True)
class Sentences:
    """What to translate, and one or more translations of each."""

    source: Sequence[str]
    references: Sequence[Sequence[str]]

    @classmethod
    def of(cls, source: Sequence[str], reference: Sequence[str]) -> Sentences:
        """With one translation each."""
        return cls(source, [[line] for line in reference])

    def bleu(self, lines: Sequence[str]) -> float:
        """Of translations, in tokens."""
        return corpus_bleu(lines, self.references)


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
    folds: tuple[LanguageModel, ...] = ()
    """Models that price the training text; without any, ``lm`` does."""
    sentences: tuple[str, ...] = ()
    """Source sentences: only blocks that these can use make events (``learn.only=dev``)."""
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
        learn = self.config.learn
        sentences = self.sentences if learn.only == "dev" and self.sentences else None
        found = self._events_of(sentences, learn.min_count, pairs)
        if len(found.successors) == 0 and (sentences is not None or learn.min_count > 1):
            kind = "that the development set can use" if sentences else "that was seen often enough"
            self.progress.warn(f"no block {kind} follows another: all are used")
            return self._events_of(None, 1, pairs)
        return found

    def _events_of(
        self, sentences: Sequence[str] | None, least: int, pairs: BlockPairs | None
    ) -> BlockEvents:
        links, projection = self.links
        return block_events(
            self.blocks, self.source, self.target, links, lm=self.folds or self.lm, pairs=pairs,
            sentences=sentences, least=least, options=self.config.events,
            extraction=self.config.extract, projection=projection, folder=self.temp,
            memory=self.memory, threads=self.threads, progress=self.progress,
        )  # fmt: skip

    def with_config(self, config: Config) -> BlockTraining:
        """The same blocks and events, to be learned from or decoded with in another way."""

        def of_events(known: Config) -> list[object]:
            return [known.extract, known.events, known.learn.only, known.learn.min_count]

        if of_events(config) != of_events(self.config):
            raise ArgumentError("events of other settings are other events")
        made = replace(self, config=config)
        kept = ("_with_pairs", "_without_pairs")
        vars(made).update({name: vars(self)[name] for name in kept if name in vars(self)})
        return made

    def decoder(self, row: str, found: RowResult) -> BlockDecoder:
        """The decoder of a row."""
        options = replace(self.config.search, reorder=ROWS[row].reorder)
        return BlockDecoder(
            self.blocks, self.lm, found.learned.weights, pairs=found.pairs, options=options
        )


@dataclass(frozen=True, eq=False)
class RowResult:
    """A trained row; rows 6 to 9 with the events of their oracles."""

    learned: Learned
    pairs: BlockPairs
    oracle: OracleEvents | None = None
    tried: dict[str, float] = field(default_factory=dict)
    """BLEU of each kind of step on the sentences whose oracles were learned from; the best was
    taken."""


def learn_row(
    material: BlockTraining,
    name: str,
    dev: Sentences | None = None,
    *,
    joint: RowResult | None = None,
    floats: RowResult | None = None,
) -> RowResult:
    """Train a row of the paper's table 2; rows 6 to 9 learn their real-valued features on dev.

    ``joint`` is row 5, if it is there already (step 1 of the modified training), and ``floats``
    row 6 or 8, for row 7 or 9.
    """
    row, config = ROWS[name], material.config
    if row.floats == "training":
        events = material.events(pairs=row.pairs)
        learned = learn_local(
            events, row, config.learn, seed=config.seed, threads=material.threads,
            progress=material.progress,
        )  # fmt: skip
        warn_of_signs(
            learned, len(events.successors) + len(events.neutral), material.progress,
            remedy="learn.neutral=tied, or a preset that learns from the development set "
            "(row6, tuned), may help",
        )  # fmt: skip
        return RowResult(learned, _weighted(material, row.pairs, learned))
    if floats is None:
        if dev is None:
            raise ArgumentError(f"{name} learns on a development set, and there is none")
        joint = joint or learn_row(material, "row5")
        floats = _learn_oracles(material, joint, dev)
    if not row.pairs:
        return floats
    learned = learn_local(
        material.events(pairs=True), row, config.learn, frozen=floats.learned.weights,
        seed=config.seed, threads=material.threads, progress=material.progress,
    )  # fmt: skip
    return RowResult(learned, _weighted(material, True, learned), floats.oracle, floats.tried)


def _learn_oracles(material: BlockTraining, joint: RowResult, dev: Sentences) -> RowResult:
    """Steps 1 to 5 of the modified training."""
    config, say = material.config, material.progress.say
    oracles = oracle_events(
        material.decoder("row5", joint), dev.source, dev.references, config.events,
        list_size=config.learn.list_size, lengths=config.learn.rivals == "lengths",
        threads=material.threads, progress=material.progress,
    )  # fmt: skip
    say(
        f"{oracles.count:,} events of oracles (BLEU {oracles.bleu:.2f} instead of "
        f"{oracles.first_bleu:.2f}), {oracles.alone:,} with one candidate"
    )

    how = learn_lengths if config.learn.rivals == "lengths" else learn_local

    def learn(options: SgdOptions) -> RowResult:
        learned = how(
            oracles.events,
            ROWS["row4"],
            config.learn,
            options=options,
            before=joint.learned.weights,
            seed=config.seed,
            threads=material.threads,
        )
        return RowResult(learned, no_pairs(), oracles)

    if config.learn.oracle_steps == "fixed":
        chosen = learn(config.learn.oracle)
    else:
        found = {name: learn(options) for name, options in STEPS.items()}
        bleu = {}
        with material.progress.step("choosing steps", len(found), "kinds") as advance:
            for name, result in found.items():
                decoder = material.decoder("row6", result)
                lines = decoder.decode_lines(dev.source, threads=material.threads)
                bleu[name] = dev.bleu([each.text for each in lines])
                advance(1)
        best = max(bleu, key=lambda name: bleu[name])
        say(f"steps: {best} (BLEU {', '.join(f'{n} {v:.2f}' for n, v in bleu.items())})")
        chosen = replace(found[best], tried=bleu)
    warn_of_signs(
        chosen.learned, oracles.count, material.progress,
        remedy="a larger development set may help, or a preset that learns from the training text "
        "(row4, row5)",
    )  # fmt: skip
    return chosen


def _weighted(material: BlockTraining, pairs: bool, learned: Learned) -> BlockPairs:
    return material.pairs.with_weights(learned.pairs) if pairs else no_pairs()
