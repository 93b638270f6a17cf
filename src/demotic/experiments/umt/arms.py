"""E3 to E5 and beyond: what is learned, in how many ways, and how well each translates."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from demotic.decode.undirected import UndirectedDecoder
from demotic.experiments.umt.bench import Arm, Bench
from demotic.experiments.umt.training import tuned_by_mert
from demotic.learn.updates import Update
from demotic.metrics import Bleu, evaluate, sentence_bleu_scores
from demotic.metrics.significance import sign_test
from demotic.systems.umt.choice import Chooser
from demotic.systems.umt.config import AHEAD, ChoiceConfig, Config, Features, LearnConfig, Preset
from demotic.systems.umt.learning import Learner, Trial
from demotic.systems.umt.start import NARROW

_UPDATES: tuple[tuple[str, Update, float], ...] = (
    ("two actions", "two_actions", 0.01), ("passive-aggressive", "passive_aggressive", 0.1),
    ("aggressive", "aggressive", 0.001), ("MIRA", "mira", 0.1),
    ("expected reward", "expected_reward", 0.001),
)  # fmt: skip
"""Updates beside that of the full path, with their rates."""
_DISCOUNT = 0.95
"""Of rewards, where they are discounted: after ten actions 60 % are left."""


class Arms:
    """Everything that is learned; each of it once."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._quick = bench.setup.quick
        self._seeds = bench.setup.seeds[:1] if self._quick else bench.setup.seeds

    # -- the baselines --------------------------------------------------------------------------

    def mert(self, name: str, seed: int = 1) -> Any:
        """Cube pruning with ``b1`` or ``b30``, tuned by MERT."""
        return self.bench.parts.get(
            f"mert-{name}-seed-{seed}", lambda: tuned_by_mert(self.bench, name, seed=seed)
        )

    def mert_of(self, features: Features) -> Any:
        """b30 with the features that the paper names, or as it prints them."""
        return self.bench.parts.get(
            f"mert-b30-{features}",
            lambda: tuned_by_mert(self.bench, "b30", only=NARROW[features]),
        )

    def mert_weights(self) -> dict[str, Any]:
        """The weights of both."""
        return {name: self.mert(name)["weights"] for name in ("b1", "b30")}

    def mert_seeds(self) -> list[Any]:
        """b30 tuned with several seeds."""
        return [self.mert("b30", seed) for seed in self._seeds]

    # -- presets --------------------------------------------------------------------------------

    def base(self, preset: Preset) -> Arm:
        """A preset, at the rate that is best on the development set where it lists some."""
        arm = self._short(Arm.of(preset))
        rates = Config(preset=preset).learn.rates
        if not rates or self._quick:
            return arm
        arms = [replace(arm, drl=replace(arm.drl, rate=rate)) for rate in rates]
        return max(
            arms, key=lambda arm: self.bench.learned(f"{preset}-rate-{arm.drl.rate:g}", arm)["dev"]
        )

    def _short(self, arm: Arm) -> Arm:
        """In a quick run, learning is short."""
        if not self._quick:
            return arm
        return replace(arm, drl=replace(arm.drl, epochs=2))

    def seeds(self, preset: Preset) -> list[Any]:
        """A preset learned with several seeds, with its learning curve."""
        if preset == "tuned":
            return [self.tuned(seed) for seed in self._seeds]
        return self._with_seeds(preset, replace(self.base(preset), curve=True))

    def replayed(self) -> list[Any]:
        """The paper's policy, learned by replay, with several seeds."""
        return self._with_seeds("paper-replay", self._relearned(self.base("paper"), "replay"))

    def _with_seeds(self, name: str, arm: Arm) -> list[Any]:
        return [
            self.bench.learned(f"{name}-seed-{seed}", replace(arm, seed=seed))
            for seed in self._seeds
        ]

    def _relearned(self, arm: Arm, way: str) -> Arm:
        """With other updates: each kind has its own scale, number of samples and reward."""
        if way == "replay":
            known = self.base("lookahead")
            return replace(arm, drl=known.drl, reward=known.reward)
        paper = self.base("paper")
        drl = paper.drl
        for name, update, rate in _UPDATES:
            if name == way:
                drl = replace(drl, update=update, rate=rate)
        return replace(arm, drl=drl, reward=paper.reward)

    def tuned(self, seed: int = 1) -> Any:
        """What the preset ``tuned`` makes of MERT's weights, and what it tried."""
        base = self.mert("b30", seed)["weights"]
        learn = LearnConfig(drl=self._short(Arm.of("tuned")).drl, start="mert")
        listed = ChoiceConfig()
        if self._quick:
            listed = ChoiceConfig(
                kappa=(1.0,), bounds=("words",), cff=("raw",), restarts=(1, 2), beam=(1,),
                sparse_bits=(8,), sparse_rates=(0.001,),
            )  # fmt: skip

        def run() -> dict[str, Any]:
            config = Config(preset="tuned", learn=learn, choice=listed)
            learner = self.bench.learner(seed)
            choice = Chooser(learner, config, base)
            best = choice.run()
            decoder = learner.decoder(best.search, best.weights, best.sparse)
            return {
                "label": best.label,
                "trials": [{"label": t.label, "bleu": t.bleu} for t in choice.trials],
                "dev": best.bleu,
                **self.bench.translated(decoder),
            }

        settings = [base, asdict(learn), asdict(listed)]
        return self.bench.parts.get(f"tuned-seed-{seed}", run, settings=settings)

    # -- significance ---------------------------------------------------------------------------

    def significance(self, systems: Mapping[str, Any], baseline: str) -> dict[str, Any]:
        """Each system against another: sign test on sentences, bootstrap and randomisation."""
        reference = [self.bench.test.reference]
        lines = {name: record["lines"] for name, record in systems.items()}
        found: dict[str, Any] = {}
        for result in evaluate(lines, reference, [Bleu(tokenise="none")], baseline=baseline):
            if result.comparison is not None:
                tests = result.comparison.tests
                found[result.system] = {test.test: test.p_value for test in tests}
        sentences = {
            name: sentence_bleu_scores(
                each, reference, smoothing="add-k", smoothing_value=1, tokenise="none"
            )
            for name, each in lines.items()
        }
        for name, tests in found.items():
            # The tail that the paper reports: P(Bin(better + worse, 1/2) >= worse).
            worse = sign_test(sentences[baseline] - sentences[name])
            tests["sign, one tail"] = worse.p_better
            tests["detail"] = worse.detail.replace("better", f"better for {baseline}", 1)
        return found

    # -- ablations ------------------------------------------------------------------------------

    def ablations(self) -> Iterator[tuple[str, str, Any]]:
        """Part, name and record of each variation of a preset, learned again."""
        for part, name, arm in self._variations():
            words = name.lower().replace(",", "").replace("|", "").replace(" ", "-")
            yield part, name, self.bench.learned(f"variation-{words}", arm)

    def _variations(self) -> Iterator[tuple[str, str, Arm]]:
        paper, ahead = self.base("paper"), self.base("lookahead")
        literal = self.base("literal")
        learning = self._relearned

        def off(arm: Arm) -> Arm:
            return replace(arm, search=replace(arm.search, cff="off"))

        yield "e4", "paper", paper
        yield "e4", "paper, CFF off", off(paper)
        yield "e4", "paper, replay", learning(paper, "replay")
        yield "e4", "paper, replay, CFF off", off(learning(paper, "replay"))
        fixed = replace(paper, search=replace(paper.search, turn="age"))
        yield "e4", "paper, replay, oldest first", learning(fixed, "replay")
        changes: dict[str, dict[str, Any]] = {
            "oldest first": {"turn": "age"},
            "CFF delta": {"cff": "delta"}, "kappa 0": {"kappa": 0.0}, "kappa 0.5": {"kappa": 0.5},
            "bounds without LM": {"bounds": "local"}, "bounds of a chart": {"bounds": "chart"},
            "stale queue": {"stale_queue": True},
        }  # fmt: skip
        for name, change in changes.items():
            yield "e4", f"paper, {name}", replace(paper, search=replace(paper.search, **change))
        yield "e4", "paper, P(f|e)", replace(paper, features="printed")
        yield "e4", "lookahead", ahead
        yield "e4", "lookahead, P(f|e)", replace(ahead, features="printed")
        yield "e4", "literal", literal
        yield "e4", "literal, CFF off", off(literal)
        yield "e4", "literal, P(e|f)", replace(literal, features="paper")

        yield "e5", "paper", paper
        for name, _, _ in _UPDATES:
            yield "e5", f"paper, {name}", learning(paper, name)
        yield "e5", "paper, replay", learning(paper, "replay")
        yield "e5", "lookahead", ahead
        for name in ("full path", "two actions", "MIRA", "expected reward"):
            yield "e5", f"lookahead, {name}", learning(ahead, name)
        for name, options in {
            "Zipf exponent 0": {"exponent": 0.0},
            "Zipf exponent 2": {"exponent": 2.0},
            "1 sample a sentence": {"samples": 1},
            "10 samples a sentence": {"samples": 10},
        }.items():
            drl = replace(ahead.drl, **options)  # type: ignore[arg-type]
            yield "e5", f"lookahead, {name}", replace(ahead, drl=drl)
        yield "e5", "lookahead, reward of the sentence alone", replace(ahead, reward="sentence")
        for name, arm in (("paper", paper), ("lookahead", ahead)):
            later = replace(arm, drl=replace(arm.drl, discount=_DISCOUNT))
            yield "e5", f"{name}, discount {_DISCOUNT}", later
            yield (
                "e5",
                f"{name}, discount {_DISCOUNT}, step by step",
                replace(later, rewards="steps"),
            )

    # -- beyond the paper -----------------------------------------------------------------------

    def beyond(self) -> Any:
        """Repairs, restarts, beams and sparse features on top of ``full``: BLEU and time."""
        base = self.base("full")
        learned = self.bench.learned("full-seed-1", replace(base, seed=1, curve=True))

        def run() -> list[dict[str, Any]]:
            learner = self.bench.learner(1)
            wide = (4,) if self._quick else (4, 16)
            ways = {"greedy": AHEAD}
            ways |= {f"{n} restarts": replace(AHEAD, restarts=n) for n in wide}
            ways |= {f"beam {n}": replace(AHEAD, beam=n) for n in wide}
            ways |= {
                f"1 repair, width {n}": replace(AHEAD, repairs=1, repair_width=n) for n in (1, 3)
            }
            rows = [
                self._judged(learner, name, learner.decoder(search, learned["weights"]))
                for name, search in ways.items()
            ]
            for rate in ChoiceConfig().sparse_rates:
                found = Trial(
                    search=base.search,
                    drl=base.drl,
                    weights=learned["weights"],
                    sparse=np.empty(0),
                    bleu=learned["dev"],
                    epochs=(),
                )
                sparse = learner.with_sparse(found, 16, rate)
                decoder = learner.decoder(sparse.search, sparse.weights, sparse.sparse)
                rows.append(self._judged(learner, f"sparse features, rate {rate:g}", decoder))
            return rows

        return self.bench.parts.get("beyond", run, settings=learned["weights"])

    def _judged(self, learner: Learner, name: str, decoder: UndirectedDecoder) -> dict[str, Any]:
        begin = time.process_time()
        dev = learner.bleu(decoder)
        milliseconds = 1000 * (time.process_time() - begin) / len(self.bench.dev.source)
        test = self.bench.translated(decoder)["test"]
        return {"name": name, "dev": dev, "test": test, "ms": milliseconds}
