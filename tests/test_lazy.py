"""Names are there when they are asked for, and nothing heavy is before."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import demotic
from demotic.systems import SYSTEMS

PACKAGES = ["corpus", "decode", "documents", "glossary", "grammar", "lm", "memory"]
LAZY = ["demotic", *(f"demotic.{name}" for name in PACKAGES)]
HEAVY = {"duckdb", "numpy", "pyarrow", "rich", "sacrebleu", "scipy", "typer"}


def imported(script: str, *arguments: str | Path) -> set[str]:
    """The modules that a new process has after a script."""
    script += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("package", [*LAZY, *(f"demotic.systems.{name}" for name in SYSTEMS)])
def test_every_name_is_there_and_listed(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


@pytest.mark.parametrize("package", [*LAZY, *(f"demotic.systems.{name}" for name in SYSTEMS)])
def test_what_type_checkers_see_is_what_there_is(package: str) -> None:
    path = import_module(package).__file__
    assert path is not None
    tree = ast.parse(Path(path).read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        name.asname
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for name in line.names
    }
    assert seen <= set(import_module(package).__all__)


@pytest.mark.parametrize("package", LAZY)
def test_no_name_is_that_of_a_module_which_would_hide_it(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        if not isinstance(getattr(module, name), ModuleType):
            assert find_spec(f"{package}.{name}") is None


def test_importing_demotic_imports_nothing_else_of_it() -> None:
    ours = {name for name in imported("import demotic") if name.startswith("demotic")}
    assert ours <= {"demotic", "demotic.errors", "demotic.lazy"}


def test_translating_imports_only_what_it_needs(toy_model: Path, tmp_path: Path) -> None:
    demotic.load(toy_model).save(tmp_path / "toy.demotic")
    script = (
        "import sys, demotic\n"
        "print(demotic.load(sys.argv[1]).translate('The adj1 noun2 verb3 %d noun4.').text)"
    )
    for model in (toy_model, tmp_path / "toy.demotic"):
        found = imported(script, model)
        assert not HEAVY & found
        assert "demotic.learn" not in found
        assert "demotic.corpus.bitext" not in found


def test_loading_alone_takes_no_text_apart(toy_model: Path) -> None:
    found = imported("import sys, demotic; demotic.load(sys.argv[1])", toy_model)
    assert not {"regex", "zipfile", "demotic.corpus.orthography"} & found


@pytest.mark.parametrize("name", SYSTEMS)
def test_models_of_any_system_open_without_the_tools_of_training(name: str) -> None:
    script = "import sys, demotic.systems; demotic.systems.system_named(sys.argv[1]).Model.open"
    found = imported(script, name)
    assert not {"duckdb", "pyarrow", "sacrebleu", "scipy", "demotic.learn"} & found


@pytest.mark.parametrize("name", ["hiero", "phrase", "umt"])
def test_a_server_of_models_starts_without_what_takes_long(
    every_system: dict[str, Path], name: str
) -> None:
    script = """
import sys
from pathlib import Path
from demotic.cli import application
from demotic.serve.loaded import Loaded
from demotic.serve.options import ServeOptions
application("serve")
[served] = Loaded.open([Path(sys.argv[1])], ServeOptions(disable_suggestions=True)).all
print(served.model.translate("The noun2 verb3.").text)
"""
    found = imported(script, every_system[name])
    assert not HEAVY - {"typer"} & found
    assert {each for each in found if each.startswith("demotic.cli.")} <= {
        f"demotic.cli.{each}" for each in ("options", "serve", "signals", "streams")
    }
