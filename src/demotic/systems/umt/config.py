"""What can be chosen when a UMT model is trained.

Presets say which rules and features there are, how the decoder searches and learns, and what is
tried on the development set:

``paper``     the closest reading of the paper that works: the features that it names, with P(e|f)
              (see ``features``); words without their whole context are estimated (kappa 1), and so
              are those of missing branches (bounds of words); full-path updates, their rate chosen.
              Tight phrases, as in ``literal``.
``lookahead`` the same features, of loose phrases as Hiero extracts them; a policy that fills every
              gap with its best branch before the language model judges, and learns by replay.
``full``      ``lookahead`` with every feature that Hiero has.
``tuned``     ``full``, and what helps on the development set of all that ``choice`` lists.
``literal``   the paper as it is printed: P(f|e), words count when their context is known, bounds
              without language model, full-path updates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from demotic.decode.undirected import UndirectedSearch
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar import HieroExtraction
from demotic.learn import DrlOptions
from demotic.systems.cdlm.config import CdlmConfig
from demotic.systems.config import OF_PRESET, TrainingConfig, TuneConfig
from demotic.systems.hiero.config import CHOICES as CHOICES
from demotic.systems.hiero.config import EXTRACTION

Preset = Literal["paper", "lookahead", "full", "tuned", "literal"]
Features = Literal["paper", "printed", "all"]
Bounds = Literal["local", "words", "chart"]
Cff = Literal["raw", "delta", "off"]
Reward = Literal["sentence", "corpus"]
Rewards = Literal["end", "steps"]

TIGHT = HieroExtraction(min_sentences=2)
"""Tight phrases, as the paper's extractor gives them."""
GREEDY = UndirectedSearch(kappa=1.0, bounds="words")
"""The policy of the paper: a glance at each word, and no look ahead."""
AHEAD = UndirectedSearch(bounds="chart", cff="delta", lookahead=True)
"""A greedy policy that knows what the language model will say of the branches to come."""
REPLAY = DrlOptions(update="replay", rate=0.3, samples=3)
DEMO: dict[str, Any] = {"lm": {"order": 4}, "preset": "full"}
"""A tour should not take long: of all that could be tried on the development set little."""


@dataclass(frozen=True, kw_only=True)
class LearnConfig:
    """Discriminative reinforcement learning, on the development set."""

    rates: tuple[float, ...] = ()
    """Learning rates to try; the one of the highest BLEU on the development set is taken.  Where
    there are none, ``drl.rate`` is."""
    reward: Reward = "corpus"
    """What a translation is worth: BLEU+1 of the sentence, or what it does for BLEU of all."""
    rewards: Rewards = "end"
    """When it comes: all at the end, as in the paper, or step by step, as n-grams that match get
    complete. It makes a difference where ``drl.discount`` is below 1."""
    start: Literal["auto", "default", "mert"] = "auto"
    """Weights to start from: fixed ones, or those that MERT finds for cube pruning.  ``auto`` is
    MERT for the preset ``tuned``, and fixed ones for the others."""
    drl: DrlOptions = REPLAY
    """How to learn."""
    memory: int = 1 << 30
    """Bytes of parsed sentences kept from epoch to epoch; beyond, sentences are parsed again."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "memory", most=2**63 - 1)
        if not self.rates and not self.drl.rate:
            raise ArgumentError("a learning rate of 0 learns nothing")
        for rate in self.rates:
            replace(self.drl, rate=rate)  # complains if need be
            if not rate:
                raise ArgumentError("a learning rate of 0 learns nothing")


@dataclass(frozen=True, kw_only=True)
class ChoiceConfig:
    """What the preset ``tuned`` tries, one after the other, keeping what helps.

    First, under the weights to start from, what the policy looks at: ``kappa``, ``bounds``, ``cff``
    in all combinations, ``lookahead``, and what ``search`` says.  Then learning, as ``LearnConfig``
    says, and at a fifth of its rate; the weights to start from stay if that is not better.
    Then sparse features beside them, learned by ``expected_reward``, judged on a fifth of the
    development set that learning does not see.  At last ways to search that take longer.
    """

    kappa: tuple[float, ...] = (0.0, 0.5, 1.0)
    """Values of ``search.kappa``."""
    bounds: tuple[Bounds, ...] = ("local", "words", "chart")
    """Values of ``search.bounds``."""
    cff: tuple[Cff, ...] = ("raw", "delta")
    """Values of ``search.cff``."""
    lookahead: bool = True
    """Try lookahead, too."""
    sparse_bits: tuple[int, ...] = (16,)
    """Values of ``search.sparse_bits``; none where there are none."""
    sparse_rates: tuple[float, ...] = (0.001, 0.0003)
    """Of ``expected_reward``; the first one where ``search.sparse_bits`` asks for them outright."""
    repairs: tuple[int, ...] = (0, 1)
    """Values of ``search.repairs``."""
    repair_width: tuple[int, ...] = (1, 3)
    """Values of ``search.repair_width``, with each number of repairs."""
    restarts: tuple[int, ...] = (1, 4)
    """Values of ``search.restarts``."""
    beam: tuple[int, ...] = (1, 4)
    """Values of ``search.beam``."""
    min_gain: float = 0.05
    """BLEU points below which a slower way to search is not worth it."""

    def __post_init__(self) -> None:
        if not self.sparse_rates:
            raise ArgumentError("sparse features need a rate", remedy="give sparse_rates one")
        if not all(0 < rate < math.inf for rate in self.sparse_rates):
            raise ArgumentError("sparse_rates must be numbers above 0")
        if not 0 <= self.min_gain < math.inf:
            raise ArgumentError("min_gain must be a number that is not negative")
        for name in ("kappa", "repairs", "repair_width", "restarts", "beam", "sparse_bits", "cff"):
            for value in getattr(self, name):
                replace(AHEAD, **{name: value})  # complains if need be
        for bounds in self.bounds:
            UndirectedSearch(bounds=bounds)


def _full_path(*rates: float) -> LearnConfig:
    """The paper's updates, the best of these rates."""
    drl = DrlOptions(update="full_path", rate=rates[1], samples=1)
    return LearnConfig(rates=rates, reward="sentence", drl=drl)


_PAPER: dict[str, Any] = {
    "features": "paper", "extract": TIGHT, "search": GREEDY,
    "learn": _full_path(0.1, 0.01, 0.001, 0.0001),
}  # fmt: skip
_AHEAD: dict[str, Any] = {
    "features": "paper", "extract": EXTRACTION, "search": AHEAD, "learn": LearnConfig(),
}  # fmt: skip
_FULL = _AHEAD | {"features": "all"}
_LITERAL: dict[str, Any] = {
    "features": "printed", "extract": TIGHT, "search": UndirectedSearch(),
    "learn": _full_path(1.0, 0.1, 0.01),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": _PAPER, "lookahead": _AHEAD, "full": _FULL, "tuned": _FULL, "literal": _LITERAL,
    }  # fmt: skip

    preset: Preset = "tuned"
    """Features, search and learning: ``paper`` is the closest reading of the paper that works,
    ``lookahead`` a policy that sees what the language model will say, ``full`` the same with every
    feature that Hiero has, ``tuned`` also what helps of all that ``choice`` lists; ``literal`` is
    the paper as printed."""
    features: Features = OF_PRESET
    """``paper``: P(e|f), lexical weights in both directions, language model, word penalty, bounds
    of branches (CFF), and Glue and PassThrough, which the paper takes for granted.  ``printed``:
    P(f|e) in place of P(e|f), as the paper prints it, though its extractor gives P(e|f).  ``all``:
    every feature that Hiero has."""
    extract: HieroExtraction = OF_PRESET
    """Which rules there are: in ``paper`` and ``literal`` those of tight phrases, in the others
    those of Hiero."""
    cdlm: CdlmConfig = field(default_factory=CdlmConfig)
    """A language model that learns from confusions, as one more column of the rules."""
    search: UndirectedSearch = OF_PRESET
    """How the decoder searches."""
    learn: LearnConfig = OF_PRESET
    """Learning from roll-outs."""
    choice: ChoiceConfig = field(default_factory=ChoiceConfig)
    """What the preset ``tuned`` tries."""
    tune: TuneConfig = field(default_factory=TuneConfig)
    """Minimum error rate training, where learning starts from its weights."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.extract.rules == "lazy":
            raise ArgumentError(
                "the system umt needs a table of all rules",
                remedy="set extract.rules to table",
            )
        if self.consensus.method == "forest":
            raise ArgumentError(
                "the system umt keeps one tree, and no forest to agree in",
                remedy="choose consensus.method=kbest",
            )

    @property
    def starts_from_mert(self) -> bool:
        """Does learning start from the weights of MERT?"""
        start = self.learn.start
        return start == "mert" or (start == "auto" and self.preset == "tuned")

    @property
    def tunes(self) -> bool:
        """Only for weights to start from."""
        return self.starts_from_mert

    def for_trials(self) -> Self:
        """Without what the preset ``tuned`` tries by itself."""
        hurried = super().for_trials()
        return replace(hurried, preset="full") if self.preset == "tuned" else hurried

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        return (*super().files(), *self.cdlm.files())
