"""The systems of the paper's table 2, by row.

    ROWS["row4"].features          # ("Unigram", "Orientation", "FirstWord", "RestWords", "Lexical")

Rows 8 and 9 train on the test set itself, as a bound that no honest system reaches; only the
experiment runs them.  ``tuned`` is not in the table: row 7, its weights tuned by MERT.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from demotic.grammar.orientation import FEATURES, NEUTRAL_FEATURES

Preset = Literal["row1", "row2", "row3", "row4", "row5", "row6", "row7", "tuned"]


@dataclass(frozen=True)
class Row:
    """What a row's system has."""

    letters: str
    """Features, as the paper names them: a, b, c, d, e, and f for pairs."""
    reorder: Literal["monotone", "swap"] = "swap"
    floats: Literal["training", "dev", "test"] = "training"
    """Where the weights of real-valued features are trained."""
    tuned: bool = False
    """Are weights tuned on the development set in the end?"""

    @property
    def features(self) -> tuple[str, ...]:
        """The real-valued features in use."""
        return tuple(
            name for name, letter in zip(FEATURES, "abcde", strict=True) if letter in self.letters
        )

    @property
    def pairs(self) -> bool:
        """Are there binary features?"""
        return "f" in self.letters

    @property
    def oriented(self) -> bool:
        """Without the orientation feature one vector scores every transition; with it there are
        two, one for blocks that follow none (decision D15)."""
        return "b" in self.letters

    @property
    def active(self) -> list[bool]:
        """Which weights of L/R events may change."""
        return [name in self.features for name in FEATURES]

    @property
    def neutral_active(self) -> list[bool]:
        """Which weights of N events may change."""
        return [name in self.features for name in NEUTRAL_FEATURES]


ROWS: dict[str, Row] = {
    "row1": Row("ac", reorder="monotone"),
    "row2": Row("ac"),
    "row3": Row("abc"),
    "row4": Row("abcde"),
    "row5": Row("abcdef"),
    "row6": Row("abcde", floats="dev"),
    "row7": Row("abcdef", floats="dev"),
    "tuned": Row("abcdef", floats="dev", tuned=True),
    "row8": Row("abcde", floats="test"),
    "row9": Row("abcdef", floats="test"),
}
