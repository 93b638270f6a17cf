"""What objects look like in a notebook: pieces of HTML that bring their style with them.

def _repr_html_(self) -> str:
    return card(self.text, outline(self.tree()))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

_MOST_LINES = 400  # of a tree
_MOST_WORDS = 60  # of a sentence, in a matrix
_CELL = "padding:.1em .5em;text-align:left;vertical-align:top"
_MARK = "padding:0;width:1.4em;text-align:center;border:1px solid #8884"
_LABEL = "padding:.1em .4em;text-align:left"


def card(title: str, *parts: str) -> str:
    """A heading with something below it; what is empty is left out."""
    body = "".join(part for part in parts if part)
    return (
        '<div style="font-size:90%;line-height:1.4;max-width:60em">'
        f'<p style="margin:.2em 0"><b dir="auto">{escape(title)}</b></p>{body}</div>'
    )


def folded(summary: str, body: str, *, open: bool = False) -> str:
    """Something to unfold."""
    return f"<details{' open' * open}><summary>{escape(summary)}</summary>{body}</details>"


def rows(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table."""

    def cells(tag: str, line: Sequence[str]) -> str:
        return "".join(f'<{tag} style="{_CELL}" dir="auto">{escape(each)}</{tag}>' for each in line)

    body = "".join(f"<tr>{cells('td', line)}</tr>" for line in lines)
    return f'<table style="border-collapse:collapse"><tr>{cells("th", head)}</tr>{body}</table>'


def outline(text: str) -> str:
    """Lines, indented by two spaces for each level, one below the other."""
    lines = text.split("\n")
    shown = "".join(
        f'<div style="padding-left:{(len(line) - len(line.lstrip())) * 0.6:.1f}em">'
        f"<bdi>{escape(line.strip()) or '&nbsp;'}</bdi></div>"
        for line in lines[:_MOST_LINES]
    )
    rest = len(lines) - _MOST_LINES
    more = f"<div>… {rest:,} more lines</div>" if rest > 0 else ""
    return (
        f'<div style="font-family:monospace;overflow-x:auto;white-space:nowrap">{shown}{more}</div>'
    )


def matrix(source: Sequence[str], target: Sequence[str], links: Collection[tuple[int, int]]) -> str:
    """Source words down, target words across, a dot for a link."""
    down, across = source[:_MOST_WORDS], target[:_MOST_WORDS]
    linked = set(links)
    head = "".join(
        f'<th style="writing-mode:vertical-rl;{_LABEL};font-weight:normal">{escape(word)}</th>'
        for word in across
    )
    body = "".join(
        f'<tr><th style="{_LABEL};font-weight:normal">{escape(word)}</th>'
        + "".join(
            f'<td style="{_MARK}">{"●" if (i, j) in linked else ""}</td>'
            for j in range(len(across))
        )
        + "</tr>"
        for i, word in enumerate(down)
    )
    return f'<table style="border-collapse:collapse"><tr><th></th>{head}</tr>{body}</table>'
