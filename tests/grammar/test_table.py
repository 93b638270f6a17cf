"""Rule tables on disk: order, look-up, and files that were damaged or forged."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from pathlib import Path

import pytest

from demotic.errors import CorruptFileError, DemoticError, FormatError
from demotic.grammar import RuleTable, filter_rules
from tests.oracles import container

TEXT = "".join(
    f"[{lhs}] ||| {source} ||| {target} ||| A={number} B=-1 {f'S{number}=2 T=3 ' * (number % 2)}"
    "||| 0-0\n"
    for number, (lhs, source, target) in enumerate(
        [
            ("X", "a", "b"),
            ("X", "a", "c d"),
            ("S", "a", "b"),
            ("X", "a [X,1]", "b [X,1]"),
            ("X", "a [X,1] b [S,2]", "c [S,2] d [X,1]"),
            ("S", "b", "e"),
            ("X", "c [X,1] d", "e [X,1] f g"),
        ]
    )
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "rules.txt").write_text(TEXT)
    RuleTable.from_text(tmp_path / "rules.txt", out=tmp_path / "rules.bin", format="cdec")
    return tmp_path / "rules.bin"


def use(table: RuleTable, folder: Path) -> None:
    """Look at everything."""
    for rule in range(len(table)):
        table.source_symbols(rule)
        table.target_symbols(rule)
        table.scores(rule)
        table.links(rule)
        table.origins(rule)
        table.counts(rule)
        table.sparse_scores(rule)
        table.lhs(rule)
    table.rules_for("a [X,1] b [S,2]")
    table.shapes()
    filter_rules(table, ["a b c d e", "a a a"], out=folder / "filtered.bin")
    table.to_text(folder / "printed", format="cdec")


def test_shapes_count_what_is_in_the_table(path: Path) -> None:
    table = RuleTable.load(path)
    rules: Counter[str] = Counter()
    sources: dict[str, set[tuple[int, ...]]] = {}
    swapped: Counter[str] = Counter()
    for rule in range(len(table)):
        symbols = table.source_symbols(rule)
        signs = ["w" if symbol >= 0 else "X" for symbol in symbols]
        shape = " ".join(s for i, s in enumerate(signs) if s == "X" or signs[i - 1 : i] != ["w"])
        rules[shape] += 1
        sources.setdefault(shape, set()).add(tuple(symbols))
        slots = [-1 - symbol for symbol in table.target_symbols(rule) if symbol < 0]
        swapped[shape] += slots != sorted(slots)
    assert len(rules) == 4
    assert sorted(table.shapes()) == sorted(
        (shape, len(sources[shape]), rules[shape], swapped[shape]) for shape in rules
    )
    assert sum(swapped.values()) == 1


def test_rules_of_one_source_side_are_neighbours_in_ascending_order(path: Path) -> None:
    table = RuleTable.load(path)
    keys = [
        (table.source_symbols(rule), table.lhs(rule), table.target_symbols(rule))
        for rule in range(len(table))
    ]
    assert keys == sorted(keys)
    assert len(table.rules_for("a")) == 3
    assert [rule.lhs for rule in table.rules_for("a")] == ["X", "X", "S"]
    for rule in table:
        assert rule in table.rules_for(" ".join(rule.source))
    assert table.rules_for("[X,1]") == table.rules_for("[Q,1]") == []


def test_indices_count_from_both_ends(path: Path) -> None:
    table = RuleTable.load(path)
    assert table[-1] == table[len(table) - 1]
    with pytest.raises(IndexError):
        table[len(table)]
    with pytest.raises(IndexError):
        table.scores(len(table))


def test_every_flipped_bit_is_found(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    rng = random.Random(1)
    damaged = tmp_path / "damaged.bin"
    refused = 0
    for _ in range(300):
        at = rng.randrange(len(content) * 8)
        changed = bytearray(content)
        changed[at // 8] ^= 1 << at % 8
        damaged.write_bytes(changed)
        try:
            table = RuleTable.load(damaged)
        except DemoticError as error:
            refused += str(error).startswith(str(damaged))
        else:  # padding between sections, which nobody reads
            assert list(table) == list(RuleTable.load(path))
    assert refused > 100


@pytest.mark.parametrize("size", [0, 7, 63, 64, 500, -1])
def test_a_truncated_file_is_refused(size: int, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises((CorruptFileError, FormatError)):
        RuleTable.load(path)


SECTIONS = {
    "layout": 4,
    "slots": 4,
    "parents": 1,
    "symbols": 1,
    "rule.blocks": 12,
    "lhs": 1,
    "targets": 1,
    "target.blocks": 12,
    "links": 1,
    "link.blocks": 12,
    "origins": 1,
    "origin.blocks": 12,
    "score.columns": 8,
    "score.values": 4,
    "score.rows": 1,
    "sparse.ends": 8,
    "sparse.ids": 4,
    "sparse.values": 4,
    "sparse.names.numbers": 4,
    "sparse.names.ends": 8,
    "sparse.names.slots": 4,
    "source.vocab.ends": 8,
    "source.vocab.slots": 4,
}


@pytest.mark.parametrize("section", SECTIONS)
def test_forged_files_never_crash(section: str, path: Path, tmp_path: Path) -> None:
    """Checksums that fit, content that does not: an error, or wrong rules, and an end to it."""
    rng = random.Random(section)
    name = section.encode()
    parts = container.sections(path.read_bytes())
    forged = tmp_path / "forged.bin"
    for _ in range(40):
        content = bytearray(parts[name])
        for _ in range(rng.randint(1, 3)):
            if not content:
                break
            at = rng.randrange(len(content) // 4) * 4 if len(content) >= 4 else 0
            value = rng.choice([0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 3])
            content[at : at + 4] = value.to_bytes(4, "little")[: len(content) - at]
        forged.write_bytes(container.container(b"rules", 2, {**parts, name: bytes(content)}))
        for verify in (True, False):
            with contextlib.suppress(DemoticError):
                use(RuleTable.load(forged, verify=verify), tmp_path)


def test_sections_of_wrong_length_are_refused(path: Path, tmp_path: Path) -> None:
    parts = container.sections(path.read_bytes())
    forged = tmp_path / "forged.bin"
    for section, size in list(SECTIONS.items())[:-4]:
        name = section.encode()
        for content in (b"", parts[name][:-size], parts[name] + parts[name][-size:]):
            forged.write_bytes(container.container(b"rules", 2, {**parts, name: content}))
            try:
                use(RuleTable.load(forged), tmp_path)
            except DemoticError:
                continue
            # Nothing but room at the end of a pool may go unnoticed.
            assert content == parts[name], section


FORGED_SPARSE = {
    "an id beyond the names": ("sparse.ids", 99),
    "ids that do not ascend": ("sparse.ids", 3),
    "a value that is no number": ("sparse.values", 0x7FC00000),
}


@pytest.mark.parametrize("fault", FORGED_SPARSE)
def test_forged_sparse_features_are_found(fault: str, path: Path, tmp_path: Path) -> None:
    section, value = FORGED_SPARSE[fault]
    parts = container.sections(path.read_bytes())
    content = bytearray(parts[section.encode()])
    content[:4] = value.to_bytes(4, "little")
    forged = tmp_path / "forged.bin"
    forged.write_bytes(
        container.container(b"rules", 2, {**parts, section.encode(): bytes(content)})
    )
    with pytest.raises(CorruptFileError):
        RuleTable.load(forged)


def test_sparse_features_are_those_of_the_rules(path: Path) -> None:
    table = RuleTable.load(path)
    assert sorted(table.sparse_name(id) for id in range(table.sparse_features)) == [
        "S1", "S3", "S5", "T",
    ]  # fmt: skip
    assert table.sparse_values == 6
    for rule in table:
        number = int(rule.scores["A"])
        assert rule.sparse == ({f"S{number}": 2, "T": 3} if number % 2 else {})
    assert table.find_sparse("S2") is None
    with pytest.raises(IndexError):
        table.sparse_name(table.sparse_features)
    with pytest.raises(IndexError):
        table.sparse(len(table))


def test_another_kind_of_file_is_refused(path: Path, tmp_path: Path) -> None:
    parts = container.sections(path.read_bytes())
    (tmp_path / "lm.bin").write_bytes(container.container(b"lm", 1, parts))
    with pytest.raises((CorruptFileError, FormatError)):
        RuleTable.load(tmp_path / "lm.bin")
    with pytest.raises((CorruptFileError, FormatError)):
        RuleTable.load(tmp_path / "rules.txt")
