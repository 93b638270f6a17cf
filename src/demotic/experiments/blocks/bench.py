"""The work bench: aligned text, a trigram model, blocks under some reading of the paper."""

from __future__ import annotations

import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from demotic.align import Text
from demotic.corpus import Orthography
from demotic.decode import BlockDecoder
from demotic.experiments.data import DataFolder
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.grammar import BlockExtraction, EventOptions
from demotic.lm import LanguageModel
from demotic.metrics import Bleu, confidence_interval
from demotic.systems.blocks.config import Config, LearnConfig
from demotic.systems.blocks.folds import fold_models, fold_stage
from demotic.systems.blocks.row_training import BlockTraining, RowResult, Sentences, learn_row
from demotic.systems.blocks.training import directions, oriented_blocks, read_links
from demotic.systems.config import TrainingConfig
from demotic.systems.model import Model
from demotic.systems.stages import Training
from demotic.systems.tuning import DevSet, encoded_dev
from demotic.systems.work import Stage

LITERAL = EventOptions()
"""The paper to the letter: strings matched anywhere, costs by word in decoding alone."""
OURS = Config().events
"""Blocks where the links give them, costs by word in training, too."""
PLAIN = BlockExtraction()
BLOCKS = Config().extract
"""Those of the system."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read the paper."""

    events: EventOptions = OURS
    extract: BlockExtraction = PLAIN
    search: Mapping[str, Any] | None = None
    """Options of the decoder that differ."""
    learn: Mapping[str, Any] | None = None
    """Settings of learning that differ; all blocks make events unless it says otherwise."""

    def key(self) -> Any:
        """What a result depends on."""
        learn = {name: str(value) for name, value in (self.learn or {}).items()}
        return [asdict(self.events), asdict(self.extract), dict(self.search or {}), learn]


@dataclass(eq=False)
class Bench:
    """What every part of the experiment needs."""

    setup: Setup
    data: DataFolder
    parts: Parts

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of a quick run only the first."""
        return self.setup.seeds[:1] if self.setup.quick else self.setup.seeds

    @cached_property
    def config(self) -> Config:
        """Settings that all readings share."""
        return Config(tokenised=self.setup.tokenised)

    def training(self, config: TrainingConfig, name: str, *, work: str) -> Training:
        """The training of a model on this data, from the stages that are in the folder already."""
        setup = self.setup
        return Training(
            self.data.train, self.data.dev, config, out=setup.out / name, work=setup.out / work,
            resume=True, memory=False, threads=setup.threads, progress=setup.progress,
        )  # fmt: skip

    @cached_property
    def _stages(self) -> tuple[Training, Stage, Stage]:
        training = self.training(self.config, "model", work="work")
        text = training.prepare()
        return training, text, training.language_model(text)

    @cached_property
    def source(self) -> Text:
        return Text.read(self._stages[1].path("train.source"))

    @cached_property
    def target(self) -> Text:
        return Text.read(self._stages[1].path("train.target"))

    @cached_property
    def lm(self) -> LanguageModel:
        return LanguageModel.load(self._stages[2].path("lm.bin"))

    @cached_property
    def _folds(self) -> tuple[LanguageModel, ...]:
        training, text, _ = self._stages
        return fold_models(fold_stage(training, self.config, text))

    def _orthography(self, side: str) -> Orthography:
        path = self._stages[1].path(f"{side}.json")
        return Orthography.from_json(path.read_text(encoding="utf-8"))

    @cached_property
    def dev(self) -> DevSet:
        """The development set in tokens."""
        source, target = self._orthography("source"), self._orthography("target")
        return encoded_dev(source, target, self.data.dev)

    @cached_property
    def test(self) -> DevSet:
        """The test set in tokens."""
        source, target = self._orthography("source"), self._orthography("target")
        return encoded_dev(source, target, self.data.test)

    def material(self, reading: Reading, seed: int = 1) -> BlockTraining:
        """Blocks and events under a reading; the last ones asked for are kept."""
        training, text, _ = self._stages
        learn = replace(LearnConfig(only="all", min_count=1), **(reading.learn or {}))
        config = replace(
            self.config,
            events=reading.events,
            extract=reading.extract,
            learn=learn,
            seed=seed,
            search=replace(self.config.search, **(reading.search or {})),
        )
        key = (reading.events, reading.extract, bool(learn.lm_folds), learn.only, learn.min_count)
        if self._kept is not None and self._kept[0] == key:
            self._kept = key, self._kept[1].with_config(config)
            return self._kept[1]
        self._kept = None  # events are large
        links = read_links(directions(training, config, text), config)
        oriented = oriented_blocks(
            self.source, self.target, links, config, threads=self.setup.threads,
            progress=self.setup.progress,
        )  # fmt: skip
        material = BlockTraining(
            self.source, self.target, links, oriented.blocks, oriented.pairs, self.lm,
            config, folds=self._folds if learn.lm_folds else (),
            sentences=tuple(self.dev.source), threads=self.setup.threads,
            progress=self.setup.progress,
        )  # fmt: skip
        self.counts = asdict(oriented.counts)
        self._kept = (key, material)
        return material

    _kept: tuple[Any, BlockTraining] | None = None
    counts: dict[str, int] | None = None

    def train(
        self,
        material: BlockTraining,
        row: str,
        *,
        joint: RowResult | None = None,
        floats: RowResult | None = None,
    ) -> RowResult:
        """A row; those that cheat learn on the test set."""
        text = self.test if row in ("row8", "row9") else self.dev
        dev = Sentences.of(text.source, text.reference)
        return learn_row(material, row, dev, joint=joint, floats=floats)

    def measure(self, decoder: BlockDecoder) -> dict[str, Any]:
        """Translations of the test set, their BLEU, and what it took."""
        decoder.reset_counters()
        found = decoder.decode_lines(self.test.source, threads=1, progress=self.setup.progress)
        record = self.scored([each.text for each in found])
        counters = decoder.counters
        record |= {
            "ms": 1000 * counters.seconds["search"] / max(1, counters.sentences),
            "blocks": sum(len(each.steps) - 1 for each in found) / max(1, len(found)),
            "left": sum(_swaps(each.steps) for each in found) / max(1, len(found)),
        }
        return record

    def measure_model(self, model: Model) -> dict[str, Any]:
        """The same of any model that was trained on this data."""
        found = model.decoder.decode_lines(self.test.source, threads=self.setup.threads)
        return self.scored([" ".join(each.tokens) for each in found])

    def scored(self, lines: Sequence[str]) -> dict[str, Any]:
        """BLEU of translations of the test set, with its interval."""
        metric = Bleu(tokenise="none")
        statistics = metric.statistics(list(lines), [self.test.reference])
        score = metric.score(list(lines), [self.test.reference])
        low, high = _interval(metric, statistics)
        return {
            "bleu": score.value,
            "low": low,
            "high": high,
            "signature": score.signature,
            "lines": list(lines),
        }


def _swaps(steps: Sequence[Any]) -> int:
    blocks = [(step.begin, step.end) for step in steps[1:]]
    return sum(after[1] == before[0] for before, after in pairwise(blocks))


def _interval(metric: Bleu, statistics: Any) -> tuple[float, float]:
    found = confidence_interval(metric, statistics, samples=1000, seed=1)
    return found.low, found.high


def clock() -> tuple[float, int]:
    """CPU seconds of this process so far, and the most memory it ever had, in bytes."""
    return time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
