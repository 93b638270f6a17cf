"""What an experiment is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress
from demotic.systems import DEFAULT


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Data, place and size of an experiment."""

    data: Path
    """A folder with train, dev and test files; see :mod:`demotic.experiments.data`."""
    out: Path
    """Where results, models and the report go; what is there already is not done again."""
    other: Path | None = None
    """A folder of another domain, whose test set is translated, too."""
    source: str = ""
    target: str = ""
    """Languages, as the files are called; a portfolio has them with each of its sets."""
    model: Path | None = None
    """A model trained on this very data, to start from; without it, one is trained."""
    treebank: Path | None = None
    """Trees of the source language, to train a parser on."""
    tokenised: bool = True
    """The text has spaces between its tokens already."""
    quick: bool = False
    """Just to see whether all of it works: few sentences, few repetitions."""
    train_lines: int | None = None
    dev_lines: int | None = None
    test_lines: int | None = None
    """Only so many of the first lines."""
    seeds: tuple[int, ...] = (1, 2, 3)
    repeats: int = 5
    """Of each measurement of time; the median counts."""
    parts: tuple[str, ...] = ()
    """Only these parts; all where empty."""
    threads: int = 1
    """For training and scoring; what is timed runs on one."""
    portfolio: Path | None = None
    """A portfolio's sets and settings; see :mod:`demotic.experiments.portfolio.sets`."""
    sets: tuple[str, ...] = ()
    """Only these sets of a portfolio; all where empty."""
    systems: tuple[str, ...] = (DEFAULT,)
    """Those that a portfolio is for."""
    base: Mapping[str, Any] = field(default_factory=dict)
    """What all settings share, over the defaults of a system."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What a portfolio is to compare with the default: names, and what they change."""
    progress: Progress = SILENT

    def check_parts(self, known: tuple[str, ...]) -> None:
        """Raise if a part is named that the experiment does not have."""
        for part in self.parts:
            if part not in known:
                raise ArgumentError(f"there is no part '{part}'", remedy=f"{', '.join(known)}")

    def wants(self, part: str) -> bool:
        """Is this part asked for?"""
        return not self.parts or part in self.parts
