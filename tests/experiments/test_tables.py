"""Tables are Markdown that renders."""

from __future__ import annotations

import pytest

from demotic.experiments.tables import Table


def test_cells_are_written_by_their_kind() -> None:
    table = Table(["system", "BLEU", "edges", "p"])
    table.row("b|30", 32.184, 1234567, None)
    assert table.markdown().splitlines() == [
        "| system | BLEU | edges | p |",
        "|---|---:|---:|---:|",
        "| b\\|30 | 32.18 | 1,234,567 | - |",
    ]


def test_rows_fill_all_columns() -> None:
    with pytest.raises(ValueError, match="1 cells under 2 columns"):
        Table(["a", "b"]).row("only")


def test_a_cell_is_one_line() -> None:
    table = Table(["a", "b"])
    table.row("two\nlines", True)
    assert table.markdown().splitlines()[-1] == "| two lines | True |"
