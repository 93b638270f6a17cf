"""Rules on demand against the table of all rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.align import LexicalTable
from demotic.errors import ArgumentError, CorruptFileError
from demotic.grammar import (
    HieroExtraction,
    LazyRules,
    PhraseExtraction,
    RuleTable,
    TemplateOptions,
    extract_hiero,
    write_lazy,
)
from tests.grammar.test_extraction import Pair, options, pairs, texts

COLUMNS = (
    "TargetGivenSource", "LexicalTargetGivenSource", "LexicalSourceGivenTarget", "SeenOnce",
    "SeenTwice",
)  # fmt: skip


def both(corpus: list[Pair], folder: Path, chosen: HieroExtraction) -> tuple[RuleTable, LazyRules]:
    """The table of all rules, and rules on demand."""
    source, target, links = texts(corpus)
    lexical = LexicalTable.estimate(source, target, links)
    table = extract_hiero(
        source, target, links, lexical=lexical, options=chosen, out=folder / "all.bin", threads=1
    )
    lexical.save(folder / "lexical.bin")
    write_lazy(source, target, links, out=folder / "aligned.bin", options=chosen)
    return table, LazyRules.load(folder / "aligned.bin", folder / "lexical.bin")


def told(table: RuleTable, *more: str) -> dict[tuple[tuple[str, ...], ...], object]:
    """What rules say, by their two sides."""
    return {
        (rule.source, rule.target): (
            tuple(rule.scores[name] for name in (*COLUMNS, *more)),
            rule.links,
            rule.origins,
            rule.counts[1:],
        )
        for rule in table
    }


many = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@many
@given(
    corpus=st.lists(pairs(), min_size=1, max_size=4),
    chosen=options(),
    least=st.integers(1, 2),
    lines=st.lists(st.lists(st.sampled_from("abcde"), max_size=8), max_size=3),
)
def test_where_all_places_are_looked_at_rules_are_those_of_the_table(
    corpus: list[Pair],
    chosen: HieroExtraction,
    least: int,
    lines: list[list[str]],
    tmp_path: Path,
) -> None:
    chosen = replace(chosen, min_sentences=least)
    table, lazy = both(corpus, tmp_path, chosen)
    sentences = [" ".join(line) for line in lines]
    wanted = table.filter(sentences, out=tmp_path / "some.bin")
    found = lazy.table(sentences)
    matching = found.filter(sentences, out=tmp_path / "matching.bin")
    assert told(matching) == told(wanted)
    for rule in found:
        assert -23.1 < rule.scores["SourceGivenTarget"] <= 0


def test_rules_of_a_sentence_do_not_depend_on_others_nor_on_threads(tmp_path: Path) -> None:
    _, lazy = both(*corpus_of(300), tmp_path, HieroExtraction(sample=5))
    lines = ["w1 w2 w3 w4 w1", "w2 w7 w3", "w1 w1 w9 w4 w5 w6"]
    alone = lazy.table(lines[:1]).filter(lines[:1], out=tmp_path / "alone.bin")
    again = LazyRules.load(tmp_path / "aligned.bin", tmp_path / "lexical.bin")
    together = again.table(lines, threads=3).filter(lines[:1], out=tmp_path / "together.bin")
    assert told(alone, "SourceGivenTarget") == told(together, "SourceGivenTarget")
    assert len(alone) > 10


def corpus_of(size: int) -> tuple[list[Pair]]:
    """Words of Zipf's law, one for one, with some order and some links lost."""
    random = np.random.default_rng(5)
    made: list[Pair] = []
    for _ in range(size):
        words = np.minimum(random.zipf(1.5, random.integers(2, 9)), 12)
        order = np.argsort(np.arange(len(words)) + random.normal(0, 0.7, len(words)))
        links = [(int(i), j) for j, i in enumerate(order) if random.random() < 0.9]
        target = [f"v{words[i]}" for i in order]
        made.append(([f"w{word}" for word in words], target, sorted(links)))
    return (made,)


def test_a_sample_is_exact_for_rare_words_and_near_for_frequent_ones(tmp_path: Path) -> None:
    [corpus] = corpus_of(400)
    chosen = HieroExtraction(sample=40, max_targets=0, max_nonterminals=1)
    table, lazy = both(corpus, tmp_path, chosen)
    lines = ["w1 w9 w2"]
    wanted, found = told(table.filter(lines, out=tmp_path / "some.bin")), told(lazy.table(lines))
    places = {
        word: sum(source.count(word) for source, _, _ in corpus) for word in ("w1", "w9", "w2")
    }
    assert places["w9"] <= 40 < places["w2"] < places["w1"]
    rare = {sides for sides in wanted if "w9" in sides[0]}
    assert len(rare) > 5
    assert {sides: found[sides] for sides in rare} == {sides: wanted[sides] for sides in rare}
    of_all = {rule.target: rule.scores["TargetGivenSource"] for rule in table.rules_for("w1")}
    of_some = {
        rule.target: rule.scores["TargetGivenSource"] for rule in lazy.table(lines).rules_for("w1")
    }
    best = max(of_all, key=lambda target: of_all[target])
    assert abs(np.exp(of_some[best]) - np.exp(of_all[best])) < 0.2
    [counts] = [rule.counts for rule in lazy.table(lines).rules_for("w1") if rule.target == best]
    assert counts[1] < places["w1"]  # of the sample


def test_gaps_in_lines_are_no_wider_than_asked(tmp_path: Path) -> None:
    both(*corpus_of(200), tmp_path, HieroExtraction())
    line = ["w1 w3 w3 w3 w2"]
    wide, narrow = (
        LazyRules.load(tmp_path / "aligned.bin", tmp_path / "lexical.bin", span=span).table(line)
        for span in (5, 3)
    )
    gap = "w1 [X,1] w2"
    assert wide.rules_for(gap)
    assert not narrow.rules_for(gap)
    assert narrow.rules_for("w1 [X,1] w3")


def test_words_that_the_text_does_not_have_give_no_rules(tmp_path: Path) -> None:
    _, lazy = both(*corpus_of(20), tmp_path, HieroExtraction())
    assert len(lazy.table(["nothing of this", "", "<unk>"])) == 0
    assert not lazy.find_source_word("nothing")
    assert lazy.find_source_word("w1")
    assert len(lazy) == 20


def test_what_needs_a_table_of_all_rules_is_refused() -> None:
    for asked in (
        {"significance": 1.0},
        {"sparse": TemplateOptions(templates=("pairs",))},
        {"max_symbols": 80},
        {"sample": 0},
    ):
        with pytest.raises(ArgumentError):
            HieroExtraction(rules="lazy", **asked)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="another system"):
        PhraseExtraction(rules="lazy", table=Path("phrases.gz"))
    with pytest.raises(ArgumentError, match="table or lazy"):
        HieroExtraction(rules="never")  # type: ignore[arg-type]


def test_damage_is_found(tmp_path: Path) -> None:
    both(*corpus_of(20), tmp_path, HieroExtraction())
    content = bytearray((tmp_path / "aligned.bin").read_bytes())
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "aligned.bin").write_bytes(content)
    with pytest.raises(CorruptFileError, match=r"aligned\.bin"):
        LazyRules.load(tmp_path / "aligned.bin", tmp_path / "lexical.bin")
