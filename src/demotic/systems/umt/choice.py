"""Which rate, which kappa, which features and search: by BLEU on the development set.

A dozen of dense weights cannot learn a development set of some hundred sentences by heart, so they
are judged on the sentences they were learned on.  Sparse features can: they are judged on a fifth
of the sentences that learning did not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from demotic.systems.tuning import SMALLEST_DEV, DevSet
from demotic.systems.umt.config import Config, LearnConfig
from demotic.systems.umt.learning import Learner, Trial
from demotic.systems.umt.start import learning, start_weights

_FOLDS = 5


@dataclass
class Choice:
    """What was tried, and the best of it."""

    learner: Learner
    config: Config
    base: Mapping[str, float]
    """Weights to start from, Hiero's features."""
    best: Trial = field(init=False)
    trials: list[Trial] = field(default_factory=list)

    def run(self) -> Trial:
        """Try what the preset says."""
        config = self.config
        rates = config.learn.rates or (config.learn.drl.rate,)
        for rate in rates:
            self.learn(replace(config, learn=_at(config, rate)))
        self.best = max(self.trials, key=lambda trial: trial.bleu)
        if config.preset == "tuned":
            self._tune()
        return self.best

    def learn(self, config: Config, learner: Learner | None = None) -> Trial:
        """Learn under a configuration."""
        learner = learner or self.learner
        names = learner.decoder(config.decode, {}).feature_names
        trial = learner.learn(
            config.decode,
            learning(names, config.learn.drl, config.preset, config.decode),
            start_weights(names, self.base, config.preset, config.decode),
        )
        if learner is self.learner:
            self._note(trial)
        return trial

    def _note(self, trial: Trial) -> None:
        self.trials.append(trial)
        self.learner.progress.say(
            f"rate {trial.drl.rate:g}, kappa {trial.search.kappa:g}, sparse bits "
            f"{trial.search.sparse_bits}, beam {trial.search.beam}, restarts "
            f"{trial.search.restarts}: BLEU {trial.bleu:.2f}"
        )

    def _tune(self) -> None:
        tuned = self.config.tuned
        config = replace(self.config, learn=_at(self.config, self.best.drl.rate))
        for kappa in tuned.kappa:
            if kappa != self.best.search.kappa:
                trial = self.learn(replace(config, decode=replace(config.decode, kappa=kappa)))
                self._keep(trial, 0.0)
        for bits in tuned.sparse_bits:
            if bits != self.best.search.sparse_bits and self._generalises(config, bits):
                self._keep(self.learn(self._with_sparse(config, bits)), 0.0)
        for name in ("beam", "restarts"):
            for value in getattr(tuned, name):
                if value != getattr(self.best.search, name):
                    trial = self.learner.searching(
                        self.best, replace(self.best.search, **{name: value})
                    )
                    self._note(trial)
                    self._keep(trial, tuned.min_gain)

    def _keep(self, trial: Trial, min_gain: float) -> None:
        if trial.bleu > self.best.bleu + min_gain:
            self.best = trial

    def _with_sparse(self, config: Config, bits: int) -> Config:
        return replace(config, decode=replace(self.best.search, sparse_bits=bits))

    def _generalises(self, config: Config, bits: int) -> bool:
        """Do sparse features help on sentences that were not learned from?"""
        seen, unseen = _split(self.learner.dev)
        if len(unseen.source) < SMALLEST_DEV:
            return False
        learner = replace(self.learner, dev=seen, judge=unseen)
        plain = self.learn(self._with_sparse(config, self.best.search.sparse_bits), learner)
        sparse = self.learn(self._with_sparse(config, bits), learner)
        self.learner.progress.say(
            f"sparse features: BLEU {plain.bleu:.2f} without, {sparse.bleu:.2f} with them on "
            f"{len(unseen.source)} sentences not learned from"
        )
        return sparse.bleu > plain.bleu + self.config.tuned.min_gain


def _at(config: Config, rate: float) -> LearnConfig:
    return replace(config.learn, drl=replace(config.learn.drl, rate=rate))


def _split(dev: DevSet) -> tuple[DevSet, DevSet]:
    """Four fifths to learn on, every fifth sentence to judge by."""
    rows = list(zip(dev.source, dev.reference, strict=True))
    seen = [row for place, row in enumerate(rows) if place % _FOLDS]
    unseen = rows[::_FOLDS]
    return _dev_set(seen), _dev_set(unseen)


def _dev_set(rows: list[tuple[str, str]]) -> DevSet:
    return DevSet([source for source, _ in rows], [reference for _, reference in rows])
