"""What the transducer's experiment trains and measures."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from demotic import files
from demotic.align import Links, align, pharaoh, symmetrise
from demotic.errors import ArgumentError
from demotic.experiments.data import part_files, part_names
from demotic.experiments.setup import Setup
from demotic.experiments.transducer import rivals
from demotic.experiments.transducer.parses import (
    NARROW,
    Pair,
    parses,
    trees_of_links,
    trees_of_treebank,
)
from demotic.experiments.transducer.trees import figures, phrases
from demotic.metrics import mcnemar
from demotic.parse import DiscriminativeOptions, DiscriminativeParser, GenerativeParser
from demotic.transduce import WordCorpus, WordTransducer, one_to_one
from demotic.trees import Tree, dependency_atoms

HELD_OUT = 1000
TRAIN = 10_000


class Bench:
    """Corpora, links and classes, made when they are first needed."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.size = setup.train_lines or (800 if setup.quick else TRAIN)
        self.held_out = setup.dev_lines or (60 if setup.quick else HELD_OUT)

    @cached_property
    def pairs(self) -> list[tuple[list[str], list[str]]]:
        """Of 5 to 40 words, neither side more than twice as long, in an order that the first seed
        decides."""
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
        random.Random(setup.seeds[0]).shuffle(fitting)
        wanted = self.size + 3 * self.held_out
        if len(fitting) < wanted:
            raise ArgumentError(
                f"{len(fitting)} pairs of 5 to 40 words, and {wanted} are needed",
                path=setup.data,
                remedy="give a smaller --train-lines or --dev-lines",
            )
        return fitting[:wanted]

    @cached_property
    def links(self) -> tuple[Links, Links]:
        """Of all pairs, both directions, linked together, so that links are alike."""
        paths = [self.setup.out / f"links.{name}" for name in ("forward", "backward")]
        note = self.setup.out / "links.made-of"
        digest = digest_of(self.pairs)
        done = all(path.is_file() for path in (*paths, note))
        if not done or note.read_text(encoding="utf-8").strip() != digest:
            found = align(
                [" ".join(s) for s, _ in self.pairs],
                [" ".join(t) for _, t in self.pairs],
                threads=self.setup.threads,
                progress=self.setup.progress,
            )
            assert found.forward is not None
            assert found.backward is not None
            for path, links in zip(paths, (found.forward, found.backward), strict=True):
                pharaoh.write(path, links)
            files.write_lines(note, [digest])
        forward, backward = map(pharaoh.read, paths)
        return forward, backward

    @cached_property
    def both(self) -> Links:
        """Where both directions agree."""
        return symmetrise(*self.links, "intersection")

    @cached_property
    def bank(self) -> list[Tree]:
        """What parsers learn from: the treebank, or trees that links show."""
        if self.setup.treebank is not None:
            return trees_of_treebank(self.setup.treebank)
        a, b = self.borders["train"]
        links = [sorted(self.both[k]) for k in range(a, b)]
        return trees_of_links(self.setup, self.pairs[a:b], links)

    @cached_property
    def parser(self) -> GenerativeParser:
        """The one whose trees everything is learned from."""
        return GenerativeParser.train(self.bank, options=NARROW, progress=self.setup.progress)

    def second_parser(self) -> DiscriminativeParser:
        """For the trees of development and test sentences."""
        longest = DiscriminativeOptions(train_words=15 if self.setup.quick else 40)
        return DiscriminativeParser.train(
            self.bank, options=longest, threads=self.setup.threads, progress=self.setup.progress
        )

    @cached_property
    def parses(self) -> list[Tree]:
        """Of all source sentences."""
        return parses(self.setup, self.parser, [s for s, _ in self.pairs])

    @cached_property
    def tags(self) -> list[Sequence[str]]:
        """Of all source words: those of the parses, which no parsing is needed for."""
        sentences = [s for s, _ in self.pairs]
        return [*self.parser.tagger.tag(sentences, threads=self.setup.threads)]

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
        forward, backward = self.links
        links = one_to_one((len(s), forward[i], backward[i]) for i, s in enumerate(source))
        return {
            name: WordCorpus(source[a:b], target[a:b], links[a:b], self.tags[a:b])
            for name, (a, b) in self.borders.items()
        }

    @cached_property
    def with_dependencies(self) -> dict[str, WordCorpus]:
        """The same with what trees say about words."""
        others = [dependency_atoms(tree) for tree in self.parses]
        return {
            name: replace(self.corpora[name], others=others[a:b])
            for name, (a, b) in self.borders.items()
        }

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

    # -- table 7.5 -------------------------------------------------------------------------------

    def trees(self, *, second: bool) -> dict[str, Any]:
        """``second``: with the trees of another parser, too."""
        pairs = self.parts
        parsed = {name: self.parses[a:b] for name, (a, b) in self.borders.items()}
        begin, end = self.borders["train"]
        links = [
            _some(symmetrise(*self.links, name), begin, end) for name in ("intersection", "union")
        ]
        other = self.second_parser() if second else None
        return figures(self.setup, pairs, parsed, links, other)

    def phrases(self) -> dict[str, Any]:
        return phrases(self.setup, self.parts)

    @property
    def parts(self) -> dict[str, list[Pair]]:
        """All pairs, by the part that they are in."""
        return {name: self.pairs[a:b] for name, (a, b) in self.borders.items()}

    # -- speed -----------------------------------------------------------------------------------

    def speed(self) -> dict[str, Any]:
        begin = time.process_time()
        made = WordTransducer.train(self.corpora["train"], features="w", threads=self.setup.threads)
        seconds = time.process_time() - begin
        made = made.tuned(self.corpora["tune"])
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


def digest_of(pairs: Sequence[Pair]) -> str:
    """Of all words of both sides."""
    made = hashlib.sha256()
    for source, target in pairs:
        made.update(f"{' '.join(source)}\n{' '.join(target)}\n".encode())
    return made.hexdigest()


def _some(links: Links, begin: int, end: int) -> Links:
    found = Links()
    for k in range(begin, end):
        found.append(sorted(links[k]))
    return found


def _sizes(sentences: Sequence[Sequence[str]]) -> dict[str, int]:
    return {
        "types": len({word for s in sentences for word in s}),
        "tokens": sum(map(len, sentences)),
    }
