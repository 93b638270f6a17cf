"""Dependency trees in CoNLL-U: multiword ranges and empty nodes skipped, crossing arcs lifted.

Each token with dependents becomes a node labelled UPOS + "P" above its own leaf, the head, and its
dependents in surface order; others are leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from demotic.errors import FormatError
from demotic.trees.tree import TOP, Tree, TreeBuilder

_FIELDS = 10
_DIGITS = 9


def parse(lines: Iterable[str]) -> Iterator[Tree]:
    """The trees of a text."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if rows:
                yield _tree(rows)
                rows = []
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != _FIELDS:
                raise FormatError(
                    f"{len(fields)} fields in a line of CoNLL-U",
                    line=number,
                    remedy=f"{_FIELDS}, with tabs between them",
                )
            if _is_number(fields[0]):
                rows.append((number, fields))
            elif not fields[0].replace("-", "").replace(".", "").isdigit():
                raise FormatError(f"'{fields[0]}' is no number of a word", line=number)
    if rows:
        yield _tree(rows)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def _tree(rows: Sequence[tuple[int, list[str]]]) -> Tree:
    words, tags, heads, relations = [], [], [], []
    for place, (line, fields) in enumerate(rows, 1):
        number, word, _, upos, xpos, _, head, relation, _, _ = fields
        if int(number) != place:
            raise FormatError(f"word {number} where {place} should be", line=line)
        if not _is_number(head) or int(head) > len(rows):
            raise FormatError(
                f"'{head}' is no head of a word", line=line, remedy=f"0 to {len(rows)}"
            )
        words.append(word)
        tags.append(next((tag for tag in (upos, xpos) if tag not in ("", "_")), "X"))
        heads.append(int(head) - 1)
        relations.append("" if relation == "_" else relation)
    circle = _in_a_circle(heads)
    if circle is not None:
        raise FormatError(
            f"word {circle + 1} depends on itself, by way of others or not",
            line=rows[circle][0],
            remedy="heads must lead to 0",
        )
    return dependency_tree(words, tags, heads, relations)


def _in_a_circle(heads: Sequence[int]) -> int | None:
    """A word that no root is above, or nothing."""
    known = [False] * len(heads)
    for start in range(len(heads)):
        path, at = [], start
        seen: set[int] = set()
        while at >= 0 and not known[at]:
            if at in seen:
                return at
            seen.add(at)
            path.append(at)
            at = heads[at]
        for token in path:
            known[token] = True
    return None


def dependency_tree(
    words: Sequence[str], tags: Sequence[str], heads: Sequence[int], relations: Sequence[str] = ()
) -> Tree:
    """The tree of words with heads, -1 for roots; arcs that cross are lifted as little as can be.

    ``heads`` must have no circles.
    """
    heads = projective(heads)
    below: list[list[int]] = [[] for _ in words]
    roots: list[int] = []
    for token, head in enumerate(heads):
        (below[head] if head >= 0 else roots).append(token)
    build = TreeBuilder()
    made: list[int] = [-1] * len(words)
    # A token comes back when all that is below it has been built, from left to right.
    waiting = [(root, False) for root in reversed(roots)]
    own: list[int] = [-1] * len(words)
    while waiting:
        token, done = waiting.pop()
        if done:
            nodes = [own[k] if k == token else made[k] for k in sorted([*below[token], token])]
            made[token] = build.node(f"{tags[token]}P", nodes, own[token])
        elif own[token] == -2:
            own[token] = build.leaf(words[token], tags[token])
        elif below[token]:
            own[token] = -2  # its turn among its dependents is still to come
            waiting.append((token, True))
            waiting.extend((k, False) for k in sorted([*below[token], token], reverse=True))
        else:
            made[token] = own[token] = build.leaf(words[token], tags[token])
    build.node(TOP, [made[root] for root in roots], made[roots[0]])
    return build.tree(relations)


def projective(heads: Sequence[int]) -> list[int]:
    """Heads without crossing arcs: the shortest arc that crosses is lifted to its head's head."""
    found = list(heads)
    while (arc := _crossing(found)) is not None:
        found[arc] = found[found[arc]]
    return found


def _crossing(heads: Sequence[int]) -> int | None:
    """The dependent of the shortest arc over a word that is not below its head; or nothing."""
    first, last = _intervals(heads)
    worst: tuple[int, int] | None = None
    for token, head in enumerate(heads):
        if head < 0 or (worst is not None and abs(token - head) >= worst[0]):
            continue
        low, high = min(token, head), max(token, head)
        if any(not first[head] <= first[k] < last[head] for k in range(low + 1, high)):
            worst = (high - low, token)
    return None if worst is None else worst[1]


def _intervals(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each token its place in pre-order, and that behind the last token below it."""
    below: list[list[int]] = [[] for _ in heads]
    waiting: list[int] = []
    for token, head in enumerate(heads):
        (below[head] if head >= 0 else waiting).append(token)
    order: list[int] = []
    while waiting:
        token = waiting.pop()
        order.append(token)
        waiting.extend(below[token])
    first = [0] * len(heads)
    for place, token in enumerate(order):
        first[token] = place
    size = [1] * len(heads)
    for token in reversed(order):
        if heads[token] >= 0:
            size[heads[token]] += size[token]
    return first, [first[k] + size[k] for k in range(len(heads))]


def text(tree: Tree) -> str:
    """A tree as lines of CoNLL-U, with an empty one behind them."""
    lines = []
    for token, word in enumerate(tree.words):
        tag, relation = tree.tags[token], "_"
        if tree.relations:
            relation = tree.relations[token] or "_"
        head = tree.head_of(token) + 1
        fields = [str(token + 1), word, "_", tag, "_", "_", str(head), relation, "_", "_"]
        lines.append("\t".join(fields))
    return "\n".join([*lines, ""])
