"""Tree transduction, the search: leaves choose translations, head blocks keep or swap siblings.

found = transduce(tree, leaves, keep=keep, swap=swap)     # scores h of each attachment's two orders
found.words                                               # (token, translation), in target order
found.forest(["<none>", "la", "maison"]).kbest(10)

``leaves[k]`` lists translations of token k with their costs (``Candidate``); 0 is no translation.
With a language model, what their words cost where they meet counts as well.  An attachment costs
ln(1 + exp(-h)).  Attachments are those of ``demotic.trees.binarise``.  Scores h come from arrays,
from the classifiers of an ``OrderModel``, or from both, added up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.forest import Forest
from demotic.forest.arrays import NO_ORIGIN
from demotic.trees import Cells, Tree, binarise, core_cells
from demotic.trees.orders import EncodedAttachments, OrderModel

if TYPE_CHECKING:
    from demotic.lm import LanguageModel


class Candidate(NamedTuple):
    """What a leaf may write; a pair of the first two will do."""

    target: int
    """The translation; 0 is none."""
    cost: float
    before: tuple[str, ...] = ()
    """Words that are put in before it."""
    after: tuple[str, ...] = ()
    inserting: float = 0.0
    """What it costs to put these in, or none."""
    passed: bool = False
    """A word that training has not seen, left as it is."""

    def words(self, names: Any) -> list[str]:
        """All that it writes; ``names[t]`` are translations."""
        own = [names[self.target]] if self.target else []
        return [*self.before, *own, *self.after]


Leaf = Sequence[tuple[int, float] | Candidate]
FEATURES = ("WordChoice", "Order", "WordPenalty", "Insertion", "LanguageModel", "PassThrough")
"""Minus the costs of leaves, minus those of attachments, target words, minus what words cost that
have no source, the language model's log10 p, words that stay as they are."""
_SLOTS = 5


@dataclass(frozen=True, kw_only=True)
class TreeSearch:
    """How to search."""

    beam: int = 40
    """Items kept of each cell."""
    threshold: float = 1e-3
    """Items are dropped whose score is below this share of the best; 0 drops none."""
    right_first: bool = False
    """Right siblings join their head before those on the left: one order instead of all."""
    recombine: bool = True
    """Items with the same head and the same dependents are one."""
    erased: Literal["skip", "score"] = "skip"
    """A side without words costs nothing to attach (``skip``), or what others do (``score``)."""
    candidates: int = 20
    """Translations of each word that are tried, the cheapest."""
    insertions: int = 3
    """Ways to put further words beside each of the five cheapest translations of a word, where
    they were learned; 0: none."""
    unknown: Literal["copy", "drop"] = "copy"
    """Words that training has not seen stay as they are, or have no translation."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "beam", "candidates", least=1)
        check_counts(self, "insertions")
        if not 0 <= self.threshold <= 1:
            raise ArgumentError(f"threshold is {self.threshold}", remedy="give a share, 0 to 1")

    @property
    def width(self) -> float:
        """The threshold as a difference of costs."""
        return -math.log(self.threshold) if self.threshold > 0 else 1e300


@dataclass(frozen=True)
class TreeWeights:
    """Of ``FEATURES``; those of orders and of the language model are not below 0."""

    words: float = 1.0
    orders: float = 1.0
    length: float = 0.0
    inserting: float = 1.0
    language: float = 0.0
    passed: float = 0.0

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> TreeWeights:
        """Costs are no rewards, whatever a tuner likes to try."""
        words, orders, length, inserting, language, passed = (weights[name] for name in FEATURES)
        return cls(words, max(0.0, orders), length, inserting, max(0.0, language), passed)

    def row(self) -> NDArray[np.float64]:
        """In the order of ``FEATURES``."""
        return np.array(astuple(self))


@dataclass(frozen=True)
class Language:
    """A language model that takes part in the search, and the words of all candidates."""

    model: LanguageModel
    begins: NDArray[np.uint32]
    words: NDArray[np.uint32]

    @classmethod
    def of(cls, model: LanguageModel, leaves: Sequence[Leaf], names: Any) -> Language:
        """``names[t]`` are translations."""
        rows = [
            [model.find(word) for word in Candidate(*each).words(names)]
            for leaf in leaves
            for each in leaf
        ]
        flat = [word for row in rows for word in row]
        return cls(model, _offsets(rows).astype(np.uint32), np.array(flat, np.uint32))


def spans_of(cells: Cells) -> list[tuple[int, int]]:
    """Source words of each cell."""
    spans = [(k, k + 1) for k in range(cells.tokens)]
    for cell in range(cells.tokens, len(cells)):
        first = cells.begins[cell]
        parts = [spans[cells.block[first]], spans[cells.sibling[first]]]
        spans.append((min(part[0] for part in parts), max(part[1] for part in parts)))
    return spans


@dataclass(frozen=True, eq=False)
class Transduction:
    """What the search found."""

    tree: Tree
    cells: Cells
    leaves: Sequence[Leaf]
    space: _core.TransducerSpace
    weights: TreeWeights

    @property
    def cost(self) -> float:
        """Of the best tree, under the weights."""
        return self.space.cost

    @property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Tokens with their translations in the best tree, in target order."""
        return tuple((token, target) for token, target in self.space.words)

    @property
    def steps(self) -> tuple[tuple[int, bool], ...]:
        """The attachments of the best tree from the bottom up, and whether they swap."""
        edges = self.space.edges
        best = [edges[edge] for edge in self.space.best]
        return tuple((choice, swapped) for _, choice, block, _, swapped, _ in best if block >= 0)

    @property
    def items(self) -> Sequence[tuple[int, int, float]]:
        """Items: cell, translation of the head, cost."""
        return self.space.items

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Source words of each cell."""
        return spans_of(self.cells)

    @cached_property
    def labels(self) -> list[str]:
        """Of each cell."""
        return [self.tree.labels[node] for node in self.cells.node]

    def forest(self, names: Any) -> Forest:
        """All that was considered, with ``FEATURES``; ``names[t]`` are translations."""
        head, choice, block, sibling, swapped, cost, language = self.space.edge_table
        inner = block >= 0
        cells = self.space.item_cells
        labels = sorted({*self.labels})
        label = np.array([labels.index(each) for each in self.labels], np.uint32)
        flat = [
            (place, Candidate(*each)) for place, leaf in enumerate(self.leaves) for each in leaf
        ]
        words = _Numbers()
        # Rules: one for each candidate of a leaf, then for each label one in order, one swapped.
        rule_lhs = [int(label[place]) for place, _ in flat]
        source: list[list[int]] = [[words[self.tree.words[place]]] for place, _ in flat]
        target: list[list[int]] = [[words[w] for w in each.words(names)] for _, each in flat]
        for k in range(len(labels)):
            rule_lhs += [k, k]
            source += [[-1, -2], [-1, -2]]
            target += [[-1, -2], [-2, -1]]
        rule = np.where(inner, len(flat) + 2 * label[cells[head]] + swapped, choice)
        # Tails in the order of the source.
        right = self.cells.right[np.where(inner, choice, 0)] != 0 if len(self.cells.right) else True
        tails = np.stack([np.where(right, block, sibling), np.where(right, sibling, block)], axis=1)
        values = np.zeros((len(head), len(FEATURES)), np.float32)
        candidates = np.array([values_of(each) for _, each in flat], np.float64)
        values[~inner] = candidates[choice[~inner]]
        values[:, 1] = np.where(inner, -cost, 0.0)
        values[:, 4] = -language
        score = values.astype(np.float64) @ self.weights.row()
        none = np.zeros(0)
        spans = np.array(self.spans, np.uint32)[cells].reshape(-1)
        edges, rules, nodes = len(head), len(rule_lhs), len(cells)
        columns: dict[str, tuple[Any, Any]] = {
            "rule_lhs": (rule_lhs, np.uint32),
            "rule_origin": (np.full(rules, NO_ORIGIN), np.uint32),
            "source_off": (_offsets(source), np.uint32),
            "source": ([s for side in source for s in side], np.int32),
            "target_off": (_offsets(target), np.uint32),
            "target": ([s for side in target for s in side], np.int32),
            "rule_feature_off": (np.zeros(rules + 1), np.uint32),
            "rule_feature_id": (none, np.uint32),
            "rule_feature_value": (none, np.float32),
            "label": (label[cells], np.uint32),
            "span": (spans, np.uint32),
            "context_off": (np.zeros(nodes + 1), np.uint32),
            "context": (none, np.int32),
            "dense_id": (np.arange(len(FEATURES)), np.uint32),
            "head": (head, np.uint32),
            "tail_off": (np.concatenate([[0], np.cumsum(2 * inner)]), np.uint32),
            "tails": (tails[inner].reshape(-1), np.uint32),
            "rule": (rule, np.uint32),
            "score": (score, np.float64),
            "loss": (np.zeros(edges), np.float32),
            "dense": (values.reshape(-1), np.float32),
            "edge_feature_off": (np.zeros(edges + 1), np.uint32),
            "edge_feature_id": (none, np.uint32),
            "edge_feature_value": (none, np.float32),
        }
        return Forest(
            _core.forest_build(
                {n: np.ascontiguousarray(v, dtype=kind) for n, (v, kind) in columns.items()},
                [*words],
                labels,
                _core.FeatureSpace(list(FEATURES), list(FEATURES)),
                self.space.root,
                0,
            )
        )


def values_of(each: Candidate) -> tuple[float, ...]:
    """A candidate's ``FEATURES``."""
    written = (each.target != 0) + len(each.before) + len(each.after)
    return (-each.cost, 0.0, written, -each.inserting, 0.0, float(each.passed))


class _Numbers(dict[str, int]):
    """Words, numbered as they are met."""

    def __missing__(self, word: str) -> int:
        self[word] = len(self)
        return self[word]


def _offsets(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(row) for row in rows)])


def transduce(
    tree: Tree,
    leaves: Sequence[Leaf],
    *,
    keep: Sequence[float] | None = None,
    swap: Sequence[float] | None = None,
    options: TreeSearch | None = None,
    orders: OrderModel | None = None,
    encoded: EncodedAttachments | None = None,
    pairs: tuple[NDArray[np.uint32], NDArray[np.float64]] | None = None,
    weights: TreeWeights | None = None,
    cells: Cells | None = None,
    language: Language | None = None,
) -> Transduction:
    """The cheapest translation of a tree; scores belong to the attachments of its cells.

    ``encoded`` are the attachments as ``orders`` has them.  ``pairs`` has for each attachment where
    its table begins, and all tables: what each candidate of the sibling's head costs given each of
    the block's head.
    """
    options, weights = options or TreeSearch(), weights or TreeWeights()
    if min(weights.orders, weights.language) < 0:
        raise ArgumentError(
            "the weight of Order or of LanguageModel is below 0", remedy="costs cannot be rewards"
        )
    cells = cells or binarise(tree, right_first=options.right_first)
    count = len(cells.block)
    flat = [Candidate(*each) for leaf in leaves for each in leaf]
    targets = np.array([each.target for each in flat], np.uint32)
    costs = -np.array([values_of(each) for each in flat], np.float64) @ weights.row()
    nothing = np.zeros(0, np.uint32)
    given = encoded or EncodedAttachments(
        np.zeros(count, np.uint32),
        np.zeros(count + 1, np.uint32),
        nothing,
        np.zeros(_SLOTS * count + 1, np.uint32),
        nothing,
    )
    begins, table = pairs or (nothing, np.zeros(0))
    space = (orders.core if orders is not None else _core.PermutationModel()).search(
        core_cells(cells),
        _offsets([range(len(leaf)) for leaf in leaves]).astype(np.uint32),
        targets,
        costs,
        np.zeros(count) if keep is None else np.array(keep, np.float64),
        np.zeros(count) if swap is None else np.array(swap, np.float64),
        given.classifier,
        given.atom_begins,
        given.atoms,
        given.name_begins,
        given.names,
        begins,
        table,
        options.beam,
        options.width,
        options.recombine,
        options.erased == "score",
        weights.orders,
        language.model if language is not None else None,
        language.begins if language is not None else nothing,
        language.words if language is not None else nothing,
        weights.language,
    )
    return Transduction(tree, cells, leaves, space, weights)
