"""What each feature of a model knows about good translations, in lists for unseen sentences.

    python -m benchmarks.features --model MODEL --source FILE --target FILE [--without FEATURE]

For every feature its correlation with BLEU among the best translations of a sentence, alone, and
with what the other features leave of it.  A feature with none of the latter can gain nothing,
whatever its weight.  ``--without`` lists translations that a feature has had no part in choosing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import demotic
from demotic import files
from demotic.learn import statistics_against
from demotic.systems.model import Model

Floats = NDArray[np.float64]
_FEW = 5  # translations, of which a list has at least so many


def listed(
    model: Model, sources: Sequence[str], references: Sequence[str], size: int
) -> tuple[Floats, Floats]:
    """Features and BLEU of all translations, less the mean of their sentence."""
    rows, quality = [], []
    tokens = [str(model.source.encode(line)) for line in sources]
    for found, reference in zip(model.decoder.kbest_lines(tokens, size), references, strict=True):
        if len(found) < _FEW:
            continue
        features = np.array([each.values for each in found], dtype=np.float64)
        bleu = sentence_bleu([" ".join(each.tokens) for each in found],
                             str(model.target.encode(reference)))  # fmt: skip
        rows.append(features - features.mean(axis=0))
        quality.append(bleu - bleu.mean())
    return np.concatenate(rows), np.concatenate(quality)


def sentence_bleu(texts: Sequence[str], reference: str) -> Floats:
    """From 0 to 1; one more match and n-gram of every order, lest short sentences have none."""
    counts = statistics_against([reference])(texts).astype(np.float64)
    precision = np.log((counts[:, :4] + 1) / (counts[:, 4:8] + 1)).mean(axis=1)
    brevity = np.minimum(0.0, 1 - counts[:, 9] / np.maximum(1.0, counts[:, 8]))
    return np.asarray(np.exp(precision + brevity), dtype=np.float64)


def correlation(one: Floats, other: Floats) -> float:
    """0 where one of them never changes."""
    size = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / size if size > 1e-9 else 0.0


def left_over(values: Floats, others: Floats) -> Floats:
    """What a linear combination of others cannot say."""
    return values - others @ np.linalg.lstsq(others, values, rcond=None)[0]


def main() -> None:
    """Print a line for each feature."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--without", help="a feature whose weight is 0 here")
    parser.add_argument("--lines", type=int, default=250)
    parser.add_argument("--list", type=int, default=50)
    given = parser.parse_args()
    model = demotic.load(given.model)
    if given.without:
        model = model.with_weights({**model.weights, given.without: 0.0})
    sources, references = (
        list(islice(files.read_lines(path), given.lines)) for path in (given.source, given.target)
    )
    rows, quality = listed(model, sources, references, given.list)
    print(f"{len(quality):,} translations of {len(sources):,} sentences; correlation with BLEU")
    print(f"{'':26} alone   beside the others")
    for place, name in enumerate(model.decoder.feature_names):
        own, others = rows[:, place], np.delete(rows, place, axis=1)
        if own.any():
            new = correlation(left_over(own, others), quality)
            print(f"{name:26} {correlation(own, quality):5.3f}   {new:5.3f}")


if __name__ == "__main__":
    main()
