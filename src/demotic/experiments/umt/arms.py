"""E3 to E5 and beyond: what is learned, in how many ways, and how well each translates."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from demotic.decode.undirected import UndirectedOptions
from demotic.experiments.umt.bench import Arm, Bench
from demotic.experiments.umt.training import tuned_by_mert
from demotic.learn import DrlOptions
from demotic.metrics import Bleu, evaluate, sentence_bleu_scores
from demotic.metrics.significance import sign_test
from demotic.systems.config import from_record
from demotic.systems.umt.choice import Choice
from demotic.systems.umt.config import Config, LearnConfig, Preset, TunedConfig

RATES = (1.0, 0.1, 0.01)


class Arms:
    """Everything that is learned; each of it once."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._quick = bench.setup.quick
        self._drl = DrlOptions(epochs=2 if self._quick else 10)

    # -- the baselines --------------------------------------------------------------------------

    def mert(self, name: str) -> Any:
        """Cube pruning with ``b1`` or ``b30``, tuned by MERT."""
        return self.bench.parts.get(f"mert-{name}", lambda: tuned_by_mert(self.bench, name))

    def mert_weights(self) -> dict[str, Any]:
        """The weights of both."""
        return {name: self.mert(name)["weights"] for name in ("b1", "b30")}

    # -- presets --------------------------------------------------------------------------------

    def base(self, preset: Preset) -> Arm:
        """A preset at the rate that is best on the development set."""
        rates = (0.1,) if self._quick else RATES
        found = {}
        for rate in rates:
            arm = Arm(preset=preset, drl=replace(self._drl, rate=rate))
            found[rate] = self.bench.learned(f"{preset}-rate-{rate:g}", arm)["dev"]
        best = max(found, key=lambda rate: found[rate])
        return Arm(preset=preset, drl=replace(self._drl, rate=best))

    def rates(self, preset: Preset) -> dict[str, float]:
        """BLEU on the development set by rate."""
        rates = (0.1,) if self._quick else RATES
        return {
            f"{rate:g}": self.bench.parts.known(f"{preset}-rate-{rate:g}")[1]["dev"]  # type: ignore[index]
            for rate in rates
        }

    def seeds(self, preset: Preset) -> list[Any]:
        """A preset learned with several seeds, with its learning curve."""
        arm = self.tuned_arm() if preset == "tuned" else self.base(preset)
        seeds = self.bench.setup.seeds[:1] if self._quick else self.bench.setup.seeds
        base = self.mert("b30")["weights"] if arm.from_mert else None
        return [
            self.bench.learned(
                f"{preset}-seed-{seed}", replace(arm, seed=seed, curve=preset != "tuned"), base
            )
            for seed in seeds
        ]

    def tuned_choice(self) -> Any:
        """What the preset ``tuned`` chooses, and what it tried; starts from MERT's weights."""
        base = self.mert("b30")["weights"]

        def run() -> dict[str, Any]:
            config = Config(preset="tuned", learn=LearnConfig(drl=self._drl, start="mert"))
            if self._quick:
                tuned = TunedConfig(
                    kappa=(1.0,), bounds=("words",), cff=("raw",), samples=2, restarts=(1, 2),
                    beam=(1,), sparse_bits=(0, 8),
                )  # fmt: skip
                config = replace(config, tuned=tuned)
            choice = Choice(self.bench.learner(1), config, base)
            best = choice.run()
            return {
                "search": asdict(best.search),
                "drl": asdict(best.drl),
                "label": best.label,
                "trials": [{"label": t.label, "bleu": t.bleu} for t in choice.trials],
            }

        return self.bench.parts.get("tuned-choice", run, settings=base)

    def tuned_arm(self) -> Arm:
        """The choice, to be learned with several seeds."""
        chosen = self.tuned_choice()
        search = from_record(UndirectedOptions, chosen["search"])
        return Arm(
            preset="tuned",
            search=search,
            drl=from_record(DrlOptions, chosen["drl"]),
            from_mert=True,
        )

    def from_mert(self) -> Any:
        """Learning that starts from the weights of MERT for b30."""
        arm = replace(self.base("full"), from_mert=True)
        return self.bench.learned("from-mert", arm, self.mert("b30")["weights"])

    # -- significance ---------------------------------------------------------------------------

    def significance(self, systems: Mapping[str, Any]) -> dict[str, Any]:
        """Each system against b30: sign test on sentences, bootstrap and randomisation."""
        reference = [self.bench.test.reference]
        lines = {name: record["lines"] for name, record in systems.items()}
        found: dict[str, Any] = {}
        for result in evaluate(lines, reference, [Bleu(tokenise="none")], baseline="b30"):
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
            worse = sign_test(sentences["b30"] - sentences[name])
            tests["sign, one tail"] = worse.p_better
            tests["detail"] = worse.detail.replace("better", "better for b30", 1)
        return found

    # -- ablations ------------------------------------------------------------------------------

    def ablations(self) -> Iterator[tuple[str, str, Any]]:
        """Part, name and record of each variation of the preset ``paper``, all learned again."""
        base = self.base("paper")
        yield "e4", "paper: CFF raw, kappa 0", self.bench.learned("paper-base", base)
        for name, search in {
            "CFF off": UndirectedOptions(cff="off"),
            "CFF delta": UndirectedOptions(cff="delta"),
            "kappa 0.5": UndirectedOptions(kappa=0.5),
            "kappa 1": UndirectedOptions(kappa=1.0),
            "stale queue": UndirectedOptions(stale_queue=True),
        }.items():
            yield "e4", name, self._variation(name, replace(base, search=search))
        drl = base.drl
        for name, options in {
            "two actions": replace(drl, update="two_actions"),
            "passive-aggressive": replace(drl, update="passive_aggressive"),
            "MIRA": replace(drl, update="mira"),
            "Zipf exponent 0": replace(drl, exponent=0.0),
            "Zipf exponent 0.5": replace(drl, exponent=0.5),
            "Zipf exponent 2": replace(drl, exponent=2.0),
            "3 samples a sentence": replace(drl, samples=3),
            "10 samples a sentence": replace(drl, samples=10),
        }.items():
            yield "e5", name, self._variation(name, replace(base, drl=options))

    def _variation(self, name: str, arm: Arm) -> Any:
        return self.bench.learned(f"variation-{name.lower().replace(' ', '-')}", arm)

    # -- beyond the paper -----------------------------------------------------------------------

    def beyond(self) -> Any:
        """Restarts, beams and sparse features on top of ``full``: BLEU and time."""
        base = self.base("full")
        learned = self.bench.learned("full-seed-1", replace(base, seed=1, curve=True))

        def run() -> list[dict[str, Any]]:
            learner = self.bench.learner(1)
            rows = []
            wide = (4,) if self._quick else (4, 16)
            ways = {"greedy": UndirectedOptions()}
            ways |= {f"{n} restarts": UndirectedOptions(restarts=n) for n in wide}
            ways |= {f"beam {n}": UndirectedOptions(beam=n) for n in wide}
            ways |= {
                f"1 repair, width {n}": UndirectedOptions(repairs=1, repair_width=n)
                for n in (1, *wide)
            }
            ways |= {
                f"bounds of {name}, kappa {kappa:g}": UndirectedOptions(bounds=name, kappa=kappa)
                for name in ("words", "chart")
                for kappa in (0.0, 1.0)
            }
            ahead = UndirectedOptions(bounds="chart", cff="delta", lookahead=True)
            ways |= {
                "lookahead": ahead,
                "lookahead, 1 repair, width 3": replace(ahead, repairs=1, repair_width=3),
            }
            for name, search in ways.items():
                decoder = learner.decoder(search, learned["weights"])
                begin = time.process_time()
                dev = learner.bleu(decoder)
                milliseconds = 1000 * (time.process_time() - begin) / len(self.bench.dev.source)
                test = self.bench.translated(decoder)["test"]
                rows.append({"name": name, "dev": dev, "test": test, "ms": milliseconds})
            return rows

        rows = self.bench.parts.get("beyond", run, settings=learned["weights"])
        sparse = self.bench.learned(
            "sparse", replace(base, search=UndirectedOptions(sparse_bits=18))
        )
        return [
            *rows,
            {"name": "sparse features", "dev": sparse["dev"], "test": sparse["test"], "ms": None},
        ]
