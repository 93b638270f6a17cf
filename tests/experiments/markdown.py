"""Tables of a report, read back."""

from __future__ import annotations

import re

Row = dict[str, str]


def tables(text: str) -> list[list[Row]]:
    """All tables of a text in their order; rows by the titles of their columns."""
    return [_rows(found) for found in re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)]


def by_name(rows: list[Row]) -> dict[str, Row]:
    """The rows of a table by what stands in their first column."""
    return {next(iter(row.values())): row for row in rows}


def _rows(table: str) -> list[Row]:
    head, _, *rows = (_cells(line) for line in table.strip().splitlines())
    titles = [title if head.index(title) == i else f"{title} ({i})" for i, title in enumerate(head)]
    return [dict(zip(titles, row, strict=True)) for row in rows]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
