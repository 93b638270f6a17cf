"""A configuration as text that people edit: TOML, each setting under what its docstring says.

print(template("hiero", Config()))        # `demotic train` reads it, and trains as by default
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import json
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demotic.errors import literal_values

_WIDTH = 100
_HEAD = """\
# Settings of the system {system}. Read by: demotic train FILE
# A setting that is left out has its default, or what is chosen on the development set: delete those
# that an effort beyond quick may change. false lifts a limit, or names no file.
"""
_TEXTS = """
# The text, here or by the options of the same names.
# [corpus]
# source = "train.de"
# target = "train.en"
# dev_source = "dev.de"
# dev_target = "dev.en"
# from = "de"
# to = "en\""""
_OF_PRESET = (
    "The settings below are those of this preset, and go before those of another one that is named "
    "here; see demotic config SYSTEM --preset NAME."
)


def template(system: str, config: Any) -> str:
    """All settings of a system, with the values of ``config``."""
    head = f'system = "{system}"\n# out = "model.demotic"\n# effort = "quick"'
    return "\n".join([_HEAD.format(system=system), head, *_section(config, ""), _TEXTS])


def _section(config: Any, path: str) -> Iterator[str]:
    """The settings of a section, then the sections in it."""
    said = documentation(type(config))
    sections = []
    for name, hint in typing.get_type_hints(type(config)).items():
        if name not in {field.name for field in dataclasses.fields(config)}:
            continue
        value = getattr(config, name)
        if dataclasses.is_dataclass(value):
            sections.append((name, value))
        else:
            yield from _comment(said[name], literal_values(hint))
            if name == "preset":
                yield from _comment(_OF_PRESET, ())
            yield f"{name} = {_written(value)}"
            yield from _left_out(hint, value, f"{path}{name}")
    for name, value in sections:
        yield ""
        yield from _comment(said[name], ())
        yield f"[{path}{name}]"
        yield from _section(value, f"{path}{name}.")


def _left_out(hint: Any, value: object, path: str) -> Iterator[str]:
    """A section that there may be, as comments."""
    kinds = [kind for kind in typing.get_args(hint) if dataclasses.is_dataclass(kind)]
    if value is None and kinds:
        made: Any = kinds[0]
        listed = [f"{name} = {_written(each)}" for name, each in vars(made()).items()]
        yield from _comment(f"Or a section [{path}] instead: {', '.join(listed)}.", ())


def _comment(text: str, choices: tuple[object, ...]) -> list[str]:
    words = " ".join(text.replace("``", "`").split())
    if choices:
        words += f" One of {', '.join(_written(choice) for choice in choices)}."
    return textwrap.wrap(
        words, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def _written(value: object) -> str:
    """A value in TOML, which has no null."""
    if value is None:
        return "false"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    assert isinstance(value, str | Path)
    return json.dumps(str(value), ensure_ascii=False)


def documentation(kind: Any) -> dict[str, str]:
    """What stands under each field of a dataclass, those of its bases included."""
    found: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        if dataclasses.is_dataclass(cls):
            found |= dict(_documented(cls))
    return found


def _documented(cls: Any) -> Iterator[tuple[str, str]]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    assert isinstance(tree.body[0], ast.ClassDef)
    lines = tree.body[0].body
    for field, below in itertools.pairwise(lines):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match below:
                case ast.Expr(ast.Constant(str(text))):
                    yield field.target.id, text
