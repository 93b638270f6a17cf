"""Trees in Penn brackets: function tags, indices and traces dropped, heads by rules, TOP on top."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from demotic.errors import FormatError
from demotic.trees.heads import HeadRules
from demotic.trees.tree import TOP, Tree, TreeBuilder

_TOKEN = re.compile(r"[()]|[^ \t()]+")
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}  # fmt: skip
_ESCAPED = re.compile(r"-[LR][RSC]B-|\\[/*]")
_WRITTEN = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "\u00a0"})
_ROOTS = {"", "TOP", "ROOT"}


class _Open:
    """A bracket that is not closed yet."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.label = ""
        self.word: str | None = None
        self.children: list[int] = []
        self.has_brackets = False


def parse(lines: Iterable[str], rules: HeadRules | None = None) -> Iterator[Tree]:
    """The trees of a text; they may go over several lines."""
    rules = rules or HeadRules.collins()
    waiting: list[_Open] = []
    build = TreeBuilder()
    number = 0
    for number, line in enumerate(lines, 1):
        for token in _TOKEN.findall(line):
            if token == "(":
                if waiting:
                    if waiting[-1].word is not None:
                        raise FormatError("a bracket behind a word", line=number)
                    waiting[-1].has_brackets = True
                else:
                    build = TreeBuilder()
                waiting.append(_Open(number))
            elif not waiting:
                raise FormatError(
                    f"'{token}' outside of brackets",
                    line=number,
                    remedy="trees look like (S (NP (PRP it)) (VP (VBZ works)))",
                )
            elif token == ")":
                closed = waiting.pop()
                node = _closed(closed, build, rules, number)
                if waiting and node is not None:
                    waiting[-1].children.append(node)
                if not waiting and node is not None:
                    if build.labels[node] != TOP or not build.children[node]:
                        build.node(TOP, [node], node)
                    yield build.tree()
            else:
                _take(waiting[-1], token, number)
    if waiting:
        raise FormatError(
            "a bracket that is never closed", line=waiting[0].line, remedy=f"{number} lines read"
        )


def _take(at: _Open, token: str, line: int) -> None:
    if not at.label and not at.has_brackets:
        at.label = token
    elif at.word is None and not at.has_brackets:
        at.word = token
    else:
        raise FormatError(f"'{token}' where a bracket should be", line=line)


def _closed(at: _Open, build: TreeBuilder, rules: HeadRules, line: int) -> int | None:
    """The node of a bracket, or nothing where no words are below it."""
    if at.word is not None:
        if at.label == "-NONE-":
            return None
        return build.leaf(_word(at.word), at.label)
    if not at.has_brackets:
        raise FormatError("a bracket without words", line=line, remedy="a leaf is (TAG word)")
    if not at.children:
        return None  # nothing but traces
    label = TOP if at.label in _ROOTS else bare(at.label)
    place = rules.find(label, [build.labels[child] for child in at.children])
    return build.node(label, at.children, at.children[place])


def bare(label: str) -> str:
    """A label without function tags and indices."""
    if label.startswith("-"):
        return label
    return re.split(r"[-=|]", label, maxsplit=1)[0] or label


def _word(written: str) -> str:
    return _ESCAPED.sub(lambda found: _BRACKETS.get(found[0]) or found[0][1], written)


def text(tree: Tree) -> str:
    """A tree on one line."""
    parts: list[str] = []
    waiting = [(len(tree.labels) - 1, False)]
    words = iter(tree.words)
    while waiting:
        node, closing = waiting.pop()
        if closing:
            parts.append(")")
            continue
        parts.append(f" ({tree.labels[node]}")
        if not tree.children[node]:
            word = next(words)
            parts.append(f" {word.translate(_WRITTEN)})")
            continue
        waiting.append((node, True))
        waiting.extend((child, False) for child in reversed(tree.children[node]))
    return "".join(parts).strip()
