"""A web page of alignment matrices: source words down, target words across, a square for a link.

Each figure can stand on other pages as well, with ``STYLE``.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from unicodedata import east_asian_width

from demotic._core import Links
from demotic.align.alignments import Alignments
from demotic.align.pharaoh import Gold
from demotic.align.text import Text
from demotic.page import document

_CELL = 22
_SHOWN_WORDS = 60  # of a longer sentence, the first so many
_LONGEST_LABEL = 24
_LETTER = 7.4  # width of an average letter at the labels' size

STYLE = """
:root { --both:#1f6f8b; --forward:#e0a526; --backward:#c8553d; --gold:#1d2733; }
@media (prefers-color-scheme: dark) { :root { --both:#5bb3cf; --forward:#e9bb57;
  --backward:#e07f69; --gold:#e8e6e1; } }
ul { list-style:none; display:flex; flex-wrap:wrap; gap:.4rem 1.6rem; padding:0; margin:1rem 0 2rem;
  font-size:.9rem; color:var(--soft); }
ul svg { width:14px; height:14px; vertical-align:-2px; margin-right:.45rem; }
figure { margin:0 0 1.5rem; padding:1rem 1.25rem 1.25rem; background:var(--card);
  border:1px solid var(--rule); border-radius:10px; overflow-x:auto; }
figcaption { font-size:.85rem; color:var(--soft); position:sticky; left:0; }
figcaption b { color:var(--ink); }
svg text { font:13px system-ui, sans-serif; fill:var(--ink); }
.grid { stroke:var(--rule); stroke-width:1; }
.both { fill:var(--both); } .forward { fill:var(--forward); } .backward { fill:var(--backward); }
.sure, .possible { fill:none; stroke:var(--gold); stroke-width:1.6; }
.possible { stroke-dasharray:2.5 2.5; stroke-width:1.2; }
g.link:hover rect { filter:brightness(1.25); }
"""


def page(
    source: Text,
    target: Text,
    alignments: Alignments,
    *,
    pairs: int = 20,
    gold: Gold | None = None,
    title: str = "Word alignment",
) -> str:
    """The page, with the first ``pairs`` sentence pairs."""
    shown = min(pairs, len(alignments))
    figures = "\n".join(
        figure(line, source.sentence(line), target.sentence(line), alignments, gold)
        for line in range(shown)
    )
    links = f"{alignments.links.count:,} links in all"
    body = f"""<p>The first {shown:,} of {len(alignments):,} sentence pairs, {links}.
Source words run down, target words across.</p>
<ul>{_legend(alignments, gold)}</ul>
{figures}"""
    return document(title, body, style=STYLE)


def _legend(alignments: Alignments, gold: Gold | None) -> str:
    items = [("both", "link, found in both directions")]
    if alignments.forward is None:
        items = [("both", "link")]
    else:
        items.append(("forward", "link, only where a target word chose its source word"))
        items.append(("backward", "link, only where a source word chose its target word"))
    if gold is not None:
        items += [("sure", "sure link of the reference"), ("possible", "possible link")]
    return "".join(
        f'<li><svg viewBox="0 0 14 14"><rect class="{kind}" x="1" y="1" width="12" height="12" '
        f'rx="3"/></svg>{label}</li>'
        for kind, label in items
    )


def figure(
    line: int,
    source: list[str],
    target: list[str],
    alignments: Alignments,
    gold: Gold | None = None,
) -> str:
    """The matrix of one sentence pair, to be shown with ``STYLE``."""
    links = alignments.links[line]
    note = ""
    if max(len(source), len(target)) > _SHOWN_WORDS:
        note = f", the first {_SHOWN_WORDS} words shown"
    caption = (
        f"<b>{line + 1:,}</b> &middot; {len(source)} &times; {len(target)} words, "
        f"{len(links)} links{note}"
    )
    drawing = _matrix(line, source[:_SHOWN_WORDS], target[:_SHOWN_WORDS], alignments, gold)
    return f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>"


def _matrix(
    line: int, source: list[str], target: list[str], alignments: Alignments, gold: Gold | None
) -> str:
    left = round(16 + max((_width(word) for word in source), default=0))
    # Column labels lean at 60 degrees: how high the longest rises, and how far it leans out.
    longest = max((_width(word) for word in target), default=0)
    top, lean = round(20 + 0.87 * longest), round(0.5 * longest)
    width, height = left + _CELL * len(target), top + _CELL * len(source)
    parts = [
        f'<svg width="{width + lean + 12}" height="{height + 2}" role="img" '
        f'aria-label="alignment of sentence pair {line + 1}">'
    ]
    for i, word in enumerate(source):
        y = top + _CELL * i + _CELL * 0.7
        parts.append(
            f'<text x="{left - 8}" y="{y:.0f}" text-anchor="end">{escape(_label(word))}</text>'
        )
    for j, word in enumerate(target):
        x, y = left + _CELL * j + _CELL * 0.62, top - 8
        parts.append(
            f'<text transform="translate({x:.0f} {y}) rotate(-60)">{escape(_label(word))}</text>'
        )
    path = [f"M{left} {top + _CELL * i}H{width}" for i in range(len(source) + 1)]
    path += [f"M{left + _CELL * j} {top}V{height}" for j in range(len(target) + 1)]
    parts.append(f'<path class="grid" d="{"".join(path)}"/>')
    for kind, i, j in _marks(line, alignments, gold):
        if i < len(source) and j < len(target):
            inset = 2 if kind in ("sure", "possible") else 4
            size = _CELL - 2 * inset
            parts.append(
                f'<g class="link"><title>{escape(source[i])} – {escape(target[j])}</title>'
                f'<rect class="{kind}" x="{left + _CELL * j + inset}" '
                f'y="{top + _CELL * i + inset}" width="{size}" height="{size}" rx="3"/></g>'
            )
    parts.append("</svg>")
    return "".join(parts)


def _marks(line: int, alignments: Alignments, gold: Gold | None) -> Iterator[tuple[str, int, int]]:
    forward, backward = (_line(links, line) for links in (alignments.forward, alignments.backward))
    for link in alignments.links[line]:
        kind = "both"
        if forward is not None and backward is not None and (link in forward) != (link in backward):
            kind = "forward" if link in forward else "backward"
        yield kind, *link
    if gold is not None and line < len(gold.possible):
        sure = set(gold.sure[line])
        for link in sorted(sure | set(gold.possible[line])):
            yield "sure" if link in sure else "possible", *link


def _line(links: Links | None, line: int) -> set[tuple[int, int]] | None:
    return None if links is None else set(links[line])


def _width(word: str) -> float:
    return sum(2 * _LETTER if east_asian_width(c) in "WF" else _LETTER for c in _label(word))


def _label(word: str) -> str:
    return word if len(word) <= _LONGEST_LABEL else word[: _LONGEST_LABEL - 1] + "…"
