"""Filtering rule tables to sentences."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic import files
from demotic.grammar import RuleTable, filter_rules

WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)
SOURCES = st.lists(st.sampled_from(["a", "b", "c", "d", "[X]"]), min_size=1, max_size=5).filter(
    lambda symbols: symbols.count("[X]") <= 2 and symbols != ["[X]"]
)


def matches(source: list[str], sentence: list[str]) -> bool:
    """Does a side match somewhere, a nonterminal standing for one word or more?"""
    pattern = "".join(r"(?:\w )+" if symbol == "[X]" else f"{symbol} " for symbol in source)
    return re.search(pattern, "".join(f"{word} " for word in sentence)) is not None


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sources=st.lists(SOURCES, min_size=1, max_size=12),
    sentences=st.lists(st.lists(st.sampled_from("abce"), max_size=6), max_size=3),
)
def test_exactly_the_rules_that_match_are_kept(
    sources: list[list[str]], sentences: list[list[str]], tmp_path: Path
) -> None:
    text = tmp_path / "rules.txt"
    lines = []
    for source in sources:
        slots = iter(range(1, 3))
        numbered = [f"[X,{next(slots)}]" if symbol == "[X]" else symbol for symbol in source]
        target = ["t", *(symbol for symbol in numbered if symbol.startswith("["))]
        lines.append(
            f"[X] ||| {' '.join(numbered)} ||| {' '.join(target)} "
            f"||| A={len(source)} S{len(source)}=1"
        )
    text.write_text("\n".join(lines) + "\n")
    table = RuleTable.from_text(text, out=tmp_path / "rules.bin", format="cdec")
    kept = filter_rules(table, map(" ".join, sentences), out=tmp_path / "kept.bin")
    wanted = [
        rule
        for rule in table
        if any(
            matches(["[X]" if s.startswith("[") else s for s in rule.source], sentence)
            for sentence in sentences
        )
    ]
    assert [(str(rule), rule.scores, rule.sparse) for rule in kept] == [
        (str(rule), rule.scores, rule.sparse) for rule in wanted
    ]
    # Weights of a model are still known by name.
    assert kept.sparse_features == table.sparse_features


def test_the_exact_filter_of_thrax_keeps_the_same_rules(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "joshua" / "thrax" / "filtering"
    table = RuleTable.from_text(
        folder / "grammar.filtered.gz", out=tmp_path / "rules.bin", format="joshua"
    )
    sentences = files.read_lines(folder / "dev.hi-en.hi.1")
    kept = table.filter(sentences, out=tmp_path / "kept.bin")
    wanted = RuleTable.from_text(
        folder / "exact.gold.gz", out=tmp_path / "gold.bin", format="joshua"
    )
    assert {str(rule) for rule in kept} == {str(rule) for rule in wanted}
    assert len(kept) == 993


def test_a_very_long_sentence_is_matched(tmp_path: Path) -> None:
    text = tmp_path / "rules.txt"
    text.write_text("[X] ||| a [X,1] b [X,2] c ||| [1] [2] ||| A=1\n[X] ||| z ||| y ||| A=1\n")
    table = RuleTable.from_text(text, out=tmp_path / "rules.bin")
    sentence = " ".join(["a", *["x"] * 4000, "b", *["x"] * 1000, "c"])
    assert len(filter_rules(table, [sentence], out=tmp_path / "kept.bin")) == 1
