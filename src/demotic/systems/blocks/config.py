"""What can be chosen when a block model is trained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from demotic.decode.blocks import BlockDecoderOptions
from demotic.errors import ArgumentError, check_counts
from demotic.grammar.blocks import BlockOptions
from demotic.grammar.orientation import EventOptions
from demotic.learn.sgd import SgdOptions
from demotic.systems.blocks.rows import ROWS, Preset, Row
from demotic.systems.settings import LmConfig, TrainingConfig, TuneConfig


@dataclass(frozen=True, kw_only=True)
class LearnConfig:
    """How the local model learns.

    Real-valued features alone learn by ``floats``, one pass over a tenth of the events; together
    with pairs, by ``joint``, 40 passes over all.  Rows 6 and 7 learn on the best of ``list_size``
    translations of the development set.  These events are few, and with the small steps of the
    others weights may hardly move: several kinds of steps are tried, and that with the best BLEU
    on the ``dev`` set is taken (``oracle_steps``); or those of ``oracle`` are taken (``fixed``).
    """

    learner: Literal["sgd", "perceptron", "averaged-perceptron"] = "sgd"
    floats: SgdOptions = field(default_factory=lambda: SgdOptions(passes=1, sample=0.1))
    joint: SgdOptions = field(default_factory=lambda: SgdOptions(passes=40))
    oracle_steps: Literal["dev", "fixed"] = "dev"
    oracle: SgdOptions = field(default_factory=lambda: SgdOptions(passes=40, unit="event"))
    lm_folds: int = 5
    """Each training line is priced by a language model that has not seen it, one of so many; 0
    takes the decoder's, which has."""
    only: Literal["all", "dev"] = "dev"
    """Events of all blocks, or of those alone that the sentences of the development set can use: as
    the paper chooses training text by the text to be translated.  Long blocks, which are hardly
    ever seen again, then do not teach that length is good."""
    perceptron_passes: int = 3
    list_size: int = 1000
    pass_through: float = -5.0
    """What a word costs that passes through, beside its features."""

    def __post_init__(self) -> None:
        check_counts(self, "perceptron_passes", "list_size", least=1)
        if self.lm_folds < 0 or self.lm_folds == 1:
            raise ArgumentError(f"learn.lm_folds is {self.lm_folds}", remedy="0, or at least 2")


@dataclass(frozen=True, kw_only=True)
class Config(TrainingConfig):
    """Everything that can be chosen; saved in the model in full."""

    preset: Preset = "tuned"
    """A row of the paper's table 2: its features, its search, where its weights come from; or all
    of them, and weights tuned by MERT from those of row 7."""
    lm: LmConfig = field(default_factory=lambda: LmConfig(order=3))
    blocks: BlockOptions = field(default_factory=BlockOptions)
    events: EventOptions = field(
        default_factory=lambda: EventOptions(matching="aligned", unigram="per-word")
    )
    """Blocks where the links give them, and costs by source word in training, too: without these
    two the paper's reading of events learns weights that translate badly (docs/blocks.md)."""
    learn: LearnConfig = field(default_factory=LearnConfig)
    tune: TuneConfig = field(default_factory=TuneConfig)
    """Of the preset ``tuned``."""
    decode: BlockDecoderOptions = field(default_factory=BlockDecoderOptions)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preset not in ROWS or ROWS[self.preset].floats == "test":
            raise ArgumentError(
                f"there is no preset '{self.preset}'", remedy="row1 to row7, or tuned"
            )
        if self.decode.reorder not in (None, self.row.reorder):
            does = {"swap": "swaps", "monotone": "does not swap"}[self.row.reorder]
            raise ArgumentError(
                f"decode.reorder is '{self.decode.reorder}', but {self.preset} {does}",
                remedy="row1 is the preset that does not, row2 the same with swaps",
            )
        object.__setattr__(self, "decode", replace(self.decode, reorder=self.row.reorder))

    @property
    def row(self) -> Row:
        """The preset's row."""
        return ROWS[self.preset]
