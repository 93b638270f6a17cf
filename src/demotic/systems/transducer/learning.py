"""What a transducer learns from text, trees and links: bitrees, then classifiers from them.

A bitree is the heaviest choice of links that a transducer could have made (``trees/bitrees.py``):
each source word has one translation or none, and the words below a block stay together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from demotic.align import Links
from demotic.decode.transducer import over_tokens
from demotic.decode.word_chooser import insertion_of
from demotic.progress import SILENT, Progress
from demotic.systems.transducer.config import LearnConfig
from demotic.transduce import Numbering, WordCorpus, WordTransducer
from demotic.transduce.orders import OrderExamples, train_orders
from demotic.trees import Bitree, Tree, bitree, candidates_of, dependency_atoms
from demotic.trees.orders import OrderModel

if TYPE_CHECKING:
    from demotic.transduce import FeatureSets


INSERTED = 10
"""What is put in less often is not learned."""
_BESIDE = 2
"""Words on one side of a translation."""


@dataclass(frozen=True, eq=False)
class Text:
    """Aligned text with a tree for each source sentence."""

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    trees: Iterable[Tree]
    both: Links
    """Links that both directions have."""
    either: Links
    """Links that one of them has."""

    def __len__(self) -> int:
        return len(self.source)

    def bitrees(self, *, right_first: bool) -> Iterator[Bitree]:
        """One for each pair; links of words that are linked often go before others."""
        counts: Counter[tuple[str, str]] = Counter()
        of: Counter[str] = Counter()
        for number, (source, target) in enumerate(zip(self.source, self.target, strict=True)):
            for i, j in self.either[number]:
                counts[source[i], target[j]] += 1
                of[source[i]] += 1
        pairs = zip(self.source, self.target, self.trees, strict=True)
        for number, (source, target, tree) in enumerate(pairs):
            both, either = [*self.both[number]], [*self.either[number]]
            lexical = {(i, j): counts[source[i], target[j]] / of[source[i]] for i, j in either}
            size = len(target)
            shares = [[lexical.get((i, j), 0.0) for j in range(size)] for i in range(len(source))]
            candidates = candidates_of(len(source), size, either, both, shares)
            yield bitree(over_tokens(tree, source), candidates, size, right_first=right_first)


def learn(
    text: Text,
    config: LearnConfig,
    *,
    right_first: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Learned:
    """Classifiers of words, of orders, and of words that have no source; their lambdas are chosen
    on some pairs held out."""
    every = max(10, len(text) // config.held_out)
    taught, judged = WordRows(config.features), WordRows(config.features)
    put_in: list[list[str]] = []
    put_in_judged: list[list[str]] = []
    examples = OrderExamples()
    others = OrderExamples(examples.numbers)
    most = config.order_pairs or len(text)
    with progress.step("finding bitrees", len(text), "pairs") as advance:
        for number, found in enumerate(text.bitrees(right_first=right_first)):
            held_out = number % every == every - 1
            (judged if held_out else taught).add(found, text.target[number])
            beside = words_put_in(found.links, text.target[number])
            (put_in_judged if held_out else put_in).append(beside)
            if number < most:
                (others if held_out else examples).add(found, text.target[number])
            advance(1)
    words = WordTransducer.train(
        taught.corpus(),
        features=config.features,
        null=config.null,
        options=config.boosting,
        numbering=_numbering(taught.corpus(), words_of(text.target)),
        threads=threads,
        progress=progress,
    )
    if len(judged.source):
        words = words.tuned(judged.corpus(), threads=threads)
    orders = train_orders(
        examples,
        words.numbering.target,
        held_out=others,
        options=config.boosting,
        pooled_below=config.pooled_below,
        threads=threads,
        progress=progress,
    )
    inserted = None
    if config.insertions:
        common = {name for name, count in Counter(words_of(put_in)).items() if count >= INSERTED}
        common.discard(insertion_of((), ()))
        inserted = WordTransducer.train(
            taught.of(put_in, common), features=config.features, null="all",
            options=config.boosting, threads=threads, progress=progress,
        )  # fmt: skip
        if len(judged.source):
            inserted = inserted.tuned(judged.of(put_in_judged, common), threads=threads)
    return Learned(words, orders, inserted)


class Learned(NamedTuple):
    """Classifiers."""

    words: WordTransducer
    orders: OrderModel
    inserted: WordTransducer | None
    """What to put beside a translation; its targets are those of ``insertion_of``."""


def words_put_in(links: Sequence[int], target: Sequence[str]) -> list[str]:
    """What stands beside each source word's translation that no word has a link to, by
    ``insertion_of``.

    Words without a link belong to the next one with a link, two at most; those that are left, and
    those at the end, to the one before.
    """
    owner = {link: token for token, link in enumerate(links) if link >= 0}
    before: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    run: list[str] = []
    last = -1
    for place, word in enumerate(target):
        if place not in owner:
            run.append(word)
            continue
        cut = max(0, len(run) - _BESIDE)
        if last >= 0:
            after[last] = run[:cut][:_BESIDE]
        last = owner[place]
        before[last] = run[cut:]
        run = []
    if last >= 0:
        after[last] = run[:_BESIDE]
    found = []
    for token in range(len(links)):
        sides = before.get(token, []), after.get(token, [])
        found.append(insertion_of(*sides))
    return found


class WordRows:
    """Sentences with their links and what their trees say, as they come."""

    def __init__(self, features: FeatureSets | str) -> None:
        self._dependencies = "d" in str(features).lower()
        self.source: list[Sequence[str]] = []
        self.target: list[Sequence[str]] = []
        self.links: list[Sequence[int]] = []
        self.tags: list[Sequence[str]] = []
        self.others: list[list[list[str]]] = []

    def add(self, found: Bitree, target: Sequence[str]) -> None:
        """One bitree."""
        self.source.append(found.tree.words)
        self.target.append(target)
        self.links.append(found.links)
        self.tags.append(found.tree.tags)
        if self._dependencies:
            self.others.append(dependency_atoms(found.tree))

    def of(self, labels: Sequence[Sequence[str]], known: set[str]) -> WordCorpus:
        """The same words with other labels, of which only some are known: others are none."""
        links = [[k if name in known else -1 for k, name in enumerate(row)] for row in labels]
        others = self.others if self._dependencies else None
        return WordCorpus(self.source, labels, links, self.tags, others)

    def corpus(self) -> WordCorpus:
        """All of them."""
        others = self.others if self._dependencies else None
        return WordCorpus(self.source, self.target, self.links, self.tags, others)


def words_of(sentences: Iterable[Sequence[str]]) -> Iterable[str]:
    """All words, one after another."""
    return chain.from_iterable(sentences)


def _numbering(corpus: WordCorpus, targets: Iterable[str]) -> Numbering:
    """Of what there is to learn from, and of all target words: orders know them, too."""
    numbering = Numbering()
    numbering.learn(corpus)
    for word in targets:
        numbering.target.setdefault(word, len(numbering.target))
    return numbering
