"""Sparse features that follow from a rule alone."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from demotic.align import Links, Text
from demotic.errors import ArgumentError
from demotic.grammar import (
    TEMPLATES,
    HieroExtraction,
    RuleTable,
    Template,
    TemplateOptions,
    extract_hiero,
)
from demotic.grammar.templates import keep_features
from tests.oracles.rule_templates import rule_features

ALL = cast("tuple[Template, ...]", TEMPLATES)


def read(text: str, folder: Path) -> RuleTable:
    (folder / "rules.txt").write_text(text, encoding="utf-8")
    return RuleTable.from_text(folder / "rules.txt", out=folder / "rules.bin", format="cdec")


def templated(table: RuleTable, folder: Path, *templates: Template, **more: int) -> RuleTable:
    options = TemplateOptions(templates=templates, **more)
    return table.with_templates(options, out=folder / "templated.bin")


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> RuleTable:
    """Rules of random text with nonterminals, several links a word, and words to escape."""
    rng = random.Random(4)
    words = ["a", "b", "_", "x_y", "|", "[X]", "c]", "größe", "tab\tbed"]
    source, target, links = [], [], Links()
    for _ in range(60):
        left = rng.choices(words, k=rng.randint(1, 7))
        right = rng.choices(words, k=rng.randint(1, 7))
        source.append(" ".join(left))
        target.append(" ".join(right))
        places = [(i, j) for i in range(len(left)) for j in range(len(right)) if abs(i - j) < 2]
        links.append(sorted(rng.sample(places, k=min(len(places), 4))))
    out = tmp_path_factory.mktemp("templates") / "rules.bin"
    return extract_hiero(
        Text.of(source), Text.of(target), links, out=out, options=HieroExtraction(tight=False)
    )


def test_a_rule_gets_what_the_documentation_says(tmp_path: Path) -> None:
    table = read("[X] ||| ne [X,1] pas ||| do not [1] ||| A=1 ||| 0-1 2-1\n", tmp_path)
    (rule,) = templated(table, tmp_path, *ALL)
    assert rule.sparse == dict.fromkeys(
        [
            "rule|X|ne_[X,1]_pas|do_not_[1]",
            "source|ne_[X]",
            "source|[X]_pas",
            "target|do_not",
            "target|not_[X]",
            "pair|ne_not",
            "pair|pas_not",
            "shape|w_1_w|w_w_1",
        ],
        1,
    )
    assert rule.scores == {"A": 1}


@pytest.mark.parametrize("templates", [*((each,) for each in ALL), ALL])
def test_templates_name_what_a_plain_description_names(
    templates: tuple[Template, ...], extracted: RuleTable, tmp_path: Path
) -> None:
    table = templated(extracted, tmp_path, *templates)
    assert len(table) == len(extracted) > 100
    for number, rule in enumerate(table):
        assert rule.sparse == rule_features(table, number, templates)


def test_the_rest_of_the_table_stays(extracted: RuleTable, tmp_path: Path) -> None:
    from dataclasses import replace

    table = templated(extracted, tmp_path, "rule")
    assert [replace(rule, sparse={}) for rule in table] == list(extracted)


def test_rules_differ_in_the_feature_of_their_identity(
    extracted: RuleTable, tmp_path: Path
) -> None:
    table = templated(extracted, tmp_path, "rule")
    assert table.sparse_features == len(table)


def test_features_of_rare_rules_are_left_out(extracted: RuleTable, tmp_path: Path) -> None:
    table = templated(extracted, tmp_path, "pairs", "rule", min_count=3)
    counts: dict[str, float] = {}
    named = [rule_features(extracted, rule, ("pairs", "rule")) for rule in range(len(extracted))]
    for rule, names in enumerate(named):
        for name in names:
            counts[name] = counts.get(name, 0.0) + extracted.counts(rule)[2]
    kept = {name for name, count in counts.items() if count >= 3}
    assert 0 < len(kept) < len(counts)
    assert table.sparse_features == len(kept)
    for number, rule in enumerate(table):
        assert rule.sparse == {name: n for name, n in named[number].items() if name in kept}


def test_a_rule_without_counts_counts_once(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| A=1 ||| 0-0\n[X] ||| a b ||| b c ||| A=1 ||| 0-0 1-1\n"
    table = templated(read(text, tmp_path), tmp_path, "pairs", min_count=2)
    assert [rule.sparse for rule in table] == [{"pair|a_b": 1}, {"pair|a_b": 1}]


def test_hashed_features_are_found_by_name_and_sum_where_they_meet(
    extracted: RuleTable, tmp_path: Path
) -> None:
    table = templated(extracted, tmp_path, *ALL, bits=4)
    assert (table.sparse_features, table.sparse_bits) == (16, 4)
    for number in range(len(table)):
        wanted: Counter[int] = Counter()
        for name, count in rule_features(extracted, number, TEMPLATES).items():
            place = table.find_sparse(name)
            assert place is not None
            wanted[place] += count
        ids, values = table.sparse(number)
        assert ids == sorted(wanted)
        assert dict(zip(ids, values, strict=True)) == wanted
    assert table.sparse_name(3) == "hash:3"


def test_features_that_a_table_has_stay(tmp_path: Path) -> None:
    table = read("[X] ||| a ||| b ||| A=1 B=2\n[X] ||| c ||| d ||| A=1 C=0.5\n", tmp_path)
    named = templated(table, tmp_path, "shape")
    assert [rule.sparse for rule in named] == [{"B": 2, "shape|w|w": 1}, {"C": 0.5, "shape|w|w": 1}]
    hashed = named.with_templates(TemplateOptions(bits=20), out=tmp_path / "hashed.bin")
    for rule, names in zip(range(2), (("B", "shape|w|w"), ("C", "shape|w|w")), strict=True):
        assert hashed.sparse(rule)[0] == sorted(hashed.find_sparse(name) for name in names)
    again = hashed.with_templates(
        TemplateOptions(templates=("pairs",), bits=20), out=tmp_path / "again.bin"
    )
    assert [again.sparse(rule) for rule in range(2)] == [hashed.sparse(rule) for rule in range(2)]


def test_two_ways_to_hash_do_not_mix(tmp_path: Path) -> None:
    table = templated(read("[X] ||| a ||| b ||| A=1\n", tmp_path), tmp_path, "shape", bits=8)
    with pytest.raises(ArgumentError, match="8 bits"):
        table.with_templates(TemplateOptions(templates=("rule",), bits=9), out=tmp_path / "no.bin")


@pytest.mark.parametrize(
    "wrong", [{"templates": ("words",)}, {"bits": 25}, {"bits": -1}, {"min_count": -1}]
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ArgumentError):
        TemplateOptions(**wrong)  # type: ignore[arg-type]


def test_only_some_features_are_kept(extracted: RuleTable, tmp_path: Path) -> None:
    table = templated(extracted, tmp_path, "pairs", "shape")
    every = sorted({name for rule in table for name in rule.sparse})
    wanted = {*every[::3]}
    kept = keep_features(table, [*wanted, "pair|no_such"], out=tmp_path / "kept.bin")
    assert kept.sparse_features == len(wanted)
    assert [rule.sparse for rule in kept] == [
        {name: value for name, value in rule.sparse.items() if name in wanted} for rule in table
    ]
    assert [rule.scores for rule in kept] == [rule.scores for rule in table]
    none = keep_features(table, [], out=tmp_path / "none.bin")
    assert none.sparse_features == 0
    assert not any(rule.sparse for rule in none)


def test_hashed_features_keep_their_places(extracted: RuleTable, tmp_path: Path) -> None:
    table = templated(extracted, tmp_path, "pairs", bits=6)
    every = sorted({name for rule in table for name in rule.sparse})
    kept = keep_features(table, every[:4], out=tmp_path / "kept.bin")
    assert kept.sparse_bits == 6
    assert {name for rule in kept for name in rule.sparse} == {*every[:4]}
