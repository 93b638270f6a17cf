"""Experiments: what a paper measured, measured again, its figures beside ours; and ``portfolio``,
which measures settings on many sets to choose defaults.

Each experiment is a package ``demotic.experiments.NAME`` with

    PARTS                     names of its parts, in their order
    USES                      which of the options that not all have mean something to it
    TOKENISED                 whether its text has spaces between tokens unless told otherwise
    check(setup: Setup)       raises where something is asked for that there is not
    run(setup: Setup)         does them and writes ``report.md`` and plots into ``setup.out``

and its name stands in ``EXPERIMENTS``.  What experiments share is written once: ``data`` (folders
of train, dev and test files), ``parts`` (results kept on disk, so that finished parts are not run
again), ``tables`` (Markdown), ``plots`` (SVG and PNG), ``timing``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from demotic.errors import ArgumentError

if TYPE_CHECKING:
    from demotic.experiments.setup import Setup

EXPERIMENTS = ("umt", "blocks", "amasis", "transducer", "cdlm", "portfolio")
"""Each is a package ``demotic.experiments.NAME``."""


class Experiment(Protocol):
    """What an experiment's package has."""

    PARTS: Sequence[str]
    USES: Sequence[str]
    TOKENISED: bool

    def check(self, setup: Setup) -> None:
        """Raise where something is asked for that there is not, before anything is done."""

    def run(self, setup: Setup) -> str:
        """Do what is not done yet; the report, which is also written to ``setup.out``."""


def experiment_named(name: str) -> Experiment:
    """The package of an experiment, imported when it is needed."""
    if name not in EXPERIMENTS:
        raise ArgumentError(
            f"unknown experiment '{name}'", remedy=f"choose from {', '.join(EXPERIMENTS)}"
        )
    return cast(Experiment, import_module(f"demotic.experiments.{name}"))
