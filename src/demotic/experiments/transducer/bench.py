"""What the transducer's experiment trains and measures."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from demotic import files
from demotic.align import align, symmetrise
from demotic.errors import ArgumentError
from demotic.experiments.data import part_files, part_names
from demotic.experiments.setup import Setup
from demotic.experiments.transducer import rivals
from demotic.experiments.transducer.trees import figures
from demotic.lm import cluster
from demotic.metrics import mcnemar
from demotic.transduce import Mixture, WordCorpus, WordTransducer, one_to_one, score_bags
from demotic.transduce import one_to_one_bound as bound
from demotic.transduce.bags import bags_of

SETS = ("w", "wc")
HELD_OUT = 1000
TRAIN = 10_000
CLASSES = 50
"""Of source words, instead of tags."""


class Bench:
    """Corpora, links and classes, made when they are first needed."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.size = setup.train_lines or (800 if setup.quick else TRAIN)
        self.held_out = setup.dev_lines or (60 if setup.quick else HELD_OUT)

    @cached_property
    def pairs(self) -> list[tuple[list[str], list[str]]]:
        """Of 5 to 40 words, neither side more than twice as long, in random order."""
        setup = self.setup
        name, _, _ = part_names(setup.data, setup.source)
        sides = [
            [
                line.lower().split()
                for line in files.read_lines(part_files(setup.data, name, lang)[0])
            ]
            for lang in (setup.source, setup.target)
        ]
        fitting = [
            (s, t)
            for s, t in zip(*sides, strict=True)
            if 5 <= len(s) <= 40 and 5 <= len(t) <= 40 and len(s) <= 2 * len(t) <= 4 * len(s)
        ]
        random.Random(1).shuffle(fitting)
        wanted = self.size + 3 * self.held_out
        if len(fitting) < wanted:
            raise ArgumentError(
                f"{len(fitting)} pairs of 5 to 40 words, and {wanted} are needed",
                path=setup.data,
                remedy="give a smaller --train-lines or --dev-lines",
            )
        return fitting[:wanted]

    @cached_property
    def links(self) -> Any:
        """Of all pairs, linked together, so that links are alike."""
        return align(
            [" ".join(s) for s, _ in self.pairs],
            [" ".join(t) for _, t in self.pairs],
            threads=self.setup.threads,
            progress=self.setup.progress,
        )

    @property
    def borders(self) -> dict[str, tuple[int, int]]:
        """Where the parts begin and end."""
        each = self.held_out
        return {
            "tune": (0, each), "dev": (each, 2 * each), "test": (2 * each, 3 * each),
            "train": (3 * each, len(self.pairs)),
        }  # fmt: skip

    @cached_property
    def corpora(self) -> dict[str, WordCorpus]:
        """train, tune, dev and test."""
        source = [s for s, _ in self.pairs]
        target = [t for _, t in self.pairs]
        found = self.links
        assert found.forward is not None
        assert found.backward is not None
        forward, backward = found.forward, found.backward
        links = one_to_one((len(s), forward[i], backward[i]) for i, s in enumerate(source))
        names = self._classes(source[3 * self.held_out :])
        tags = [[names.get(word, "new") for word in s] for s in source]
        return {
            name: WordCorpus(source[a:b], target[a:b], links[a:b], tags[a:b])
            for name, (a, b) in self.borders.items()
        }

    def _classes(self, sentences: Sequence[Sequence[str]]) -> dict[str, str]:
        path = self.setup.out / "source.txt"
        files.write_lines(path, [" ".join(s) for s in sentences])
        found = cluster(path, classes=CLASSES, threads=self.setup.threads)
        return {word: f"c{found[word]}" for word in found}

    # -- table 7.1 -------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        return {
            name: {
                "pairs": len(corpus),
                "source": _sizes(corpus.source),
                "target": _sizes(corpus.target),
                "predictions": sum(j >= 0 for row in corpus.links for j in row),
            }
            for name, corpus in self.corpora.items()
        }

    # -- table 7.2 -------------------------------------------------------------------------------

    def trained(self, features: str, null: Any) -> tuple[WordTransducer, float, Any]:
        begin = time.process_time()
        path = WordTransducer.train(
            self.corpora["train"],
            features=features,
            null=null,
            threads=self.setup.threads,
            progress=self.setup.progress,
        )
        seconds = time.process_time() - begin
        lambdas = path.path()
        curve = path.accuracies(self.corpora["tune"], lambdas, threads=self.setup.threads)
        best = int(np.argmax(curve))
        return path.at(float(lambdas[best])), seconds, [lambdas.tolist(), curve.tolist()]

    def words(self) -> dict[str, Any]:
        record: dict[str, Any] = {"rows": [], "curves": {}, "baseline": {}}
        for null in ("linked", "all"):
            for features in SETS:
                made, seconds, curve = self.trained(features, null)
                rights = {}
                for part in ("dev", "test"):
                    words = made.numbering.encode(self.corpora[part])
                    for trials, places in (("linked", words.linked), ("all", words.everywhere)):
                        gold = words.gold[places.astype(np.int64)]
                        rights[part, trials] = made.predict(words, places) == gold
                        record["baseline"][f"{null} {part} {trials}"] = float(
                            (made.most_frequent(words, places) == gold).mean()
                        )
                record["curves"][f"{features} {null}"] = curve
                record["rows"].append(
                    {
                        "features": str(made.features),
                        "null": null,
                        "lambda": made.lambda_,
                        "size": made.size(),
                        "seconds": seconds,
                        "accuracy": {f"{p} {t}": float(r.mean()) for (p, t), r in rights.items()},
                    }
                )
        record["rivals"] = rivals.accuracies(self.corpora, "w", self.setup)
        return record

    # -- tables 7.3 and 7.4 ----------------------------------------------------------------------

    def bags(self) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for null in ("all", "linked"):
            parts = [self.trained(features, null)[0] for features in SETS]
            mixture = Mixture.choose(parts, self.corpora["tune"])
            for part in ("dev", "test"):
                corpus = self.corpora[part]
                scores: dict[str, Any] = {}
                words = parts[0].numbering.encode(corpus)
                names = list(parts[0].numbering.target)
                everywhere = words.everywhere
                frequent = bags_of(parts[0].most_frequent(words, everywhere), words, names)
                scores["baseline"] = frequent
                for features, made in zip(SETS, parts, strict=True):
                    encoded = made.numbering.encode(corpus)
                    found = made.predict(encoded, encoded.everywhere)
                    scores[features] = bags_of(found, encoded, list(made.numbering.target))
                scores["mixture"] = [
                    [word for word in line if word is not None] for line in mixture.predict(corpus)
                ]
                record[f"{null} {part}"] = {
                    name: _prf(score_bags(found, corpus.target)) for name, found in scores.items()
                } | {"bound": _prf(bound(corpus.source, corpus.target))}
        return record

    # -- table 7.5 -------------------------------------------------------------------------------

    def trees(self) -> dict[str, Any]:
        pairs = {name: self.pairs[a:b] for name, (a, b) in self.borders.items()}
        forward, backward = self.links.forward, self.links.backward
        both = [symmetrise(forward, backward, name) for name in ("intersection", "union")]
        return figures(self.setup, pairs, both, self.setup.treebank)

    # -- speed -----------------------------------------------------------------------------------

    def speed(self) -> dict[str, Any]:
        made, seconds, _ = self.trained("w", "linked")
        words = made.numbering.encode(self.corpora["dev"])
        gold = words.gold[words.linked.astype(np.int64)]
        right = made.predict(words, words.linked) == gold
        record = {
            "boosted": {
                "seconds": seconds,
                "accuracy": float(right.mean()),
                "size": made.size(),
                "classifiers": len(made.ensembles),
            }
        }
        for name, run in rivals.KINDS.items():
            result = run(self.corpora, "w", self.setup)
            if result is None:
                continue
            theirs = result.pop("right")
            record[name] = result | {
                "times as long": result["seconds"] / seconds,
                "times as large": result["size"] / max(1, made.size()),
                "p": mcnemar(right, theirs).p_value,
            }
        return record


def _sizes(sentences: Sequence[Sequence[str]]) -> dict[str, int]:
    return {
        "types": len({word for s in sentences for word in s}),
        "tokens": sum(map(len, sentences)),
    }


def _prf(score: Any) -> list[float]:
    return [score.precision, score.recall, score.f]
