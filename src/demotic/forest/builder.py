"""Make a forest by hand, from nodes and edges in any order.

builder = ForestBuilder()
cat = builder.add_node("X", 0, 1)
goal = builder.add_node("S", 0, 1)
builder.add_edge(cat, [], builder.add_rule("X", ["mao"], ["cat"]), score=-0.5)
builder.add_edge(goal, [cat], builder.add_rule("S", [0], [0]))
forest = builder.finalize(goal)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from demotic import _core
from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.forest.arrays import NO_ORIGIN
from demotic.forest.derivation import Symbol
from demotic.forest.forest import Forest

GAP = -1


class _Table:
    """Names by number, in order of first appearance."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._ids: dict[str, int] = {}
        for name in names:
            if name in self._ids:
                raise ArgumentError(f"feature '{name}' is named twice")
            self.id(name)

    def id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))

    def names(self) -> list[str]:
        return list(self._ids)


class _Known:
    """The names of a space, which do not change."""

    def __init__(self, space: FeatureSpace) -> None:
        self.space = space

    def id(self, name: str) -> int:
        found = self.space.find(name)
        if found is None:
            raise ArgumentError(
                f"feature '{name}' is not in the feature space", remedy="build the space with it"
            )
        return found


class _Rows:
    """Rows of different length in one list."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.off = [0]

    def add(self, row: Sequence[float]) -> None:
        self.values.extend(row)
        self.off.append(len(self.values))


class ForestBuilder:
    """Collects rules, nodes and edges; :meth:`finalize` sorts, checks and trims them.

    ``features`` fixes the order of feature names (others follow); or all features are those of a
    ``space``, which the forests of a model share.  Values of ``dense`` features lie in a block of
    their own, for features that almost every edge has.  ``context_width`` > 0 lets nodes carry
    their boundary words.
    """

    def __init__(
        self,
        *,
        features: Sequence[str] = (),
        dense: Sequence[str] = (),
        space: FeatureSpace | None = None,
        context_width: int = 0,
    ) -> None:
        if space is not None and features:
            raise ArgumentError("give either features or a space")
        self._words, self._labels = _Table(), _Table()
        self._named = [*dict.fromkeys([*features, *dense])]
        self._features = _Table(features) if space is None else _Known(space)
        self._dense = {name: i for i, name in enumerate(dense)}
        self._dense_ids = [self._features.id(name) for name in dense]
        self._context_width = context_width
        self._lhs: list[int] = []
        self._origin: list[int] = []
        self._source, self._target = _Rows(), _Rows()
        self._rule_ids, self._rule_values = _Rows(), _Rows()
        self._label: list[int] = []
        self._span: list[int] = []
        self._context = _Rows()
        self._head: list[int] = []
        self._tails = _Rows()
        self._rule: list[int] = []
        self._score: list[float] = []
        self._loss: list[float] = []
        self._dense_values: list[float] = []
        self._edge_ids, self._edge_values = _Rows(), _Rows()

    def add_rule(
        self,
        lhs: str,
        source: Sequence[Symbol],
        target: Sequence[Symbol],
        features: Mapping[str, float] | None = None,
        *,
        origin: int | None = None,
    ) -> int:
        """A rule: words as strings, the tail in slot i as the integer i.  Its number."""
        self._lhs.append(self._labels.id(lhs))
        self._origin.append(NO_ORIGIN if origin is None else origin)
        self._source.add([self._symbol(s) for s in source])
        self._target.add([self._symbol(s) for s in target])
        self._rule_ids.add([self._features.id(name) for name in features or {}])
        self._rule_values.add(list((features or {}).values()))
        return len(self._lhs) - 1

    def add_node(self, label: str, begin: int, end: int, context: Sequence[str | None] = ()) -> int:
        """A node over source words begin .. end - 1; None in a context is a gap.  Its number."""
        self._label.append(self._labels.id(label))
        self._span += [begin, end]
        self._context.add([GAP if w is None else self._words.id(w) for w in context])
        return len(self._label) - 1

    def add_edge(
        self,
        head: int,
        tails: Sequence[int],
        rule: int,
        score: float = 0.0,
        loss: float = 0.0,
        features: Mapping[str, float] | None = None,
    ) -> int:
        """An edge: one way to make ``head`` out of ``tails``; the features are beside the rule's.

        A score of minus infinity drops the edge.  Its number.
        """
        self._head.append(head)
        self._tails.add(tails)
        self._rule.append(rule)
        self._score.append(score)
        self._loss.append(loss)
        block = [0.0] * len(self._dense)
        own: dict[int, float] = {}
        for name, value in (features or {}).items():
            if name in self._dense:
                block[self._dense[name]] = value
            else:
                id_ = self._features.id(name)  # hashed names may share one
                own[id_] = own.get(id_, 0.0) + value
        self._dense_values += block
        self._edge_ids.add(list(own))
        self._edge_values.add(list(own.values()))
        return len(self._head) - 1

    def finalize(self, root: int) -> Forest:
        """The forest below ``root``, in topological order, without what no derivation uses.

        Raises FormatError on a cycle, a number out of range, a value that is not finite, a rule
        whose sides disagree, or a root without a derivation.
        """
        columns: dict[str, tuple[Sequence[float], type]] = {
            "rule_lhs": (self._lhs, np.uint32),
            "rule_origin": (self._origin, np.uint32),
            "source_off": (self._source.off, np.uint32),
            "source": (self._source.values, np.int32),
            "target_off": (self._target.off, np.uint32),
            "target": (self._target.values, np.int32),
            "rule_feature_off": (self._rule_ids.off, np.uint32),
            "rule_feature_id": (self._rule_ids.values, np.uint32),
            "rule_feature_value": (self._rule_values.values, np.float32),
            "label": (self._label, np.uint32),
            "span": (self._span, np.uint32),
            "context_off": (self._context.off, np.uint32),
            "context": (self._context.values, np.int32),
            "dense_id": (self._dense_ids, np.uint32),
            "head": (self._head, np.uint32),
            "tail_off": (self._tails.off, np.uint32),
            "tails": (self._tails.values, np.uint32),
            "rule": (self._rule, np.uint32),
            "score": (self._score, np.float64),
            "loss": (self._loss, np.float32),
            "dense": (self._dense_values, np.float32),
            "edge_feature_off": (self._edge_ids.off, np.uint32),
            "edge_feature_id": (self._edge_ids.values, np.uint32),
            "edge_feature_value": (self._edge_values.values, np.float32),
        }
        arrays = {name: _column(name, values, kind) for name, (values, kind) in columns.items()}
        return Forest(
            _core.forest_build(
                arrays,
                self._words.names(),
                self._labels.names(),
                self._space(),
                _node(root),
                self._context_width,
            )
        )

    def _space(self) -> FeatureSpace:
        if isinstance(self._features, _Known):
            return self._features.space
        return FeatureSpace(self._named, self._features.names())

    def _symbol(self, symbol: Symbol) -> int:
        return self._words.id(symbol) if isinstance(symbol, str) else -(symbol + 1)


def _column(name: str, values: Sequence[float], kind: type) -> np.ndarray[tuple[int], np.dtype]:
    with np.errstate(over="ignore"):  # too large for 32 bits: infinite, which the core refuses
        try:
            return np.array(values, dtype=kind)
        except (OverflowError, ValueError, TypeError) as error:
            raise ArgumentError(f"{name}: {error}") from None


def _node(number: int) -> int:
    if not 0 <= number <= NO_ORIGIN:
        raise ArgumentError(f"there is no node {number}")
    return number
