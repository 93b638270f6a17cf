"""What can be chosen when a Hiero model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from demotic.corpus import OrthographyConfig
from demotic.decode import HieroSearch
from demotic.grammar import HieroExtraction
from demotic.systems.config import TrainingConfig, TuneConfig, splitting_compounds
from demotic.systems.rules import RULE_WEIGHTS

START = {**RULE_WEIGHTS, "Glue": 0.0}
EXTRACTION = HieroExtraction(min_sentences=2)
"""Rules with nonterminals that one sentence alone gave are most of a grammar, and mislead."""
DEMO: dict[str, Any] = {"lm": {"order": 4}, "tune": {"mert": {"iterations": 4, "restarts": 1}}}
"""A tour should not take long: fewer rounds of tuning than a model for use deserves."""


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    source: OrthographyConfig = field(default_factory=splitting_compounds)
    """How the source language is taken apart."""
    extract: HieroExtraction = EXTRACTION
    """Which rules there are."""
    search: HieroSearch = field(default_factory=HieroSearch)
    """How the decoder searches."""
    tune: TuneConfig = field(default_factory=TuneConfig)
    """Minimum error rate training of the weights."""
