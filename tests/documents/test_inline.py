"""Codes are paired as they nest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from demotic.documents.inline import InlineBuilder


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("ab")), max_size=12))
def test_ends_close_what_was_opened_last(codes: list[tuple[bool, str]]) -> None:
    """Against a list that is searched from its end each time."""
    built, open_, partner = InlineBuilder(), list[tuple[str, int]](), dict[int, int]()
    for number, (opens, name) in enumerate(codes):
        if opens:
            built.begin("<", name)
            open_.append((name, number))
            continue
        built.end(">", name)
        places = [at for at, (its, _) in enumerate(open_) if its == name]
        if places:
            partner[open_[places[-1]][1]] = number
            del open_[places[-1] :]
    found = built.finish().codes
    pairs = {first: last for first, one in enumerate(found) for last, two in enumerate(found)
             if one.kind == "open" and two.kind == "close" and one.pair == two.pair}  # fmt: skip
    assert pairs == partner
