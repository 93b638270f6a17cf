"""What can be chosen when an Amasis model is trained.

``paper``   the closest reading of the paper: five scores and a trigram model, labels by three
            features, the best label of each item, no score for it.
``ext``     what serves best: items are also composed of their neighbours, with any of the words
            without links around them, labels look at the words ahead, at classes of words and at
            the stack, the three best ones of an item are tried, and their probability, deleted
            words and rare items are features; so are models of classes and of units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from demotic.corpus import OrthographyConfig
from demotic.decode.amasis import AmasisSearch
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar.items import ItemExtraction
from demotic.learn import MertOptions, MiraOptions, ProOptions
from demotic.learn.boosting import BoostingOptions
from demotic.learn.searn import SearnOptions
from demotic.systems.choices import ALIGNER, SYMMETRISATION, TEXT, lm_order
from demotic.systems.classifiers import ClassifierConfig
from demotic.systems.config import (
    OF_PRESET,
    SMALL_STEPS,
    AlignConfig,
    LmConfig,
    TrainingConfig,
    TuneConfig,
    splitting_compounds,
)
from demotic.systems.rules import RULE_WEIGHTS

Preset = Literal["paper", "ext"]

START = {**RULE_WEIGHTS, "Label": 0.2}
CHOICES = (*TEXT, ALIGNER, SYMMETRISATION, lm_order(4, 5, 6))
DEMO: dict[str, Any] = {"lm": {"order": 4}, "tune": {"mira": {"iterations": 4}}}
"""A tour should not take long."""


@dataclass(frozen=True, kw_only=True)
class LabelConfig:
    """How labels are learned from the aligned text."""

    features: Literal["paper", "context", "classes"] = "paper"
    """The item's two sides and the word before it; or the words behind it, too; or also the
    classes of all these."""
    classes: int = 100
    """Of source words, where features are ``classes``."""
    depth: bool = False
    """Labels also look at the depth of the stack: then what was done before shows in what is
    learned."""
    stack: bool = False
    """Labels also look at the labels before them, and at the target words at the borders of the
    top two fragments."""
    mask: Literal["none", "full"] = "none"
    """Learn to choose among all labels, or among those that let the stack end with one fragment;
    these want ``search.close = "forced"``."""
    min_count: int = 5
    """Features seen less often are dropped."""
    max_reductions: int = 0
    """Sentences with a label of more reductions teach nothing; 0 sets no limit."""
    holdout: int = 20
    """Of so many sentences one is held out, to tell how probable labels are; 0 holds none out."""
    learner: Literal["perceptron", "softmax", "boosted"] = "perceptron"
    """Who learns from the costs of labels: the averaged perceptron, logistic regression, or
    boosted decision trees, one classifier for each label."""
    boosting: BoostingOptions = field(default_factory=lambda: BoostingOptions(lambda_min=3.0))
    """How trees are grown, where the learner is ``boosted``."""
    loss: Literal["hamming", "bleu"] = "hamming"
    """What a sentence costs: its wrong labels; or what the order of its words lacks of BLEU."""
    searn: SearnOptions = field(default_factory=SearnOptions)
    """The loop."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "min_count", least=1)
        check_counts(self, "max_reductions", most=127)
        check_counts(self, "holdout")
        check_counts(self, "classes", least=2, most=60_000)
        if self.boosting.atoms_only:
            raise ArgumentError(
                "labels are boosted by trees", remedy="softmax is the linear learner"
            )
        if self.holdout == 1:
            raise ArgumentError("a holdout of 1 leaves nothing to learn from", remedy="2 or more")


_UNUSED = ("SeenOnce", "SeenTwice", "PassThrough", "UnknownWord", "Label")
"""Features that the paper does not have keep the weights that they start with."""
_PAPER: dict[str, Any] = {
    "source": OrthographyConfig(),
    "lm": LmConfig(order=3),
    "extract": ItemExtraction(),
    "learn": LabelConfig(),
    "search": AmasisSearch(),
    "tune": TuneConfig(
        mert=MertOptions(fixed=_UNUSED),
        mira=MiraOptions(fixed=_UNUSED),
        pro=ProOptions(fixed=_UNUSED),
    ),
}
_EXT: dict[str, Any] = {
    "source": splitting_compounds(),
    "lm": LmConfig(classes=200, bilingual=400),
    "extract": ItemExtraction(
        max_item=7, compose=3, min_composed=2, loose=True, min_loose=2, unaligned=True
    ),
    "learn": LabelConfig(features="classes", stack=True, max_reductions=7),
    "search": AmasisSearch(labels=3, pops=300),
    "tune": SMALL_STEPS,
}


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"paper": _PAPER, "ext": _EXT}
    FURTHER_MODELS = True
    BILINGUAL = True
    FOLDS = True

    preset: Preset = "ext"
    """``paper`` is the closest reading of the paper; ``ext`` what serves best."""
    source: OrthographyConfig = OF_PRESET
    """How the source language is split into tokens."""
    align: AlignConfig = field(default_factory=lambda: AlignConfig(symmetrise="grow-diag-final"))
    """Who aligns the words."""
    lm: LmConfig = OF_PRESET
    """The language model of the target side."""
    extract: ItemExtraction = OF_PRESET
    """How sentence pairs fall into items, and which of them the table gets."""
    learn: LabelConfig = OF_PRESET
    """How labels are learned."""
    classifiers: ClassifierConfig = field(default_factory=ClassifierConfig)
    """Classifiers of words, as two more features of the items."""
    search: AmasisSearch = OF_PRESET
    """How the decoder searches."""
    tune: TuneConfig = OF_PRESET
    """How weights are found."""

    def __post_init__(self) -> None:
        super().__post_init__()
        forced = self.search.close == "forced"
        if self.search.order == "learned" and forced != (self.learn.mask == "full"):
            raise ArgumentError(
                f"labels learned with mask = {self.learn.mask} and a search that closes stacks "
                f"by {self.search.close}",
                remedy="none goes with join, full with forced",
            )

    @property
    def start(self) -> dict[str, float]:
        """Where tuning begins; the paper's score has no part for labels."""
        return {**START, "Label": 0.0} if self.preset == "paper" else START
