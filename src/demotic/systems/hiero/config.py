"""What can be chosen when a Hiero model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field

from demotic.corpus import OrthographyConfig
from demotic.decode import DecoderOptions
from demotic.grammar import HieroOptions
from demotic.systems.settings import RULE_WEIGHTS, TrainingConfig, TuneConfig, splitting

START = {**RULE_WEIGHTS, "Glue": 0.0}


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    source: OrthographyConfig = field(default_factory=splitting)
    grammar: HieroOptions = field(default_factory=lambda: HieroOptions(min_sentences=2))
    """Rules with nonterminals that one sentence alone gave are most of a grammar, and mislead."""
    decode: DecoderOptions = field(default_factory=DecoderOptions)
    tune: TuneConfig = field(default_factory=TuneConfig)
