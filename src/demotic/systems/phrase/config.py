"""What can be chosen when a phrase model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demotic.corpus import OrthographyConfig
from demotic.decode import PhraseSearch
from demotic.grammar import PhraseExtraction
from demotic.systems.choices import LINKS, PHRASES, TEXT, lm_order
from demotic.systems.config import TrainingConfig, TuneConfig, splitting_compounds
from demotic.systems.rules import RULE_WEIGHTS

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


CHOICES = (PHRASES, *TEXT, *LINKS, lm_order(4, 5, 6))
DEMO: dict[str, Any] = {"lm": {"order": 4}, "tune": {"mert": {"iterations": 4, "restarts": 1}}}
"""A tour should not take long."""


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    FURTHER_MODELS = True
    BILINGUAL = True

    source: OrthographyConfig = field(default_factory=splitting_compounds)
    """How the source language is taken apart."""
    extract: PhraseExtraction = field(default_factory=PhraseExtraction)
    """Which phrase pairs there are."""
    search: PhraseSearch = field(default_factory=PhraseSearch)
    """How the decoder searches."""
    tune: TuneConfig = field(default_factory=TuneConfig)
    """Minimum error rate training of the weights."""

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        table = self.extract.table
        return (*super().files(), *(() if table is None else (table,)))
