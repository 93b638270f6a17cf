"""What can be chosen when a phrase model is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from demotic.corpus import OrthographyConfig
from demotic.decode import PhraseOptions
from demotic.grammar import HieroOptions
from demotic.systems.settings import RULE_WEIGHTS, TrainingConfig, TuneConfig, splitting

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


@dataclass(frozen=True, kw_only=True)
class PhraseTableConfig:
    """Which phrase pairs there are."""

    max_phrase: int = 7
    """Words of a phrase, each side."""
    tight: bool = False
    """Keep unaligned words from the edges of phrases."""
    max_targets: int = 30
    """The most frequent translations of each source phrase are kept; 0 keeps all."""
    reordering: bool = True
    """Learn for each phrase pair how it follows its neighbours (lexicalised reordering)."""
    table: Path | None = None
    """A phrase table made by another system, such as Moses (text, ``.gz``), or a binary table of
    Demotic's (``.bin``): used as it is, instead of extracting one."""

    def __post_init__(self) -> None:
        self.extraction()  # complains if need be

    def extraction(self) -> HieroOptions:
        """The same for the extractor."""
        return HieroOptions.phrases(
            self.max_phrase,
            tight=self.tight,
            max_targets=self.max_targets,
            orientations=self.reordering,
        )


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    source: OrthographyConfig = field(default_factory=splitting)
    phrases: PhraseTableConfig = field(default_factory=PhraseTableConfig)
    decode: PhraseOptions = field(default_factory=PhraseOptions)
    tune: TuneConfig = field(default_factory=TuneConfig)
