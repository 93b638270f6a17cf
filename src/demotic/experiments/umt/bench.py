"""The work bench: rules, a language model and texts, and what is done with them again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from demotic.bundle import Bundle
from demotic.corpus import OrthographyConfig
from demotic.decode import HieroDecoder, HieroSearch
from demotic.decode.undirected import UndirectedDecoder, UndirectedSearch
from demotic.errors import ArgumentError
from demotic.experiments.data import DataFolder
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.grammar import RuleTable
from demotic.learn import DrlOptions
from demotic.lm import LanguageModel
from demotic.metrics import Bleu
from demotic.systems.config import LmConfig, TuneConfig
from demotic.systems.hiero import START, HieroModel
from demotic.systems.hiero.config import Config as HieroConfig
from demotic.systems.tuning import DevSet, encoded_dev
from demotic.systems.umt.config import TIGHT, Config, Features, Preset, Reward, Rewards
from demotic.systems.umt.learning import Learner
from demotic.systems.umt.start import learned

HIERO = {"b1": 1, "b30": 30}
"""Pops of cube pruning, by the names that the paper gives them."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to learn and to search."""

    features: Features
    search: UndirectedSearch
    drl: DrlOptions
    reward: Reward
    rewards: Rewards = "end"
    seed: int = 1
    curve: bool = False

    @classmethod
    def of(cls, preset: Preset) -> Arm:
        """As a preset says."""
        config = Config(preset=preset)
        learn = config.learn
        return cls(
            features=config.features, search=config.search, drl=learn.drl, reward=learn.reward,
            rewards=learn.rewards,
        )  # fmt: skip


@dataclass(eq=False)
class Bench:
    """What every part of the experiment needs."""

    setup: Setup
    data: DataFolder
    model: HieroModel
    parts: Parts

    @cached_property
    def dev(self) -> DevSet:
        """The development set in tokens."""
        return encoded_dev(self.model.source, self.model.target, self.data.dev)

    @cached_property
    def test(self) -> DevSet:
        """The test set in tokens."""
        return encoded_dev(self.model.source, self.model.target, self.data.test)

    @property
    def rules(self) -> RuleTable:
        return self.model.rules

    @property
    def lm(self) -> LanguageModel:
        return self.model.lm

    def hiero(self, pops: int, weights: Mapping[str, float], init: Any = "eager") -> HieroDecoder:
        """Cube pruning."""
        options = HieroSearch(pops=pops, init=init)
        return HieroDecoder(self.rules, self.lm, weights, options=options)

    def umt(self, search: UndirectedSearch, weights: Mapping[str, float]) -> UndirectedDecoder:
        """The undirected decoder."""
        return UndirectedDecoder(self.rules, self.lm, weights, options=search)

    def learner(
        self,
        seed: int,
        *,
        reward: Reward = "corpus",
        rewards: Rewards = "end",
        memory: int = 1 << 30,
    ) -> Learner:
        """Who learns on the development set."""
        (self.setup.out / "work").mkdir(parents=True, exist_ok=True)
        return Learner(
            rules=self.rules,
            lm=self.lm,
            dev=self.dev,
            seed=seed,
            threads=self.setup.threads,
            reward=reward,
            rewards=rewards,
            memory=memory,
            folder=self.setup.out / "work",
            resume=True,
            progress=self.setup.progress,
        )

    def learned(self, name: str, arm: Arm) -> Any:
        """Learn (or remember) an arm: its weights, its BLEU on dev and test, its translations."""

        def run() -> dict[str, Any]:
            learner = self.learner(arm.seed, reward=arm.reward, rewards=arm.rewards)
            trial = learned(learner, START, arm.features, arm.search, arm.drl, curve=arm.curve)
            decoder = learner.decoder(trial.search, trial.weights, trial.sparse)
            return {
                "weights": trial.weights,
                "rate": arm.drl.rate,
                "dev": trial.bleu,
                "epochs": [asdict(epoch) for epoch in trial.epochs],
                **self.translated(decoder),
            }

        return self.parts.get(name, run, settings=asdict(arm))

    def translated(self, decoder: HieroDecoder | UndirectedDecoder) -> dict[str, Any]:
        """The test set's translations and their BLEU."""
        found = decoder.decode_lines(self.test.source, threads=self.setup.threads)
        lines = [" ".join(each.tokens) for each in found]
        return {"test": self.bleu(lines, self.test), "lines": lines}

    def bleu(self, lines: list[str], text: DevSet) -> float:
        """Corpus BLEU of tokens."""
        return Bleu(tokenise="none").score(lines, [text.reference]).value


def trained_model(setup: Setup, data: DataFolder) -> HieroModel:
    """The model that was given, or one trained now, for its rules and its language model."""
    if setup.model is not None:
        bundle = Bundle.open(setup.model)
        if bundle.about.system != "hiero":
            raise ArgumentError(
                f"a model of the system {bundle.about.system}",
                path=setup.model,
                remedy="give a model of the system hiero",
            )
        return HieroModel.open(bundle)
    from demotic.systems.hiero import fit
    from demotic.systems.stages import Training

    place = setup.out / "hiero"
    if (place / "model.json").is_file():
        return HieroModel.open(Bundle.open(place))
    config = HieroConfig(
        tokenised=setup.tokenised, source=OrthographyConfig(), lm=LmConfig(), extract=TIGHT,
        search=HieroSearch(), tune=TuneConfig(),
    )  # fmt: skip
    # The weights are tuned by the experiment itself, where it is timed.
    config = replace(
        config, tune=replace(config.tune, mert=replace(config.tune.mert, iterations=1))
    )
    training = Training(
        data.train,
        data.dev,
        config,
        out=place,
        work=setup.out / "hiero.work",
        resume=True,
        memory=False,
        threads=setup.threads,
        progress=setup.progress,
    )
    return fit(training, config)
