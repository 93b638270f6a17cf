"""l1-regularised boosted decision trees over sparse binary features: the whole path in one run.

    from demotic.learn import BoostedTrees

    trees = BoostedTrees(lambda_min=1.0).fit(X, y)       # scipy sparse or numpy; non-zero means 1
    trees.predict(X), trees.decision_function(X, lambda_=4.0)

Follows Wellington, Turian and Melamed, Algorithm 7.1 (docs/transducer.md).  `BoostedTrees` keeps to
scikit-learn's conventions; `train_groups` trains many classifiers that share rows, in one run over
threads.  One run gives the model of every lambda down to ``lambda_min``: pass ``lambda_`` to any
prediction.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from demotic import _core, errors
from demotic.learn.ensembles import BinaryRows, Compound, Ensembles
from demotic.progress import SILENT, Progress

__all__ = [
    "BinaryRows",
    "BoostedTrees",
    "BoostingOptions",
    "Compound",
    "Ensembles",
    "train_groups",
]

_AT_ONCE = 1 << 26  # atoms times classes: how much is trained between two looks at the clock


@dataclass(frozen=True)
class BoostingOptions:
    lambda_min: float = 0.5
    """Where the path ends.  A feature that is seen n times never has a slope above n."""
    decay: float = 0.9
    """By how much lambda falls from tree to tree."""
    max_trees: int = 1000
    """No classifier gets more."""
    gain: Literal["printed", "hard"] = "hard"
    """What a leaf promises: |v| - lambda as printed, or all of |v| once it is above lambda."""
    min_gain_factor: float = 1.1
    """A split must promise this much more than its leaf.  With 1 there are chains of negations."""
    max_depth: int = 0
    """0: no limit."""
    schedule: Literal["decay", "converge"] = "decay"
    """Lambda falls with every tree, or only when nothing is left to gain."""
    penalty: Literal["merged", "leaf"] = "merged"
    """Equal compounds of several trees pay as one, or each leaf for itself."""
    atoms_only: bool = False
    """No trees: the linear model that is best at lambda_min."""

    def __post_init__(self) -> None:
        if not 0 < self.lambda_min < 1e30:
            raise errors.ArgumentError("lambda_min must be a positive number")
        if not 0 < self.decay < 1:
            raise errors.ArgumentError("decay must be between 0 and 1")
        if not 1 <= self.min_gain_factor < 1e30:
            raise errors.ArgumentError("min_gain_factor must be at least 1")
        if self.max_trees < 1 or self.max_depth < 0:
            raise errors.ArgumentError("max_trees must be at least 1, and max_depth 0 or more")
        for name, value, known in (
            ("gain", self.gain, ("printed", "hard")),
            ("schedule", self.schedule, ("decay", "converge")),
            ("penalty", self.penalty, ("merged", "leaf")),
        ):
            if value not in known:
                raise errors.ArgumentError(
                    f"there is no {name} '{value}'", remedy=" or ".join(known)
                )


def train_groups(
    rows: BinaryRows,
    groups: NDArray[np.uint64],
    labels: NDArray[np.uint32],
    classes: NDArray[np.uint32],
    *,
    weights: NDArray[np.float64] | None = None,
    options: BoostingOptions | None = None,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Ensembles:
    """All classifiers of all groups, the largest groups first.

    Group g has rows ``groups[g]`` to ``groups[g + 1]`` and ``classes[g]`` classifiers: for its
    k-th, rows with label k are positive and all others negative.
    """
    options = options or BoostingOptions()
    classes = np.ascontiguousarray(classes, dtype=np.uint32)
    groups = np.ascontiguousarray(groups, dtype=np.uint64)
    if len(groups) != len(classes) + 1 or (len(groups) and int(groups[-1]) > len(rows)):
        raise errors.ArgumentError("the borders of groups do not fit their classes or rows")
    if len(labels) != len(rows):
        raise errors.ArgumentError("each row needs a label")
    labels = np.ascontiguousarray(labels, dtype=np.uint32)
    given = np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    ends = rows.begins[groups.astype(np.int64)].astype(np.int64)
    atoms = ends[1:] - ends[:-1]
    work = atoms * classes.astype(np.int64)
    order = np.argsort(-work, kind="stable")
    parts: list[Any] = []
    position: list[int] = [0] * len(classes)  # where the classifiers of a group begin, in `parts`
    made = 0
    with progress.step("training classifiers", total=int(work.sum())) as advance:
        for batch in _batches(order, work):
            spans = np.stack([groups[batch], groups[batch + 1]], axis=1).reshape(-1)
            parts.append(
                _core.boost_groups(
                    rows.begins,
                    rows.atoms,
                    rows.features,
                    np.ascontiguousarray(spans),
                    labels,
                    np.ascontiguousarray(classes[batch]),
                    given,
                    options.lambda_min,
                    options.decay,
                    options.max_trees,
                    options.gain,
                    options.min_gain_factor,
                    options.max_depth,
                    options.schedule == "converge",
                    options.penalty == "leaf",
                    options.atoms_only,
                    threads,
                )
            )
            for group in batch:
                position[group] = made
                made += int(classes[group])
            advance(int(work[batch].sum()))
    numbers = [position[g] + k for g in range(len(classes)) for k in range(int(classes[g]))]
    return Ensembles(_core.TreeEnsembles.joined(parts, numbers))


def _batches(order: NDArray[np.int64], work: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    begin = 0
    while begin < len(order):
        sums = np.cumsum(work[order[begin:]])
        end = begin + max(1, int(np.searchsorted(sums, _AT_ONCE, side="right")))
        yield order[begin:end]
        begin = end


class BoostedTrees:
    """A classifier over binary features, by scikit-learn's conventions; several classes are one
    against all others each."""

    def __init__(
        self,
        *,
        lambda_min: float = 0.5,
        decay: float = 0.9,
        max_trees: int = 1000,
        gain: Literal["printed", "hard"] = "hard",
        min_gain_factor: float = 1.1,
        max_depth: int = 0,
        schedule: Literal["decay", "converge"] = "decay",
        penalty: Literal["merged", "leaf"] = "merged",
        atoms_only: bool = False,
        threads: int = 1,
    ) -> None:
        self.lambda_min = lambda_min
        self.decay = decay
        self.max_trees = max_trees
        self.gain = gain
        self.min_gain_factor = min_gain_factor
        self.max_depth = max_depth
        self.schedule = schedule
        self.penalty = penalty
        self.atoms_only = atoms_only
        self.threads = threads

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **params: Any) -> BoostedTrees:
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise ValueError(f"Invalid parameter '{name}'; there are {', '.join(_PARAMETERS)}")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostedTrees:
        options = BoostingOptions(**{name: getattr(self, name) for name in _OPTIONS})
        rows = _rows_of(X)
        y = _labels_of(y, len(rows))
        weights = _weights_of(sample_weight, len(rows))
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("Classifier can't train when only one class is present.")
        binary = len(self.classes_) == 2
        numbers = 1 - labels if binary else labels  # the second of two classes is the positive one
        self.n_features_in_ = rows.features
        self.ensembles_ = train_groups(
            rows,
            np.array([0, len(rows)], dtype=np.uint64),
            numbers.astype(np.uint32),
            np.array([1 if binary else len(self.classes_)], dtype=np.uint32),
            weights=weights,
            options=options,
            threads=self.threads,
        )
        self.path_ = np.unique(
            np.concatenate([self.ensembles_.lambdas(c) for c in range(len(self.ensembles_))])
        )[::-1]
        return self

    def decision_function(self, X: Any, lambda_: float = 0.0) -> NDArray[np.float64]:
        """Scores of rows by the trees of at least this lambda; a column for each class, if there
        are more than two."""
        self._check_fitted()
        rows = _rows_of(X)
        if rows.features != self.n_features_in_:
            raise ValueError(
                f"X has {rows.features} features, but BoostedTrees is expecting "
                f"{self.n_features_in_} features as input."
            )
        count = len(self.ensembles_)
        _, scores = self.ensembles_.scores(
            rows,
            np.zeros(len(rows), dtype=np.uint32),
            np.full(len(rows), count, dtype=np.uint32),
            lambda_=lambda_,
            threads=self.threads,
        )
        return scores if count == 1 else scores.reshape(len(rows), count)

    def predict(self, X: Any, lambda_: float = 0.0) -> NDArray[Any]:
        scores = self.decision_function(X, lambda_)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensembles_")

    def __sklearn_tags__(self) -> Any:  # asked for by scikit-learn, which is there then
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(poor_score=True),  # it sees whether a number is 0
            input_tags=InputTags(sparse=True),
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"BoostedTrees({shown})"

    def _check_fitted(self) -> None:
        if not hasattr(self, "ensembles_"):
            message = "This BoostedTrees instance is not fitted yet. Call 'fit' first."
            # Scikit-learn's own, where it is in use.
            known = sys.modules.get("sklearn.exceptions")
            raise getattr(known, "NotFittedError", AttributeError)(message)


_OPTIONS = (
    "lambda_min",
    "decay",
    "max_trees",
    "gain",
    "min_gain_factor",
    "max_depth",
    "schedule",
    "penalty",
    "atoms_only",
)
_PARAMETERS = (*_OPTIONS, "threads")


# Messages are worded as scikit-learn's tests of estimators expect them.


def _rows_of(X: Any) -> BinaryRows:
    sparse = hasattr(X, "tocsr")
    matrix = X if sparse else np.asarray(X)
    if len(matrix.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(matrix.shape)}D array instead. Reshape your data either "
            "using array.reshape(-1, 1) or array.reshape(1, -1) if it contains a single sample."
        )
    if 0 in matrix.shape:
        what = "sample" if matrix.shape[0] == 0 else "feature"
        raise ValueError(
            f"Found array with 0 {what}(s) (shape={tuple(matrix.shape)}) while a minimum of 1 is "
            "required."
        )
    values = X.tocsr().data if sparse else matrix
    if values.dtype == object:
        values = values.astype(np.float64)
        matrix = values
    if np.iscomplexobj(values):
        raise ValueError("Complex data not supported")
    if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
        raise ValueError("Input X contains NaN or infinity.")
    return BinaryRows.of(matrix)


def _labels_of(y: Any, rows: int) -> NDArray[Any]:
    if y is None:
        raise ValueError(
            "This BoostedTrees estimator requires y to be passed, but the target y is None."
        )
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected."
        category = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", None)
        warnings.warn(message, category, stacklevel=3)
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if len(labels) != rows:
        raise ValueError(f"X has {rows} samples and y has {len(labels)}.")
    if labels.dtype.kind == "f":
        if not np.all(np.isfinite(labels)):
            raise ValueError("Input y contains NaN or infinity.")
        if np.any(labels != np.floor(labels)):
            raise ValueError("Unknown label type: continuous.")
    return labels


def _weights_of(sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        return np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!")
    if not np.any(weights):
        raise ValueError("All examples have a sample_weight of zero.")
    return weights
