"""The binary form: round trips, and files that were damaged on purpose."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from demotic.errors import CorruptFileError, DemoticError, FileAccessError, FormatError
from demotic.forest import Forest
from tests.forest.test_exchange import same
from tests.forest.toys import Pair, pair, pairs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(case=pairs)
def test_binary_round_trip(case: Pair, tmp_path: Path) -> None:
    path = tmp_path / "one.forest"
    for forest in (case.forest, case.forest.refine(2, max_nodes=10**6)):
        forest.save(path)
        again = Forest.load(path)
        assert same(again, forest)
        assert again.to_json() == forest.to_json()


def test_the_same_forest_gives_the_same_bytes(tmp_path: Path) -> None:
    forest = pair(9).forest
    forest.save(tmp_path / "a")
    Forest.load(tmp_path / "a").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_only_used_words_and_rules_are_written(tmp_path: Path) -> None:
    case = next(c for c in map(pair, range(100)) if c.forest.prune(0.0).edges < c.forest.edges)
    small = case.forest.prune(0.0)
    small.save(tmp_path / "small")
    again = Forest.load(tmp_path / "small")
    assert len(again.core.rule_lhs) == len(set(small.edge_rule.tolist()))
    assert len(small.core.rule_lhs) > len(again.core.rule_lhs)


def test_truncated_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.forest"
    pair(9).forest.save(path)
    whole = path.read_bytes()
    for size in [0, 1, 63, 64, 500, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(DemoticError, match=r"cut\.forest"):
            Forest.load(path)


def test_a_flipped_bit_never_goes_unnoticed_inside_a_section(tmp_path: Path) -> None:
    path = tmp_path / "bit.forest"
    pair(9).forest.save(path)
    whole = path.read_bytes()
    before = Forest.load(path)
    rng = random.Random(1)
    for _ in range(300):
        at = rng.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with contextlib.suppress(CorruptFileError, FormatError):
            assert same(Forest.load(path), before)  # the bit was in the padding


def test_missing_and_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError):
        Forest.load(tmp_path / "none.forest")
    (tmp_path / "text").write_text("a text that is long enough to have a header " * 3, "utf-8")
    with pytest.raises(FormatError, match="not a Demotic binary file"):
        Forest.load(tmp_path / "text")
    with pytest.raises(FileAccessError, match="no such folder"):
        pair(1).forest.save(tmp_path / "no" / "folder")


def test_hostile_content_behind_good_checksums_is_refused(tmp_path: Path) -> None:
    forge = Forger(tmp_path / "hostile.forest", pair(9).forest)
    rng = np.random.default_rng(2)
    refused = 0
    for name in forge.sections():
        for _ in range(12):
            size = len(forge.content(name))
            if size == 0:
                continue
            kind = rng.integers(3)
            data = bytearray(forge.content(name))
            if kind == 0:
                data = bytearray(rng.bytes(size))
            elif kind == 1:
                data[int(rng.integers(size))] = 0xFF
            else:
                data = data[: int(rng.integers(size))]
            forge.write({name: bytes(data)})
            try:
                forest = Forest.load(forge.path)
            except DemoticError:
                refused += 1
                continue
            forest.viterbi()  # what is let through must be safe to use
            forest.kbest(5, unique=True)
            forest.posteriors()
            forest.expected_features()
            str(forest.viterbi().tokens)
    assert refused > 100


class Forger:
    """Rewrites sections of a container with checksums that fit (core/io/container.h)."""

    HEADER, ENTRY, ROOM = 64, 48, 64 + 80 * 48

    def __init__(self, path: Path, forest: Forest) -> None:
        self.path = path
        forest.save(path)
        self._whole = path.read_bytes()
        count = int.from_bytes(self._whole[28:32], "little")
        self._sections: dict[str, bytes] = {}
        for i in range(count):
            entry = self._whole[self.HEADER + i * self.ENTRY :][: self.ENTRY]
            offset = int.from_bytes(entry[24:32], "little")
            size = int.from_bytes(entry[32:40], "little")
            name = entry[:24].rstrip(b"\0").decode()
            self._sections[name] = self._whole[offset : offset + size]

    def sections(self) -> list[str]:
        return list(self._sections)

    def content(self, name: str) -> bytes:
        return self._sections[name]

    def write(self, changes: dict[str, bytes]) -> None:
        body = bytearray(self.ROOM)
        table = b""
        for name, content in (self._sections | changes).items():
            body += bytes(-len(body) % 64)
            check = (_mix(_checksum(content)) + 1) & _MASK
            fields = (len(body), len(content), check)
            table += name.encode().ljust(24, b"\0")
            table += b"".join(f.to_bytes(8, "little") for f in fields)
            body += content
        header = self._whole[:32] + len(body).to_bytes(8, "little")
        header += _checksum(table).to_bytes(8, "little")
        header += _checksum(header).to_bytes(8, "little") + bytes(8)
        body[: len(header)] = header
        body[self.HEADER : self.HEADER + len(table)] = table
        self.path.write_bytes(body)


_MASK = (1 << 64) - 1
_PRIME = 0x9E3779B185EBCA87


def _mix(x: int) -> int:
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & _MASK
    x ^= x >> 29
    x = x * 0xD6E8FEB86659FD93 & _MASK
    return x ^ (x >> 32)


def _checksum(data: bytes) -> int:
    """core/io/checksum.h."""
    lanes = [_PRIME * (2 * i + 1) & _MASK for i in range(8)]
    at = 0
    while len(data) - at >= 64:
        for i in range(8):
            word = int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little")
            product = (lanes[i] ^ word) * _PRIME & _MASK
            lanes[i] = (product << 31 | product >> 33) & _MASK
        at += 64
    h = _mix(len(data) + 1)
    for lane in lanes:
        h = (_mix(h ^ lane) + _PRIME) & _MASK
    while len(data) - at >= 8:
        h = (_mix(h ^ int.from_bytes(data[at : at + 8], "little")) + _PRIME) & _MASK
        at += 8
    return _mix(h ^ int.from_bytes(data[at:], "little"))
