"""What can be chosen when a Hiero model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demotic.corpus import OrthographyConfig
from demotic.decode import HieroSearch
from demotic.grammar import HieroExtraction
from demotic.systems.cdlm.config import CdlmConfig
from demotic.systems.choices import LINKS, RULES, TEXT, lm_order
from demotic.systems.classifiers import ClassifierConfig
from demotic.systems.config import (
    SMALL_STEPS,
    LmConfig,
    TrainingConfig,
    TuneConfig,
    splitting_compounds,
)
from demotic.systems.pruning import PruneConfig
from demotic.systems.rules import RULE_WEIGHTS, check_lazy

START = {**RULE_WEIGHTS, "Glue": 0.0}
EXTRACTION = HieroExtraction(tight=False, tight_holes=True, min_sentences=2)
"""Words that the other language does without can be written and left out (docs/defaults.md); rules
with nonterminals that one sentence alone gave are most of a grammar, and mislead."""
MODELS = LmConfig(classes=200)
"""A model of classes is worth its time with weights of small steps (docs/defaults.md)."""
SEARCH = HieroSearch(inner=0.4)
"""Two thirds of the time, and no loss that shows (docs/defaults.md)."""
CHOICES = (RULES, *TEXT, *LINKS, lm_order(4, 5, 6))
DEMO: dict[str, Any] = {"lm": {"order": 4}, "tune": {"mira": {"iterations": 4}}}
"""A tour should not take long: fewer rounds of tuning than a model for use deserves."""


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    FURTHER_MODELS = True
    FOLDS = True

    source: OrthographyConfig = field(default_factory=splitting_compounds)
    """How the source language is split into tokens."""
    extract: HieroExtraction = EXTRACTION
    """Which rules there are."""
    cdlm: CdlmConfig = field(default_factory=CdlmConfig)
    """A language model that learns from confusions, as one more column of the rules."""
    classifiers: ClassifierConfig = field(default_factory=ClassifierConfig)
    """Classifiers of words, as two more features of the rules."""
    lm: LmConfig = MODELS
    """The language models of the target side, one of them of classes."""
    search: HieroSearch = SEARCH
    """How the decoder searches."""
    tune: TuneConfig = SMALL_STEPS
    """How weights are tuned."""
    prune: PruneConfig = field(default_factory=PruneConfig)
    """Which rules are dropped when weights are known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_lazy(self.extract, self.cdlm, self.prune)

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        return (*super().files(), *self.cdlm.files())
