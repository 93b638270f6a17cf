"""What the site makes of docstrings, commands and links."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from tests.docs.pages import ROOT, blocks

pytest.importorskip("sphinx")


@pytest.fixture(scope="module")
def conf() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conf", ROOT / "docs" / "conf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_package_has_a_page_with_its_public_names(conf: ModuleType) -> None:
    listed = [
        each.info.split()[1]
        for page in sorted((ROOT / "docs" / "api").glob("*.md"))
        for each in blocks(page)
        if each.info.startswith("{package}")
    ]
    assert len(listed) > 15
    for name in listed:
        page = conf.package_page(name)
        assert page.count(".. auto") >= 3, name
    shown = conf.package_page("demotic.metrics")
    assert ".. autoclass:: demotic.metrics.Bleu" in shown
    assert ".. autofunction:: demotic.metrics.evaluate" in shown
    assert "DemoticError" in conf.package_page("demotic.errors")


def test_indented_lines_of_docstrings_are_examples(conf: ModuleType) -> None:
    lines = ["Read it.", "", "    read(one)", "    read(other)", "", "As it is.", "    no example"]
    conf.with_examples(None, "function", "read", None, None, lines)
    assert lines == [
        "Read it.", "", "::", "", "    read(one)", "    read(other)", "", "As it is.",
        "    no example",
    ]  # fmt: skip


def test_commands_show_their_help(conf: ModuleType) -> None:
    source = ["# Commands\n\n```{command-help} sentences\n```\n"]
    conf.generated(None, "commands", source)
    assert "Usage: demotic sentences" in source[0]
    assert "{command-help}" not in source[0]


def test_all_commands_are_on_the_page() -> None:
    from tests.docs.test_blocks import COMMANDS

    shown = [each.info.split()[1] for each in blocks(ROOT / "docs" / "commands.md")]
    assert sorted(shown) == sorted(COMMANDS.commands)  # type: ignore[attr-defined]
