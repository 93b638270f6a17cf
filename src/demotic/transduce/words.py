"""Word transduction: for each source word one binary classifier for each translation seen with it,
all of them trained in one run, with the whole regularisation path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from demotic import _core, errors
from demotic.files import atomic_path, naming
from demotic.learn.boosting import BoostingOptions, train_groups
from demotic.learn.ensembles import BinaryRows, Ensembles
from demotic.progress import SILENT, Progress
from demotic.transduce.corpus import NULL, UNSEEN, EncodedWords, Numbering, WordCorpus


@dataclass(frozen=True)
class FeatureSets:
    """Which features classifiers see: window, dependencies, co-occurrence."""

    window: bool = True
    dependencies: bool = False
    cooccurrence: bool = False

    @classmethod
    def named(cls, name: str) -> FeatureSets:
        """Of letters: "w", "wd", "wc", "wdc"."""
        letters = set(name.lower())
        if not letters or not letters <= set("wdc"):
            raise errors.ArgumentError(
                f"there are no features '{name}'", remedy="letters of w, d and c, such as wc"
            )
        return cls("w" in letters, "d" in letters, "c" in letters)

    def __str__(self) -> str:
        names = (("W", self.window), ("D", self.dependencies), ("C", self.cooccurrence))
        return "+".join(letter for letter, used in names if used)


@dataclass(frozen=True)
class Candidates:
    """By source word: translations seen with it, the most frequent first."""

    ends: NDArray[np.int64]
    targets: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    firsts: NDArray[np.int64]
    """The number of its first classifier."""

    @classmethod
    def count(cls, source: NDArray[np.uint32], gold: NDArray[np.uint32], words: int) -> Candidates:
        keys = source.astype(np.uint64) << np.uint64(32) | gold.astype(np.uint64)
        pairs, counts = np.unique(keys, return_counts=True)
        of = (pairs >> np.uint64(32)).astype(np.int64)
        targets = (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        order = np.lexsort((targets, -counts, of))
        ends = np.cumsum(np.bincount(of, minlength=words))
        candidates = cls(
            ends, targets[order], counts[order].astype(np.uint32), np.zeros(words, np.int64)
        )
        classes = candidates.classes
        return replace(candidates, firsts=np.concatenate([[0], np.cumsum(classes)[:-1]]))

    @property
    def numbers(self) -> NDArray[np.int64]:
        return np.diff(self.ends, prepend=0)

    @property
    def classes(self) -> NDArray[np.int64]:
        """Classifiers by source word: none where there is nothing to choose."""
        return np.where(self.numbers > 1, self.numbers, 0)

    def of(self, word: int) -> NDArray[np.uint32]:
        begin = self.ends[word - 1] if word else 0
        return self.targets[begin : self.ends[word]]

    def target(self, word: NDArray[Any], rank: NDArray[Any]) -> NDArray[np.uint32]:
        """The rank-th candidate of each word; NULL where it has none."""
        begins = self.ends - self.numbers
        places = np.minimum(begins[word] + rank, max(len(self.targets) - 1, 0))
        found = self.targets[places] if len(self.targets) else np.zeros(len(word), np.uint32)
        return np.where(self.numbers[word] > 0, found, NULL).astype(np.uint32)


class WordTransducer:
    """Classifiers of words, the numbers they were trained with, and the lambda that was chosen."""

    def __init__(
        self,
        numbering: Numbering,
        features: FeatureSets,
        candidates: Candidates,
        ensembles: Ensembles,
        *,
        null: Literal["linked", "all"],
        lambda_: float = 0.0,
        classes: dict[str, str] | None = None,
    ) -> None:
        self.numbering = numbering
        self.features = features
        self.candidates = candidates
        self.ensembles = ensembles
        self.null = null
        self.lambda_ = lambda_
        self.classes = classes
        """Tags by word, where no tagger is needed."""
        self.atoms = _atoms(numbering, features)

    @classmethod
    def train(
        cls,
        corpus: WordCorpus,
        *,
        features: FeatureSets | str = "w",
        null: Literal["linked", "all"] = "linked",
        options: BoostingOptions | None = None,
        numbering: Numbering | None = None,
        classes: dict[str, str] | None = None,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> WordTransducer:
        """Classifiers from the words that have a translation, or from ``all`` words."""
        if isinstance(features, str):
            features = FeatureSets.named(features)
        if null not in ("linked", "all"):
            raise errors.ArgumentError(f"there is no null '{null}'", remedy="linked or all")
        if features.dependencies and corpus.others is None:
            raise errors.ArgumentError("dependencies need trees of the source sentences")
        if numbering is None:
            numbering = Numbering()
            numbering.learn(corpus)
        words = numbering.encode(corpus)
        rows, source, labels, candidates = problem(words, numbering, features, null)
        sizes = np.bincount(source, minlength=len(numbering.source))
        ensembles = train_groups(
            rows,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64),
            labels,
            candidates.classes.astype(np.uint32),
            options=options,
            threads=threads,
            progress=progress,
        )
        return cls(numbering, features, candidates, ensembles, null=null, classes=classes)

    @staticmethod
    def atoms_of(numbering: Numbering, features: FeatureSets) -> Any:
        """How atoms are numbered."""
        return _atoms(numbering, features)

    # -- predictions -----------------------------------------------------------------------------

    def rows(self, words: EncodedWords, places: NDArray[np.uint64]) -> BinaryRows:
        return atom_rows(self.atoms, self.features, self.numbering, words, places)

    def along_path(
        self,
        words: EncodedWords,
        places: NDArray[np.uint64],
        lambdas: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> NDArray[np.uint32]:
        """Predictions (target ids) for these places and each lambda."""
        source = words.ids[places.astype(np.int64)].astype(np.int64)
        ranks = self.ensembles.along_path(
            self.rows(words, places),
            self.candidates.firsts[source],
            self.candidates.classes[source],
            lambdas,
            threads=threads,
        )
        columns = [self.candidates.target(source, ranks[:, k]) for k in range(len(lambdas))]
        return np.stack(columns, axis=1) if columns else np.zeros((len(places), 0), np.uint32)

    def predict(
        self, words: EncodedWords, places: NDArray[np.uint64], *, threads: int = 1
    ) -> NDArray[np.uint32]:
        chosen = np.array([self.lambda_])
        return self.along_path(words, places, chosen, threads=threads)[:, 0]

    def most_frequent(self, words: EncodedWords, places: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """The baseline: what was seen most often."""
        source = words.ids[places.astype(np.int64)].astype(np.int64)
        return self.candidates.target(source, np.zeros(len(source), np.int64))

    def trials(self, words: EncodedWords) -> NDArray[np.uint64]:
        """The places that count: those that training learned from."""
        return words.linked if self.null == "linked" else words.everywhere

    def path(self) -> NDArray[np.float64]:
        """The lambdas to try, falling."""
        most = max(
            (self.ensembles.lambdas(c).max(initial=0) for c in range(len(self.ensembles))),
            default=0.0,
        )
        least = self.least_lambda()
        steps = 1 + int(np.log(most / least) / -np.log(0.9)) if most > least else 1
        return np.asarray(most * 0.9 ** np.arange(steps + 1))

    def least_lambda(self) -> float:
        lambdas = [self.ensembles.lambdas(c) for c in range(len(self.ensembles))]
        return min((float(each[-1]) for each in lambdas if len(each)), default=1.0)

    def accuracies(
        self, corpus: WordCorpus, lambdas: NDArray[np.float64], *, threads: int = 1
    ) -> NDArray[np.float64]:
        """The share of words that are right, for each lambda."""
        words = self.numbering.encode(corpus)
        places = self.trials(words)
        if len(places) == 0:
            return np.zeros(len(lambdas))
        found = self.along_path(words, places, lambdas, threads=threads)
        right = found == words.gold[places.astype(np.int64)][:, None]
        return np.asarray(right.mean(axis=0))

    def tuned(self, corpus: WordCorpus, *, threads: int = 1) -> WordTransducer:
        """With the lambda that is right most often on this corpus; of equals the largest."""
        lambdas = self.path()
        best = int(np.argmax(self.accuracies(corpus, lambdas, threads=threads)))
        return self.at(float(lambdas[best]))

    def at(self, lambda_: float) -> WordTransducer:
        return WordTransducer(
            self.numbering,
            self.features,
            self.candidates,
            self.ensembles,
            null=self.null,
            lambda_=lambda_,
            classes=self.classes,
        )

    def size(self) -> int:
        """Compound features with a weight, over all classifiers."""
        return self.ensembles.size(self.lambda_)

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: Path | str) -> None:
        """The model of the chosen lambda, in one file."""
        tags = self.numbering.tags
        known = np.zeros(0, np.uint32)
        if self.classes is not None:
            of = self.classes
            known = np.array(
                [tags.get(of.get(word, ""), 0) for word in self.numbering.source], np.uint32
            )
        numbers = self.numbering
        with atomic_path(path) as temporary:
            _core.WordChoices.save(
                str(temporary),
                self.features.window,
                self.features.cooccurrence,
                self.lambda_,
                _vocab(numbers.source),
                _vocab(numbers.target),
                _vocab(tags),
                _vocab(numbers.others if self.features.dependencies else {"<unk>": 0}),
                known,
                self.candidates.ends.astype(np.uint64),
                np.ascontiguousarray(self.candidates.targets),
                np.ascontiguousarray(self.candidates.counts),
                self.candidates.firsts.astype(np.uint64),
                self.ensembles.prefix(self.lambda_).core,
            )


def problem(
    words: EncodedWords,
    numbering: Numbering,
    features: FeatureSets,
    null: Literal["linked", "all"],
) -> tuple[BinaryRows, NDArray[np.int64], NDArray[np.uint32], Candidates]:
    """What classifiers learn from: rows in the order of their source words, these words, the ranks
    of their translations, and all candidates."""
    places = words.linked if null == "linked" else words.everywhere
    places = places[words.gold[places.astype(np.int64)] != UNSEEN]
    source = words.ids[places.astype(np.int64)]
    gold = words.gold[places.astype(np.int64)]
    candidates = Candidates.count(source, gold, len(numbering.source))
    order = np.argsort(source, kind="stable")
    rows = atom_rows(_atoms(numbering, features), features, numbering, words, places).take(order)
    labels = _ranks(candidates, source[order].astype(np.int64), gold[order])
    return rows, source[order].astype(np.int64), labels, candidates


def atom_rows(
    atoms: Any,
    features: FeatureSets,
    numbering: Numbering,
    words: EncodedWords,
    places: NDArray[np.uint64],
) -> BinaryRows:
    begins, ids = atoms.rows(words.ids, words.ends, words.tags, places)
    total = len(atoms) + len(numbering.others)
    if not features.dependencies:
        return BinaryRows(begins, ids, total)
    others = BinaryRows(words.other_begins, words.other_ids, 0).take(places.astype(np.int64))
    return _beside(BinaryRows(begins, ids, total), others, len(atoms))


def _beside(rows: BinaryRows, others: BinaryRows, offset: int) -> BinaryRows:
    """Each row with the atoms of another, numbered behind."""
    first = np.diff(rows.begins.astype(np.int64)).astype(np.int64)
    second = np.diff(others.begins.astype(np.int64)).astype(np.int64)
    begins = np.concatenate([[0], np.cumsum(first + second)]).astype(np.int64)
    atoms = np.empty(int(begins[-1]), dtype=np.uint32)
    index = np.repeat(begins[:-1] - rows.begins[:-1].astype(np.int64), first)
    atoms[index + np.arange(len(rows.atoms))] = rows.atoms
    index = np.repeat(begins[:-1] + first - others.begins[:-1].astype(np.int64), second)
    atoms[index + np.arange(len(others.atoms))] = others.atoms + np.uint32(offset)
    return BinaryRows(begins.astype(np.uint64), atoms, rows.features)


def _ranks(
    candidates: Candidates, source: NDArray[np.int64], gold: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    numbers = candidates.numbers
    of = np.repeat(np.arange(len(numbers)), numbers)
    keys = of.astype(np.uint64) << np.uint64(32) | candidates.targets.astype(np.uint64)
    order = np.argsort(keys)
    asked = source.astype(np.uint64) << np.uint64(32) | gold.astype(np.uint64)
    places = order[np.searchsorted(keys[order], asked)]
    begins = candidates.ends - numbers
    return (places - begins[source]).astype(np.uint32)


def _atoms(numbering: Numbering, features: FeatureSets) -> Any:
    tags = len(numbering.tags) if len(numbering.tags) > 1 else 0
    return _core.SourceAtoms(len(numbering.source), tags, features.window, features.cooccurrence)


def _vocab(numbers: dict[str, int]) -> Any:
    vocab = _core.Vocab()
    for word in numbers:
        vocab.add(word)
    return vocab


def load_words(path: Path | str, *, verify: bool | None = None) -> Any:
    """Saved classifiers, mapped from their file."""
    with naming(path):
        return _core.WordChoices(str(path), verify)


def log_probabilities(scores: Sequence[float]) -> NDArray[np.float64]:
    """Of candidates, from their h."""
    h = np.asarray(scores, dtype=np.float64)
    return np.asarray(h - np.logaddexp.reduce(h)) if len(h) else h
