"""The tree transducer at work: source trees, word choices and orders turn tokens into derivations.

    decoder = TreeDecoder(parser, choices, orders, {"WordChoice": 1.0, "Order": 1.0})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.outline())
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

What does not depend on weights, the parse above all, is kept for the sentences seen last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from demotic.corpus.marks import bare, protected_class, unescape
from demotic.decode.core_decoder import tokens_of
from demotic.decode.decoder import Choice, Choices, Sentence
from demotic.decode.tree_search import FEATURES, Transduction, TreeSearch, TreeWeights, transduce
from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder
from demotic.forest.many import consensus
from demotic.thread_pool import thread_pool
from demotic.trees import Cells, Tree, binarise, dependency_atoms
from demotic.trees.orders import EncodedAttachments, OrderModel
from demotic.trees.permutations import attachments

if TYPE_CHECKING:
    from demotic import _core
    from demotic.forest import ForestDerivation

_KEPT = 4096  # sentences
_BATCH = 64
_NULL = 0


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


class TreeNode(NamedTuple):
    """A word with its translation, or a head block and a sibling that was attached to it."""

    label: str
    begin: int
    end: int
    children: tuple[int, ...]
    """Block and sibling, by their place in ``TreeDerivation.nodes``, in source order."""
    swapped: bool
    word: str | None
    """What a leaf writes, if anything."""
    score: float
    """What it adds, under the weights."""
    choice: int = -1
    """The attachment, or the candidate of a leaf; only of best translations."""


@dataclass(frozen=True, eq=False)
class TreeDerivation:
    """A source tree with its translation; nodes stand before their parents."""

    source: tuple[str, ...]
    score: float
    values: tuple[float, ...]
    nodes: tuple[TreeNode, ...]
    flat: bool = False
    """No parse was found."""
    feature_names: tuple[str, ...] = field(default=FEATURES, repr=False)

    @cached_property
    def written(self) -> tuple[int, ...]:
        """The leaves that write words, in target order, by their place in ``nodes``."""
        found = []
        waiting = [len(self.nodes) - 1] if self.nodes else []
        while waiting:
            node = self.nodes[at := waiting.pop()]
            if node.children:
                waiting += node.children if node.swapped else node.children[::-1]
            elif node.word is not None:
                found.append(at)
        return tuple(found)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the translation."""
        return tuple(self.nodes[at].word or "" for at in self.written)

    @property
    def text(self) -> str:
        """The tokens, separated by spaces."""
        return " ".join(self.tokens)

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Word links (source position, target position)."""
        return tuple(sorted((self.nodes[at].begin, j) for j, at in enumerate(self.written)))

    @property
    def features(self) -> dict[str, float]:
        """Features by name."""
        return dict(zip(self.feature_names, self.values, strict=True))

    def outline(self) -> str:
        """The tree as indented text, one node to a line: label, span, order or word, score.

        NP 0-2  swapped  -0.200
          JJ 0-1  red / rouge  -0.100
          NN 1-2  house / maison  -0.050
        """
        lines = []
        waiting = [(len(self.nodes) - 1, 0)] if self.nodes else []
        while waiting:
            at, depth = waiting.pop()
            node = self.nodes[at]
            if node.children:
                what = "swapped" if node.swapped else "kept"
            else:
                what = f"{self.source[node.begin]} / {node.word if node.word is not None else '-'}"
            span = f"{node.begin}-{node.end}"
            lines.append(f"{'  ' * depth}{node.label} {span}  {what}  {node.score:.3f}")
            waiting += [(child, depth + 1) for child in node.children[::-1]]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known of a sentence whatever the weights."""

    tree: Tree
    cells: Cells
    leaves: tuple[tuple[tuple[int, float], ...], ...]
    encoded: EncodedAttachments


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
    ) -> None:
        self.parser, self.choices, self.orders = parser, choices, orders
        self.options = options or TreeSearch()
        for name in weights:
            if name not in FEATURES:
                raise ArgumentError(
                    f"there is no feature '{name}'",
                    remedy=f"the features are {', '.join(FEATURES)}",
                )
        self.weights = {name: float(weights.get(name, 0.0)) for name in FEATURES}
        # Costs of orders are no rewards, whatever a tuner likes to try.
        self._weights = TreeWeights(
            self.weights["WordChoice"], max(0.0, self.weights["Order"]), self.weights["WordPenalty"]
        )
        self._names = choices.target_words()
        self._source = {word: k for k, word in enumerate(choices.source_words()) if k}
        self._tags = {tag: k for k, tag in enumerate(choices.tag_words())}
        self._others = {name: k for k, name in enumerate(choices.other_words()) if k}
        self._kept: dict[tuple[str, ...], Prepared] = {}

    def with_weights(self, weights: Mapping[str, float]) -> TreeDecoder:
        """The same decoder with other weights; what it knows of sentences is shared."""
        made = TreeDecoder(self.parser, self.choices, self.orders, weights, options=self.options)
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
            known = Prepared(
                over, cells, self._leaves(over), self.orders.encode(attachments(over, cells))
            )
            self._kept[tokens] = known
            made.append(known)
        return made

    def _leaves(self, tree: Tree) -> tuple[tuple[tuple[int, float], ...], ...]:
        """Candidates of each word, the cheapest first."""
        ids = [self._source.get(word, 0) for word in tree.words]
        tags = [self._tags.get(tag, 0) for tag in tree.tags]
        others = [
            [self._others[name] for name in row if name in self._others]
            for row in dependency_atoms(tree)
        ]
        copy = len(self._names)
        found: list[tuple[tuple[int, float], ...]] = []
        for place, h in enumerate(self.choices.scores(ids, tags, others)):
            targets = self.choices.candidates(ids[place])[0]
            stays = self.options.unknown == "copy" and (
                not targets or protected_class(tree.words[place]) is not None
            )
            if stays:
                found.append(((copy + place, 0.0),))
            elif not targets:
                found.append(((_NULL, 0.0),))
            else:
                # Of equals the more frequent one: candidates stand in that order.
                costs = np.logaddexp(0.0, -np.asarray(h))
                best = np.argsort(costs, kind="stable")[: self.options.candidates]
                found.append(tuple((targets[k], float(costs[k])) for k in best.tolist()))
        return tuple(found)

    def search(self, tokens: Sequence[str]) -> Transduction:
        """The search space of a sentence that has words."""
        known = self.prepared(tokens)
        return transduce(
            known.tree, known.leaves, options=self.options, orders=self.orders,
            encoded=known.encoded, weights=self._weights, cells=known.cells,
        )  # fmt: skip

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
        head, choice, block, sibling, swapped, cost = found.space.edge_table
        cells = found.space.item_cells
        own = self._weights
        flat = [each for leaf in found.leaves for each in leaf]
        nodes: list[TreeNode] = []
        place: dict[int, int] = {}  # of items
        words = orders = 0.0
        for edge in found.space.best:
            item, chosen = int(head[edge]), int(choice[edge])
            cell = int(cells[item])
            begin, end = found.spans[cell]
            place[item] = len(nodes)
            if block[edge] < 0:
                target, raw = flat[chosen]
                words -= raw
                score = own.length * bool(target) - own.words * raw
                word = spell[target] if target else None
                nodes.append(
                    TreeNode(found.labels[cell], begin, end, (), False, word, score, chosen)
                )
                continue
            orders -= float(cost[edge])
            children = [place[int(block[edge])], place[int(sibling[edge])]]
            if not found.cells.right[chosen]:
                children.reverse()
            nodes.append(
                TreeNode(
                    found.labels[cell], begin, end, tuple(children), bool(swapped[edge]), None,
                    -own.orders * float(cost[edge]), chosen,
                )
            )  # fmt: skip
        written = sum(node.word is not None for node in nodes)
        values = (words, orders, float(written))
        return TreeDerivation(tuple(tokens), -found.cost, values, tuple(nodes), found.tree.flat)

    def _of_forest(
        self, tokens: Sequence[str], tree: Tree, found: ForestDerivation
    ) -> TreeDerivation:
        """A derivation of the forest; its edges stand in depth-first order."""
        forest, edges = found.forest, found.edges[::-1]
        heads = forest.head[edges]
        arities = forest.tail_off[edges + 1] - forest.tail_off[edges]
        nodes: list[TreeNode] = []
        done: list[int] = []
        for (begin, end), label, rule, score, arity in zip(
            forest.spans[heads].tolist(),
            forest.node_label[heads].tolist(),
            forest.edge_rule[edges].tolist(),
            forest.score[edges].tolist(),
            arities.tolist(),
            strict=True,
        ):
            name, target = forest.labels[label], forest.rule(rule).target
            if arity:
                children = (done.pop(), done.pop())
                nodes.append(TreeNode(name, begin, end, children, target == (1, 0), None, score))
            else:
                word = str(target[0]) if target else None
                nodes.append(TreeNode(name, begin, end, (), False, word, score))
            done.append(len(nodes) - 1)
        values = tuple(forest.dense[edges].sum(axis=0, dtype=np.float64).tolist())
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
