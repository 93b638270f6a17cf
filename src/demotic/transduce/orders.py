"""Permutation classifiers: whether a head block and its sibling keep their order, or swap it.

    examples = OrderExamples()
    examples.add(found, target)                      # bitrees, one after another
    model = train_orders(examples, target_words, held_out=others)

Examples are those of ``trees.bitrees.choices``: where another sibling comes first, neither order is
right (Wellington, Turian and Melamed, section 7.4.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.learn.boosting import BoostingOptions, train_groups
from demotic.learn.ensembles import BinaryRows, Ensembles
from demotic.progress import SILENT, Progress
from demotic.trees import Bitree, choices
from demotic.trees.orders import NO_WORD, POOLED, OrderModel
from demotic.trees.permutations import attachments, completed, translations_of

NULL = 0
_KEEP_AND_SWAP = 2


@dataclass
class OrderExamples:
    """Examples by numbers, as they come."""

    numbers: dict[str, int] = field(default_factory=dict)
    """Of atoms; give those of training to examples that are held out."""
    labels: list[str] = field(default_factory=list)
    """Of the node above."""
    answers: list[int] = field(default_factory=list)
    """0: keep; 1: swap; 2: neither."""
    rows: list[NDArray[np.uint32]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.answers)

    def add(self, found: Bitree, target: Sequence[str]) -> None:
        """All that is to be learned from one bitree."""
        every = attachments(found.tree, found.cells)
        words = translations_of(found, target)
        numbers = self.numbers
        for choice in choices(found):
            attachment = every[choice.attachment]
            atoms = completed(attachment, choice, words)
            row = [numbers.setdefault(atom, len(numbers)) for atom in atoms]
            self.labels.append(attachment.label)
            self.answers.append(choice.label)
            self.rows.append(np.array(sorted({*row}), np.uint32))


def train_orders(
    examples: OrderExamples,
    targets: Mapping[str, int],
    *,
    held_out: OrderExamples,
    options: BoostingOptions | None = None,
    pooled_below: int = 1000,
    threads: int = 1,
    progress: Progress = SILENT,
) -> OrderModel:
    """Two classifiers for each label with so many examples; lambda is what foresees best what is
    held out (of equals the largest).

    ``targets`` are the numbers of translations in the search.
    """
    if not len(examples):
        return OrderModel([POOLED], [], [], _tables([[], []], {}, []))
    if held_out.numbers is not examples.numbers:
        raise ArgumentError("examples that are held out need the numbers of those in training")
    counts = Counter(examples.labels)
    known = sorted(label for label, count in counts.items() if count >= pooled_below)
    labels = [POOLED, *known]
    number = {label: k for k, label in enumerate(labels)}
    of = np.array([number.get(label, 0) for label in examples.labels], np.int64)
    order = np.argsort(of, kind="stable")
    rows = _binary([examples.rows[i] for i in order], len(examples.numbers))
    groups = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(labels)))])
    ensembles = train_groups(
        rows,
        groups.astype(np.uint64),
        np.array(examples.answers, np.uint32)[order],
        np.full(len(labels), _KEEP_AND_SWAP, np.uint32),
        options=options,
        threads=threads,
        progress=progress,
    )
    lambda_ = best_lambda(ensembles, held_out, number, threads=threads)
    return order_model(ensembles.prefix(lambda_), labels, examples.numbers, targets, lambda_)


def best_lambda(
    ensembles: Ensembles,
    held_out: OrderExamples,
    number: Mapping[str, int],
    *,
    threads: int = 1,
) -> float:
    """The lambda along the path under which the answers cost least; the least one without text."""
    path = np.unique(
        np.concatenate([ensembles.lambdas(c) for c in range(len(ensembles))] or [np.zeros(0)])
    )[::-1]
    if not len(path):
        return 0.0
    if not len(held_out):
        return float(path[-1])
    steps = path[0] * 0.9 ** np.arange(1 + int(np.log(path[0] / path[-1]) / -np.log(0.9)) + 1)
    rows = _binary(held_out.rows, max(ensembles.features, len(held_out.numbers)))
    first = np.array([2 * number.get(label, 0) for label in held_out.labels], np.uint32)
    count = np.full(len(first), _KEEP_AND_SWAP, np.uint32)
    answers = np.array(held_out.answers)
    signs = np.where(answers[:, None] == np.arange(_KEEP_AND_SWAP), 1.0, -1.0).reshape(-1)
    losses = [
        float(np.logaddexp(0, -signs * _scores(ensembles, rows, first, count, each, threads)).sum())
        for each in steps
    ]
    return float(steps[int(np.argmin(losses))])


def order_model(
    ensembles: Ensembles,
    labels: Sequence[str],
    numbers: Mapping[str, int],
    targets: Mapping[str, int],
    lambda_: float,
) -> OrderModel:
    """What trees look at, and nothing else, with atoms that wait for translations taken apart."""
    trees: list[list[tuple[list[int], list[int], list[float]]]] = [
        [ensembles.tree(c, k) for k in range(len(ensembles.lambdas(c)))]
        for c in range(len(ensembles))
    ]
    used = {atom for each in trees for atoms, _, _ in each for atom in atoms if atom >= 0}
    spelled = {k: atom for atom, k in numbers.items() if k in used}
    still = sorted(k for k, atom in spelled.items() if "\t" not in atom)
    moving = sorted(k for k, atom in spelled.items() if "\t" in atom)
    names: dict[str, int] = {}
    dynamic = []
    for k in moving:
        name, *words = spelled[k].split("\t")
        ids = [targets.get(word, NO_WORD) if word else NULL for word in words]
        dynamic.append((names.setdefault(name, len(names)), ids[0], [*ids, NO_WORD][1]))
    place = {k: at for at, k in enumerate([*still, *moving])}
    atoms = [spelled[k] for k in still]
    return OrderModel(labels, atoms, [*names], _tables(trees, place, dynamic), lambda_)


def _tables(
    trees: Sequence[Any],
    place: Mapping[int, int],
    dynamic: Sequence[tuple[int, int, int]],
) -> dict[str, NDArray[Any]]:
    classifier_ends, tree_ends = [], []
    atom: list[int] = []
    other: list[int] = []
    value: list[float] = []
    for each in trees:
        for atoms, others, values in each:
            atom += [place[a] if a >= 0 else NO_WORD for a in atoms]
            other += others
            value += values
            tree_ends.append(len(atom))
        classifier_ends.append(len(tree_ends))
    columns = [*zip(*dynamic, strict=True)] or [(), (), ()]
    return {
        "classifier_ends": np.array(classifier_ends, np.uint32),
        "tree_ends": np.array(tree_ends, np.uint32),
        "atom": np.array(atom, np.uint32),
        "other": np.array(other, np.uint32),
        "value": np.array(value, np.float64),
        "dynamic_name": np.array(columns[0], np.uint32),
        "dynamic_first": np.array(columns[1], np.uint32),
        "dynamic_second": np.array(columns[2], np.uint32),
    }


def _binary(rows: Sequence[NDArray[np.uint32]], features: int) -> BinaryRows:
    begins = np.zeros(len(rows) + 1, np.uint64)
    np.cumsum([len(row) for row in rows], out=begins[1:])
    atoms = np.concatenate(rows) if rows else np.zeros(0, np.uint32)
    return BinaryRows(begins, atoms, max(1, features))


def _scores(
    ensembles: Ensembles,
    rows: BinaryRows,
    first: NDArray[np.uint32],
    count: NDArray[np.uint32],
    lambda_: float,
    threads: int,
) -> NDArray[np.float64]:
    return ensembles.scores(rows, first, count, lambda_=lambda_, threads=threads)[1]
