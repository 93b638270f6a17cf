"""How sure a model is: a calibrated probability that a translation needs no edit.

    confidence = Confidence.fit(translations, right)          on the development set, when training
    model.sure(model.translate("Delete the file?"))           0.83

A logistic regression on what a translation tells of itself: the model's and the language model's
score per word, words that it did not know, its length, how many rules it took, and how similar the
nearest message of the memory is, which tells text of another kind.  What can be hoped for on unseen
text is told by cross-validation and kept with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from demotic.systems.translator import Translation

EVIDENCE = (
    "score", "language model", "unknown words", "length", "rules", "similarity", "similar message",
)  # fmt: skip
_FIRST = 5
"""Of these, what models of the first version look at."""
FEWEST = 15
"""Translations that need an edit, and ones that need none: with fewer, nothing can be learned."""
LEAST_AREA = 0.55
"""Under the curve, on parts that the regression was not fitted to: with less, it tells nothing."""
_FOLDS = 5
_RIDGE = 1.0
_ROUNDS = 50
_BINS = 10


@dataclass(frozen=True)
class Confidence:
    """The regression, and what cross-validation says of it."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    sentences: int
    right: int
    """Of these, translations that need no edit."""
    area: float
    """Under the ROC curve: how often a right translation is surer than a wrong one."""
    error: float
    """Mean difference between probabilities and shares of right ones, in ten bins."""

    @staticmethod
    def fit(
        translations: Sequence[Translation], nearest: Sequence[float], needs_none: Sequence[bool]
    ) -> Confidence | None:
        """From translations of text that was held out, their likeness to the memory, and which of
        them need no edit; None if there is too little to learn."""
        import numpy as np

        right = np.array(needs_none, dtype=bool)
        if min(right.sum(), len(right) - right.sum()) < FEWEST:
            return None
        found = zip(translations, nearest, strict=True)
        rows = np.array([evidence(each, near) for each, near in found], dtype=np.float64)
        means, scales = rows.mean(axis=0), rows.std(axis=0)
        scales[scales < 1e-9] = 1.0
        scaled = (rows - means) / scales
        weights, bias = _regression(scaled, right)
        held_out = _cross_validated(scaled, right)
        area = area_under_curve(list(held_out), list(right))
        if area < LEAST_AREA:
            return None
        return Confidence(
            tuple(map(float, means)),
            tuple(map(float, scales)),
            tuple(map(float, weights)),
            float(bias),
            len(right),
            int(right.sum()),
            area,
            calibration_error(list(held_out), list(right)),
        )

    def of(self, translation: Translation, nearest: float) -> float:
        """The probability that the translation needs no edit; ``nearest`` is the similarity of the
        nearest message in the memory, 0 where there is none."""
        known = evidence(translation, nearest)[: len(self.weights)]
        found = zip(known, self.means, self.scales, self.weights, strict=True)
        return _share(self.bias + sum(w * (x - mean) / scale for x, mean, scale, w in found))

    def record(self) -> dict[str, Any]:
        """For the model's file."""
        return asdict(self)

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Confidence | None:
        """What :meth:`record` gave; None if it is no such thing."""
        try:
            lists = {
                name: tuple(float(value) for value in record[name])
                for name in ("means", "scales", "weights")
            }
            found = Confidence(
                lists["means"],
                lists["scales"],
                lists["weights"],
                float(record["bias"]),
                int(record["sentences"]),
                int(record["right"]),
                float(record["area"]),
                float(record["error"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            return None
        numbers = [
            found.bias,
            found.area,
            found.error,
            *(x for each in lists.values() for x in each),
        ]
        sound = (
            {len(each) for each in lists.values()} in ({_FIRST}, {len(EVIDENCE)})
            and all(map(math.isfinite, numbers))
            and min(found.scales) > 0
        )
        return found if sound else None


def evidence(translation: Translation, nearest: float) -> tuple[float, ...]:
    """What a translation tells of itself, in the order of ``EVIDENCE``."""
    words = max(len(translation.tokens), 1)
    derivation = translation.derivation
    features: Mapping[str, float] = derivation.features if derivation is not None else {}
    steps = features.get("RulePenalty", features.get("PhrasePenalty", 0.0))
    return (
        translation.score / words,
        features.get("LanguageModel", 0.0) / words,
        translation.unknown / words,
        math.log(words),
        abs(steps) / words,
        nearest,
        float(nearest > 0),
    )


def area_under_curve(sure: Sequence[float], right: Sequence[bool]) -> float:
    """The share of pairs of a right and a wrong one in which the right one is surer; ties: half."""
    order = sorted(range(len(sure)), key=lambda i: sure[i])
    ranks = [0.0] * len(sure)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and sure[order[end]] == sure[order[at]]:
            end += 1
        for i in order[at:end]:
            ranks[i] = (at + end + 1) / 2
        at = end
    yes = sum(map(bool, right))
    no = len(right) - yes
    total = sum(rank for rank, is_right in zip(ranks, right, strict=True) if is_right)
    return (total - yes * (yes + 1) / 2) / (yes * no)


def calibration_error(sure: Sequence[float], right: Sequence[bool]) -> float:
    """Mean of |share that is right - mean probability| over bins of equal size."""
    order = sorted(range(len(sure)), key=lambda i: sure[i])
    total = 0.0
    for number in range(_BINS):
        bin = order[number * len(order) // _BINS : (number + 1) * len(order) // _BINS]
        if bin:
            total += abs(sum(bool(right[i]) for i in bin) - sum(sure[i] for i in bin))
    return total / len(sure)


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def _regression(rows: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Any, float]:
    """Newton's method on the penalised likelihood; the bias is free."""
    import numpy as np

    known = np.hstack([rows, np.ones((len(rows), 1))])
    ridge = np.full(known.shape[1], _RIDGE)
    ridge[-1] = 1e-6
    weights = np.zeros(known.shape[1])
    for _ in range(_ROUNDS):
        share = 1 / (1 + np.exp(-np.clip(known @ weights, -30, 30)))
        slope = known.T @ (right - share) - ridge * weights
        curve = (known * (share * (1 - share))[:, None]).T @ known + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights[:-1], float(weights[-1])


def _cross_validated(rows: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For each row the probability by a regression that did not see it."""
    import numpy as np

    fold = np.arange(len(rows)) % _FOLDS
    found = np.zeros(len(rows))
    for number in range(_FOLDS):
        out = fold == number
        weights, bias = _regression(rows[~out], right[~out])
        found[out] = 1 / (1 + np.exp(-np.clip(rows[out] @ weights + bias, -30, 30)))
    return found
