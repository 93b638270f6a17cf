"""What can be chosen for a language model of confusions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from demotic.decode.confusion import ConfusionSearch
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar.bigrams import CLASSES, FREQUENT, Preset
from demotic.grammar.confusion import BY_SOURCE, ConfusionOptions
from demotic.systems.reverse import file_of


@dataclass(frozen=True, kw_only=True)
class CdlmLearning:
    """How its weights are learned."""

    objective: Literal["risk", "likelihood"] = "risk"
    """The expected loss of linear BLEU, or the likelihood of the sentences themselves."""
    rounds: int = 5
    """How often sentences are confused anew under the weights so far, at most; it ends where the
    held-out sentences gain less than 0.1 BLEU."""
    accumulate: bool = True
    """Learn from the confusions of all rounds, not of the last alone."""
    count_rules: bool = False
    """Learn weights for the numbers of rules and of glue rules beside those of bigrams, which then
    need not count rules; they are no part of the model."""
    variance: float = 1.0
    """Of the Gaussian prior of weights; halved where a round goes too far."""
    evaluations: int = 100
    """Of the objective in a round."""
    anneal: bool = False
    """Begin with all confusions equally probable, and cool down."""
    optimiser: Literal["lbfgs", "adagrad", "adam"] = "lbfgs"
    """``lbfgs`` learns from the confusions of all sentences together; the others confuse some
    sentences, go a step and forget them: for more text than memory holds."""
    batch: int = 50
    """Sentences that these look at for a step."""
    rate: float = 0.05
    """How far they go."""
    held_out: int = 10
    """One group of paraphrases out of so many judges the rounds and is not learned from."""
    max_words: int = 40
    """Longer sentences are left out."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "rounds", "evaluations", "max_words", "batch", least=1)
        check_counts(self, "held_out", least=2)
        if not 0 < self.variance < float("inf"):
            raise ArgumentError(f"a variance of {self.variance}", remedy="give a positive number")
        if not 0 < self.rate < float("inf"):
            raise ArgumentError(f"a rate of {self.rate}", remedy="give a positive number")
        if self.anneal and self.optimiser != "lbfgs":
            raise ArgumentError("annealing goes with the optimiser lbfgs")


@dataclass(frozen=True, kw_only=True)
class CdlmConfig:
    """A language model that learns from confusions, as one column of the rules: ConfusionModel."""

    text: Path | None = None
    """Text in the target language, plain or gzip, one sentence a line; without it there is no such
    model."""
    sentences: int = 600
    """Sentences of the text that are learned from, spread evenly over it."""
    sources: int = 300
    """Source sentences of the development set whose translations say what is confused, by node or
    by cell."""
    reverse: Path | None = None
    """A model of the opposite direction. What it makes of the sentences learned from are further
    sources whose translations say what is confused; sides of a source are confused only where it is
    in one of all these."""
    confusion: ConfusionOptions = BY_SOURCE
    """Which target sides are confused with each other.  Phrases are alone in their nodes, and what
    the nodes of hiero teach speaks against good translations (docs/cdlm.md)."""
    preset: Preset = "paper"
    """What words are in bigrams: ``paper``, frequent ones by class and others alike; ``lexical``,
    frequent ones as they are and others by class."""
    frequent: int = FREQUENT
    """The most frequent words, which are told apart."""
    classes: int = CLASSES
    """Into which words are sorted, by the company they keep."""
    symbols: Path | None = None
    """A table word<TAB>symbol instead, such as parts of speech."""
    search: ConfusionSearch = field(default_factory=ConfusionSearch)
    """How sentences are confused."""
    learn: CdlmLearning = field(default_factory=CdlmLearning)
    """How weights are learned."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "sources", "classes", least=1)
        check_counts(self, "sentences", least=20)
        check_counts(self, "frequent")

    def files(self) -> tuple[Path, ...]:
        """Those that training will read."""
        reverse = None if self.reverse is None else file_of(self.reverse)
        return tuple(path for path in (self.text, self.symbols, reverse) if path is not None)
