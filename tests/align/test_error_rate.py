from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.align import Links, error_rate, pharaoh
from demotic.errors import ArgumentError

LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)))


def links(*lines: set[tuple[int, int]]) -> Links:
    made = Links()
    for line in lines:
        made.append(sorted(line))
    return made


@given(lines=st.lists(st.tuples(LINKS, LINKS, LINKS), max_size=5))
def test_equals_the_definition_over_all_links_of_the_corpus(
    lines: list[tuple[set[tuple[int, int]], ...]],
) -> None:
    a, s, p = ({(n, *link) for n, row in enumerate(lines) for link in row[k]} for k in range(3))
    p |= s
    rate = error_rate(*(links(*(row[k] for row in lines)) for k in range(3)))
    assert rate.precision == (len(a & p) / len(a) if a else 1)
    assert rate.recall == (len(a & s) / len(s) if s else 1)
    if a or s:
        assert rate.aer == 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def test_a_worked_example() -> None:
    rate = error_rate(
        links({(0, 0), (1, 1), (2, 0)}), links({(0, 0), (3, 3)}), links({(0, 0), (1, 1), (3, 3)})
    )
    assert (rate.precision, rate.recall) == (2 / 3, 1 / 2)
    assert rate.aer == pytest.approx(1 - 3 / 5)
    assert rate.f_measure == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert str(rate) == "AER 40.00 (precision 66.67, recall 50.00, F 57.14)"


def test_the_reference_against_itself_has_no_error(data: Path) -> None:
    folder = data / "gold-alignments/en-fr"
    sure = pharaoh.read(folder / "en-fr.sure.gz")
    possible = pharaoh.read(folder / "en-fr.possible.gz")
    assert error_rate(sure, sure, possible).aer == 0
    assert error_rate(possible, sure, possible).aer == 0
    everything = error_rate(possible, sure)
    assert everything.recall == 1
    assert everything.precision == pytest.approx(4038 / 17438)


def test_unequal_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(ArgumentError, match="2 sentence pairs against a reference of 1"):
        error_rate(links(set(), set()), links(set()))
