"""Tables take as little room as their numbers need, and say the same however they are packed."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.align import Links, Text
from demotic.decode import HieroDecoder
from demotic.errors import FormatError
from demotic.grammar import HieroExtraction, RuleTable, TemplateOptions, extract_hiero, filter_rules
from tests.oracles import container
from tests.oracles.rule_table import version_1

RULES = """[X] ||| a ||| b ||| A=0.5 B=-1 ||| 0-0
[X] ||| a ||| c d ||| A=1 B=-1 S1=2 T=3 ||| 0-1
[S] ||| a ||| b ||| A=2 B=-1 ||| 0-0
[X] ||| a [X,1] ||| b [X,1] ||| A=3 B=-1 S3=2 T=3 ||| 0-0
[X] ||| a [X,1] b [S,2] ||| c [S,2] d [X,1] ||| A=0.1 B=-1 ||| 0-0 2-2
[S] ||| b ||| e ||| A=5 B=-1 S5=2 T=3
[X] ||| c [X,1] d ||| e [X,1] f g ||| A=6 B=-1 ||| 0-0 2-2 2-3
"""
# What Demotic made of these rules when there was no version 2.
FILE_OF_VERSION_1 = "e94c0c599513d9d3d83df1cc7e8eeda83909c1e97ca711b5e0f9709f68e01a36"


def from_text(folder: Path, text: str) -> RuleTable:
    (folder / "rules.txt").write_text(text)
    return RuleTable.from_text(folder / "rules.txt", out=folder / "rules.bin", format="cdec")


def extracted(folder: Path) -> RuleTable:
    pairs = [
        ("a b c", "x y z", [(0, 0), (1, 1), (2, 2)]),
        ("b a c", "y x z", [(0, 0), (1, 1), (2, 2)]),
        ("a c", "x w z", [(0, 0), (1, 2)]),
        ("a b", "y x", [(0, 1), (1, 0)]),
    ]
    links = Links()
    for _, _, each in pairs:
        links.append(each)
    options = HieroExtraction(
        max_phrase=3, max_symbols=3, tight=False, sparse=TemplateOptions(templates=("pairs",))
    )
    source, target = Text.of(s for s, _, _ in pairs), Text.of(t for _, t, _ in pairs)
    return extract_hiero(source, target, links, out=folder / "rules.bin", options=options)


def sections(folder: Path) -> dict[bytes, bytes]:
    return container.sections((folder / "rules.bin").read_bytes())


# -- version 1 ---------------------------------------------------------------------------------


def test_the_oracle_writes_what_version_1_wrote(tmp_path: Path) -> None:
    table = from_text(tmp_path, RULES)
    written = version_1((tmp_path / "rules.bin").read_bytes(), table)
    assert hashlib.sha256(written).hexdigest() == FILE_OF_VERSION_1


@pytest.mark.parametrize("make", [lambda folder: from_text(folder, RULES), extracted])
def test_tables_of_version_1_say_the_same(make: object, tmp_path: Path) -> None:
    assert callable(make)
    today = make(tmp_path)
    (tmp_path / "old.bin").write_bytes(version_1((tmp_path / "rules.bin").read_bytes(), today))
    old = RuleTable.load(tmp_path / "old.bin", verify=True)
    assert len(old) > 5
    assert list(old) == list(today)
    assert (old.categories, old.feature_names) == (today.categories, today.feature_names)
    assert (old.nodes, old.has_counts) == (today.nodes, today.has_counts)
    assert old.shapes() == today.shapes()
    assert old.rules_for("a [X,1]") == today.rules_for("a [X,1]") != []
    weights = {name: 0.3 for name in today.feature_names} | {
        "Glue": -1.0,
        today.sparse_name(0): 0.1,
    }
    printed, derivations = [], []
    for table in (old, today):
        table.to_text(tmp_path / "printed", format="cdec")
        printed.append((tmp_path / "printed").read_text())
        decoder = HieroDecoder(table, None, weights)
        found = decoder.kbest("a b a c q a d", 20)
        derivations.append([(d.tokens, d.score, d.features) for d in found])
    assert printed[0] == printed[1]
    assert derivations[0] == derivations[1]


def test_what_is_made_of_a_table_of_version_1_is_of_version_2(tmp_path: Path) -> None:
    today = extracted(tmp_path)
    whole = (tmp_path / "rules.bin").read_bytes()
    (tmp_path / "old.bin").write_bytes(version_1(whole, today))
    old = RuleTable.load(tmp_path / "old.bin")
    again = filter_rules(old, ["a b c", "b a c", "a c"], out=tmp_path / "again.bin")
    assert list(again) == list(today)
    assert (tmp_path / "again.bin").read_bytes() == whole


def test_later_versions_are_refused(tmp_path: Path) -> None:
    from_text(tmp_path, RULES)
    later = container.container(b"rules", 3, sections(tmp_path))
    (tmp_path / "later.bin").write_bytes(later)
    with pytest.raises(FormatError, match="newer than this Demotic"):
        RuleTable.load(tmp_path / "later.bin")


# -- how numbers are packed --------------------------------------------------------------------


def columns(folder: Path) -> list[tuple[int, int]]:
    """Bits and values of each column of scores; those kept as they are have 32 and 0."""
    return list(struct.iter_unpack("<II", sections(folder)[b"score.columns"]))


def test_columns_of_few_values_take_few_bits(tmp_path: Path) -> None:
    rules = 5000
    lines = (
        f"[X] ||| w{i:04} ||| t ||| Same=1.5 Two={i % 2} Five={i % 5 / 7} Any={i / 7}\n"
        for i in range(rules)
    )
    table = from_text(tmp_path, "".join(lines))
    assert columns(tmp_path) == [(0, 1), (1, 2), (3, 5), (32, 0)]
    assert len(sections(tmp_path)[b"score.rows"]) == rules * 5 + 4
    for rule in table:
        i = int(rule.source[0][1:])
        expected = np.array([1.5, i % 2, i % 5 / 7, i / 7], np.float32)
        assert list(rule.scores.values()) == expected.tolist()


def test_what_has_too_many_values_stays_as_it_is(tmp_path: Path) -> None:
    """More values than a column may number, which is found out late; ids of three bytes."""
    rules = 70_000
    lines = (
        f"[X] ||| {i:05} ||| t{i:05} ||| A={max(i, 2000) % 68_000} B={i % 300}\n"
        for i in range(rules)
    )
    table = from_text(tmp_path, "".join(lines))
    assert columns(tmp_path) == [(32, 0), (9, 300)]
    assert len(sections(tmp_path)[b"targets"]) == 3 * rules + 1
    for i in (*range(0, rules, 997), 65_535, 65_536, 67_538, 69_999):
        rule = table[i]
        assert (rule.source, rule.target) == ((f"{i:05}",), (f"t{i:05}",))
        assert rule.scores == {"A": max(i, 2000) % 68_000, "B": i % 300}


def test_long_rows_and_far_links_have_room(tmp_path: Path) -> None:
    """240 words in a target side, over 255 rules of a source side, links beyond place 15."""
    long = " ".join(["x", "y"] * 120)
    source = " ".join("abcdefghijklmnopqrst")
    lines = [f"[X] ||| many ||| y{i} ||| A=1 ||| 0-0\n" for i in range(300)]
    lines.append(f"[X] ||| {source} ||| {long} ||| A=2 ||| 3-4 16-2 19-200\n")
    table = from_text(tmp_path, "".join(lines))
    names = set(sections(tmp_path))
    assert {b"target.blocks", b"rule.ends", b"link.blocks"} <= names
    [rule] = table.rules_for(source)
    assert (" ".join(rule.target), rule.links) == (long, ((3, 4), (16, 2), (19, 200)))
    assert sorted(rule.target for rule in table.rules_for("many")) == sorted(
        (f"y{i}",) for i in range(300)
    )
    for rule in table:
        assert rule in table.rules_for(" ".join(rule.source))


FEW = st.sampled_from([0.0, 1.0, -2.5, 1e-30])
MANY = st.floats(-(2.0**99), 2.0**99, width=32).map(lambda score: score + 0.0)  # no -0.0
SYMBOLS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


SIDES = st.tuples(SYMBOLS.map(tuple), SYMBOLS.map(tuple))
DRAWN = st.dictionaries(SIDES, st.tuples(FEW, MANY), min_size=1, max_size=40)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(DRAWN)
def test_nothing_is_lost(
    tmp_path: Path, rules: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[float, float]]
) -> None:
    text = ""
    for (source, target), (few, many) in rules.items():
        sides = f"{' '.join(source)} ||| {' '.join(target)}"
        links = f"0-{len(target) - 1} {len(source) - 1}-0"
        text += f"[X] ||| {sides} ||| A={few!r} B={many!r} ||| {links}\n"
    table = from_text(tmp_path, text)
    found = {(rule.source, rule.target): rule for rule in table}
    assert found.keys() == rules.keys()
    for (source, target), scores in rules.items():
        rule = found[source, target]
        bits = np.array([rule.scores["A"], rule.scores["B"]], np.float32).tobytes()
        assert bits == np.array(scores, np.float32).tobytes()
        assert set(rule.links) == {(0, len(target) - 1), (len(source) - 1, 0)}
    RuleTable.load(tmp_path / "rules.bin", verify=True)
