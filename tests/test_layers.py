"""The core's folders include only what docs/architecture.md puts to their left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
FOLDERS = sorted(path.name for path in CORE.iterdir() if path.is_dir())


def ranks() -> dict[str, int]:
    """The rank of each folder in the line of the core's layers; those between commas share one."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    (line,) = re.findall(r"^    (io ──► .*)$", page, re.MULTILINE)
    layers = enumerate(line.split(" ──► "))
    return {folder.strip(): rank for rank, layer in layers for folder in layer.split(",")}


def included_folders(folder: str) -> set[tuple[str, str]]:
    """Each file of a folder with each other folder that it includes from."""
    pairs = set()
    for path in (CORE / folder).rglob("*.[ch]*"):
        for other in re.findall(r'^#include "(\w+)/', path.read_text(), re.MULTILINE):
            pairs.add((str(path.relative_to(CORE)), other))
    return {(path, other) for path, other in pairs if other != folder}


def test_every_folder_has_a_layer() -> None:
    assert sorted(ranks()) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_includes_come_from_the_left(folder: str) -> None:
    rank = ranks()
    wrong = [(path, of) for path, of in included_folders(folder) if rank[of] >= rank[folder]]
    assert wrong == []


def test_learners_know_no_grammar() -> None:
    assert "grammar" not in {other for _, other in included_folders("learn")}


def test_files_beside_the_folders_include_no_folder() -> None:
    for path in CORE.glob("*.[ch]*"):
        assert re.findall(r'^#include "\w+/', path.read_text(), re.MULTILINE) == [], path.name


def test_what_stands_at_the_top_of_decode_includes_no_decoder_and_no_decoder_another() -> None:
    decode = CORE / "decode"
    for path in decode.rglob("*.[ch]*"):
        rooms = set(re.findall(r'^#include "decode/(\w+)/', path.read_text(), re.MULTILINE))
        assert rooms <= set(path.relative_to(decode).parts[:-1]), path.name


def test_a_source_without_a_header_of_its_name_says_which_one_it_belongs_to() -> None:
    for path in CORE.rglob("*.cc"):
        if path.parent.name == "bind" or path.with_suffix(".h").exists():
            continue
        comment = "".join(re.findall(r"\A(?://.*\n)*", path.read_text()))
        headers = re.findall(r"\b\w+\.h\b", comment)
        assert any((path.parent / header).exists() for header in headers), path.name


def test_each_folder_has_a_namespace_of_its_own() -> None:
    """So that any two headers can be included together; the target demotic_headers does it."""
    for path in CORE.rglob("*.[ch]*"):
        folders = path.relative_to(CORE).parts[:-1]
        opened = set(re.findall(r"^namespace (demotic[\w:]*) \{", path.read_text(), re.MULTILINE))
        if path.name != "module.cc":  # what Python imports
            assert opened == {"::".join(("demotic", *folders))}, path.name
