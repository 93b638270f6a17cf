"""Arguments of ICU messages."""

from __future__ import annotations

import pytest

from demotic.corpus.icu import arguments

NESTED = "{g, select, male {He has {n, plural, =0 {nothing} other {# files}}} other {They}}"


def test_branches_are_found_and_filled() -> None:
    [found] = arguments(f"Yes: {NESTED}!")
    assert found.text == NESTED
    assert found.branches == ("He has {n, plural, =0 {nothing} other {# files}}", "They")
    assert found.filled(found.branches) == NESTED
    assert found.filled(["a", "b"]) == "{g, select, male {a} other {b}}"


@pytest.mark.parametrize(
    "text",
    [
        "{n, plural, one {a}",
        "{n, plural,}",
        "{n, plural, one two}",
        "plural {n}",
        "{n, select, {a}}",
    ],
)
def test_what_is_no_argument_is_left_alone(text: str) -> None:
    assert arguments(text) == []
