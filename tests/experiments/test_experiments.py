"""Every experiment that can be named is complete."""

from __future__ import annotations

import pytest

from demotic.errors import ArgumentError
from demotic.experiments import EXPERIMENTS, experiment_named


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_all_that_the_command_asks_for(name: str) -> None:
    found = experiment_named(name)
    assert len(set(found.PARTS)) == len(found.PARTS) > 0
    assert set(found.USES) <= {
        "from", "to", "model", "seeds", "repeats", "portfolio", "sets", "systems", "setting", "set",
        "other-data", "treebank",
    }  # fmt: skip
    assert isinstance(found.TOKENISED, bool)
    assert callable(found.check)
    assert callable(found.run)


def test_an_unknown_experiment_is_refused_with_those_there_are() -> None:
    with pytest.raises(ArgumentError, match="unknown experiment 'magic'") as error:
        experiment_named("magic")
    assert all(name in error.value.remedy for name in EXPERIMENTS)
