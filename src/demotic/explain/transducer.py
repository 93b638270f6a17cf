"""From a tree transducer's derivation to an explanation: the tree, its orders, and the compound
features behind each choice of a word and of an order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from demotic import _core
from demotic.decode.tree_search import spans_of
from demotic.explain.derivation import Shown
from demotic.explain.explanation import ExplainedStep, Explanation
from demotic.explain.rivals import Rivals, of_choices
from demotic.learn.ensembles import Ensembles
from demotic.trees import dependency_atoms
from demotic.trees.bitrees import Choice
from demotic.trees.permutations import attachments, completed

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.decode.transducer import TreeDecoder
    from demotic.decode.tree_derivation import TreeDerivation, TreeNode

MOST_REASONS = 5


def explain_tree(
    text: str,
    translation: str,
    encoded: Encoded,
    derivation: TreeDerivation,
    decoder: TreeDecoder,
) -> Explanation:
    """The tree from its root down, with the reasons of each step."""
    shown = Shown(encoded)
    nodes = derivation.nodes
    order = [*reversed(range(len(nodes)))]  # the root first, parents before their children
    number = {at: k for k, at in enumerate(order)}
    reasons = _Reasons(decoder, derivation) if nodes else None
    steps = []
    for at in order:
        node = nodes[at]
        assert reasons is not None
        source: tuple[str | int, ...]
        target: tuple[str | int, ...]
        if node.children:
            source = (0, 1)
            target = (1, 0) if node.swapped else (0, 1)
            kind, name = ("inverted" if node.swapped else "straight"), "Order"
            why = reasons.of_order(at)
        else:
            source = (derivation.source[node.begin],)
            target = () if node.word is None else (*node.before, node.word, *node.after)
            kind, name = "word", "WordChoice"
            why = reasons.of_word(node)
        put_in = {"Insertion": node.inserting} if node.inserting else {}
        steps.append(
            ExplainedStep(
                kind=kind,
                lhs=node.label,
                source=shown(source),
                target=shown(target),
                span=(node.begin, node.end),
                children=tuple(number[child] for child in node.children),
                words=derivation.places.get(at, ()),
                scores={name: node.score - node.inserting - node.language} | put_in,
                language_model=node.language,
                contribution=node.score,
                rule=None,
                counts={},
                evidence=(),
                reasons=why,
            )
        )
    return Explanation(
        source=text,
        text=translation,
        source_tokens=shown.words(encoded.tokens),
        tokens=shown.words(derivation.tokens),
        alignment=derivation.alignment,
        score=derivation.score,
        features=derivation.features,
        weights=dict(decoder.weights),
        steps=tuple(steps),
    )


@dataclass(frozen=True)
class Reason:
    """A conjunction that holds, and what it adds to h."""

    literals: tuple[str, ...]
    weight: float

    def __str__(self) -> str:
        return f"{self.weight:+.2f} {' & '.join(self.literals) or 'always'}"


class _Reasons:
    """Which compounds hold in one derivation, those of the largest weight first."""

    def __init__(self, decoder: TreeDecoder, derivation: TreeDerivation) -> None:
        self._decoder, self._derivation = decoder, derivation
        known = decoder.prepared(derivation.source)
        self._tree, self._cells = known.tree, known.cells
        self._leaves = known.leaves
        spans = spans_of(known.cells)
        parts = zip(known.cells.block, known.cells.sibling, strict=True)
        self._by_spans = {tuple(spans[at] for at in each): k for k, each in enumerate(parts)}
        self._attachments = attachments(known.tree, known.cells)
        choices = decoder.choices
        words, tags = choices.source_words(), choices.tag_words()
        self._words, self._tags, self._others = words, tags, choices.other_words()
        self._atoms = _core.SourceAtoms(
            len(words), len(tags) if len(tags) > 1 else 0, choices.window, choices.cooccurrence
        )
        self._number = {word: k for k, word in enumerate(words)}
        self._ensembles = Ensembles(choices.trees)
        self._heads = self._find_heads()

    def of_word(self, node: TreeNode) -> tuple[str, ...]:
        """Why a word got this translation."""
        choices, place = self._decoder.choices, node.begin
        word = self._number.get(self._tree.words[place], 0)
        targets, _, first = choices.candidates(word)
        spell = self._decoder.spelling(self._derivation.source)
        target = next(
            each.target
            for each in self._leaves[place]
            if (spell[each.target] if each.target else None) == node.word
        )
        if len(targets) < 2 or target not in targets:
            return ()
        found = self._ensembles.active(self._row(place), first + targets.index(target))
        return _shown(
            Reason(tuple(self._literal(each) for each in compound.literals), compound.weight)
            for compound in found
        )

    def of_order(self, at: int) -> tuple[str, ...]:
        """Why a head block and its sibling stand in this order."""
        node = self._derivation.nodes[at]
        choice, block, sibling = self._attachment(node)
        attachment = self._attachments[choice]
        (_, heads), (_, siblings) = self._heads[block], self._heads[sibling]
        words = {n.begin: n.word for n in self._derivation.nodes if n.word is not None}
        atoms = completed(attachment, Choice(choice, 0, heads, siblings), words)
        orders = self._decoder.orders
        classifier = orders.classifier(attachment.label) + node.swapped
        names = self._decoder.spelling(self._derivation.source)
        return _shown(
            Reason(tuple(literals), weight)
            for literals, weight in orders.active({*atoms}, classifier, names)
        )

    def _row(self, place: int) -> list[int]:
        """The atoms of a word."""
        ids = [self._number.get(word, 0) for word in self._tree.words]
        tag_of = {tag: k for k, tag in enumerate(self._tags)}
        tags = [tag_of.get(tag, 0) for tag in self._tree.tags]
        _, atoms = self._atoms.rows(
            np.array(ids, np.uint32), np.array([len(ids)], np.uint64), np.array(tags, np.uint32),
            np.array([place], np.uint64),
        )  # fmt: skip
        others = {name: k for k, name in enumerate(self._others)}
        more = [others[name] for name in dependency_atoms(self._tree)[place] if name in others]
        return [*atoms.tolist(), *(len(self._atoms) + k for k in more)]

    def _literal(self, literal: int) -> str:
        atom = literal if literal >= 0 else ~literal
        kind, place, number = self._atoms.what(atom)
        if kind == "other":
            name = self._others[number]
        else:
            names = self._words if kind.startswith("word") else self._tags
            word = names[number] if number < len(names) else "<edge>"
            name = f"{kind[0]}{place:+d}={word}" if kind.endswith("_at") else f"{kind}={word}"
        return name if literal >= 0 else f"not {name}"

    def _attachment(self, node: TreeNode) -> tuple[int, int, int]:
        """Its number, with the nodes of block and sibling: those of forests do not say it."""
        nodes = self._derivation.nodes
        for block, sibling in (node.children, node.children[::-1]):
            parts = tuple((nodes[at].begin, nodes[at].end) for at in (block, sibling))
            if parts in self._by_spans:
                return self._by_spans[parts], block, sibling
        raise AssertionError("a node that the tree does not have")

    def _find_heads(self) -> list[tuple[int, frozenset[int]]]:
        """Of each node the token that heads it, and those attached to that token so far."""
        found: list[tuple[int, frozenset[int]]] = []
        for node in self._derivation.nodes:
            if not node.children:
                found.append((node.begin, frozenset()))
                continue
            _, block, sibling = self._attachment(node)
            head, below = found[block]
            found.append((head, below | {found[sibling][0]}))
        return found


def _shown(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """The largest; what several trees say is said once."""
    total: dict[tuple[str, ...], float] = {}
    for reason in reasons:
        key = tuple(sorted(reason.literals))
        total[key] = total.get(key, 0.0) + reason.weight
    best = sorted(total.items(), key=lambda each: -abs(each[1]))
    return tuple(str(Reason(*each)) for each in best[:MOST_REASONS])


def step_values(derivation: TreeDerivation) -> list[dict[str, float]]:
    """The features of each step of :func:`explain_tree`, the root first."""
    names = derivation.feature_names
    return [
        {name: value for name, value in zip(names, node.values, strict=True) if value}
        for node in reversed(derivation.nodes)
    ]


def rivals_of_word(
    derivation: TreeDerivation, step: int, decoder: TreeDecoder, most: int
) -> Rivals | None:
    """The translations that a word may have, under the weights."""
    node = derivation.nodes[len(derivation.nodes) - 1 - step]
    if node.children:
        return None
    spell = decoder.spelling(derivation.source)
    found = [
        (tuple(each.words(spell)), decoder.worth(each))
        for each in decoder.prepared(derivation.source).leaves[node.begin]
    ]
    written = (*node.before, *filter(None, [node.word]), *node.after)
    return of_choices(derivation.source[node.begin], found, written, most)
