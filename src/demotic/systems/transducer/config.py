"""What can be chosen when a transducer is trained, with defaults that suit most corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from demotic.decode import TreeSearch
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.learn.boosting import BoostingOptions
from demotic.systems.choices import ALIGNER, CASING, SOURCE_WORDS, TARGET_WORDS
from demotic.systems.config import SMALL_STEPS, TrainingConfig, TuneConfig

CHAPTER = {"WordChoice": 1.0, "Order": 1.0, "Insertion": 1.0}
START = {**CHAPTER, "LanguageModel": 0.5, "WordPenalty": 1.0}
"""Where tuning begins, with a language model: it likes few words.  Without one, ``CHAPTER``."""
"""The chapter's: costs add up as they are."""
CHOICES = (SOURCE_WORDS, TARGET_WORDS, CASING, ALIGNER)
DEMO: dict[str, Any] = {
    "trees": {"source": "induced"},
    "learn": {"order_pairs": 1000},
    "tune": {"list_size": 20, "mira": {"iterations": 1}},
}
"""A tour has no treebank at hand, and should not take long."""


@dataclass(frozen=True, kw_only=True)
class TreesConfig:
    """Where trees of source sentences come from."""

    source: Literal["parsed", "induced"] = "parsed"
    """``parsed``: from a parser, or from a file; ``induced``: from the links alone, by a parser of
    the trees which inversion transduction grammar sees in the training text."""
    file: Path | None = None
    """Trees of the training text, one for each pair, in brackets or CoNLL-U; plain or gzip.  Other
    text is parsed by ``parser``, or else by a parser trained on them."""
    lenient: bool = False
    """Sentences whose tree in ``file`` has other words are parsed, and counted; else they are an
    error, with their line."""
    treebank: Path | None = None
    """Trees to train a parser on, in brackets or CoNLL-U; plain or gzip."""
    parser: Path | None = None
    """A parser that ``demotic parse train`` made."""

    def __post_init__(self) -> None:
        check_choices(self)
        given = [name for name in ("file", "treebank", "parser") if getattr(self, name) is not None]
        if self.source == "induced" and given:
            raise ArgumentError(
                f"trees are induced, and come from trees.{given[0]} as well",
                remedy="leave one of them out",
            )
        if self.treebank is not None and self.parser is not None:
            raise ArgumentError(
                "there is a parser, and a treebank to train one on", remedy="leave one of them out"
            )

    def files(self) -> tuple[Path, ...]:
        """Those that there are."""
        return tuple(p for p in (self.file, self.treebank, self.parser) if p is not None)

    def check_source(self) -> None:
        """Raise unless there will be trees."""
        if self.source == "parsed" and not self.files():
            raise ArgumentError(
                "the system transducer reads trees of source sentences, and there are none",
                remedy="give a parser (--parser MODEL), a treebank to train one on (--treebank"
                " FILE) or trees of the text itself (--source-trees FILE); or let the links tell"
                " (--trees induced)",
            )


@dataclass(frozen=True, kw_only=True)
class LearnConfig:
    """How classifiers are learned."""

    features: Literal["w", "wd", "wc", "wdc"] = "wd"
    """What word classifiers see: words and tags around (w), the dependencies of the tree (d), all
    words and tags of the sentence (c)."""
    null: Literal["all", "linked"] = "all"
    """Whether words without a translation are learned as such, or left out."""
    lambda_min: float = 1.0
    """Where the regularisation path ends; lambda is chosen on text held out."""
    gain: Literal["hard", "printed"] = "hard"
    """What a leaf promises (``demotic.learn.BoostedTrees``)."""
    order_pairs: int = 20_000
    """The first pairs of the text, from which orders are learned; 0 takes all."""
    pooled_below: int = 1000
    """Labels with fewer examples of orders share their classifiers."""
    language_model: bool = True
    """A language model of the target takes part in the search (``lm``); the chapter has none."""
    insertions: bool = True
    """Target words without a source word are learned, and put in beside translations; the chapter
    has none."""
    held_out: int = 1000
    """Pairs to choose lambda by, at most a tenth of all."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "held_out", "pooled_below", least=1)
        check_counts(self, "order_pairs")
        self.boosting  # noqa: B018  (complains if need be)

    @property
    def boosting(self) -> BoostingOptions:
        """The same for the learner."""
        return BoostingOptions(lambda_min=self.lambda_min, gain=self.gain)


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    trees: TreesConfig = field(default_factory=TreesConfig)
    """Where trees of source sentences come from."""
    learn: LearnConfig = field(default_factory=LearnConfig)
    """How classifiers are learned."""
    search: TreeSearch = field(default_factory=TreeSearch)
    """How the decoder searches."""
    tune: TuneConfig = SMALL_STEPS
    """How the weights of the three features are tuned."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trees.file is not None and self.source.compounds == "on":
            raise ArgumentError(
                "trees of the text do not fit words that are split",
                remedy="leave out source.compounds",
            )

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        return (*super().files(), *self.trees.files())

    def check_files(self) -> None:
        """Raise where one of them is missing, or there will be no trees."""
        self.trees.check_source()
        super().check_files()
