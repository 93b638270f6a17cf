"""Learners know features, statistics and forests, never a decoder or a system."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import demotic.learn

ALLOWED = {
    "_core", "errors", "features", "files", "forest", "learn", "metrics", "progress", "thread_pool",
}  # fmt: skip
MODULES = sorted(Path(demotic.learn.__file__).parent.glob("*.py"))


def imported(tree: ast.Module) -> set[str]:
    """The modules of Demotic that are imported anywhere in a file, by their first name."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "demotic":
                names |= {f"demotic.{alias.name}" for alias in node.names}
            else:
                names.add(node.module or "")
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("demotic.")}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_learner_imports_nothing_to_its_right(module: Path) -> None:
    assert imported(ast.parse(module.read_text())) <= ALLOWED
