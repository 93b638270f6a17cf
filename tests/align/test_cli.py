"""The command ``demotic align``, run as users run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from demotic.align import LexicalTable, pharaoh
from demotic.cli import app

SOURCE = "das Haus\ndas Buch\nein Buch\nein Haus\ndas Haus ist klein\n"
TARGET = "the house\nthe book\na book\na house\nthe house is small\n"
LINKS = "0-0 1-1\n0-0 1-1\n0-0 1-1\n0-0 1-1\n0-0 1-1 2-2 3-3\n"


def demotic(
    folder: Path, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("demotic")), "align", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s").write_text(SOURCE)
    (tmp_path / "t").write_text(TARGET)
    (tmp_path / "links").write_text(LINKS)
    return tmp_path


TEXTS = ("--source", "s", "--target", "t")
GIVEN = (*TEXTS, "--method", "links", "--quiet")


def test_the_builtin_aligner_learns_and_aligns_new_text_later(folder: Path) -> None:
    train = demotic(
        folder, *TEXTS, "--out", "out", "--forward", "f", "--backward", "b", "--save-model", "m"
    )
    assert train.returncode == 0, train.stderr
    assert (folder / "out").read_text() == LINKS
    for way, side in (("f", 1), ("b", 0)):
        for line in pharaoh.read(folder / way):
            assert len({link[side] for link in line}) == len(line)
    (folder / "s2").write_text("ein Haus ist das Buch\n")
    (folder / "t2").write_text("a house is the book\n")
    new = demotic(folder, "--source", "s2", "--target", "t2", "--model", "m", "--out", "-")
    assert new.returncode == 0, new.stderr
    assert new.stdout == "0-0 1-1 2-2 3-3 4-4\n"


def test_the_output_is_the_same_for_any_number_of_threads(folder: Path) -> None:
    outputs = [
        demotic(folder, *TEXTS, "--quiet", "--out", "-", "--threads", n).stdout for n in "124"
    ]
    assert outputs[0]
    assert outputs == outputs[:1] * 3


def test_json_lines_hold_tokens_and_links(folder: Path) -> None:
    done = demotic(folder, *GIVEN, "--out", "-", "--format", "json")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(records) == 5
    assert records[4] == {
        "source": ["das", "Haus", "ist", "klein"],
        "target": ["the", "house", "is", "small"],
        "links": [[0, 0], [1, 1], [2, 2], [3, 3]],
    }


def test_lexical_tables_come_as_text_and_binary(folder: Path) -> None:
    assert demotic(folder, *GIVEN, "--lexical", "lex").returncode == 0
    for table in (LexicalTable.read(folder / "lex"), LexicalTable.load(folder / "lex.bin")):
        assert table.target_given_source("Haus", "house") == 1
        assert table.target_given_source("das", "the") == 1
    assert "house Haus 1.0000000\n" in (folder / "lex.f2e").read_text()


def test_the_error_rate_is_printed_for_the_first_lines(folder: Path) -> None:
    (folder / "gold").write_text("1-1 2-2\n1-1 1?2 2p2\n")
    done = demotic(folder, *GIVEN, "--reference-sure", "gold", "--reference-one-based")
    # Four links, all of them possible; three are sure, all found.
    assert done.stdout == "AER 0.00 (precision 100.00, recall 100.00, F 100.00)\n"
    (folder / "possible").write_text("1-1\n2-1\n")
    done = demotic(
        folder, *GIVEN, "--reference-sure", "possible", "--reference-possible", "gold",
        "--reference-one-based", "--out", "-",
    )  # fmt: skip
    assert done.stdout == LINKS
    assert done.stderr.startswith("AER 16.67 (precision 100.00, recall 50.00")


def test_the_page_shows_the_matrices_and_nothing_from_outside(folder: Path) -> None:
    (folder / "s").write_text(SOURCE.replace("klein", "<script>&"))
    done = demotic(folder, *GIVEN, "--html", "p.html", "--html-pairs", "5")
    assert done.returncode == 0, done.stderr
    page = (folder / "p.html").read_text()
    assert page.count("<figure>") == 5
    assert page.count('<rect class="both"') == 1 + 12  # the legend's, and one for each link
    assert "&lt;script&gt;&amp;" in page
    assert "<script" not in page
    assert "http" not in page


def test_raw_localisation_files_are_tokenised_first(folder: Path) -> None:
    (folder / "m.tsv").write_text(
        "Delete the file?\tDatei löschen?\nOpen the file.\tDatei öffnen.\n"
    )
    done = demotic(
        folder, "--bitext", "m.tsv", "--from", "en", "--to", "de", "--tokenise",
        "--out", "-", "--format", "json", "--tokens", "tok", "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout.splitlines()[0])
    assert first["source"][-1].endswith("?")
    assert len(first["source"]) > len(["Delete", "the", "file?"])
    assert (folder / "tok.source").read_text().splitlines()[0].split() == first["source"]
    assert (folder / "tok.target").read_text().count("\n") == 2


def test_text_may_come_from_the_standard_input(folder: Path) -> None:
    done = demotic(
        folder, "--source", "-", "--target", "t", "--method", "links", "--out", "-", "-q",
        stdin=SOURCE,
    )  # fmt: skip
    assert done.stdout == LINKS


def test_a_single_line_and_a_line_of_5000_words_are_aligned(folder: Path) -> None:
    long = " ".join(f"w{n}" for n in range(5000))
    (folder / "s").write_text(f"{long}\n")
    (folder / "t").write_text(f"{long}\n")
    done = demotic(folder, *TEXTS, "--out", "out", "--html", "p.html", "--quiet")
    assert done.returncode == 0, done.stderr
    links = pharaoh.read(folder / "out")
    assert len(links) == 1
    assert all(i < 5000 and j < 5000 for i, j in links[0])
    assert "the first 60 words shown" in (folder / "p.html").read_text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SOURCE + "noch eins\n", "t:6: ends after 5 lines, but s has 6"),
        ("", "s:1: ends after 0 lines, but t has 5"),
        ("das \x00 Haus\n", "s:1: a binary file"),
    ],
)
def test_bad_texts_are_named_and_earlier_files_stay(
    folder: Path, content: str, message: str
) -> None:
    (folder / "s").write_text(content)
    (folder / "out").write_text("earlier\n")
    done = demotic(folder, *TEXTS, "--out", "out", "--save-model", "m", "--lexical", "lex")
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "out").read_text() == "earlier\n"
    assert names_in(folder) == ["links", "out", "s", "t"]


def test_an_empty_corpus_is_refused(folder: Path) -> None:
    (folder / "s").write_text("")
    (folder / "t").write_text("")
    done = demotic(folder, *TEXTS, "--out", "out")
    assert (done.returncode, "no sentences to align" in done.stderr) == (1, True)


def test_links_out_of_range_are_refused_with_file_and_line(folder: Path) -> None:
    (folder / "links").write_text(LINKS.replace("3-3", "3-4"))
    done = demotic(folder, *GIVEN, "--out", "out")
    assert done.returncode == 1
    assert "links:5: target position 4 is outside a sentence of 4 words" in done.stderr


@pytest.mark.parametrize("out", ["nowhere/out", "."])
def test_an_unwritable_output_is_refused_and_nothing_else_written(folder: Path, out: str) -> None:
    done = demotic(
        folder, *GIVEN, "--out", out, "--forward", "f", "--lexical", "lex", "--html", "p"
    )
    assert done.returncode in (1, 2)
    done = demotic(folder, *GIVEN, "--out", out, "--lexical", "lex", "--html", "p")
    assert done.returncode == (1 if out == "." else 2)
    assert out.split("/")[0] in done.stderr
    assert "Traceback" not in done.stderr
    assert names_in(folder) == ["links", "s", "t"]


def test_a_full_disk_leaves_every_earlier_file(folder: Path) -> None:
    (folder / "lex.f2e").write_text("earlier\n")
    done = demotic(folder, *GIVEN, "--out", "/dev/full", "--lexical", "lex")
    assert done.returncode == 1
    assert "No space left" in done.stderr or "no space left" in done.stderr
    assert (folder / "lex.f2e").read_text() == "earlier\n"
    assert not (folder / "lex.bin").exists()


@pytest.mark.parametrize("content", [b"", bytes(5000), LINKS.encode()])
def test_a_file_that_is_no_model_is_refused(folder: Path, content: bytes) -> None:
    (folder / "m").write_bytes(content)
    done = demotic(folder, *TEXTS, "--model", "m", "--out", "out")
    assert done.returncode == 1
    assert "m: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "out").exists()


def test_an_output_that_is_an_input_is_refused(folder: Path) -> None:
    assert demotic(folder, *GIVEN, "--out", "s").returncode == 2
    assert (folder / "s").read_text() == SOURCE


@pytest.mark.parametrize(
    "arguments",
    [
        ("--source", "s", "--out", "o"),
        ("--source", "s", "--target", "t", "--bitext", "t", "--out", "o"),
        (*TEXTS,),
        (*TEXTS, "--out", "o", "--symmetrise", "grow-final"),
        (*TEXTS, "--out", "o", "--method", "magic"),
        (*TEXTS, "--out", "o", "--temp", "nowhere"),
        (*TEXTS, "--out", "o", "--method", "eflomal", "--save-model", "m"),
        (*TEXTS, "--out", "o", "--method", "thot", "--model", "m"),
        (*TEXTS, "--out", "o", "--method", "links", "--forward", "f"),
        (*TEXTS, "--out", "o", "--reference-possible", "links"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    assert CliRunner().invoke(app, ["align", *arguments]).exit_code == 2
    assert names_in(folder) == ["links", "s", "t"]
