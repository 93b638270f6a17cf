"""Which rate, which kappa, which features and search: by BLEU on the development set.

A dozen of dense weights cannot learn a development set of some hundred sentences by heart, so they
are judged on the sentences they were learned on.  Sparse features can: they are judged on a fifth
of the sentences that learning did not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from demotic.systems.tuning import SMALLEST_DEV, DevSet
from demotic.systems.umt.config import Config
from demotic.systems.umt.learning import Learner, Trial
from demotic.systems.umt.start import learned

_FOLDS = 5


@dataclass
class Chooser:
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
        if config.preset == "tuned":
            self._tune()
        else:
            for rate in config.learn.rates or (config.learn.drl.rate,):
                self.learn(_with_drl(config, rate=rate))
            self.best = max(self.trials, key=lambda trial: trial.bleu)
        return self.best

    def learn(self, config: Config) -> Trial:
        """Learn under a configuration; sparse features last, if it has any."""
        search = replace(config.search, sparse_bits=0)
        trial = learned(self.learner, self.base, config.features, search, config.learn.drl)
        if config.search.sparse_bits:
            rate = config.choice.sparse_rates[0]
            trial = self.learner.with_sparse(trial, config.search.sparse_bits, rate)
        self._note(trial)
        return trial

    def _note(self, trial: Trial) -> None:
        self.trials.append(trial)
        self.learner.progress.say(f"{trial.label}: BLEU {trial.bleu:.2f}")

    # -- the preset ``tuned`` -------------------------------------------------------------------

    def _tune(self) -> None:
        self._choose_view()
        self._choose_learning()
        self._choose_sparse()
        self._choose_search("repairs", "repair_width")  # one repair may need to be a wide one
        self._choose_search("restarts")
        self._choose_search("beam")

    def _choose_view(self) -> None:
        """What the policy looks at, under the weights to start from."""
        listed = self.config.choice
        plain = replace(self.config.search, sparse_bits=0)  # they come later
        views = [
            replace(plain, kappa=kappa, bounds=bounds, cff=cff, lookahead=False)
            for kappa, bounds, cff in product(listed.kappa, listed.bounds, listed.cff)
        ]
        if listed.lookahead:
            views.append(replace(plain, lookahead=True, bounds="chart", cff="delta"))
        if plain not in views:
            views.append(plain)  # what ``search`` says is tried, too
        for search in views:
            self.learn(_with_drl(replace(self.config, search=search), epochs=0))
        self.best = max(self.trials, key=lambda trial: trial.bleu)

    def _choose_learning(self) -> None:
        config = replace(self.config, search=self.best.search)
        usual = config.learn.drl.rate
        for rate in config.learn.rates or (usual, usual / 5):
            self._keep(self.learn(_with_drl(config, rate=rate)), 0.0)

    def _choose_sparse(self) -> None:
        """Do sparse features help on sentences that were not learned from?"""
        seen, unseen = _split(self.learner.dev)
        if unseen is None:
            return
        apart = replace(self.learner, dev=seen, judge=unseen)
        plain = apart.searching(self.best, self.best.search)
        wanted = {*self.config.choice.sparse_bits, self.config.search.sparse_bits} - {0}
        for bits, rate in product(sorted(wanted), self.config.choice.sparse_rates):
            sparse = apart.with_sparse(self.best, bits, rate)
            self.learner.progress.say(
                f"sparse features: BLEU {plain.bleu:.2f} without, {sparse.bleu:.2f} with {bits} "
                f"bits of them, rate {rate:g}, on {len(unseen.source)} sentences not learned from"
            )
            if sparse.bleu > plain.bleu + self.config.choice.min_gain:
                plain, self.best = sparse, self.learner.with_sparse(self.best, bits, rate)
                self._note(self.best)

    def _choose_search(self, *names: str) -> None:
        """Try all combinations of what ``ChoiceConfig`` lists for these options."""
        plain, tried = self.best, {self.best.search}
        for values in product(*(getattr(self.config.choice, name) for name in names)):
            search = replace(plain.search, **dict(zip(names, values, strict=True)))
            if search.repairs == 0:
                search = replace(search, repair_width=plain.search.repair_width)  # of nothing
            if search not in tried:
                tried.add(search)
                trial = self.learner.searching(plain, search)
                self._note(trial)
                self._keep(trial, self.config.choice.min_gain)

    def _keep(self, trial: Trial, min_gain: float) -> None:
        if trial.bleu > self.best.bleu + min_gain:
            self.best = trial


def _with_drl(config: Config, **options: Any) -> Config:
    drl = replace(config.learn.drl, **options)
    return replace(config, learn=replace(config.learn, drl=drl))


def _split(dev: DevSet) -> tuple[DevSet, DevSet | None]:
    """Four fifths to learn on, every fifth sentence to judge by; nothing if those are too few."""
    rows = range(len(dev.source))
    if len(rows) < _FOLDS * SMALLEST_DEV:
        return dev, None
    return dev.select(i for i in rows if i % _FOLDS), dev.select(rows[::_FOLDS])
