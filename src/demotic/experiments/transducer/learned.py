"""Tables 7.2 to 7.4: what word classifiers of each set of features say, and how good it is.

Training is kept apart from scoring: ``learn`` trains one set and leaves its predictions, from which
the tables of words, of bags and of mixtures are made.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from demotic.experiments.setup import Setup
from demotic.learn.boosting import BoostingOptions
from demotic.transduce import WordCorpus, WordTransducer, score_bags
from demotic.transduce import one_to_one_bound as bound
from demotic.transduce.bags import best_by_word
from demotic.transduce.corpus import NULL

SETS = ("w", "wd", "wc", "wdc")
NULLS: tuple[Literal["linked", "all"], ...] = ("linked", "all")
JUDGED = ("tune", "dev", "test")
GAINS: tuple[tuple[Literal["printed", "hard"], float, int], ...] = (
    ("printed", 1.0, 0), ("printed", 1.01, 0), ("printed", 1.1, 0),
    ("hard", 1.0, 0), ("hard", 1.01, 0), ("hard", 1.1, 0), ("hard", 1.0, 1),
)  # fmt: skip
"""Forms of the gain: its kind, what a split must exceed, the greatest depth (0: any)."""
BASELINE = "most frequent"
Lines = list[list[str | None]]
"""For each word of each sentence its translation, or none."""


def learn(
    corpora: Mapping[str, WordCorpus], features: str, null: Literal["linked", "all"], setup: Setup
) -> dict[str, Any]:
    """Train one set of features; its size and cost, and what it predicts for every word."""
    begin = time.process_time()
    path = WordTransducer.train(
        corpora["train"], features=features, null=null, threads=setup.threads,
        progress=setup.progress,
    )  # fmt: skip
    seconds = time.process_time() - begin
    lambdas = path.path()
    curve = path.accuracies(corpora["tune"], lambdas, threads=setup.threads)
    made = path.at(float(lambdas[int(np.argmax(curve))]))
    predictions: dict[str, dict[str, Lines]] = {"made": {}, BASELINE: {}}
    names: list[str | None] = list(made.numbering.target)
    names[NULL] = None
    for part in JUDGED:
        words = made.numbering.encode(corpora[part])
        everywhere = words.everywhere
        for name, found in (
            ("made", made.predict(words, everywhere, threads=setup.threads)),
            (BASELINE, made.most_frequent(words, everywhere)),
        ):
            ends = [0, *words.ends.tolist()]
            flat = [names[t] for t in found.tolist()]
            predictions[name][part] = [flat[a:b] for a, b in pairwise(ends)]
    return {
        "features": str(made.features),
        "null": null,
        "lambda": made.lambda_,
        "size": made.size(),
        "seconds": seconds,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,  # GB of the process
        "curve": [lambdas.tolist(), curve.tolist()],
        "predictions": predictions,
    }


def gains(corpora: Mapping[str, WordCorpus], setup: Setup) -> list[dict[str, Any]]:
    """The forms of the gain, window features: how good, how large, how deep."""
    record = []
    for gain, factor, limit in GAINS:
        begin = time.process_time()
        options = BoostingOptions(
            lambda_min=1.0, gain=gain, min_gain_factor=factor, max_depth=limit
        )
        path = WordTransducer.train(
            corpora["train"], features="w", options=options, threads=setup.threads,
            progress=setup.progress,
        )  # fmt: skip
        seconds = time.process_time() - begin
        made = path.tuned(corpora["tune"], threads=setup.threads)
        kept = made.ensembles.prefix(made.lambda_)
        depths = [kept.depth(c, k) for c in range(len(kept)) for k in range(len(kept.lambdas(c)))]
        accuracy = {
            part: float(made.accuracies(corpora[part], np.array([made.lambda_]))[0])
            for part in ("tune", "dev")
        }
        record.append(
            {"gain": gain, "factor": factor, "limit": limit, "size": made.size()}
            | {"seconds": seconds, "deepest": max(depths, default=0)}
            | {"leaves": (kept.nodes + kept.trees) / (2 * max(1, kept.trees))}
            | accuracy
        )
    return record


def words(
    learned: Mapping[str, Mapping[str, Any]], corpora: Mapping[str, WordCorpus]
) -> dict[str, Any]:
    """Table 7.2: accuracies of each set, by part and by the words that count."""
    record: dict[str, Any] = {"rows": [], "curves": {}, "baseline": {}}
    for name, each in learned.items():
        accuracy = {}
        for part in JUDGED[1:]:
            for trials in NULLS:
                key = f"{part} {trials}"
                accuracy[key] = _share(each["predictions"]["made"][part], corpora[part], trials)
                record["baseline"][f"{each['null']} {key}"] = _share(
                    each["predictions"][BASELINE][part], corpora[part], trials
                )
        kept = ("features", "null", "lambda", "size", "seconds", "memory")
        record["rows"].append({k: each[k] for k in kept} | {"accuracy": accuracy})
        record["curves"][name] = each["curve"]
    return record


def bags(
    learned: Mapping[str, Mapping[str, Any]], corpora: Mapping[str, WordCorpus]
) -> dict[str, Any]:
    """Tables 7.3 and 7.4, for each kind of training all of whose sets are there."""
    record: dict[str, Any] = {}
    for null in NULLS:
        parts = {s: learned[f"{s} {null}"] for s in SETS if f"{s} {null}" in learned}
        if len(parts) < len(SETS):
            continue
        made = [each["predictions"]["made"] for each in parts.values()]
        tune = corpora["tune"]
        tokens = [word for s in tune.source for word in s]
        trials = _trials(tune, null)
        choice, best = best_by_word(
            [tokens[k] for k in trials], [_right(each["tune"], tune, trials) for each in made]
        )
        for part in JUDGED[1:]:
            corpus = corpora[part]
            found = {"baseline": parts["w"]["predictions"][BASELINE][part]}
            found |= {name: each[part] for name, each in zip(parts, made, strict=True)}
            found["mixture"] = [
                [made[choice.get(word, best)][part][k][i] for i, word in enumerate(s)]
                for k, s in enumerate(corpus.source)
            ]
            record[f"{null} {part}"] = {
                name: _prf(score_bags([[w for w in row if w is not None] for row in lines],
                                      corpus.target))
                for name, lines in found.items()
            } | {"bound": _prf(bound(corpus.source, corpus.target))}  # fmt: skip
    return record


def _gold(corpus: WordCorpus) -> list[str | None]:
    return [
        target[j] if j >= 0 else None
        for target, links in zip(corpus.target, corpus.links, strict=True)
        for j in links
    ]


def _trials(corpus: WordCorpus, trials: str) -> list[int]:
    gold = _gold(corpus)
    return [k for k, word in enumerate(gold) if trials == "all" or word is not None]


def _right(found: Lines, corpus: WordCorpus, trials: Sequence[int]) -> list[bool]:
    flat, gold = [word for row in found for word in row], _gold(corpus)
    return [flat[k] == gold[k] for k in trials]


def _share(found: Lines, corpus: WordCorpus, trials: str) -> float:
    right = _right(found, corpus, _trials(corpus, trials))
    return sum(right) / max(1, len(right))


def _prf(score: Any) -> list[float]:
    return [score.precision, score.recall, score.f]
