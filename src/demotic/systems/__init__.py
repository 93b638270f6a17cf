"""Systems: kinds of translators, side by side; each is a sub-package that is imported when needed.

A system's package has

    Config                    a frozen dataclass that extends ``settings.TrainingConfig``
    fit(training, config)     trains a model, one stage after the other
    open_model(bundle)        opens a trained model
    tune(model, dev, *, out, options, seed, threads, progress)              gives it other weights

and its name stands in ``SYSTEMS``; nothing else has to know of it.  What systems share is written
once: ``stages.Training`` (clean, take apart, align, language model, tuning by MERT, bundle),
``translator.Translator`` (text to tokens, a decoder, tokens to text, scoring), ``tuning`` (a
decoder and a development set as MERT sees them, tuning again).  A new system needs a ``Config``,
the stages of its own, a ``Translator`` that makes its decoder, and a ``fit`` that reads as a list
of stages: ``hiero/`` is the model.  Its ``__init__`` imports nothing before it is asked for, so
that opening a trained model does not wait for what only training needs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from demotic.errors import ArgumentError

if TYPE_CHECKING:
    from demotic.bundle import Bundle
    from demotic.corpus import Bitext
    from demotic.learn import MertOptions
    from demotic.model import Model
    from demotic.progress import Progress
    from demotic.systems.stages import Training

SYSTEMS = ("hiero", "umt", "phrase", "blocks")
"""Each is a package ``demotic.systems.NAME``."""


class System(Protocol):
    """What a system's package has."""

    Config: type[Any]

    def fit(self, training: Training, config: Any) -> Model:
        """Train a model and write it; nothing is there before it is complete.

        ``config`` is the training's, as the system's own class.
        """

    def open_model(self, bundle: Bundle) -> Model:
        """The model in a bundle."""

    def tune(
        self,
        model: Any,
        dev: Bitext,
        *,
        out: Path,
        options: MertOptions | None,
        seed: int,
        threads: int,
        progress: Progress,
    ) -> Model:
        """A copy of a model with its weights tuned again; ArgumentError where that is no use."""


def system_named(name: str) -> System:
    """The package of a system, imported when it is needed."""
    if name not in SYSTEMS:
        raise ArgumentError(f"unknown system '{name}'", remedy=f"choose from {', '.join(SYSTEMS)}")
    return cast(System, import_module(f"demotic.systems.{name}"))
