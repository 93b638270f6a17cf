"""A page to look at: one HTML file without scripts or outside parts.

    document("Word alignment", f"<p>{escape(text)}</p>", style=".link { fill:var(--mark); }")

Colours are variables with a light and a dark value; what a page shows is escaped by who shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { --ink:#1d2733; --soft:#5d6b7a; --paper:#fbfaf7; --card:#fff; --rule:#e3e0d8;
  --mark:#1f6f8b; }
@media (prefers-color-scheme: dark) { :root { --ink:#e8e6e1; --soft:#9aa5b1; --paper:#14181d;
  --card:#1c2229; --rule:#303944; --mark:#5bb3cf; } }
body { margin:0 auto; max-width:76rem; padding:2.5rem 1.25rem 4rem; color:var(--ink);
  background:var(--paper); font:16px/1.5 system-ui, sans-serif; }
h1 { font-size:1.7rem; margin:0 0 .25rem; letter-spacing:-.01em; }
h2 { font-size:1.2rem; margin:2.5rem 0 .5rem; }
p { margin:.25rem 0; color:var(--soft); }
table { border-collapse:collapse; margin:.75rem 0; font-size:.92rem; }
th, td { text-align:left; padding:.35rem .9rem .35rem 0; border-bottom:1px solid var(--rule);
  vertical-align:top; }
th { color:var(--soft); font-weight:600; }
"""


def document(title: str, body: str, *, style: str = "") -> str:
    """The whole page; its title is the heading, too."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title[:120])}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, name: str = "") -> str:
    """Rows of text below a head; ``name`` is the table's class, for its style."""

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    opening = f'<table class="{escape(name)}">' if name else "<table>"
    return f"{opening}<tr>{cells('th', head)}</tr>{body}</table>"
