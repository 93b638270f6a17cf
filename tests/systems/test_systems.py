"""Every system that can be named is complete, and costs nothing before it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from demotic.systems import SYSTEMS, System, system_named
from demotic.systems.config import from_record, to_record
from demotic.systems.settings import TrainingConfig


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_all_that_commands_ask_for(name: str) -> None:
    system = system_named(name)
    assert issubclass(system.Config, TrainingConfig)
    for function in ("fit", "tune"):
        wanted = list(inspect.signature(getattr(System, function)).parameters)[1:]
        assert list(inspect.signature(getattr(system, function)).parameters) == wanted
    assert callable(system.open_model)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_configuration_survives_being_written_down(name: str) -> None:
    config = system_named(name).Config()
    assert from_record(type(config), to_record(config)) == config


def test_systems_are_imported_when_they_are_needed() -> None:
    script = (
        "import sys, demotic.systems; "
        "sys.exit(any(name.startswith('demotic.systems.') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
