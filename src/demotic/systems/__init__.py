"""Systems: kinds of translators, side by side; each is a sub-package that is imported when needed.

A system's package has

    Config                    a frozen dataclass that extends ``config.TrainingConfig``
    Model                     a class that extends ``model.Model``: its name, its parts, its decoder
    fit(training, config)     trains a model, one stage after the other
    tune(model, dev, *, out, references, options, imputed, seed, ...)  gives it other weights
    CHOICES                   what ``--effort`` tries on the development set, in this order
    DEMO                      settings for ``demotic demo``, which should not take long

and its name stands in ``SYSTEMS``; nothing else has to know of it.  What systems share is written
once: ``stages.Training`` (clean, tokenise, align, language model, tuning, bundle),
``rules`` (those with a rule table), ``model.Model`` (text to tokens, a decoder, tokens to text,
scoring), ``tuning`` (a decoder and a development set as tuners see them, tuning again).  ``hiero/``
is the model of a system: its ``fit`` reads as a list of stages, and its ``__init__`` imports
nothing before it is asked for, so that opening a trained model does not wait for what only training
needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, get_args

from demotic.errors import ArgumentError

if TYPE_CHECKING:
    from demotic.corpus import Bitext
    from demotic.learn import TunerOptions
    from demotic.progress import Progress
    from demotic.systems.choices import Choice
    from demotic.systems.config import TrainingConfig
    from demotic.systems.imputing import ImputedConfig
    from demotic.systems.model import Model as AnyModel
    from demotic.systems.stages import Training

SYSTEMS = ("hiero", "umt", "phrase", "blocks", "amasis", "transducer")
"""Each is a package ``demotic.systems.NAME``."""
DEFAULT = "hiero"
"""The one that is taken where none is named."""
Effort = Literal["quick", "normal", "thorough"]
"""What is tried before a training: nothing, the choices that matter most, or all of them."""
EFFORTS: tuple[Effort, ...] = get_args(Effort)
DEFAULT_EFFORT: Effort = "quick"


class System(Protocol):
    """What a system's package has."""

    Config: type[Any]
    Model: type[AnyModel]
    CHOICES: Sequence[Choice]
    DEMO: Mapping[str, Any]

    def fit(self, training: Training, config: Any) -> AnyModel:
        """Train a model and write it; nothing is there before it is complete.

        ``config`` is the training's, as the system's own class.
        """

    def tune(
        self,
        model: Any,
        dev: Bitext,
        *,
        out: Path,
        references: Sequence[Sequence[str]],
        options: TunerOptions | None,
        imputed: ImputedConfig | None,
        seed: int,
        threads: int,
        progress: Progress,
    ) -> AnyModel:
        """A copy of a model with its weights tuned again; ArgumentError where that is no use."""


def system_named(name: str) -> System:
    """The package of a system, imported when it is needed."""
    if name not in SYSTEMS:
        raise ArgumentError(f"unknown system '{name}'", remedy=f"choose from {', '.join(SYSTEMS)}")
    return cast(System, import_module(f"demotic.systems.{name}"))


def check_effort(name: str) -> Effort:
    """One of them, by its name."""
    for effort in EFFORTS:
        if effort == name:
            return effort
    raise ArgumentError(f"there is no effort '{name}'", remedy=f"choose from {', '.join(EFFORTS)}")


def configured(system: str, settings: Any) -> TrainingConfig:
    """The configuration of a system: one of its own, or a record of what differs from defaults."""
    from demotic.systems.records import from_record

    kind = system_named(system).Config
    if settings is None or isinstance(settings, Mapping):
        settings = from_record(kind, settings or {})
    if not isinstance(settings, kind):
        raise ArgumentError(
            f"{type(settings).__module__}.{type(settings).__name__} is no configuration of "
            f"the system {system}",
            remedy=f"give a {kind.__module__}.{kind.__name__}, or a record of settings",
        )
    return cast("TrainingConfig", settings)
