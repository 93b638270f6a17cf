"""The work bench: systems trained on the same links, language model and development set."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from demotic.align import Text, pharaoh
from demotic.bundle import Bundle
from demotic.corpus import OrthographyConfig
from demotic.decode import PhraseSearch
from demotic.experiments.data import DataFolder, digest_of
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.grammar import PhraseExtraction, RuleTable
from demotic.learn import MertOptions
from demotic.metrics import Bleu
from demotic.metrics.significance import confidence_interval
from demotic.systems import System, system_named
from demotic.systems.amasis.config import Config
from demotic.systems.config import AlignConfig, LmConfig, TrainingConfig, TuneConfig
from demotic.systems.model import Model
from demotic.systems.phrase.config import Config as PhraseConfig
from demotic.systems.records import over, to_record
from demotic.systems.stages import Training

LIMITS = (1, 2, 3, 7)
"""Words of Pharaoh's phrases."""
MEASURED = (20, 100, 1000)
"""Widths of the beam."""
_FIXED = ("SeenOnce", "SeenTwice", "PassThrough", "UnknownWord")


@dataclass(frozen=True)
class Arm:
    """A system under some settings."""

    name: str
    system: str
    config: TrainingConfig


@dataclass(eq=False)
class Bench:
    """What every part of the experiment needs."""

    setup: Setup
    data: DataFolder
    parts: Parts
    other: DataFolder | None = None
    """Out of the domain: only its test set is used."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of a quick run only the first."""
        return self.setup.seeds[:1] if self.setup.quick else self.setup.seeds

    # -- systems --------------------------------------------------------------------------------

    def arm(self, name: str, preset: str, changes: Mapping[str, Any] | None = None) -> Arm:
        """Amasis by a preset, with changes; words stay whole, as they do for its rivals."""
        given: dict[str, Any] = {"preset": preset, "tokenised": self.setup.tokenised}
        config = replace(over(Config(**given), changes or {}), source=OrthographyConfig())
        return Arm(name, "amasis", self._short(config))

    def pharaoh(self, limit: int) -> Arm:
        """The phrase-based decoder with phrases of so many words, and the paper's features."""
        config = PhraseConfig(
            tokenised=self.setup.tokenised,
            source=OrthographyConfig(),
            align=AlignConfig(symmetrise="grow-diag-final"),
            lm=LmConfig(order=3),
            extract=PhraseExtraction(max_phrase=limit, reordering=False),
            search=PhraseSearch(
                method="stack", stack=100, threshold=0.0, distortion_limit=6, reordering=False
            ),
            tune=TuneConfig(mert=MertOptions(fixed=_FIXED)),
        )
        return Arm(f"Pharaoh {limit}", "phrase", self._short(config))

    def _short(self, config: Any) -> Any:
        """In a quick run, tuning is short."""
        if not self.setup.quick:
            return config
        tune = {"mert": {"iterations": 2, "restarts": 0}, "mira": {"iterations": 2}}
        return over(config, {"tune": tune})

    def main_arms(self) -> list[Arm]:
        """Those of the table of BLEU; everything in order is the control of what labels gain."""
        monotone = {"search": {"order": "monotone"}}
        return [
            self.arm("Amasis", "paper"),
            self.arm("Amasis, all S,R+", "paper", monotone),
            *(self.pharaoh(limit) for limit in LIMITS),
            self.arm("ext", "ext"),
            self.arm("ext, trigram", "ext", {"lm": {"order": 3}}),
            self.arm("ext, all S,R+", "ext", monotone),
        ]

    def arms_beyond(self) -> list[Arm]:
        """``ext`` with other features, learners and losses of labels."""
        changes: dict[str, dict[str, Any]] = {
            "ext, one label": {"search": {"labels": 1}},
            "ext, neither classes nor stack": {"learn": {"features": "context", "stack": False}},
            "ext, no stack": {"learn": {"stack": False}},
            "ext, no classes": {"learn": {"features": "context"}},
            "ext, softmax": {"learn": {"learner": "softmax"}},
            "ext, boosted": {"learn": {"learner": "boosted"}},
            "ext, no composed items": {"extract": {"compose": 0, "loose": False}},
            "ext, rare composed items": {"extract": {"min_composed": 1}},
            "ext, no loose items": {"extract": {"loose": False, "min_loose": 1}},
            "ext, one language model": {"lm": {"classes": 0, "bilingual": 0}},
            "ext, MERT": {"tune": {"method": "mert"}},
            "ext, BLEU by LOLS": {"learn": {"loss": "bleu", "searn": {"method": "lols"}}},
        }  # fmt: skip
        arms = [self.arm(name, "ext", change) for name, change in changes.items()]
        return [self.arm("ext", "ext"), *(arms[-1:] if self.setup.quick else arms)]

    def trained(self, arm: Arm, seed: int = 1) -> Any:
        """Train (or remember) an arm: BLEU on dev and test, translations, the size of its table."""
        config = replace(arm.config, seed=seed)

        def run() -> dict[str, Any]:
            model = self._train(arm, config)
            return {
                "dev": model.about.dev["value"],
                **self._tested(model, self.data),
                **_sizes(model.part("rules.bin")),
            }

        name = f"{_slug(arm.name)}-seed-{seed}"
        return self.parts.get(name, run, settings=to_record(config))

    def outside(self, arm: Arm, other: DataFolder) -> Any:
        """An arm with the first seed, tested on text of another domain."""
        config = replace(arm.config, seed=self.seeds[0])
        name = f"{_slug(arm.name)}-outside"
        settings = [to_record(config), digest_of(other)]
        return self.parts.get(
            name, lambda: self._tested(self._train(arm, config), other), settings=settings
        )

    @staticmethod
    def _tested(model: Model, data: DataFolder) -> dict[str, Any]:
        begin = time.process_time()
        lines = [each.text for each in model.translate_lines(data.test.source_lines())]
        seconds = time.process_time() - begin
        metric = Bleu(tokenise="none")
        reference = [list(data.test.target_lines())]
        interval = confidence_interval(metric, metric.statistics(lines, reference))
        return {
            "test": metric.score(lines, reference).value,
            "interval": [interval.low, interval.high],
            "ms": 1000 * seconds / len(lines),
            "lines": lines,
        }

    def seeds_of(self, arm: Arm) -> list[Any]:
        """With each seed."""
        return [self.trained(arm, seed) for seed in self.seeds]

    def model(self, arm: Arm) -> Model:
        """The model of an arm."""
        found: Model = self._train(arm, replace(arm.config, seed=self.seeds[0]))
        return found

    def _train(self, arm: Arm, config: TrainingConfig) -> Any:
        system: System = system_named(arm.system)
        settings = json.dumps(to_record(config), sort_keys=True, default=str)
        digest = hashlib.sha256(settings.encode()).hexdigest()[:8]
        out = self.setup.out / "models" / f"{_slug(arm.name)}-{digest}"
        if (out / "model.json").is_file():
            return system.Model.open(Bundle.open(out))
        return system.fit(self._training(config, out), config)

    def _training(self, config: TrainingConfig, out: Path) -> Training:
        out.parent.mkdir(parents=True, exist_ok=True)
        return Training(
            self.data.train,
            self.data.dev,
            config,
            out=out,
            work=self.setup.out / "work",
            resume=True,
            memory=False,
            threads=self.setup.threads,
            progress=self.setup.progress,
        )

    # -- labels ---------------------------------------------------------------------------------

    @property
    def source_path(self) -> Path:
        """The source side of the training text, as the aligner saw it."""
        return self._prepared[0]

    @cached_property
    def aligned(self) -> tuple[Text, Text, Any]:
        """The training text with the links that all systems share."""
        source, target, links = self._prepared
        return Text.read(source), Text.read(target), pharaoh.read(links)

    @cached_property
    def _prepared(self) -> tuple[Path, Path, Path]:
        config = self.arm("Amasis", "paper").config
        training = self._training(config, self.setup.out / "models" / "unused")
        text = training.prepare()
        links = training.align(text)
        return text.path("train.source"), text.path("train.target"), links.path("train.align")

    # -- searches -------------------------------------------------------------------------------

    def searches(self) -> Any:
        """BLEU, model score and time on the development set under other searches."""

        def run() -> list[dict[str, Any]]:
            rows = []
            for arm in (self.arm("Amasis", "paper"), self.arm("ext", "ext")):
                model = self.model(arm)
                for name, changes in _searches():
                    rows.append({"arm": arm.name, "name": name, **self._searched(model, changes)})
            return rows

        return self.parts.get("searches", run, settings=[self.seeds[0]])

    def _searched(self, model: Model, changes: Mapping[str, Any]) -> dict[str, Any]:
        searching = model.with_search(changes)
        sentences = [model.source.encode(line).tokens for line in self.data.dev.source_lines()]
        begin = time.process_time()
        found = searching.decoder.decode_lines(sentences)
        seconds = time.process_time() - begin
        texts = [each.text for each in searching.translate_lines(self.data.dev.source_lines())]
        reference = [list(self.data.dev.target_lines())]
        return {
            "dev": Bleu(tokenise="none").score(texts, reference).value,
            "score": sum(each.score for each in found) / len(found),
            "per second": len(found) / seconds,
        }

    def variations(self) -> Iterator[tuple[str, Any]]:
        """Amasis by the paper with one thing changed, trained again."""
        changes: dict[str, dict[str, Any]] = {
            "unaligned words to the previous item": {"extract": {"attach": "previous"}},
            "all sub-items": {"extract": {"sub_items": "all"}},
            "no sub-items": {"extract": {"sub_items": "none"}},
            "no empty items": {"extract": {"empty_items": False}},
            "grow-diag-final-and": {"align": {"symmetrise": "grow-diag-final-and"}},
            "mask full, forced closing": {
                "learn": {"mask": "full"},
                "search": {"close": "forced"},
            },
        }
        yield "as the paper", self.trained(self.arm("Amasis", "paper"), self.seeds[0])
        for name, change in changes.items():
            yield name, self.trained(self.arm(f"Amasis, {name}", "paper", change), self.seeds[0])

    def without_deletion(self) -> list[Arm]:
        """Both presets without items that have no target words: is it these that leave words out
        of text of another domain?"""
        change = {"extract": {"empty_items": False}}
        return [
            self.arm("Amasis, no empty items", "paper", change),
            self.arm("ext, no empty items", "ext", change),
        ]


def _slug(name: str) -> str:
    return name.lower().replace(",", "").replace("+", "").replace(" ", "-")


def _sizes(path: Path) -> dict[str, Any]:
    table = RuleTable.load(path)
    single = sum(len(rule.source) == 1 for rule in table)
    return {"entries": len(table), "single": single}


def _searches() -> Iterator[tuple[str, dict[str, Any]]]:
    for beam in MEASURED:
        yield f"beam {beam}", {"beam": beam}
    for labels in (1, 2, 3, 5):
        yield f"{labels} label{'' if labels == 1 else 's'} an item", {"labels": labels}
    yield "fragments compared by themselves", {"prune_lm": "fragments"}
    for pops in (100, 300, 1000, 0):
        name = f"{pops} pops" if pops else "all hypotheses made"
        yield name, {"pops": pops}
