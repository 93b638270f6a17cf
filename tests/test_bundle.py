"""Bundles: complete or absent, and never silently damaged."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from demotic import archive as archives
from demotic import bundle as bundles
from demotic.bundle import ABOUT, About, Bundle
from demotic.cache import Remembered
from demotic.errors import ArgumentError, CorruptFileError, DemoticError, FileAccessError

KIND = About(
    system="hiero",
    source_language="de",
    target_language="en",
    config={"lm": {"order": 4}},
    dev={"metric": "BLEU", "value": 41.5},
    provenance={"pairs": 3},
)
PARTS = {"rules.bin": b"rules " * 500, "weights.json": b'{"a": 1.0}\n', "empty.bin": b""}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(params=["model", "model.demotic"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same bundle as a folder and as one file."""
    return write(tmp_path / str(request.param))


def write(path: Path, parts: dict[str, bytes] = PARTS) -> Path:
    with Bundle.create(path, KIND) as folder:
        for name, content in parts.items():
            (folder / name).write_bytes(content)
    return path


def test_what_was_written_is_read(path: Path) -> None:
    bundle = Bundle.open(path)
    assert bundle.about == KIND
    assert {name: bundle.path(name).read_bytes() for name in bundle.parts} == PARTS


def test_the_same_parts_give_the_same_archive(tmp_path: Path) -> None:
    one, two = write(tmp_path / "a.demotic"), write(tmp_path / "b.demotic")
    assert one.read_bytes() == two.read_bytes()


def test_archive_members_are_stored_not_compressed(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "a.demotic")) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


def test_a_failure_leaves_what_was_there(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Bundle.create(path, KIND) as folder:
        (folder / "rules.bin").write_bytes(b"%d" % (1 // 0))
    assert Bundle.open(path).path("rules.bin").read_bytes() == PARTS["rules.bin"]
    assert {each.name for each in path.parent.iterdir()} <= {path.name, "cache"}


def test_copies_in_both_forms_are_equal(path: Path, tmp_path: Path) -> None:
    for name in ("copy", "copy.demotic"):
        Bundle.open(path).copy(tmp_path / name)
        copied = Bundle.open(tmp_path / name)
        assert copied.about == KIND
        assert {part: copied.path(part).read_bytes() for part in copied.parts} == PARTS


@pytest.mark.parametrize("part", ["rules.bin", "weights.json"])
def test_a_flipped_bit_is_found(tmp_path: Path, part: str) -> None:
    target = write(tmp_path / "model") / part
    Bundle.open(tmp_path / "model")
    content = bytearray(target.read_bytes())
    content[3] ^= 4
    target.write_bytes(content)
    with pytest.raises(CorruptFileError, match=f"{part} has changed"):
        Bundle.open(tmp_path / "model")
    with pytest.raises(CorruptFileError, match=f"{part} has changed"):
        Bundle.open(tmp_path / "model", verify=True)


def test_every_flipped_byte_of_the_description_is_found_or_harmless(tmp_path: Path) -> None:
    about = write(tmp_path / "model") / ABOUT
    right = Bundle.open(tmp_path / "model")
    content = about.read_bytes()
    found = 0
    for place in range(len(content)):
        about.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            bundle = Bundle.open(tmp_path / "model")
        except CorruptFileError:
            found += 1
            continue
        assert (bundle.about, bundle.parts) == (right.about, right.parts)
    assert found > len(content.split()) * 3


def test_every_flipped_byte_of_an_archive_is_found_or_harmless(tmp_path: Path) -> None:
    path = write(tmp_path / "model.demotic", {"weights.json": b'{"a": 1.0}\n'})
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        flipped = bytearray(content)
        flipped[place] ^= 0x10
        path.write_bytes(flipped)
        try:
            bundle = Bundle.open(path)
        except DemoticError:
            continue
        assert bundle.path("weights.json").read_bytes() == b'{"a": 1.0}\n'


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_truncated_archive_is_an_error(tmp_path: Path, share: float) -> None:
    path = write(tmp_path / "model.demotic")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(CorruptFileError, match="damaged"):
        Bundle.open(path)


def test_a_truncated_part_says_how_much_is_missing(tmp_path: Path) -> None:
    part = write(tmp_path / "model") / "rules.bin"
    part.write_bytes(part.read_bytes()[:1000])
    with pytest.raises(CorruptFileError, match=r"has 1,000 bytes and should have 3,000"):
        Bundle.open(tmp_path / "model")


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    (write(tmp_path / "model") / "rules.bin").unlink()
    with pytest.raises(CorruptFileError, match=r"rules\.bin is missing"):
        Bundle.open(tmp_path / "model")
    with pytest.raises(CorruptFileError, match=r"no part lm\.bin"):
        Bundle.open(write(tmp_path / "other")).path("lm.bin")


def test_a_newer_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    about = write(tmp_path / "model") / ABOUT
    record = json.loads(about.read_text())
    about.write_text(json.dumps({**record, "schema": bundles.SCHEMA + 1}))
    with pytest.raises(CorruptFileError, match="upgrade Demotic"):
        Bundle.open(tmp_path / "model")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "null", '{"format": "demotic model"}', "[" * 100_000, '{"format": 7}'],
)
def test_a_nonsense_description_is_an_error(tmp_path: Path, content: str) -> None:
    (write(tmp_path / "model") / ABOUT).write_text(content)
    with pytest.raises(CorruptFileError, match="cannot be read"):
        Bundle.open(tmp_path / "model")


def forge(path: Path, **fields: object) -> None:
    """Whoever forges a description can forge its digest."""
    record = json.loads((path / ABOUT).read_text())
    del record["sha256"]
    (path / ABOUT).write_text(json.dumps({**record, **fields}))


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -1, 1 << 63, "7", 1.5, True, None])
@pytest.mark.parametrize("field", ["schema", "bytes"])
def test_what_is_no_number_of_bytes_or_version_is_an_error(
    tmp_path: Path, field: str, number: object
) -> None:
    path = write(tmp_path / "model")
    part = {"bytes": number, "sha256": ""}
    forge(path, **({"schema": number} if field == "schema" else {"parts": {"rules.bin": part}}))
    with pytest.raises(CorruptFileError, match="cannot be read"):
        Bundle.open(path)


def test_a_description_without_bottom_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "model")
    deep: list[object] = []
    for _ in range(60):
        deep = [deep]
    forge(path, provenance={"deep": deep})
    with pytest.raises(CorruptFileError, match="50 sections in one another"):
        Bundle.open(path)


@pytest.mark.parametrize("name", ["model", "model.demotic"])
def test_a_description_without_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = write(tmp_path / name)
    monkeypatch.setattr(bundles, "MOST_ABOUT", 200)
    monkeypatch.setattr(archives, "MOST_ABOUT", 200)
    read = []
    parse = bundles.parse_about

    def watched(content: bytes, *, compare: bool = True) -> object:
        read.append(len(content))
        return parse(content, compare=compare)

    monkeypatch.setattr(bundles, "parse_about", watched)
    monkeypatch.setattr(archives, "parse_about", watched)
    with pytest.raises(CorruptFileError, match="more than 200 bytes"):
        Bundle.open(path)
    assert read == [201]


def repacked(path: Path, **settings: int) -> Path:
    """The same members in another archive."""
    other = path.with_name("other.demotic")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w", **settings) as new:  # type: ignore[call-overload]
        for name in old.namelist():
            new.writestr(name, old.read(name))
    return other


def test_compressed_members_are_refused_before_they_are_unpacked(
    tmp_path: Path, cache: Path
) -> None:
    path = repacked(write(tmp_path / "a.demotic"), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(CorruptFileError, match=r"compressed.*unzip"):
        Bundle.open(path)
    assert not (cache / "demotic" / "models").exists()


def test_archives_that_grow_are_refused_before_they_are_unpacked(
    tmp_path: Path, cache: Path
) -> None:
    """Many members, one content: their places in the archive overlap."""
    parts = {f"{number:03}.bin": bytes(50_000) for number in range(20)}
    whole = write(tmp_path / "a.demotic", parts).read_bytes()
    with zipfile.ZipFile(tmp_path / "a.demotic") as archive:
        about = archive.read(ABOUT)
    path = tmp_path / "b.demotic"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(ABOUT), about)
        archive.writestr(zipfile.ZipInfo("000.bin"), parts["000.bin"])
        first = archive.getinfo("000.bin")
        for name in list(parts)[1:]:
            same = zipfile.ZipInfo(name)
            for field in ("header_offset", "CRC", "compress_size", "file_size"):
                setattr(same, field, getattr(first, field))
            archive.filelist.append(same)
            archive.NameToInfo[name] = same
    assert path.stat().st_size < len(whole) / 10
    with pytest.raises(CorruptFileError, match="overlap"):
        Bundle.open(path)
    assert not (cache / "demotic" / "models").exists()


def damage_unseen(path: Path) -> None:
    """As a disk does, or somebody who sets the clock: size, times and file number stay."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_damage_with_the_old_time_is_found(tmp_path: Path) -> None:
    path = write(tmp_path / "model")
    assert not Bundle.open(path).compared
    damage_unseen(path / "rules.bin")
    with pytest.raises(CorruptFileError, match=r"rules\.bin has changed"):
        Bundle.open(path)


def unchanging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Remembered, "_stamp", lambda self: [1])


@pytest.mark.parametrize("name", ["model", "model.demotic"])
def test_damage_that_was_found_once_is_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unchanging(monkeypatch)
    path = write(tmp_path / name)
    Bundle.open(path)
    damaged = path if path.is_file() else path / "rules.bin"
    content = bytearray(damaged.read_bytes())
    content[content.index(b"rules rules")] ^= 1
    damaged.write_bytes(content)
    Bundle.open(path)  # it was compared before, for all that can be seen
    with pytest.raises(CorruptFileError, match=r"rules\.bin has changed|Bad CRC"):
        Bundle.open(path, verify=True)
    if path.is_dir():  # of a file there is a sound copy in the cache
        with pytest.raises(CorruptFileError, match=r"rules\.bin has changed"):
            Bundle.open(path)


def test_a_bundle_says_whether_it_was_compared(tmp_path: Path) -> None:
    path = write(tmp_path / "model")
    (path / "rules.bin").touch()
    found = [Bundle.open(path, verify=verify).compared for verify in (None, True, None, False)]
    assert found == [False, True, False, False]


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", ABOUT, ""])
def test_parts_stay_in_the_bundle(tmp_path: Path, name: str) -> None:
    about = write(tmp_path / "model") / ABOUT
    record = json.loads(about.read_text())
    record["parts"][name] = {"bytes": 1, "sha256": ""}
    del record["sha256"]  # whoever forges a description can forge its digest
    about.write_text(json.dumps(record))
    with pytest.raises(CorruptFileError, match="a part of the model is called"):
        Bundle.open(tmp_path / "model")


def test_what_was_compared_once_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "model")
    monkeypatch.setattr(bundles, "_checksum", lambda path: pytest.fail(f"{path} was read"))
    Bundle.open(path)
    os.utime(path / "rules.bin")
    with pytest.raises(pytest.fail.Exception, match=r"rules\.bin was read"):
        Bundle.open(path)


def test_a_part_with_a_forged_checksum_is_found_by_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "model")
    (path / "rules.bin").write_bytes(b"x" * len(PARTS["rules.bin"]))
    parts = Bundle.open(path, verify=False).parts
    monkeypatch.setattr(bundles, "_checksum", lambda path: parts[path.name].checksum)
    with pytest.raises(CorruptFileError, match=r"rules\.bin has changed"):
        Bundle.open(path, verify=True)


def test_bundles_without_fast_checksums_are_compared_by_their_digests(tmp_path: Path) -> None:
    path = write(tmp_path / "model")
    about = path / ABOUT
    record = json.loads(about.read_text())
    for part in record["parts"].values():
        del part["checksum"]
    del record["sha256"]
    about.write_text(json.dumps(record))
    (path / "rules.bin").touch()
    assert Bundle.open(path).about == KIND
    (path / "rules.bin").write_bytes(b"x" * len(PARTS["rules.bin"]))
    with pytest.raises(CorruptFileError, match=r"rules\.bin has changed"):
        Bundle.open(path)


def test_without_a_cache_everything_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert Bundle.open(write(tmp_path / "model")).about == KIND


def test_a_damaged_cache_is_repaired_from_the_archive(tmp_path: Path) -> None:
    path = write(tmp_path / "model.demotic")
    Bundle.open(path).path("rules.bin").write_bytes(b"x" * len(PARTS["rules.bin"]))
    assert Bundle.open(path).path("rules.bin").read_bytes() == PARTS["rules.bin"]


def test_the_cache_keeps_a_few_models(tmp_path: Path, cache: Path) -> None:
    for number in range(11):
        path = write(tmp_path / f"{number}.demotic", {"part": str(number).encode()})
        Bundle.open(path)
    assert len(list((cache / "demotic" / "models").iterdir())) == 8
    assert Bundle.open(tmp_path / "0.demotic").path("part").read_bytes() == b"0"


def test_other_peoples_files_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary").write_text("dear")
    (tmp_path / "file").write_text("text")
    for name in ("notes", "file", "notes/none/model"):
        with (
            pytest.raises((ArgumentError, FileAccessError)),
            Bundle.create(tmp_path / name, KIND),
        ):
            pass
    assert (tmp_path / "notes" / "diary").read_text() == "dear"


def test_a_missing_or_foreign_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="no such model"):
        Bundle.open(tmp_path / "none")
    with pytest.raises(CorruptFileError, match="not a model"):
        Bundle.open(tmp_path)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(CorruptFileError, match="not a model"):
        Bundle.open(tmp_path / "text")
