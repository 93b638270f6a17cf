"""Forests as JSON, for other programs and for reading by eye.

    {"version": 1,
     "features": ["lm", ...],                      names, in the order of weights
     "dense": ["lm"],                              those of which every edge has a value
     "rules": [[lhs, source, target, {feature: value}, origin], ...]
     "nodes": [[label, begin, end], ...],          topologically sorted, the root last
     "edges": [[head, [tail, ...], rule, score, loss, {feature: value}], ...],
     "context": {"width": 3, "nodes": [[word, ...], ...]}}   optional; null is a gap

In a rule's sides a string is a word and a number a tail; origin may be null.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from demotic import files
from demotic.errors import FormatError
from demotic.forest import checked_json as checked
from demotic.forest.builder import ForestBuilder
from demotic.forest.forest import Forest

VERSION = 1


def to_json(forest: Forest) -> str:
    """The forest as JSON text, one rule, node or edge to a line."""
    small = Forest(forest.core.compact())
    rules = []
    for number in range(len(small.core.rule_lhs)):
        rule = small.rule(number)
        rules.append([rule.lhs, rule.source, rule.target, rule.features, rule.origin])
    nodes = [
        [small.labels[label], int(begin), int(end)]
        for label, (begin, end) in zip(small.node_label, small.spans, strict=True)
    ]
    edges = [
        [
            int(small.head[e]),
            [int(tail) for tail in small.tails_of(e)],
            int(small.edge_rule[e]),
            float(small.score[e]),
            float(small.loss[e]),
            small.edge_features(e, with_rule=False),
        ]
        for e in range(small.edges)
    ]
    parts = [
        f'"version": {VERSION}',
        f'"features": {_text(small.features)}',
        f'"dense": {_text([small.features[i] for i in small.dense_id])}',
        f'"rules": {_lines(rules)}',
        f'"nodes": {_lines(nodes)}',
        f'"edges": {_lines(edges)}',
    ]
    if small.core.context_width:
        off, words = small.core.context_off, small.core.context
        contexts = [
            [None if w < 0 else small.words[w] for w in words[off[v] : off[v + 1]]]
            for v in range(small.nodes)
        ]
        width = small.core.context_width
        parts.append(f'"context": {{"width": {width}, "nodes": {_lines(contexts)}}}')
    return "{" + ",\n ".join(parts) + "}\n"


def write_json(forest: Forest, path: str | Path) -> None:
    """Write :func:`to_json` to a file; ``.gz`` compresses."""
    with files.write_bytes(path) as out:
        out.write(to_json(forest).encode("utf-8"))


def read_json(path: str | Path) -> Forest:
    """Read a file that :func:`write_json` wrote."""
    with files.naming(path):
        return from_json(b"".join(files.read_text(path)))


def from_json(text: str | bytes) -> Forest:
    """The forest that a JSON text describes.

    Raises FormatError with the place where the text is no JSON, lacks a part, has a number out of
    range, a value that is not finite, a cycle, or a root without a derivation.
    """
    data = checked.load(text)
    if not isinstance(data, dict):
        raise FormatError("the text is not a JSON object")
    if data.get("version") != VERSION:
        raise FormatError(f"version: expected {VERSION}, found {data.get('version')!r}")
    return _Reader(data).forest()


class _Reader:
    """Checks one part after another; ``place`` is where in the text it is."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def forest(self) -> Forest:
        features = [checked.word(n, f"features[{i}]") for i, n in enumerate(self._list("features"))]
        dense = [checked.word(n, f"dense[{i}]") for i, n in enumerate(self._list("dense", []))]
        contexts, width = self._contexts()
        with checked.placed("features"):
            builder = ForestBuilder(features=features, dense=dense, context_width=width)
        for i, item in enumerate(self._list("rules")):
            self._add_rule(builder, item, f"rules[{i}]")
        nodes = self._list("nodes")
        if not nodes:
            raise FormatError("nodes: a forest needs at least one node, its root")
        if contexts and len(contexts) != len(nodes):
            raise FormatError("context.nodes: expected one entry per node")
        for i, item in enumerate(nodes):
            self._add_node(builder, item, f"nodes[{i}]", contexts[i] if contexts else [])
        rules = len(self._list("rules"))
        for i, item in enumerate(self._list("edges")):
            self._add_edge(builder, item, f"edges[{i}]", len(nodes), rules)
        with checked.placed("forest"):
            return builder.finalize(len(nodes) - 1)

    def _list(self, key: str, default: list[Any] | None = None) -> list[Any]:
        value = self._data.get(key, default)
        if not isinstance(value, list):
            raise FormatError(f"{key}: expected a list")
        return value

    def _contexts(self) -> tuple[list[list[str | None]], int]:
        context = self._data.get("context")
        if context is None:
            return [], 0
        if not isinstance(context, dict) or not isinstance(context.get("nodes"), list):
            raise FormatError("context: expected an object with width and nodes")
        width = checked.whole(context.get("width"), "context.width", 1 << 16)
        rows: list[list[str | None]] = []
        for i, row in enumerate(context["nodes"]):
            place = f"context.nodes[{i}]"
            if not isinstance(row, list):
                raise FormatError(f"{place}: expected a list")
            rows.append([None if w is None else checked.word(w, place) for w in row])
        return rows, width

    def _add_rule(self, builder: ForestBuilder, item: Any, place: str) -> None:
        lhs, source, target, features, origin = checked.fields(item, 5, place)
        if origin is not None:
            checked.whole(origin, f"{place}[4]", 0xFFFFFFFF)
        builder.add_rule(
            checked.word(lhs, f"{place}[0]"),
            _side(source, f"{place}[1]"),
            _side(target, f"{place}[2]"),
            checked.features(features, f"{place}[3]"),
            origin=origin,
        )

    def _add_node(
        self, builder: ForestBuilder, item: Any, place: str, context: list[str | None]
    ) -> None:
        label, begin, end = checked.fields(item, 3, place)
        first = checked.whole(begin, f"{place}[1]", 0xFFFFFFFF)
        last = checked.whole(end, f"{place}[2]", 0xFFFFFFFF)
        builder.add_node(checked.word(label, f"{place}[0]"), first, last, context)

    def _add_edge(
        self, builder: ForestBuilder, item: Any, place: str, nodes: int, rules: int
    ) -> None:
        head, tails, rule, score, loss, features = checked.fields(item, 6, place)
        if not isinstance(tails, list):
            raise FormatError(f"{place}[1]: expected a list of nodes")
        builder.add_edge(
            checked.whole(head, f"{place}[0]", nodes),
            [checked.whole(tail, f"{place}[1][{i}]", nodes) for i, tail in enumerate(tails)],
            checked.whole(rule, f"{place}[2]", rules),
            checked.number(score, f"{place}[3]"),
            checked.number(loss, f"{place}[4]"),
            checked.features(features, f"{place}[5]"),
        )


def _side(value: Any, place: str) -> list[str | int]:
    if not isinstance(value, list):
        raise FormatError(f"{place}: expected a list of words and tails")
    return [
        checked.word(s, place) if isinstance(s, str) else checked.whole(s, f"{place}[{i}]", 1 << 31)
        for i, s in enumerate(value)
    ]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(items: list[Any]) -> str:
    return "[\n" + ",\n".join(_text(item) for item in items) + "]"
