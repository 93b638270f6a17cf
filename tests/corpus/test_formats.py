"""Lists, folders, detection of formats, and languages of several files together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demotic import Bitext, read_bitext
from demotic.corpus import detect_format
from demotic.corpus.language import choose, matches, normalise
from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.progress import PlainProgress

PO = 'msgid ""\nmsgstr "Language: {}\\n"\n\nmsgid "po"\nmsgstr "PO"\n'
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>tmx</seg></tuv>'
    '<tuv xml:lang="fr"><seg>TMX</seg></tuv></tu></body></tmx>'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "README").write_text("not a corpus\n")
    (tmp_path / "b.po").write_text(PO.format("fr"))
    (tmp_path / "sub" / "a.tmx").write_text(TMX)
    (tmp_path / "c.en").write_text("plain\n")
    (tmp_path / "c.fr").write_text("PLAIN\n")
    (tmp_path / "d.tsv").write_text("tsv\tTSV\n")
    return tmp_path


def test_folder_holds_many_formats(folder: Path) -> None:
    bitext = read_bitext(folder, source="en", target="fr")
    found = [(Path(pair.file).name, pair.source, pair.target) for pair in bitext]
    assert found == [
        ("b.po", "po", "PO"),
        ("c.en", "plain", "PLAIN"),
        ("d.tsv", "tsv", "TSV"),
        ("a.tmx", "tmx", "TMX"),
    ]


def test_list_keeps_its_order_and_takes_pairs_of_files(folder: Path) -> None:
    files = [folder / "d.tsv", (folder / "c.fr", folder / "c.en"), str(folder / "b.po")]
    assert list(read_bitext(files).source_lines()) == ["tsv", "PLAIN", "PO"]


def test_languages_of_the_first_file_hold_for_the_others(folder: Path) -> None:
    (folder / "german.po").write_text(PO.format("de"))
    bitext = read_bitext([folder / "b.po", folder / "german.po"])
    assert (len(bitext), bitext.target_language) == (1, "fr")
    assert bitext.skipped == {"in other languages": 1}


def test_one_file_may_be_empty_but_not_all(folder: Path) -> None:
    (folder / "empty.tsv").write_text("")
    assert len(read_bitext([folder / "empty.tsv", folder / "d.tsv"])) == 1
    with pytest.raises(FormatError, match=r"empty.tsv: no sentence pairs"):
        read_bitext([folder / "empty.tsv"])


def test_error_in_one_of_several_files_names_it(folder: Path) -> None:
    (folder / "bad.tsv").write_text("a\tb\nc\n")
    with pytest.raises(FormatError, match=r"bad.tsv:2"):
        read_bitext([folder / "d.tsv", folder / "bad.tsv"], strict=True)


def test_bad_calls_are_explained(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"unknown format: doc \(one of plain, tsv"):
        read_bitext(folder / "d.tsv", format="doc")
    with pytest.raises(ArgumentError, match="empty list"):
        read_bitext([])
    with pytest.raises(ArgumentError, match="put the pair in the list"):
        read_bitext([folder / "d.tsv"], folder / "c.fr")
    with pytest.raises(ArgumentError, match="standard input can be of any format"):
        read_bitext("-")
    with pytest.raises(ArgumentError, match="two files"):
        read_bitext(folder / "c.en", folder / "c.fr", format="tmx")
    with pytest.raises(FileAccessError, match=r"missing.tmx: No such file"):
        read_bitext(folder / "missing.tmx")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(FileAccessError, match="no file of a known format"):
        read_bitext(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.tsv", "anything", "tsv"),
        ("a.po.gz", "anything", "po"),
        ("a.SDLXLIFF", "anything", "xliff"),
        ("a", "one\ttwo\n", "tsv"),
        ("a", PO, "po"),
        ("a", TMX, "tmx"),
        ("a.xml", "<?xml version='1.0'?>\n<xliff version='1.2'/>", "xliff"),
        ("a.txt", "one line\n", "plain"),
        ("a", "", "plain"),
    ],
)
def test_format_is_detected(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert detect_format(path) == expected


def test_standard_input_is_read_when_its_format_is_given(folder: Path) -> None:
    code = "import demotic; print(*demotic.read_bitext('-', format='tsv').target_lines())"
    with (folder / "d.tsv").open() as file:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    assert done.stdout == "TSV\n"


def test_progress_counts_pairs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_bitext(folder / "d.tsv", progress=PlainProgress())
    assert capsys.readouterr().err.startswith("reading: 1 pairs")


def test_bitext_is_exported() -> None:
    assert isinstance(Bitext.from_pairs([("a", "b")]), Bitext)


def test_language_codes() -> None:
    assert normalise(" pt_BR.UTF-8@euro") == "pt-br"
    assert matches("en", "EN_us")
    assert matches("en-US", "en")
    assert not matches("en-US", "en-GB")
    assert not matches("de", "deu")
    assert choose("en", ["fr", "en-US", "en"]) == 2
    assert choose("en", ["en-US", "en-GB"]) == 0
    assert choose("en-US", ["en-GB", "en"]) == 1
    assert choose("de", ["fr"]) is None
