"""Inline codes follow the words that they marked, through word links; pairs stay well-formed.

    place_codes(source, target_text, links)      Inline with every code of the source exactly once

``links`` say which stretch of the source's text became which stretch of the target's.  A pair
goes around the words that come from its own; where these were torn apart, around the longest run
of them.  Pairs nest as they did.  A point goes where its neighbour went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from demotic.corpus.token_places import Stretch
from demotic.documents.inline import Code, Inline

Link = tuple[Stretch, Stretch]
"""Characters of the source, and of the target."""


_OUTSIDE = -1  # a word that comes from none of the pairs


@dataclass
class _Node:
    """A pair, or a point (without ``close``), with what is nested in it."""

    open: Code
    close: Code | None = None
    inner: list[_Node] = field(default_factory=list)
    place: Stretch = (0, 0)

    @property
    def stretch(self) -> Stretch:
        return self.open.at, self.close.at if self.close else self.open.at


def place_codes(source: Inline, target: str, links: Sequence[Link]) -> Inline:
    """The target's text with the source's codes."""
    if not source.codes:
        return Inline(target)
    links = [  # of several words (a term): a link for each of them
        (ours, (theirs[0] + start, theirs[0] + end))
        for ours, theirs in links
        for start, end in _words(target[theirs[0] : theirs[1]])
    ]
    words = sorted({theirs for _, theirs in links} | set(_words(target)))
    words = _disjoint(words)
    froms = _sources(words, links)
    root = _tree(source)
    root.place = (0, len(target))
    waiting = [root]
    while waiting:
        node = waiting.pop()
        _place_inner(node, source, target, words, froms)
        waiting += node.inner
    return Inline(target, tuple(_written(root)))


def _tree(source: Inline) -> _Node:
    root = _Node(Code(0, ""), Code(len(source.text), ""))
    path = [root]
    for code in source.codes:
        if code.kind == "close":
            path[-1].close = code
            path.pop()
            continue
        node = _Node(code)
        path[-1].inner.append(node)
        if code.kind == "open":
            path.append(node)
    return root


def _words(text: str) -> list[Stretch]:
    """Words between spaces: those that no link speaks of must stand somewhere, too."""
    found: list[Stretch] = []
    start = None
    for place, character in enumerate(text):
        if character.isspace():
            if start is not None:
                found.append((start, place))
            start = None
        elif start is None:
            start = place
    if start is not None:
        found.append((start, len(text)))
    return found


def _disjoint(stretches: list[Stretch]) -> list[Stretch]:
    """Without overlaps: a word of which links name the parts gives way to these."""
    inner = [
        each
        for i, each in enumerate(stretches)
        if not any(
            other != each and each[0] <= other[0] and other[1] <= each[1]
            for other in stretches[max(0, i - 8) : i + 9]
        )
    ]
    found: list[Stretch] = []
    for start, end in inner:
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _sources(words: list[Stretch], links: Sequence[Link]) -> list[list[Stretch]]:
    """For each word of the target the stretches of the source that it comes from."""
    by_target: dict[Stretch, list[Stretch]] = {}
    for ours, theirs in links:
        by_target.setdefault(theirs, []).append(ours)
    return [by_target.get(word, []) for word in words]


def _place_inner(
    node: _Node,
    source: Inline,
    target: str,
    words: list[Stretch],
    froms: list[list[Stretch]],
) -> None:
    """Places for what is nested in a pair, within the place of the pair."""
    low, high = node.place
    inside = [i for i, (start, end) in enumerate(words) if low <= start and end <= high]
    pairs = [each for each in node.inner if each.close is not None]
    owners: list[int | None] = [_owner(froms[i], pairs) for i in inside]
    _bridge(owners)
    text_low, text_high = node.stretch
    for number, pair in enumerate(pairs):
        run = _longest_run(owners, number)
        start, end = pair.stretch
        if not source.text[start:end].strip():
            pair.place = (-1, -1)  # nothing in it: placed as a point is
        elif source.text[text_low:start].strip() == "" == source.text[end:text_high].strip():
            pair.place = (low, high) if len(pairs) == 1 else _of_run(run, inside, words)
        else:
            pair.place = _of_run(run, inside, words)
    _untangle(pairs)
    for each in node.inner:
        if each.place == (-1, -1) or each.close is None:
            at = _point(each, node, source, target, words, froms, inside)
            at = _outside(at, [p for p in pairs if p is not each and p.place[0] >= 0], each)
            each.place = (at, at)


def _owner(stretches: list[Stretch], pairs: list[_Node]) -> int | None:
    """The pair that most of a word's source is in, or _OUTSIDE; None without any link."""
    votes = [0] * len(pairs)
    outside = 0
    for start, end in stretches:
        held = [i for i, p in enumerate(pairs) if p.stretch[0] <= start and end <= p.stretch[1]]
        if held:
            votes[held[0]] += 1
        else:
            outside += 1
    if not stretches:
        return None
    if not votes or max(votes) == 0 or max(votes) < outside:
        return _OUTSIDE
    return votes.index(max(votes))


def _bridge(owners: list[int | None]) -> None:
    """Words without links between two of one pair belong to it."""
    last: int | None = None
    for i, owner in enumerate(owners):
        if owner is None:
            continue
        if last is not None and owners[last] == owner and i - last <= 3:
            owners[last + 1 : i] = [owner] * (i - last - 1)
        last = i


def _longest_run(owners: list[int | None], number: int) -> Stretch | None:
    best: Stretch | None = None
    start = None
    for i, owner in enumerate([*owners, None]):
        if owner == number and start is None:
            start = i
        if owner != number and start is not None:
            if best is None or i - start > best[1] - best[0]:
                best = (start, i)
            start = None
    return best


def _of_run(run: Stretch | None, inside: list[int], words: list[Stretch]) -> Stretch:
    if run is None:
        return (-1, -1)
    return words[inside[run[0]]][0], words[inside[run[1] - 1]][1]


def _untangle(pairs: list[_Node]) -> None:
    """Pairs beside each other must not overlap: the later one begins behind the earlier."""
    placed = sorted((p for p in pairs if p.place[0] >= 0), key=lambda p: p.place)
    for before, after in pairwise(placed):
        if after.place[0] < before.place[1]:
            after.place = (before.place[1], max(after.place[1], before.place[1]))


def _point(
    each: _Node,
    node: _Node,
    source: Inline,
    target: str,
    words: list[Stretch],
    froms: list[list[Stretch]],
    inside: list[int],
) -> int:
    """Where a point goes: behind the word it leans on, before the next one, or at an edge."""
    at = each.open.at
    low, high = node.place
    if not source.text[node.stretch[0] : at].strip():
        return low
    if not source.text[at : node.stretch[1]].strip():
        return high
    leans_back = not source.text[at - 1].isspace()
    before = [
        words[i][1] for i in inside if any(s < at <= e for s, e in _before(froms[i], source, at))
    ]
    behind = [words[i][0] for i in inside if any(s >= at for s, _ in froms[i])]
    nearest = [
        (min(s for s, _ in froms[i] if s >= at), words[i][0])
        for i in inside
        if any(s >= at for s, _ in froms[i])
    ]
    if leans_back and before:
        return max(before)
    if nearest:
        return min(nearest)[1]
    if before or behind:
        return max(before or behind)
    # No links at all: the same share of the text, at the beginning of a word.
    share = low + (high - low) * (at - node.stretch[0]) // max(node.stretch[1] - node.stretch[0], 1)
    starts = [words[i][0] for i in inside if words[i][0] >= share]
    return starts[0] if starts else high


def _before(stretches: list[Stretch], source: Inline, at: int) -> list[Stretch]:
    """Stretches that end where the point stands, spaces between them not counted."""
    return [
        (start, at)
        for start, end in stretches
        if end <= at and not source.text[end:at].strip() and start < at
    ]


def _outside(at: int, pairs: list[_Node], each: _Node) -> int:
    """A point between pairs stays between them: not within one that it was not in."""
    for pair in pairs:
        start, end = pair.place
        if start < at < end:
            return start if each.open.at <= pair.stretch[0] else end
    return at


def _written(root: _Node) -> list[Code]:
    """All codes in the order of the target's text."""
    codes: list[Code] = []
    # Of a node: its opening code, what is in it by place (points that stood before a pair first),
    # its closing code; an explicit stack, as nesting may be deep.
    waiting: list[Code | _Node] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Code):
            codes.append(item)
            continue
        start, end = item.place
        first = Code(start, item.open.raw, item.open.kind, item.open.pair)
        if item.close is None:
            codes.append(first)
            continue
        ordered = sorted(enumerate(item.inner), key=lambda each: (each[1].place, each[0]))
        if item is not root:
            waiting.append(Code(end, item.close.raw, "close", item.close.pair))
        waiting += [inner for _, inner in reversed(ordered)]
        if item is not root:
            codes.append(first)
    return codes
