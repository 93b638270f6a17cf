"""Errors say where, what and what to do."""

from __future__ import annotations

import pickle

import pytest

from demotic import _core, errors


@pytest.mark.parametrize(
    ("path", "line", "remedy", "text"),
    [
        (None, None, "", "bad"),
        ("f", None, "", "f: bad"),
        (None, 3, "", "line 3: bad"),
        ("f", 3, "", "f:3: bad"),
        ("f", 3, "mend it", "f:3: bad (mend it)"),
    ],
)
def test_text(path: str | None, line: int | None, remedy: str, text: str) -> None:
    error = errors.FormatError("bad", path=path, line=line, remedy=remedy)
    assert str(error) == text
    assert str(pickle.loads(pickle.dumps(error))) == text


def test_the_first_name_stays() -> None:
    error = errors.FormatError("bad", path="inner")
    assert error.at("outer") is error
    assert error.path == "inner"
    assert errors.FormatError("bad").at("outer").path == "outer"


def test_errors_of_the_core_are_the_same_classes() -> None:
    with pytest.raises(errors.ArgumentError, match=r"^no section was begun$") as error:
        _core.ContainerWriter("/dev/null", "test", 1).write(b"")
    assert error.value.line is None
    assert error.value.remedy == ""


def test_every_error_is_a_demotic_error() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    raised = [kind for kind in kinds if issubclass(kind, Exception)]
    assert len(raised) >= 7
    assert all(issubclass(kind, errors.DemoticError) for kind in raised)
