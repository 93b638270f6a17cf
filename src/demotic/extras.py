"""What is installed beside Demotic itself: translating needs little, training more.

check_training()                      # raises where pip install demotic was all
"""

from __future__ import annotations

from demotic.errors import MissingDependencyError

TRAINING = ("duckdb", "pyarrow", "sacrebleu")
"""The packages of ``demotic[train]``: bitexts, counting on disk, scores."""


def check_training() -> None:
    """Raise unless all that training needs is installed."""
    from importlib.util import find_spec

    for name in TRAINING:
        if find_spec(name) is None:
            raise missing(name)


def missing(module: str) -> MissingDependencyError:
    """That this package of theirs is not installed."""
    return MissingDependencyError(
        f"{module.split('.')[0]} is not installed; translating does without it",
        remedy="pip install 'demotic[train]'",
    )
