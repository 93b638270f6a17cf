"""What can be chosen when a phrase model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demotic.corpus import OrthographyConfig
from demotic.decode import PhraseSearch
from demotic.grammar import PhraseExtraction
from demotic.systems.cdlm.config import CdlmConfig
from demotic.systems.choices import LINKS, PHRASES, TEXT, lm_order
from demotic.systems.classifiers import ClassifierConfig
from demotic.systems.config import (
    SMALL_STEPS,
    LmConfig,
    TrainingConfig,
    TuneConfig,
    splitting_compounds,
)
from demotic.systems.rules import RULE_WEIGHTS, check_lazy

START = {
    **RULE_WEIGHTS,
    "Distortion": 0.1,
    "MonotonePrevious": 0.1,
    "SwapPrevious": 0.1,
    "OtherPrevious": 0.1,
    "MonotoneNext": 0.1,
    "SwapNext": 0.1,
    "OtherNext": 0.1,
}
MODELS = LmConfig(classes=200, bilingual=400)
"""Those of classes and of units are worth their time with weights of small steps
(docs/defaults.md)."""
CHOICES = (PHRASES, *TEXT, *LINKS, lm_order(4, 5, 6))
DEMO: dict[str, Any] = {"lm": {"order": 4}, "tune": {"mira": {"iterations": 4}}}
"""A tour should not take long."""


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    FURTHER_MODELS = True
    BILINGUAL = True
    FOLDS = True

    source: OrthographyConfig = field(default_factory=splitting_compounds)
    """How the source language is split into tokens."""
    extract: PhraseExtraction = field(default_factory=PhraseExtraction)
    """Which phrase pairs there are."""
    cdlm: CdlmConfig = field(default_factory=CdlmConfig)
    """A language model that learns from confusions, as one more column of the phrases."""
    classifiers: ClassifierConfig = field(default_factory=ClassifierConfig)
    """Classifiers of words, as two more features of the phrases."""
    search: PhraseSearch = field(default_factory=PhraseSearch)
    """How the decoder searches."""
    lm: LmConfig = MODELS
    """The language models of the target side, one of them of classes and one of units."""
    tune: TuneConfig = SMALL_STEPS
    """How weights are tuned."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_lazy(self.extract, self.cdlm)

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        table = self.extract.table
        return (*super().files(), *self.cdlm.files(), *(() if table is None else (table,)))
