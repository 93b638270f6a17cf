"""Forests in the JSON of cdec, which holds features instead of scores.

    forest = read_cdec("sentence.json.gz").rescore({"LanguageModel": 0.5, "WordPenalty": -1.0})
    write_cdec(forest, "sentence.json.gz")

One object whose keys repeat, so that it can be read and written as a stream, tails before heads:

    {"rules": [1, "[X] ||| mao ||| a cat", 2, "[S] ||| [X] ||| [1]"],
     "features": ["lm", "length"],
     "edges": [{"tail": [], "spans": [0, 1, -1, -1], "feats": [0, -1.0, 1, 2], "rule": 1}],
     "node": {"in_edges": [0], "cat": "X"},
     "edges": [...], "node": {...}}

Nodes and edges are numbered as they come; the last node is the root.  A feature is a number (its
place in ``features``) or a name, a rule a number (its key in ``rules``) or its text, or missing.
A node without edges, the beginning of a lattice, has one empty derivation.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from demotic import files
from demotic.errors import ArgumentError, FormatError
from demotic.forest import checked_json as checked
from demotic.forest.builder import ForestBuilder
from demotic.forest.derivation import Symbol
from demotic.forest.forest import Forest

_BORDER = re.compile(r"(?<!\S)\|\|\|(?!\S)")
_MOST = 0xFFFFFFFF
_LONGEST = 0xFFFF  # words of a source sentence; what cdec did not set is beyond or below 0


def read_cdec(path: str | Path) -> Forest:
    """Read a forest that cdec wrote; scores are 0 until :meth:`Forest.rescore` gives weights."""
    with files.naming(path):
        return from_cdec(b"".join(files.read_text(path)))


def write_cdec(forest: Forest, path: str | Path) -> None:
    """Write :func:`to_cdec` to a file; ``.gz`` compresses."""
    with files.write_bytes(path) as out:
        out.write(to_cdec(forest).encode("utf-8"))


def from_cdec(text: str | bytes) -> Forest:
    """The forest that a text in cdec's JSON describes.

    Raises FormatError with the place where the text is no JSON, has a number out of range, a rule
    that cannot be read or does not fit its edge, or a value that is not finite.
    """
    data = checked.load(text, objects=_Pairs)
    if not isinstance(data, _Pairs):
        raise FormatError("the text is not a JSON object")
    return _Reader().forest(data)


class _Pairs(list[tuple[str, Any]]):
    """An object whose keys may repeat, in order."""


class _Reader:
    """Takes in one part after the other."""

    def __init__(self) -> None:
        self._builder = ForestBuilder()
        self._features: list[str] = []
        self._rules: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._edges: list[dict[str, Any]] = []
        self._nodes = 0

    def forest(self, data: _Pairs) -> Forest:
        for key, value in data:
            if key == "rules":
                self._add_rules(checked.listed(value or [], key))
            elif key == "features":
                names = checked.listed(value or [], key)
                self._features = [
                    checked.word(name, f"features[{i}]") for i, name in enumerate(names)
                ]
            elif key == "edges":
                for item in checked.listed(value, key):
                    self._edges.append(_object(item, f"edge {len(self._edges)}"))
            elif key == "node":
                self._add_node(_object(value, f"node {self._nodes}"), f"node {self._nodes}")
            elif key != "is_sorted":
                raise FormatError(f"unknown part '{key}'")
        if not self._nodes:
            raise FormatError("a forest needs at least one node, its root")
        with checked.placed("forest"):
            return self._builder.finalize(self._nodes - 1)

    def _add_rules(self, items: list[Any]) -> None:
        if len(items) % 2:
            raise FormatError("rules: expected numbers and texts in turns")
        for number, text in zip(items[::2], items[1::2], strict=True):
            place = f"rules, number {number}"
            self._rules[checked.whole(number, place, _MOST)] = self._rule(text, place)

    def _rule(self, text: Any, place: str) -> int:
        """The number of a rule, given by its text."""
        text = checked.word(text, place)
        if text not in self._texts:
            self._texts[text] = self._builder.add_rule(*_parsed_rule(text, place))
        return self._texts[text]

    def _add_node(self, node: dict[str, Any], place: str) -> None:
        label = checked.word(node.get("cat") or "X", f"{place}: cat")
        numbers = [
            checked.whole(number, f"{place}: in_edges[{i}]", len(self._edges))
            for i, number in enumerate(checked.listed(node.get("in_edges") or [], place))
        ]
        spans = {_span(self._edges[number], f"edge {number}") for number in numbers}
        begin, end = spans.pop() if len(spans) == 1 else (0, 0)
        self._builder.add_node(label, begin, end)
        if not numbers:
            self._builder.add_edge(self._nodes, [], self._rule(f"[{label}] ||| |||", place))
        for number in numbers:
            self._add_edge(self._edges[number], f"edge {number}", label)
        self._nodes += 1

    def _add_edge(self, edge: dict[str, Any], place: str, label: str) -> None:
        tails = [
            checked.whole(tail, f"{place}: tail[{i}]", self._nodes)
            for i, tail in enumerate(checked.listed(edge.get("tail") or [], f"{place}: tail"))
        ]
        values = checked.listed(edge.get("feats") or [], f"{place}: feats")
        if len(values) % 2:
            raise FormatError(f"{place}: feats: expected names and values in turns")
        features = {
            self._feature(name, f"{place}: feats"): checked.number(value, f"{place}: feats")
            for name, value in zip(values[::2], values[1::2], strict=True)
        }
        rule = self._rule_of(edge.get("rule"), len(tails), label, place)
        self._builder.add_edge(self._nodes, tails, rule, features=features)

    def _feature(self, name: Any, place: str) -> str:
        if isinstance(name, str):
            return checked.word(name, place)
        return self._features[checked.whole(name, place, len(self._features))]

    def _rule_of(self, rule: Any, arity: int, label: str, place: str) -> int:
        if rule is None:  # cdec can leave rules out; the tails are then all that is known
            tails = " ".join(f"[X,{slot}]" for slot in range(1, arity + 1))
            return self._rule(f"[{label}] ||| {tails} ||| {tails}", place)
        if isinstance(rule, str):
            return self._rule(rule, f"{place}: rule")
        number = checked.whole(rule, f"{place}: rule", _MOST)
        if number not in self._rules:
            raise FormatError(f"{place}: there is no rule {number}")
        return self._rules[number]


def _object(item: Any, place: str) -> dict[str, Any]:
    if not isinstance(item, _Pairs):
        raise FormatError(f"{place}: expected an object")
    return dict(item)


def _span(edge: dict[str, Any], place: str) -> tuple[int, int]:
    spans = checked.listed(edge.get("spans") or [], f"{place}: spans")
    known = [value for value in spans[:2] if isinstance(value, int) and 0 <= value <= _LONGEST]
    return (known[0], known[1]) if len(known) == 2 and known[0] <= known[1] else (0, 0)


def _parsed_rule(text: str, place: str) -> tuple[str, list[Symbol], list[Symbol]]:
    """``[X] ||| source ||| target``, perhaps with features, which edges repeat."""
    parts = [part.strip() for part in _BORDER.split(text)]
    if len(parts) == 2:
        parts.insert(0, "[X]")
    if len(parts) < 3 or not _is_nonterminal(parts[0]):
        raise FormatError(f"{place}: '{text}' is no rule", remedy="write [X] ||| source ||| target")
    source: list[Symbol] = []
    slots = 0
    for symbol in parts[1].split():
        if _is_nonterminal(symbol):
            slots += 1
            source.append(_slot(symbol, slots, place))
        else:
            source.append(symbol)
    target = [
        _slot(symbol, 0, place) if _is_nonterminal(symbol) else symbol
        for symbol in parts[2].split()
    ]
    return parts[0][1:-1], source, target


def _is_nonterminal(symbol: str) -> bool:
    return len(symbol) > 2 and symbol[0] == "[" and symbol[-1] == "]"


def _slot(symbol: str, default: int, place: str) -> int:
    """``[X,2]`` and ``[2]`` are the second tail; ``[X]`` is the next."""
    last = symbol[1:-1].rpartition(",")[2]
    number = int(last) if last.isdecimal() and len(last) < 9 else default
    if number < 1:
        raise FormatError(f"{place}: {symbol} does not say which tail it is")
    return number - 1


# -- writing ------------------------------------------------------------------------------------


def to_cdec(forest: Forest) -> str:
    """The forest as cdec's JSON; scores are left out, rules' features go with their edges."""
    small = Forest(forest.core.compact())
    rules: list[str] = []
    for number in range(len(small.core.rule_lhs)):
        rule = small.rule(number)
        sides = [_written(side) for side in (rule.source, rule.target)]
        text = f"[{_checked(rule.lhs)}] ||| {sides[0]} ||| {sides[1]}"
        rules.append(f"{number + 1},{json.dumps(text, ensure_ascii=False)}")
    parts = [
        f'"rules":[{",".join(rules)}]',
        f'"features":{json.dumps(small.features, ensure_ascii=False)}',
    ]
    ids = {name: number for number, name in enumerate(small.features)}
    edge = 0
    for node in range(small.nodes):
        begin, end = map(int, small.spans[node])
        edges = []
        first = edge
        while edge < small.edges and small.head[edge] == node:
            values = small.edge_features(edge).items()
            record = {
                "tail": [int(tail) for tail in small.tails_of(edge)],
                "spans": [begin, end, -1, -1],
                "feats": [item for name, value in values if value for item in (ids[name], value)],
                "rule": int(small.edge_rule[edge]) + 1,
            }
            edges.append(json.dumps(record, separators=(",", ":")))
            edge += 1
        parts.append(f'"edges":[{",".join(edges)}]')
        label = _checked(small.labels[small.node_label[node]])
        head = {"in_edges": list(range(first, edge)), "cat": label}
        parts.append(f'"node":{json.dumps(head, ensure_ascii=False, separators=(",", ":"))}')
    return "{" + ",\n".join(parts) + "}\n"


def _written(side: tuple[Symbol, ...]) -> str:
    return " ".join(f"[X,{s + 1}]" if isinstance(s, int) else _checked(s) for s in side)


def _checked(word: str) -> str:
    """A word or category that the text of a rule can hold."""
    if not word or word == "|||" or len(word.split()) != 1 or _is_nonterminal(word):
        raise ArgumentError(f"'{word}' cannot be written as a word of cdec's")
    return word
