"""Table 7.5: trees translated by classifiers, by the generative model, and by phrases."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from demotic.align import Links
from demotic.corpus import Bitext
from demotic.decode import TreeSearch
from demotic.decode.transducer import TreeDecoder, over_tokens, words_to_parse
from demotic.experiments.setup import Setup
from demotic.experiments.transducer.parses import Pair
from demotic.metrics import Gtm, wilcoxon
from demotic.parse import Parser
from demotic.systems.records import merged
from demotic.systems.transducer.config import CHAPTER, LearnConfig
from demotic.systems.transducer.learning import Text, learn
from demotic.systems.transducer.model import load_choices
from demotic.transduce.generative import GenerativeTransducer
from demotic.transduce.relinking import relink
from demotic.trees import Tree

EXPONENTS = (1, 2)
JUDGED = ("dev", "test")
SECOND = ", second parser"
"""Behind the names of those that read trees of the discriminative parser."""
Pairs = dict[str, list[Pair]]
Translated = dict[str, dict[str, list[str]]]
"""By system and part, lines."""
_ERASURE = (("discriminative", "skip"), ("discriminative, erasing costs", "score"))
_LM = ("LanguageModel", "ClassModel", "BilingualModel")
_UNHEARD: dict[str, Any] = {"lm": {"order": 1, "classes": 0, "bilingual": 0}}
"""As good as none: words by their frequency."""


class Parses:
    """Trees that are there already, in place of a parser."""

    def __init__(self, trees: Iterable[Iterable[Tree]]) -> None:
        self._known: dict[tuple[str, ...], Tree] = {}
        for tree in (tree for part in trees for tree in part):
            self._known[tree.words] = self._known[tuple(words_to_parse(tree.words))] = tree

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:
        """That of each sentence."""
        return [self._known[tuple(words)] for words in sentences]


def figures(
    setup: Setup,
    pairs: Pairs,
    trees: dict[str, list[Tree]],
    links: list[Links],
    second: Parser | None,
) -> dict[str, Any]:
    """Precision, recall and F of tree transducers on both parts; ``links`` are those of the
    training part, where both directions agree and where either has one.

    All is learned from ``trees``.  A second parser parses what is translated, as in the chapter.
    """
    judged = {part: [s for s, _ in pairs[part]] for part in JUDGED}
    parsed = {"": Parses(trees[part] for part in JUDGED)}
    if second is not None:
        made = (second.parse(lines, threads=setup.threads) for lines in judged.values())
        parsed[SECOND] = Parses(made)
    train = pairs["train"]
    text = Text([s for s, _ in train], [t for _, t in train], trees["train"], *links)
    settings = LearnConfig(held_out=setup.dev_lines or 1000, order_pairs=10_000, insertions=False)
    words, orders, _ = learn(text, settings, threads=setup.threads, progress=setup.progress)
    bitrees = [*text.bitrees(right_first=False)]
    places = [
        [sorted({j for i, j in links[1][k] if i == token}) for token in range(len(source))]
        for k, source in enumerate(text.source)
    ]
    again = relink(bitrees, text.target, places, progress=setup.progress)
    rounds = f"generative, {len(again.likelihoods) - 1} rounds"
    counted = {"generative": GenerativeTransducer.count(bitrees, text.target), rounds: again.model}
    found: Translated = {}
    with tempfile.TemporaryDirectory(dir=setup.out) as folder:
        words.save(Path(folder) / "words")
        choices = load_choices(Path(folder) / "words")
        for suffix, parses in parsed.items():
            for name, erased in _ERASURE:
                options = TreeSearch(unknown="drop", erased=erased)  # type: ignore[arg-type]
                decoder = TreeDecoder(parses, choices, orders, CHAPTER, options=options)
                found[name + suffix] = _decoded(decoder, pairs, setup)
            for name, model in counted.items():
                found[name + suffix] = {
                    part: [
                        _transduced(model, tree, tokens)
                        for tree, tokens in zip(parses.parse(lines), lines, strict=True)
                    ]
                    for part, lines in judged.items()
                }
    compared = [
        (f"discriminative{suffix}", f"{name}{suffix}") for suffix in parsed for name in counted
    ]
    return _measured(found, pairs, compared) | {
        "flat": {part: sum(tree.flat for tree in trees[part]) for part in ("train", *JUDGED)},
        "parser": getattr(setup.treebank, "name", "induced"),
    }


def phrases(setup: Setup, pairs: Pairs) -> dict[str, Any]:
    """The same of the phrase-based system; with its language models at 0; and tuned with hardly
    any."""
    import demotic

    def bitext(part: str) -> Bitext:
        lines = [(" ".join(s), " ".join(t)) for s, t in pairs[part]]
        return Bitext.from_pairs(
            lines, source_language=setup.source, target_language=setup.target, file=part
        )

    quick = {"mira": {"iterations": 1}} if setup.quick else {}
    found: Translated = {}
    for name, settings in (
        ("phrases", {"tune": quick}),
        ("phrases, unigrams instead of language models", {"tune": quick, **_UNHEARD}),
    ):
        config = merged({"tokenised": True, "memory": {"use": False}}, settings)
        model: Any = demotic.train(
            bitext("train"), system="phrase", dev=bitext("tune"), config=config,
            threads=setup.threads, progress=setup.progress,
        )  # fmt: skip
        found[name] = _decoded(model.decoder, pairs, setup)
        if name == "phrases":
            without = {**model.weights, **{n: 0.0 for n in _LM if n in model.weights}}
            decoder = model.decoder.with_weights(without)
            found["phrases, language models at 0"] = _decoded(decoder, pairs, setup)
    return _measured(found, pairs, [])


def _decoded(decoder: Any, pairs: Pairs, setup: Setup) -> dict[str, list[str]]:
    return {
        part: [
            found.text
            for found in decoder.decode_lines([s for s, _ in pairs[part]], threads=setup.threads)
        ]
        for part in JUDGED
    }


def _transduced(model: GenerativeTransducer, tree: Tree, source: Sequence[str]) -> str:
    done, names = model.transduce(over_tokens(tree, source))
    return " ".join(names[t] for _, t in done.words)


def _measured(
    found: Translated, pairs: Pairs, compared: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Of each system its row; of each two that are compared Wilcoxon's p."""
    record: dict[str, Any] = {"rows": {name: {} for name in found}, "p": []}
    tests: dict[tuple[str, str], dict[str, float]] = {each: {} for each in compared}
    for part in JUDGED:
        references = [[" ".join(t) for _, t in pairs[part]]]
        for exponent in EXPONENTS:
            metric = Gtm(exponent=exponent)
            values = {}
            for name, lines in found.items():
                rows = metric.statistics(lines[part], references)
                match, own, wanted = rows.sum(axis=0)
                record["rows"][name][f"{part} {exponent}"] = [
                    float(100 * match / own) if own else 0.0,
                    float(100 * match / wanted) if wanted else 0.0,
                    metric.corpus_value(rows),
                ]
                values[name] = metric.sentence_values(rows)
            for one, other in compared:
                p = wilcoxon(values[one] - values[other]).p_value
                tests[one, other][f"{part} {exponent}"] = p
    record["p"] = [[one, other, each] for (one, other), each in tests.items()]
    return record
