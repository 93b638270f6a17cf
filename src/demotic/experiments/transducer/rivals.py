"""Other learners on the same problem, one classifier at a time: scikit-learn's liblinear and SGD,
LightGBM.  Each is left out where its package is not installed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic.experiments.setup import Setup
from demotic.learn.ensembles import BinaryRows
from demotic.transduce import FeatureSets, Numbering, WordCorpus
from demotic.transduce.words import WordTransducer, atom_rows, problem

Corpora = Mapping[str, WordCorpus]
C_VALUES = (0.1, 0.3, 1.0)


class OneByOne:
    """The word classifiers of a corpus, trained by somebody else."""

    def __init__(self, corpora: Corpora, features: str) -> None:
        self.features = FeatureSets.named(features)
        self.numbering = Numbering()
        self.numbering.learn(corpora["train"])
        words = self.numbering.encode(corpora["train"])
        rows, source, labels, self.candidates = problem(
            words, self.numbering, self.features, "linked"
        )
        self.rows, self.labels = rows, labels
        self.borders = np.concatenate(
            [[0], np.cumsum(np.bincount(source, minlength=len(self.numbering.source)))]
        )
        self.corpora = corpora

    def groups(self) -> Iterator[tuple[int, BinaryRows, NDArray[np.uint32], int]]:
        for word in np.flatnonzero(self.candidates.classes):
            span = np.arange(self.borders[word], self.borders[word + 1])
            classes = int(self.candidates.classes[word])
            yield int(word), self.rows.take(span), self.labels[span], classes

    def train(
        self, learner: Callable[[Any, NDArray[np.bool_]], Any]
    ) -> tuple[dict[int, Any], float]:
        """For each source word its columns, weights by class and biases; CPU seconds."""
        from scipy import sparse

        models = {}
        seconds = 0.0
        for word, rows, labels, classes in self.groups():
            columns, local = np.unique(rows.atoms, return_inverse=True)
            matrix = sparse.csr_matrix(
                (np.ones(len(local)), local, rows.begins.astype(np.int64)),
                shape=(len(rows), len(columns)),
            )
            begin = time.process_time()
            fitted = [learner(matrix, labels == k) for k in range(classes)]
            seconds += time.process_time() - begin
            models[int(word)] = (columns, fitted)
        return models, seconds

    def right(self, models: dict[int, Any], part: str) -> NDArray[np.bool_]:
        """Which predictions of a part are right."""
        from scipy import sparse

        words = self.numbering.encode(self.corpora[part])
        places = words.linked
        source = words.ids[places.astype(np.int64)].astype(np.int64)
        atoms = WordTransducer.atoms_of(self.numbering, self.features)
        rows = atom_rows(atoms, self.features, self.numbering, words, places)
        ranks = np.zeros(len(places), dtype=np.int64)
        for word in np.unique(source):
            if int(word) not in models:
                continue
            columns, fitted = models[int(word)]
            mine = np.flatnonzero(source == word)
            own = rows.take(mine)
            local = np.searchsorted(columns, own.atoms)
            local = np.minimum(local, len(columns) - 1)
            known = columns[local] == own.atoms
            at = np.repeat(np.arange(len(mine)), np.diff(own.begins.astype(np.int64)).astype(int))
            matrix = sparse.csr_matrix(
                (known.astype(float), (at, local)), shape=(len(mine), len(columns))
            )
            matrix.eliminate_zeros()
            scores = np.stack([each(matrix) for each in fitted], axis=1)
            ranks[mine] = scores.argmax(axis=1)
        found = self.candidates.target(source, ranks)
        return np.asarray(found == words.gold[places.astype(np.int64)])


class Linear:
    """Weights and a bias."""

    def __init__(self, weights: NDArray[np.float64], bias: float) -> None:
        self.weights, self.bias = weights, bias

    def __call__(self, matrix: Any) -> NDArray[np.float64]:
        return np.asarray(matrix @ self.weights + self.bias)

    def size(self) -> int:
        return int(np.count_nonzero(self.weights)) + (self.bias != 0)

    def pruned(self, most: int) -> Linear:
        """Only the weights that are largest."""
        values = np.append(self.weights, self.bias)
        kept = np.zeros(len(values))
        best = np.argsort(-np.abs(values), kind="stable")[:most]
        kept[best] = values[best]
        return Linear(kept[:-1], float(kept[-1]))


def _linear(make: Callable[[], Any]) -> Callable[[Any, NDArray[np.bool_]], Linear]:
    def learn(matrix: Any, positive: NDArray[np.bool_]) -> Linear:
        fitted = make().fit(matrix, positive)
        return Linear(fitted.coef_[0], float(fitted.intercept_[0]))

    return learn


def _size(models: dict[int, Any]) -> int:
    return sum(each.size() for _, fitted in models.values() for each in fitted)


def l2(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any] | None:
    """liblinear -s 0, its C chosen on the tuning part."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None
    problem_ = OneByOne(corpora, features)
    best: tuple[float, Any, float, float] | None = None
    for c in C_VALUES if not setup.quick else C_VALUES[-1:]:
        models, seconds = problem_.train(
            _linear(partial(LogisticRegression, C=c, solver="liblinear"))
        )
        tuned = float(problem_.right(models, "tune").mean())
        if best is None or tuned > best[0]:
            best = (tuned, models, seconds, c)
    assert best is not None
    _, models, seconds, c = best
    return _result(problem_, models, seconds) | {"C": c, "models": models, "problem": problem_}


def l1(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any] | None:
    """liblinear -s 6 at lambda 1."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None
    problem_ = OneByOne(corpora, features)
    models, seconds = problem_.train(
        _linear(lambda: LogisticRegression(l1_ratio=1.0, C=1.0, solver="liblinear"))
    )
    return _result(problem_, models, seconds)


def svm(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any] | None:
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        return None
    problem_ = OneByOne(corpora, features)
    models, seconds = problem_.train(_linear(lambda: LinearSVC(C=0.1, loss="hinge", max_iter=2000)))
    return _result(problem_, models, seconds)


def sgd(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any] | None:
    try:
        from sklearn.linear_model import SGDClassifier
    except ImportError:
        return None
    problem_ = OneByOne(corpora, features)
    models, seconds = problem_.train(
        _linear(lambda: SGDClassifier(max_iter=1, tol=None, average=True, random_state=1))
    )
    return _result(problem_, models, seconds)


def lightgbm(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any] | None:
    """Boosting with second-order gains, 30 trees of at most 8 leaves at lambda 2."""
    try:
        import lightgbm as lgb
    except ImportError:
        return None
    problem_ = OneByOne(corpora, features)
    options = {
        "objective": "binary",
        "learning_rate": 1.0,
        "lambda_l1": 2.0,
        "max_bin": 2,
        "min_data_in_leaf": 1,
        "min_data_in_bin": 1,
        "boost_from_average": False,
        "num_leaves": 8,
        "num_threads": 1,
        "verbosity": -1,
        "deterministic": True,
    }

    class Boosted:
        def __init__(self, booster: Any) -> None:
            self.booster = booster

        def __call__(self, matrix: Any) -> NDArray[np.float64]:
            return np.asarray(self.booster.predict(matrix, raw_score=True))

        def size(self) -> int:
            trees = self.booster.dump_model()["tree_info"]
            return sum(int(tree["num_leaves"]) for tree in trees)

    def learn(matrix: Any, positive: NDArray[np.bool_]) -> Boosted:
        data = lgb.Dataset(matrix, positive.astype(float), params=options)
        return Boosted(lgb.train(options, data, num_boost_round=30))

    models, seconds = problem_.train(learn)
    return _result(problem_, models, seconds)


def _result(problem_: OneByOne, models: dict[int, Any], seconds: float) -> dict[str, Any]:
    right = problem_.right(models, "dev")
    return {
        "seconds": seconds,
        "accuracy": float(right.mean()),
        "size": _size(models),
        "right": right,
    }


def accuracies(corpora: Corpora, features: str, setup: Setup) -> dict[str, Any]:
    """Accuracy and size of the linear ones, the pruned one among them."""
    record: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = l2(corpora, features, setup)
        if found is None:
            return record
        problem_, models = found.pop("problem"), found.pop("models")
        record["l2"] = _plain(found)
        boosted = WordTransducer.train(corpora["train"], features=features, threads=setup.threads)
        boosted = boosted.tuned(corpora["tune"])
        pruned = {}
        for word, (columns, fitted) in models.items():
            first = int(problem_.candidates.firsts[word])
            sizes = [
                len(boosted.ensembles.compounds(first + k, boosted.lambda_))
                for k in range(len(fitted))
            ]
            kept = [each.pruned(size) for each, size in zip(fitted, sizes, strict=True)]
            pruned[word] = (columns, kept)
        record["pruned l2"] = _plain(_result(problem_, pruned, found["seconds"]))
        for name, run in (("svm", svm), ("sgd", sgd)):
            other = run(corpora, features, setup)
            if other is not None:
                record[name] = _plain(other)
    return record


def _plain(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "right"}


def _quiet(run: Callable[..., Any]) -> Callable[..., Any]:
    def quietly(*arguments: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run(*arguments)
        if result is not None:
            result.pop("models", None)
            result.pop("problem", None)
        return result

    return quietly


KINDS: dict[str, Callable[..., Any]] = {
    "liblinear l2": _quiet(l2),
    "liblinear l1": _quiet(l1),
    "LightGBM": _quiet(lightgbm),
}
