"""The pages as tests see them: README and docs, their headings, links and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]

_FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string (``python run``) and content."""

    page: Path
    info: str
    content: str
    line: int

    @property
    def name(self) -> str:
        """For messages."""
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    """A page's place in the project."""
    return str(page.relative_to(ROOT))


@cache
def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, found[3].strip(), found[4], text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    ]


@cache
def prose(page: Path) -> str:
    """A page without its fenced and indented blocks."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"(?<=\n\n)(?: {4}.*\n)+", "", text)


@cache
def anchors(page: Path) -> set[str]:
    """What may stand behind ``#`` in a link to the page, as GitHub and MyST have it."""
    found: set[str] = set()
    for heading in _HEADING.findall(prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = next(n for n in range(99) if (f"{slug}-{n}" if n else slug) not in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def links(page: Path) -> Iterator[str]:
    """Where the links and pictures of a page lead."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    yield from _LINK.findall(text)


def followed(page: Path, link: str) -> tuple[Path, str] | None:
    """The file that a link leads to and the anchor within; None for other hosts."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    return ((page.parent / path).resolve() if path else page), anchor
