"""What labels there are and how many are right, without a decoder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from demotic import _core
from demotic.align import Text
from demotic.experiments.amasis.bench import Bench
from demotic.grammar import label_corpora
from demotic.learn.searn import SearnOptions, searn
from demotic.lm import cluster
from demotic.systems.amasis.config import LabelConfig
from demotic.systems.amasis.labels import LabelLearner, report

HOLDOUT = 10
"""Of so many sentences one is held out where ways to learn are compared."""


class Labels:
    """The labels of the experiment's training text."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def inventory(self) -> Any:
        """Labels by the size of the corpus."""

        def run() -> list[dict[str, Any]]:
            source, target, links = self.bench.aligned
            found = []
            for size in _sizes_up_to(len(links)):
                corpora = label_corpora(
                    Text.of(list(_first(source, size))),
                    Text.of(list(_first(target, size))),
                    links.slice(0, size),
                    holdout=0,
                )
                counts = corpora.label_counts
                found.append(
                    {
                        "pairs": size,
                        "labels": sum(count > 0 for count in counts),
                        "reductions": len(counts) // 2,
                        "items": corpora.items,
                        "shares": [count / max(1, sum(counts)) for count in counts[:5]],
                    }
                )
            return found

        return self.bench.parts.get("inventory", run)

    def accuracies(self) -> Any:
        """Labels right on held-out text, by features, mask and way to learn."""

        def run() -> list[dict[str, Any]]:
            rows = []
            for features in ("paper", "context"):
                for name, config in _ways():
                    rows.append(self._measured(name, replace(config, features=features)))
                counts = self._corpora(LabelConfig(features=features)).label_counts
                rows.append(
                    {"features": features, "name": "always S,R+", "share": counts[1] / sum(counts)}
                )
            return rows

        return self.bench.parts.get("accuracies", run, settings=[HOLDOUT])

    def beyond(self) -> Any:
        """The same for what the paper did not have, with each seed."""

        def run() -> list[dict[str, Any]]:
            return [
                self._measured(name, config, seed)
                for name, config in list(_ways_beyond())[: 4 if self.bench.setup.quick else None]
                for seed in self.bench.seeds
            ]

        return self.bench.parts.get("beyond", run, settings=[HOLDOUT, self.bench.seeds])

    def _measured(self, name: str, config: LabelConfig, seed: int = 1) -> dict[str, Any]:
        learner = LabelLearner(self._corpora(config), config, threads=self.bench.setup.threads)
        found = searn(learner, options=config.searn, seed=seed)
        mean = found.mean()
        accuracy = report(learner, found, mean, seed)["accuracy"]
        return {
            "features": config.features,
            "name": name,
            **accuracy,
            "order": learner.order_bleu(mean),
            "first order": learner.order_bleu(found.learned[0].policy),
        }

    def _corpora(self, config: LabelConfig) -> _core.LabelCorpora:
        key = (config.features, config.stack)
        if key not in self._known:
            source, target, links = self.bench.aligned
            self._known[key] = label_corpora(
                source, target, links, features=config.features, stack=config.stack, words=True,
                classes=self._classes if config.features == "classes" else None, holdout=HOLDOUT,
            )  # fmt: skip
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, bool], _core.LabelCorpora]:
        return {}

    @cached_property
    def _classes(self) -> dict[str, int]:
        path = self.bench.source_path
        return dict(cluster(path, classes=LabelConfig().classes, skip_special=True))


def _sizes_up_to(pairs: int) -> list[int]:
    sizes = [size for size in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000) if size < pairs]
    return [*sizes, pairs]


def _first(text: Text, size: int) -> Iterator[str]:
    for number in range(size):
        yield " ".join(text.vocab.word(word) for word in text.lines[number])


def _ways() -> Iterator[tuple[str, LabelConfig]]:
    for mask in ("none", "full"):
        yield f"SEARN, mask {mask}", LabelConfig(mask=mask)
    full = LabelConfig(mask="full", depth=True)
    for beta in (0.1, 0.5, 1.0):
        way = replace(full, searn=SearnOptions(beta=beta))
        yield f"SEARN, mask full, depth, beta {beta:g}", way
    rolled = replace(full, searn=SearnOptions(rollout="policy"))
    yield "SEARN, mask full, depth, policy rolls out", rolled
    for method in ("dagger", "lols"):
        options = SearnOptions(method=method)
        yield f"{method.upper()}, mask full, depth", replace(full, searn=options)


def _ways_beyond() -> Iterator[tuple[str, LabelConfig]]:
    context = LabelConfig(features="context")
    both = LabelConfig(features="classes", stack=True)
    yield "the words ahead", context
    yield "and classes", LabelConfig(features="classes")
    yield "and the stack", LabelConfig(features="context", stack=True)
    yield "classes and stack", both
    yield "classes and stack, one round", replace(both, searn=SearnOptions(iterations=1))
    yield "classes and stack, DAgger", replace(both, searn=SearnOptions(method="dagger"))
    yield "the words ahead, softmax", replace(context, learner="softmax")
    yield "classes and stack, softmax", replace(both, learner="softmax")
    yield "the words ahead, boosted", replace(context, learner="boosted")
    yield "classes and stack, boosted", replace(both, learner="boosted")
    bleu = replace(both, loss="bleu")
    yield "the words ahead, BLEU", replace(context, loss="bleu")
    yield "classes and stack, BLEU", bleu
    lols = SearnOptions(method="lols")
    yield "classes and stack, BLEU, LOLS", replace(bleu, searn=lols)
