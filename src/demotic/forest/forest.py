"""The Python face of forests: arrays without copies, and one method per algorithm of the core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demotic import _core, files
from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.features.sparse import SparseVector
from demotic.forest.arrays import ForestArrays
from demotic.forest.derivation import ForestDerivation
from demotic.forest.weights import Floats, Weights, weight_array

_NOTHING: Floats = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Expected uses of edges and nodes by a derivation drawn from p(d) = exp(score(d)) / Z."""

    log_z: float
    edge: Floats
    node: Floats


class Forest(ForestArrays):
    """An immutable packed forest; made by :class:`ForestBuilder`, a decoder, or :meth:`load`.

    Nodes are in topological order and the last one is the root; edges are sorted by head.  The
    array properties are read-only views of the core's memory.  Whatever changes a forest returns a
    new one that shares the arrays which stay the same.
    """

    # -- derivations ------------------------------------------------------------------------

    def viterbi(self) -> ForestDerivation:
        """The best derivation."""
        value, edges = self.core.best(self.score)
        return ForestDerivation(self, edges, value)

    def oracle(self, gain: ArrayLike) -> ForestDerivation:
        """The derivation of the largest sum of ``gain``, given per edge (see :meth:`bleu_gain`)."""
        _, edges = self.core.best(np.ascontiguousarray(gain, dtype=np.float64))
        return ForestDerivation(self, edges, float(self.score[edges].sum()))

    def kbest(self, k: int, *, unique: bool = False, max_pops: int = 0) -> list[ForestDerivation]:
        """The k best derivations, best first; fewer if there are no more.

        ``unique`` keeps the best derivation of each target string.  At most ``max_pops``
        candidates are then looked at per node (0: 50 k + 1000); :func:`demotic.forest.kbest`
        tells whether that cut anything off.
        """
        from demotic.forest import many

        return many.kbest([self], k, unique=unique, max_pops=max_pops)[0].derivations

    def sample(self, count: int, seed: int, *, stream: int = 0) -> list[ForestDerivation]:
        """Derivations drawn independently from p(d) = exp(score(d)) / Z."""
        from demotic.forest import many

        return many.sample([self], count, seed, first_stream=stream)[0]

    def count(self) -> int:
        """The number of derivations, exactly; ``inside("count")`` has it in floating point."""
        counts: list[int] = []
        for node in range(self.nodes):
            total = 0
            for edge in range(self.in_off[node], self.in_off[node + 1]):
                ways = 1
                for tail in self.tails_of(edge):
                    ways *= counts[tail]
                total += ways
            counts.append(total)
        return counts[-1]

    # -- sums over derivations --------------------------------------------------------------

    def inside(
        self, semiring: str = "log", *, r: ArrayLike | None = None, s: ArrayLike | None = None
    ) -> Floats:
        """For each node the sum over its derivations in a semiring.

        ``boolean``, ``count``, ``max`` and ``log`` give one number per node.  ``exp1`` (p, pr) and
        ``mean1`` (log p, mean r) need ``r``, a value per edge; ``exp2`` (p, pr, ps, prs) and
        ``mean2`` (log p, means of r and s, their covariance) need ``r`` and ``s``.
        """
        return self._sums(semiring, outside=False, r=r, s=s)

    def outside(
        self, semiring: str = "log", *, r: ArrayLike | None = None, s: ArrayLike | None = None
    ) -> Floats:
        """For each node the sum over what surrounds it in derivations of the root."""
        return self._sums(semiring, outside=True, r=r, s=s)

    def posteriors(self) -> Posteriors:
        """How often edges and nodes are used, in expectation."""
        return Posteriors(*self.core.posteriors())

    def log_z(self) -> float:
        """The log of the sum of exp(score(d)) over all derivations."""
        return float(self.core.log_z())

    def expected_features(self) -> SparseVector:
        """E[f(d)], of the features that the forest has."""
        return SparseVector(self.space, *self.core.expected_features())

    def entropy(self) -> float:
        """The entropy of p(d), in nats."""
        return float(self.core.entropy())

    # -- n-grams ----------------------------------------------------------------------------

    def refine(self, width: int = 3, *, max_nodes: int = 10_000_000) -> Forest:
        """Split nodes until all derivations of each agree on their first and last words.

        N-grams of up to ``width`` + 1 words can then be counted edge by edge.
        """
        return Forest(self.core.refine(width, max_nodes))

    def expected_ngrams(self, order: int, *, shortest: int = 1) -> dict[tuple[str, ...], float]:
        """The expected number of times that each n-gram occurs (Tromble et al. 2008)."""
        return self._ngrams(order, shortest, posterior=False, threads=1)

    def ngram_posteriors(
        self, order: int, *, shortest: int = 1, threads: int = 1
    ) -> dict[tuple[str, ...], float]:
        """The probability that each n-gram occurs at all, exactly."""
        return self._ngrams(order, shortest, posterior=True, threads=threads)

    def bleu_gain(self, references: Iterable[Sequence[str]], weights: Sequence[float]) -> Floats:
        """Linear BLEU per edge: ``weights[0]`` a word, ``weights[n]`` an n-gram of a reference.

        Along a derivation it sums to the gain of its string.  See :func:`linear_bleu` for weights;
        orders above 1 need :meth:`refine`.
        """
        return np.asarray(self.core.ngram_gain(self._coded(references), list(weights)))

    def bleu_counts(
        self, references: Iterable[Sequence[str]], order: int = 4
    ) -> NDArray[np.float32]:
        """What :meth:`bleu_gain` weighs: per edge its words, then n-grams of 1 to ``order`` words
        that are in a reference, however often they are there."""
        return np.asarray(self.core.ngram_counts(self._coded(references), order))

    # -- other forests ----------------------------------------------------------------------

    def rescore(self, weights: Weights) -> Forest:
        """The same derivations with score(e) = w . f(e)."""
        array = weight_array(self.space, weights)
        return Forest(_core.forest_rescore([self.core], array, 1)[0])

    def with_score(self, score: ArrayLike) -> Forest:
        """The same derivations with the given score per edge."""
        return Forest(self.core.with_score(np.ascontiguousarray(score, dtype=np.float64)))

    def with_loss(self, loss: ArrayLike) -> Forest:
        """The same derivations with the given loss per edge."""
        return Forest(self.core.with_loss(np.ascontiguousarray(loss, dtype=np.float32)))

    def prune(self, threshold: float | None = None, *, max_edges: int | None = None) -> Forest:
        """Without edges whose best derivation is more than ``threshold`` below the best.

        ``max_edges`` chooses the largest threshold that leaves no more edges than that; the best
        derivation always stays.
        """
        from demotic.forest import many

        return many.prune([self], threshold, max_edges=max_edges)[0]

    def keep(self, edges: ArrayLike) -> Forest:
        """Only the edges that are marked true, and of these only what reaches the root."""
        forest, _, _ = self.core.keep(np.ascontiguousarray(edges, dtype=np.bool_))
        return Forest(forest)

    def restrict(self, tokens: Sequence[str]) -> Forest | None:
        """The derivations that yield exactly these words, or None if there are none."""
        ids = {word: i for i, word in enumerate(self.words)}
        if any(word not in ids for word in tokens):
            return None
        core = self.core.restrict([ids[word] for word in tokens])
        return None if core is None else Forest(core)

    def in_space(self, space: FeatureSpace) -> Forest:
        """The same forest with the ids of another space, which has all of its features' names."""
        return Forest(self.core.in_space(space))

    def union(self, *others: Forest) -> Forest:
        """All derivations of this forest and the others; what they share is there twice."""
        return Forest(_core.forest_unite([self.core, *(other.core for other in others)]))

    def merge(self, *others: Forest) -> Forest:
        """As :meth:`union`, but what the forests share is there once; for those of :meth:`refine`.

        Nodes are the same that have label, span and boundary words in common: refine by as many
        words as the language model looks back.  Parts of different forests may then be combined.
        """
        return Forest(_core.forest_fold(self.union(*others).core))

    # -- in and out -------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the binary form."""
        with files.atomic_path(path) as temporary:
            self.core.save(str(temporary))

    @classmethod
    def load(cls, path: str | Path) -> Forest:
        """Map a file that :meth:`save` wrote; it is checked throughout."""
        with files.naming(path):
            return cls(_core.Forest.load(str(path)))

    def to_json(self) -> str:
        """The forest as JSON text (see docs/forest.md for the format)."""
        from demotic.forest import exchange

        return exchange.to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Forest:
        """Read what :meth:`to_json` wrote; errors name the place."""
        from demotic.forest import exchange

        return exchange.from_json(text)

    def to_dot(self, *, highlight: ForestDerivation | None = None) -> str:
        """The forest as a Graphviz graph, one derivation in colour."""
        from demotic.forest import dot

        return dot.to_dot(self, highlight=highlight)

    def __repr__(self) -> str:
        return f"<Forest: {self.nodes} nodes, {self.edges} edges>"

    def _repr_html_(self) -> str:
        from demotic.notebook import card, rows

        best = [(f"{each.score:.3f}", each.text) for each in self.kbest(5, unique=True)]
        title = f"Forest of {self.nodes:,} nodes and {self.edges:,} edges"
        return card(title, rows(("score", "the best strings"), best))

    # -- within -----------------------------------------------------------------------------

    def _coded(self, references: Iterable[Sequence[str]]) -> list[list[int]]:
        """Words by id; those that the forest does not have get ids of their own."""
        ids = {word: i for i, word in enumerate(self.words)}
        coded = [[ids.setdefault(w, len(ids)) for w in reference] for reference in references]
        if not coded:
            raise ArgumentError("no reference", remedy="give at least one list of words")
        return coded

    def _sums(
        self, semiring: str, *, outside: bool, r: ArrayLike | None, s: ArrayLike | None
    ) -> Floats:
        given = [
            _NOTHING if values is None else np.ascontiguousarray(values, dtype=np.float64)
            for values in (r, s)
        ]
        flat, width = self.core.sums(semiring, outside, *given)
        return np.asarray(flat if width == 1 else flat.reshape(-1, width))

    def _ngrams(
        self, order: int, shortest: int, *, posterior: bool, threads: int
    ) -> dict[tuple[str, ...], float]:
        off, ids, values = self.core.ngrams(shortest, order, posterior, threads)
        words = self.words
        return {
            tuple(words[w] for w in ids[off[i] : off[i + 1]]): float(value)
            for i, value in enumerate(values)
        }
