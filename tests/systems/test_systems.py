"""Every system that can be named is complete, and costs nothing before it is used."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.bundle import Bundle
from demotic.decode import HieroSearch
from demotic.errors import ArgumentError
from demotic.systems import DEFAULT, SYSTEMS, System, configured, system_named
from demotic.systems.config import TrainingConfig
from demotic.systems.model import Model
from demotic.systems.records import from_record, to_record
from tests.systems import toys


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_all_that_commands_ask_for(name: str) -> None:
    system = system_named(name)
    assert issubclass(system.Config, TrainingConfig)
    for function in ("fit", "tune"):
        wanted = list(inspect.signature(getattr(System, function)).parameters)[1:]
        assert list(inspect.signature(getattr(system, function)).parameters) == wanted
    assert name == system.Model.SYSTEM


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_configuration_survives_being_written_down(name: str) -> None:
    config = system_named(name).Config()
    assert from_record(type(config), to_record(config)) == config


@pytest.mark.parametrize("name", SYSTEMS)
def test_models_remember_what_was_translated_before_unless_told_otherwise(name: str) -> None:
    assert configured(name, None).memory.use
    assert not configured(name, {"memory": {"use": False}}).memory.use


def test_the_default_is_one_of_them_and_what_train_takes() -> None:
    assert DEFAULT in SYSTEMS
    assert inspect.signature(demotic.train).parameters["system"].default == DEFAULT


def test_systems_are_imported_when_they_are_needed() -> None:
    script = (
        "import sys, demotic.systems; "
        "sys.exit(any(name.startswith('demotic.systems.') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_settings_of_the_tour_are_settings_of_the_system(name: str) -> None:
    assert configured(name, system_named(name).DEMO) != configured(name, None)


def test_the_configuration_of_another_system_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no configuration of the system phrase"):
        configured("phrase", configured("hiero", None))


def test_files_that_one_system_alone_has_are_described_once() -> None:
    described = [kind for name in SYSTEMS for kind in system_named(name).Model.FACTS]
    assert sorted(described) == sorted(
        {*described, "blocks", "block-pairs", "sparse.npz", "labels", "orders"}
    )


def test_a_system_needs_no_language_model(toy_model: Path) -> None:
    class Bare(Model):
        SEARCH = HieroSearch

        def _open_decoder(self, weights: Mapping[str, float]) -> Any:
            return None

        def forest(self, text: str) -> Any:
            return None

    bare = Bare.open(Bundle.open(toy_model, verify=True))
    assert bare.weights == demotic.load(toy_model).weights


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hiero", {"pops"}),
        ("phrase", {"pops", "stack"}),
        ("blocks", {"beam"}),
        ("umt", {"beam"}),
        ("amasis", {"beam", "pops"}),
        ("transducer", {"beam"}),
    ],
)
def test_a_system_has_the_options_that_translate_offers_for_it(
    name: str, options: set[str]
) -> None:
    has = {field.name for field in fields(system_named(name).Model.SEARCH)}
    assert has & {"pops", "stack", "beam"} == options


def test_a_model_of_no_place_lives_as_long_as_one_that_was_made_of_it() -> None:
    own = demotic.train(toys.memory(60), config=toys.UNTUNED)
    folder = own.bundle.folder
    made = own.with_memory({"use": False})
    del own
    gc.collect()
    assert made.translate("The noun1 verb4 the noun2.").text
    del made
    gc.collect()
    assert not folder.exists()
