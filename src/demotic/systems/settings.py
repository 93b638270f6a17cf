"""What can be chosen for every system that is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from demotic.align.symmetrise import DEFAULT
from demotic.corpus import Cleaning, OrthographyConfig
from demotic.engine import LocalEngine
from demotic.errors import ArgumentError, FileAccessError, check_counts
from demotic.learn import MertOptions
from demotic.lm.estimation import MAX_ORDER
from demotic.systems.tuning import Kind


@dataclass(frozen=True, kw_only=True)
class AlignConfig:
    """Who aligns the words; ``file`` holds links made by somebody else, in Pharaoh format."""

    method: str = "builtin"
    symmetrise: str = DEFAULT
    file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """Where bulk work runs, in how much memory, and where it puts what does not fit."""

    name: str = "local"
    memory: int = 1 << 30
    temp: Path | None = None

    def __post_init__(self) -> None:
        if self.name.startswith("spark://"):
            raise ArgumentError(
                f"{self.name}: this version of Demotic works on one machine, not on a cluster",
                remedy="use the engine 'local'; what exceeds its memory goes to disk",
            )
        if self.name != "local":
            raise ArgumentError(f"unknown engine '{self.name}'", remedy="choose 'local'")
        if self.temp is not None and not self.temp.is_dir():
            raise FileAccessError("no such folder", path=self.temp, remedy="create it first")

    def local(self, threads: int) -> LocalEngine:
        """The engine, with so many threads."""
        return LocalEngine(threads=threads, memory=self.memory, temp=self.temp)


@dataclass(frozen=True, kw_only=True)
class LmConfig:
    """The language model of the target side."""

    order: int = 5
    prune: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_counts(self, "order", least=1, most=MAX_ORDER)


@dataclass(frozen=True, kw_only=True)
class TuneConfig:
    """Minimum error rate training, on forests or on lists of the best translations."""

    candidates: Kind = "kbest"
    list_size: int = 100
    mert: MertOptions = field(default_factory=MertOptions)

    def __post_init__(self) -> None:
        check_counts(self, "list_size", least=1)


RULE_WEIGHTS = {
    "TargetGivenSource": 0.2,
    "SourceGivenTarget": 0.2,
    "LexicalTargetGivenSource": 0.2,
    "LexicalSourceGivenTarget": 0.2,
    "SeenOnce": 0.0,
    "SeenTwice": 0.0,
    "LanguageModel": 0.5,
    "WordPenalty": 0.5,
    "RulePenalty": 0.0,
    "PassThrough": -3.0,
    "UnknownWord": 0.0,
}
"""Where tuning begins, for features that systems with rules share; in the scale of natural logs."""


def splitting() -> OrthographyConfig:
    """How a source language is written, its compounds split where the text has enough of them."""
    return OrthographyConfig(compounds="auto")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What every system asks; systems add their own.  Saved in the model."""

    tokenised: bool = False
    """The text has spaces between its tokens already; neither these nor their case change, but
    ``compounds`` may still be split."""
    dev_size: int = 1000
    """Pairs held out for tuning when no development set is given; at most a tenth of all."""
    seed: int = 1
    cleaning: Cleaning = field(default_factory=Cleaning)
    source: OrthographyConfig = field(default_factory=OrthographyConfig)
    target: OrthographyConfig = field(default_factory=OrthographyConfig)
    align: AlignConfig = field(default_factory=AlignConfig)
    lm: LmConfig = field(default_factory=LmConfig)
    engine: EngineConfig = field(default_factory=EngineConfig)
    """Never shows in the result, and is not saved with it."""

    def __post_init__(self) -> None:
        check_counts(self, "dev_size", least=1)
        if not 0 <= self.seed < 2**63:
            raise ArgumentError(f"a seed of {self.seed}", remedy="give a number from 0 up")
        if self.tokenised:
            for side in ("source", "target"):
                asked: OrthographyConfig = getattr(self, side)
                plain = replace(asked, tokeniser="none", casing="none", protect=())
                object.__setattr__(self, side, plain)
        elif self.align.file is not None:
            raise ArgumentError(
                "links of another aligner belong to text that is tokenised already",
                remedy="say that the text is tokenised",
            )
        if self.align.file is not None:
            # Links count words, and splitting compounds would make more of them.
            for side in ("source", "target"):
                asked = getattr(self, side)
                if asked.compounds == "on":
                    raise ArgumentError(
                        "links of another aligner do not fit words that are split",
                        remedy=f"leave out {side}.compounds, or let Demotic align",
                    )
                object.__setattr__(self, side, replace(asked, compounds="off"))
