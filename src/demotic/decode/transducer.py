"""The tree transducer at work: source trees, word choices and orders turn tokens into derivations.

    decoder = TreeDecoder(parser, choices, orders, {"WordChoice": 1.0, "Order": 1.0})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.tree())
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

What does not depend on weights, the parse above all, is kept for the sentences seen last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from demotic.corpus.marks import bare, protected_class, unescape
from demotic.decode.core_decoder import tokens_of
from demotic.decode.decoder import Choice, Choices, Sentence
from demotic.decode.tree_derivation import TreeDerivation, TreeNode
from demotic.decode.tree_search import (
    FEATURES,
    Candidate,
    Language,
    Transduction,
    TreeSearch,
    TreeWeights,
    transduce,
    values_of,
)
from demotic.decode.word_chooser import WordChooser, sides_of
from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder
from demotic.forest.many import consensus
from demotic.thread_pool import thread_pool
from demotic.trees import Cells, Tree, binarise
from demotic.trees.orders import EncodedAttachments, OrderModel
from demotic.trees.permutations import attachments

if TYPE_CHECKING:
    from demotic import _core
    from demotic.forest import ForestDerivation
    from demotic.lm import LanguageModel

_KEPT = 4096  # sentences
_BATCH = 64
_NULL = 0
_INSERTED = 5
"""Translations of a word, the cheapest, that others may be put beside."""
_Way = tuple[tuple[str, ...], tuple[str, ...], float]  # words before and after, and their cost


class TreeParser(Protocol):
    """Whatever turns sentences into trees."""

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:
        """A tree for each sentence."""


def words_to_parse(tokens: Sequence[str]) -> list[str]:
    """Tokens as a treebank has them: without the marks that say where spaces were."""
    return [unescape(bare(token)) or token for token in tokens]


def over_tokens(tree: Tree, tokens: Sequence[str]) -> Tree:
    """The same tree over the tokens themselves."""
    return replace(tree, words=tuple(tokens))


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known of a sentence whatever the weights."""

    tree: Tree
    cells: Cells
    leaves: tuple[tuple[Candidate, ...], ...]
    encoded: EncodedAttachments
    language: Language | None


class TreeDecoder:
    """Translates lists of tokens; safe to share between threads."""

    feature_names: tuple[str, ...] = FEATURES

    def __init__(
        self,
        parser: TreeParser,
        choices: _core.WordChoices,
        orders: OrderModel,
        weights: Mapping[str, float],
        *,
        options: TreeSearch | None = None,
        language: LanguageModel | None = None,
        insertions: _core.WordChoices | None = None,
    ) -> None:
        self.parser, self.choices, self.orders = parser, choices, orders
        self.language, self.insertions = language, insertions
        self.options = options or TreeSearch()
        for name in weights:
            if name not in FEATURES:
                raise ArgumentError(
                    f"there is no feature '{name}'",
                    remedy=f"the features are {', '.join(FEATURES)}",
                )
        self.weights = {name: float(weights.get(name, 0.0)) for name in FEATURES}
        self._weights = TreeWeights.of(self.weights)
        self._chooser = WordChooser(choices)
        self._inserter = WordChooser(insertions) if insertions is not None else None
        self._names = self._chooser.names
        self._kept: dict[tuple[str, ...], Prepared] = {}

    def with_weights(self, weights: Mapping[str, float]) -> TreeDecoder:
        """The same decoder with other weights; what it knows of sentences is shared."""
        made = TreeDecoder(
            self.parser, self.choices, self.orders, weights,
            options=self.options, language=self.language, insertions=self.insertions,
        )  # fmt: skip
        made._kept = self._kept
        return made

    # -- one sentence ---------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> TreeDerivation:
        """The best derivation found."""
        return self.decode_lines([sentence])[0]

    def kbest(self, sentence: Sentence, k: int) -> list[TreeDerivation]:
        """The k best derivations of different words."""
        return self.kbest_lines([sentence], k)[0]

    def forest(self, sentence: Sentence) -> Forest:
        """What the search kept, as a Forest whose edges carry the feature vector."""
        return self.forests([sentence])[0]

    # -- many sentences -------------------------------------------------------------------------

    def decode_lines(self, lines: Iterable[Sentence], *, threads: int = 1) -> list[TreeDerivation]:
        """One derivation for each line; the number of threads never shows in the results."""
        return self._each(lines, threads, self._best)

    def kbest_lines(
        self, lines: Iterable[Sentence], k: int, *, threads: int = 1
    ) -> list[list[TreeDerivation]]:
        """The k best derivations of each line, no two of the same words."""
        if k < 1:
            raise ArgumentError("k must be at least 1")

        def run(tokens: Sequence[str]) -> list[TreeDerivation]:
            if not tokens:
                return [_nothing()]
            tree = self.prepared(tokens).tree
            found = self._forest(tokens).kbest(k, unique=True)
            return [self._of_forest(tokens, tree, each) for each in found]

        return self._each(lines, threads, run)

    def forests(self, lines: Iterable[Sentence], *, threads: int = 1) -> list[Forest]:
        """One forest for each line; that of a line without words is a single empty edge."""
        return self._each(lines, threads, self._forest)

    def consensus_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        scale: float,
        weights: Sequence[float],
        model: float,
        density: int,
        threads: int = 1,
    ) -> list[Choices[TreeDerivation]]:
        """For each line the k derivations that its forest agrees on."""
        sentences = [tokens_of(line) for line in lines]
        lists = consensus(
            self.forests(sentences, threads=threads), k, scale=scale, weights=weights, model=model,
            density=density, threads=threads,
        )  # fmt: skip
        found = []
        for tokens, each in zip(sentences, lists, strict=True):
            if not tokens:
                empty = Choice(_nothing(), 0.0)
                found.append(Choices(empty, [empty]))
                continue
            tree = self.prepared(tokens).tree
            own, *best = [
                Choice(self._of_forest(tokens, tree, derivation), gain)
                for derivation, gain in (each.own, *each.best)
            ]
            found.append(Choices(own, best or [own]))
        return found

    def prepared(self, tokens: Sequence[str]) -> Prepared:
        """The parse of a sentence, its candidates and its attachments."""
        key = tuple(tokens)
        known = self._kept.get(key)  # other threads may clear what is kept
        return known or self._prepare([key], 1)[0]

    # -- within ---------------------------------------------------------------------------------

    def _each(self, lines: Iterable[Sentence], threads: int, run: Any) -> list[Any]:
        """Results in the order of the lines, which are parsed in batches."""
        if threads < 1:
            raise ArgumentError("threads must be at least 1")
        sentences = [tokens_of(line) for line in lines]
        found: list[Any] = []
        for begin in range(0, len(sentences), _BATCH):
            batch = sentences[begin : begin + _BATCH]
            new = {tuple(tokens) for tokens in batch if tokens} - self._kept.keys()
            if len(self._kept) + len(new) > _KEPT:
                self._kept.clear()
                new = {tuple(tokens) for tokens in batch if tokens}
            self._prepare(sorted(new), threads)
            if threads == 1:
                found += map(run, batch)
            else:
                with thread_pool(threads) as pool:
                    found += pool.map(run, batch)
        return found

    def _prepare(self, sentences: Sequence[tuple[str, ...]], threads: int) -> list[Prepared]:
        trees = self.parser.parse([words_to_parse(each) for each in sentences], threads=threads)
        made = []
        for tokens, tree in zip(sentences, trees, strict=True):
            over = over_tokens(tree, tokens)
            cells = binarise(over, right_first=self.options.right_first)
            leaves = self._leaves(over)
            language = None
            if self.language is not None:
                language = Language.of(self.language, leaves, self.spelling(tokens))
            encoded = self.orders.encode(attachments(over, cells))
            known = Prepared(over, cells, leaves, encoded, language)
            self._kept[tokens] = known
            made.append(known)
        return made

    def _leaves(self, tree: Tree) -> tuple[tuple[Candidate, ...], ...]:
        """Candidates of each word, the cheapest first."""
        options = self.options
        insertions = self._insertions(tree)
        copy = len(self._names)
        found: list[tuple[Candidate, ...]] = []
        for place, costs in enumerate(self._chooser.costs(tree, options.candidates)):
            stays = options.unknown == "copy" and (
                not costs or protected_class(tree.words[place]) is not None
            )
            if stays:
                found.append((Candidate(copy + place, 0.0, passed=not costs),))
            elif not costs:
                found.append((Candidate(_NULL, 0.0),))
            else:
                stop, ways = insertions[place]
                leaf = [Candidate(t, cost, inserting=stop if t else 0.0) for t, cost in costs]
                leaf += [
                    Candidate(each.target, each.cost, before, after, cost)
                    for each in leaf[:_INSERTED]
                    if each.target
                    for before, after, cost in ways
                ]
                found.append(tuple(leaf))
        return tuple(found)

    def _insertions(self, tree: Tree) -> list[tuple[float, list[_Way]]]:
        """For each word what it costs to put nothing beside it, and the cheapest other ways."""
        most = self.options.insertions
        if self._inserter is None or most == 0:
            return [(0.0, [])] * len(tree.words)
        found = []
        for costs in self._inserter.costs(tree, most + 1):
            stop = next((cost for target, cost in costs if target == _NULL), 0.0)
            ways = [
                (*sides_of(self._inserter.names[target]), cost)
                for target, cost in costs
                if target != _NULL
            ]
            found.append((stop, ways[:most]))
        return found

    def search(self, tokens: Sequence[str]) -> Transduction:
        """The search space of a sentence that has words."""
        known = self.prepared(tokens)
        return transduce(
            known.tree, known.leaves, options=self.options, orders=self.orders,
            encoded=known.encoded, weights=self._weights, cells=known.cells,
            language=known.language,
        )  # fmt: skip

    def worth(self, candidate: Candidate) -> float:
        """What a translation of a word adds, without the language model."""
        return float(np.dot(values_of(candidate), self._weights.row()))

    def spelling(self, tokens: Sequence[str]) -> Spelling:
        """Target words by their numbers; those beyond the vocabulary are source words."""
        return Spelling(self._names, tokens)

    def _forest(self, tokens: Sequence[str]) -> Forest:
        if not tokens:
            build = ForestBuilder(dense=FEATURES)
            goal = build.add_node("TOP", 0, 0)
            build.add_edge(goal, [], build.add_rule("TOP", [], []))
            return build.finalize(goal)
        return self.search(tokens).forest(self.spelling(tokens))

    def _best(self, tokens: Sequence[str]) -> TreeDerivation:
        if not tokens:
            return _nothing()
        found = self.search(tokens)
        spell = self.spelling(tokens)
        head, choice, block, sibling, swapped, cost, language = found.space.edge_table
        cells = found.space.item_cells
        own = self._weights
        flat = [Candidate(*each) for leaf in found.leaves for each in leaf]
        nodes: list[TreeNode] = []
        place: dict[int, int] = {}  # of items
        values = np.zeros(len(FEATURES))
        for edge in found.space.best:
            item, chosen = int(head[edge]), int(choice[edge])
            cell = int(cells[item])
            begin, end = found.spans[cell]
            place[item] = len(nodes)
            row = np.zeros(len(FEATURES))
            row[4] = -float(language[edge])
            heard = own.language * row[4]
            if block[edge] < 0:
                each = flat[chosen]
                row += values_of(each)
                score = float(row @ own.row())
                word = spell[each.target] if each.target else None
                nodes.append(
                    TreeNode(
                        found.labels[cell], begin, end, (), False, word, score, chosen,
                        each.before, each.after, -own.inserting * each.inserting, heard,
                        tuple(row.tolist()),
                    )
                )  # fmt: skip
            else:
                row[1] = -float(cost[edge])
                children = [place[int(block[edge])], place[int(sibling[edge])]]
                if not found.cells.right[chosen]:
                    children.reverse()
                nodes.append(
                    TreeNode(
                        found.labels[cell], begin, end, tuple(children), bool(swapped[edge]), None,
                        float(row @ own.row()), chosen, language=heard, values=tuple(row.tolist()),
                    )
                )  # fmt: skip
            values += row
        return TreeDerivation(
            tuple(tokens), -found.cost, tuple(values.tolist()), tuple(nodes), found.tree.flat
        )

    def _of_forest(
        self, tokens: Sequence[str], tree: Tree, found: ForestDerivation
    ) -> TreeDerivation:
        """A derivation of the forest; its edges stand in depth-first order."""
        forest, edges = found.forest, found.edges[::-1]
        heads = forest.head[edges]
        arities = forest.tail_off[edges + 1] - forest.tail_off[edges]
        flat = [each for leaf in self.prepared(tokens).leaves for each in leaf]
        spell = self.spelling(tokens)
        nodes: list[TreeNode] = []
        done: list[int] = []
        rows = forest.dense[edges].astype(np.float64)
        for (begin, end), label, rule, score, arity, row in zip(
            forest.spans[heads].tolist(),
            forest.node_label[heads].tolist(),
            forest.edge_rule[edges].tolist(),
            forest.score[edges].tolist(),
            arities.tolist(),
            rows.tolist(),
            strict=True,
        ):
            name = forest.labels[label]
            if arity:
                children = (done.pop(), done.pop())
                swapped = forest.rule(rule).target == (1, 0)
                nodes.append(
                    TreeNode(name, begin, end, children, swapped, None, score, values=tuple(row))
                )
            else:
                each = flat[rule]  # the first rules of a forest are candidates
                word = spell[each.target] if each.target else None
                nodes.append(
                    TreeNode(
                        name,
                        begin,
                        end,
                        (),
                        False,
                        word,
                        score,
                        rule,
                        each.before,
                        each.after,
                        values=tuple(row),
                    )
                )
            done.append(len(nodes) - 1)
        values = tuple(rows.sum(axis=0).tolist())
        return TreeDerivation(tuple(tokens), found.score, values, tuple(nodes), tree.flat)


class Spelling:
    """Target words by their numbers in one sentence."""

    def __init__(self, names: Sequence[str], tokens: Sequence[str]) -> None:
        self._names, self._tokens = names, tokens

    def __getitem__(self, target: int) -> str:
        known = len(self._names)
        return self._names[target] if target < known else self._tokens[target - known]


def _nothing() -> TreeDerivation:
    return TreeDerivation((), 0.0, (0.0,) * len(FEATURES), ())
