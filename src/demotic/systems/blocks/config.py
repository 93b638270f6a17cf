"""What can be chosen when a block model is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from demotic.decode.blocks import BlockSearch
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar.blocks import BlockExtraction
from demotic.grammar.orientation import EventOptions
from demotic.learn.sgd import SgdOptions
from demotic.systems.blocks.rows import ROWS, Preset, Row
from demotic.systems.choices import LINKS, TEXT, lm_order
from demotic.systems.config import OF_PRESET, LmConfig, TrainingConfig, TuneConfig

CHOICES = (*TEXT, *LINKS, lm_order(3, 4, 5))
DEMO: dict[str, Any] = {"tune": {"mert": {"iterations": 4, "restarts": 1}}}
"""A tour should not take long: fewer rounds of tuning than a model for use deserves."""


@dataclass(frozen=True, kw_only=True)
class LearnConfig:
    """How the local model learns."""

    learner: Literal["sgd", "perceptron", "averaged-perceptron"] = "sgd"
    """Stochastic gradient descent, or a perceptron."""
    floats: SgdOptions = field(default_factory=lambda: SgdOptions(passes=40))
    """How real-valued features learn without pairs: as often as with them, since one pass over a
    tenth of the events, as in the paper, is not enough where there are few."""
    joint: SgdOptions = field(default_factory=lambda: SgdOptions(passes=40))
    """How real-valued features learn together with pairs: 40 passes over all events."""
    oracle_steps: Literal["dev", "fixed"] = "dev"
    """Rows 6 and 7 learn from the events of the development set's best translations.  These are
    few, and with the small steps of the others weights may hardly move: several kinds of steps are
    tried, and that with the best BLEU on the ``dev`` set is taken; or those of ``oracle`` are."""
    oracle: SgdOptions = field(default_factory=lambda: SgdOptions(passes=40, unit="event"))
    """How rows 6 and 7 learn where ``oracle_steps`` is ``fixed``."""
    rivals: Literal["phrase", "lengths"] = "phrase"
    """What the blocks of oracles compete with in rows 6 and 7: blocks of the same source phrase, as
    in the paper; or blocks of all ``lengths`` that could have come instead, which also tells what a
    block costs by itself."""
    lm_folds: int = 5
    """Each training line is priced by a language model that has not seen it, one of so many; 0
    takes the decoder's, which has."""
    only: Literal["all", "dev"] = "dev"
    """Events of all blocks, or of those alone that the sentences of the development set can use: as
    the paper chooses training text by the text to be translated.  Long blocks, which are hardly
    ever seen again, then do not teach that length is good."""
    min_count: int = 2
    """Blocks seen less often make no events, though they stay in the table: they are hardly ever
    seen again, and teach that rare is good and long is good.  1 with the preset ``tuned``, whose
    weights by MERT gain nothing by it."""
    neutral: Literal["own", "tied"] = "own"
    """Blocks that follow none have weights of their ``own``, or those of the others (``tied``)."""
    perceptron_passes: int = 3
    """Of a perceptron, over all events."""
    list_size: int = 1000
    """Translations of a sentence among which the best by BLEU is looked for."""
    pass_through: float = -5.0
    """What a word costs that passes through, beside its features."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "perceptron_passes", "list_size", "min_count", least=1)
        if self.lm_folds < 0 or self.lm_folds == 1:
            raise ArgumentError(f"lm_folds is {self.lm_folds}", remedy="0, or at least 2")
        if not math.isfinite(self.pass_through):
            raise ArgumentError("pass_through must be a number")


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {
            "search": BlockSearch(reorder=row.reorder),
            "learn": LearnConfig(min_count=1 if row.tuned else 2),
        }
        for name, row in ROWS.items()
        if row.floats != "test"
    }

    preset: Preset = "tuned"
    """A row of the paper's table 2: its features, its search, where its weights come from; or all
    of them, and weights tuned by MERT from those of row 7."""
    lm: LmConfig = field(default_factory=lambda: LmConfig(order=3))
    """The language model of the target side."""
    extract: BlockExtraction = field(default_factory=BlockExtraction)
    """Which blocks there are."""
    events: EventOptions = field(
        default_factory=lambda: EventOptions(matching="aligned", unigram="per-word")
    )
    """What the local model learns from.  Blocks where the links give them, and costs by source word
    in training, too: without these two the paper's reading of events learns weights that translate
    badly (docs/blocks.md)."""
    learn: LearnConfig = OF_PRESET
    """How the local model learns."""
    tune: TuneConfig = field(default_factory=TuneConfig)
    """Minimum error rate training of the weights, with the preset ``tuned``."""
    search: BlockSearch = OF_PRESET
    """How the decoder searches."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search.reorder not in (None, self.row.reorder):
            does = {"swap": "swaps", "monotone": "does not swap"}[self.row.reorder]
            raise ArgumentError(
                f"search.reorder is '{self.search.reorder}', but {self.preset} {does}",
                remedy="row1 is the preset that does not, row2 the same with swaps",
            )
        object.__setattr__(self, "search", replace(self.search, reorder=self.row.reorder))
        if self.extract.method == "projection" and self.align.file is not None:
            raise ArgumentError(
                "projection needs links in both directions, not a file of them",
                remedy="leave the alignment to Demotic, or take consistent blocks",
            )

    @property
    def tunes(self) -> bool:
        """Only the preset ``tuned`` does."""
        return self.row.tuned

    @property
    def row(self) -> Row:
        """The preset's row."""
        return ROWS[self.preset]
