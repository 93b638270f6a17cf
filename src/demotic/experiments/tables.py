"""Markdown tables.

>>> table = Table(["", "BLEU", "paper"])
>>> table.row("b30", 38.123, 32.18)
>>> print(table.markdown())
|  | BLEU | paper |
|---|---:|---:|
| b30 | 38.12 | 32.18 |
"""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | float | int | None


class Table:
    """Rows under a head; texts to the left, numbers to the right, None as a dash."""

    def __init__(self, head: Sequence[str], *, digits: int = 2) -> None:
        self._head = list(head)
        self._rows: list[list[str]] = []
        self._digits = digits

    def row(self, *cells: Cell) -> None:
        """One more row, a cell for each column."""
        if len(cells) != len(self._head):
            raise ValueError(f"{len(cells)} cells under {len(self._head)} columns")
        self._rows.append([self._written(cell) for cell in cells])

    def _written(self, cell: Cell) -> str:
        if cell is None:
            return "-"
        if isinstance(cell, int) and not isinstance(cell, bool):
            return f"{cell:,}"
        if isinstance(cell, float):
            return f"{cell:.{self._digits}f}"
        return str(cell).replace("|", "\\|").replace("\n", " ")

    def markdown(self) -> str:
        """The table as text; the first column is one of texts."""
        lines = [self._head, ["---", *["---:"] * (len(self._head) - 1)], *self._rows]
        shown = []
        for number, line in enumerate(lines):
            separator = "|" if number == 1 else " | "
            body = separator.join(line)
            shown.append(f"|{body}|" if number == 1 else f"| {body} |")
        return "\n".join(shown)
