"""Table 7.5: trees translated by classifiers, by the generative model, and by phrases."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from demotic.align import Links
from demotic.corpus import Bitext
from demotic.decode import TreeSearch
from demotic.decode.transducer import TreeDecoder, over_tokens
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
Translated = dict[str, dict[str, list[str]]]
"""By system and part, lines."""
_LM = ("LanguageModel", "ClassModel", "BilingualModel")
_UNHEARD: dict[str, Any] = {"lm": {"order": 1, "classes": 0, "bilingual": 0}}
"""As good as none: words by their frequency."""


def figures(
    setup: Setup,
    pairs: dict[str, list[Pair]],
    trees: dict[str, list[Tree]],
    links: list[Links],
    parser: Parser,
) -> dict[str, Any]:
    """Precision, recall and F of every system on both parts; ``links`` are those of the training
    part, where both directions agree and where either has one."""
    train = pairs["train"]
    common: dict[str, Any] = {"threads": setup.threads, "progress": setup.progress}
    text = Text([s for s, _ in train], [t for _, t in train], trees["train"], *links)
    found: Translated = {}
    settings = LearnConfig(held_out=setup.dev_lines or 1000, order_pairs=10_000, insertions=False)
    words, orders, _ = learn(text, settings, **common)
    with tempfile.TemporaryDirectory(dir=setup.out) as folder:
        words.save(Path(folder) / "words")
        choices = load_choices(Path(folder) / "words")
        for name, erased in (
            ("discriminative", "skip"),
            ("discriminative, erasing costs", "score"),
        ):
            options = TreeSearch(unknown="drop", erased=erased)  # type: ignore[arg-type]
            decoder = TreeDecoder(parser, choices, orders, CHAPTER, options=options)
            found[name] = {
                part: [
                    d.text
                    for d in decoder.decode_lines(
                        [s for s, _ in pairs[part]], threads=setup.threads
                    )
                ]
                for part in ("dev", "test")
            }
    bitrees = [*text.bitrees(right_first=False)]
    places = [
        [sorted({j for i, j in links[1][k] if i == token}) for token in range(len(source))]
        for k, source in enumerate(text.source)
    ]
    again = relink(bitrees, text.target, places, progress=setup.progress)
    for name, model in (
        ("generative", GenerativeTransducer.count(bitrees, text.target)),
        (f"generative, {len(again.likelihoods) - 1} rounds", again.model),
    ):
        found[name] = {}
        for part in ("dev", "test"):
            lines = []
            for tree, (source, _) in zip(trees[part], pairs[part], strict=True):
                done, names = model.transduce(over_tokens(tree, source))
                lines.append(" ".join(names[t] for _, t in done.words))
            found[name][part] = lines
    found |= _phrases(setup, pairs)
    return _measured(found, pairs) | {
        "flat": {part: sum(tree.flat for tree in trees[part]) for part in ("train", "dev", "test")},
    }


def _phrases(setup: Setup, pairs: dict[str, list[Pair]]) -> Translated:
    """The phrase-based system; with its language models at 0; and tuned with hardly any."""
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
        decoders = {name: model.decoder}
        if name == "phrases":
            without = {**model.weights, **{n: 0.0 for n in _LM if n in model.weights}}
            decoders["phrases, language models at 0"] = model.decoder.with_weights(without)
        for label, decoder in decoders.items():
            found[label] = {
                part: [
                    d.text
                    for d in decoder.decode_lines(
                        [s for s, _ in pairs[part]], threads=setup.threads
                    )
                ]
                for part in ("dev", "test")
            }
    return found


def _measured(found: Translated, pairs: dict[str, list[Pair]]) -> dict[str, Any]:
    record: dict[str, Any] = {"rows": {}, "p": {}}
    for part in ("dev", "test"):
        references = [[" ".join(t) for _, t in pairs[part]]]
        for exponent in EXPONENTS:
            metric = Gtm(exponent=exponent)
            statistics = {
                name: metric.statistics(lines[part], references) for name, lines in found.items()
            }
            for name, rows in statistics.items():
                match, own, wanted = rows.sum(axis=0)
                record["rows"].setdefault(name, {})[f"{part} {exponent}"] = [
                    float(100 * match / own) if own else 0.0,
                    float(100 * match / wanted) if wanted else 0.0,
                    metric.corpus_value(rows),
                ]
            ours, theirs = (
                metric.sentence_values(statistics[name])
                for name in ("discriminative", "generative")
            )
            difference = ours - theirs
            record["p"][f"{part} {exponent}"] = wilcoxon(difference).p_value
    return record
