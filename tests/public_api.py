"""A program as a user would write it: `mypy --strict` reads it without a single ignore.

`tests/test_api.py` runs it on a toy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import demotic
from demotic.align import align, symmetrise
from demotic.corpus import Bitext, Orthography, clean, encode_pairs, split
from demotic.documents import fill_in, open_document
from demotic.errors import DemoticError
from demotic.forest import Forest
from demotic.glossary import read_glossary
from demotic.learn import BoostedTrees, MiraOptions
from demotic.lm import LanguageModel, estimate
from demotic.metrics import Bleu, Chrf, Score, SentenceBleu, evaluate, paired_bootstrap


def train(memory: Path, out: Path) -> demotic.Model:
    bitext: Bitext = demotic.read_bitext(memory, source="en", target="fr")
    kept, report = clean(bitext)
    print(report)
    parts = split(kept, dev=30, test=30)
    settings = {"lm": {"order": 3}, "tune": {"mira": {"iterations": 2}}}
    model = demotic.train(parts.train, dev=parts.dev, config=settings, out=out, threads=2)
    score: Score = model.score(parts.test)
    print(score.value, score.signature, str(score))
    return model


def translate(path: Path, lines: list[str]) -> list[str]:
    model: demotic.Model = demotic.load(path)
    one: demotic.Translation = model.translate(lines[0])
    listed: list[demotic.Translation] = model.translate(lines)
    stream: Iterator[demotic.Translation] = model.translate_lines(lines)
    best: list[demotic.Translation] = model.nbest(lines[0], 3)
    values: dict[str, float] = one.features
    sure: float | None = model.sure(one)
    links: tuple[tuple[int, int], ...] = one.alignment
    print(one.text, one.score, one.unknown, values, sure, links, len(best))
    print(model.source_language.upper(), model.target_language.upper())
    if one.derivation is not None:
        print(one.derivation.features)
    print(model.explain(lines[0]).tree())
    forest: Forest = model.forest(lines[0])
    print(forest.count(), forest.viterbi().text, forest.entropy())
    assert [each.text for each in stream] == [each.text for each in listed]
    return [each.text for each in model.translate_batch(lines, threads=2)]


def tune(model: demotic.Model, dev: Bitext, out: Path) -> demotic.Model:
    return demotic.tune(model, dev, out=out, options=MiraOptions(iterations=1), seed=3)


def around(model: demotic.Model, terms: Path, document: Path) -> bytes:
    glossary = read_glossary([terms], source="en", target="fr")
    with_terms: demotic.Model = model.with_glossary(glossary)
    opened = open_document(document, target_language=with_terms.target_language)
    data, report = fill_in(opened, with_terms)
    print(report)
    return data


def parts(source: list[str], target: list[str], tokens: Path) -> float:
    english, french = Orthography.learn(source, "en"), Orthography.learn(target, "fr")
    pairs = list(encode_pairs(english, french, zip(source, target, strict=True)))
    ours, theirs = [str(one) for one, _ in pairs], [str(other) for _, other in pairs]
    found = align(ours, theirs, threads=2)
    print(len(found.links), symmetrise is not None)
    tokens.write_text("".join(f"{line}\n" for line in theirs), encoding="utf-8")
    model: LanguageModel = estimate(tokens, order=3).model()
    return float(model.score(theirs[0]))


def measure(one: list[str], other: list[str], references: list[str]) -> float:
    bleu: Score = Bleu().score(one, [references])
    chrf: Score = Chrf().score(one, [references])
    print(bleu, chrf, SentenceBleu([references[0]]).score(one[0]))
    evaluate({"one": one, "other": other}, [references], [Bleu()], baseline="other")
    return bleu.value


def learn(seen: np.ndarray[tuple[int, int], np.dtype[np.bool_]], wanted: list[str]) -> list[str]:
    trees = BoostedTrees(lambda_min=1.0).fit(seen, wanted)
    return [str(each) for each in trees.predict(seen)]


def refuse(path: Path) -> str:
    try:
        demotic.load(path)
    except DemoticError as error:
        return f"{error.path}: {error.message} {error.remedy}"
    return ""


def text(line: str) -> str:
    tokens: list[str] = demotic.tokenise(line, "en")
    sentences: list[str] = demotic.split_sentences(line, "en")
    assert "".join(sentences) == line
    assert paired_bootstrap is not None
    return demotic.detokenise(tokens, "en")
