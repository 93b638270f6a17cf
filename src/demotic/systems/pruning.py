"""A stage behind tuning: rules that two others make up next to as well are dropped.

    weights = training.tune(...)
    rules = prune_rules(training, config.prune, rules, decoder, [lm, *further], weights)

Only tuned weights tell what a rule is worth beside others.  Where all text joins the training in
the end, its rules are pruned anew, under the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from demotic.decode import HieroDecoder
from demotic.decode.decoder import Decoder, Hypothesis
from demotic.errors import ArgumentError
from demotic.grammar import RuleTable
from demotic.systems.weights import read_weights
from demotic.systems.work import Stage, WorkFolder

if TYPE_CHECKING:
    from demotic.systems.stages import Training

_FOLDER = "pruned"


@dataclass(frozen=True, kw_only=True)
class PruneConfig:
    """Which rules are dropped when weights are known."""

    composed: bool = False
    """Those that two others make up: one with the other in the place of a nonterminal."""
    margin: float = 0.5
    """How much lower the two may score than the rule, in the model's score; 0 drops what never
    wins."""

    def __post_init__(self) -> None:
        if not 0 <= self.margin < float("inf"):
            raise ArgumentError("prune.margin must be a number from 0 up")


def prune_rules(
    training: Training,
    config: PruneConfig,
    rules: Stage,
    decoder: Callable[[], Decoder[Hypothesis]],
    others: Sequence[Stage],
    weights: Stage,
) -> Stage:
    """Rules without those that ``config`` drops; ``decoder`` is made from them and ``others``."""
    if not config.composed:
        return rules
    # A folder of its own: the table keeps its name.
    work = WorkFolder(
        training.work.folder / _FOLDER, resume=training.resume, progress=training.progress
    )
    stage = work.stage(
        "prune", asdict(config), after=[rules, *others, weights], files=["rules.bin"]
    )
    if stage.wanted:
        tuned = decoder().with_weights(read_weights(weights.path("weights.json")))
        assert isinstance(tuned, HieroDecoder)
        kept = tuned.without_composed(config.margin, out=stage.path("rules.bin"))
        before = len(RuleTable.load(rules.path("rules.bin")))
        training.progress.say(f"{before - len(kept):,} of {before:,} rules are made up by others")
        stage.finish()
    return stage
