"""Bad input to every command: one clear error with its place, and nothing changed on the disk."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from demotic.cli import app
from demotic.errors import DemoticError

DEMOTIC = [sys.executable, "-m", "demotic"]
TEXTS = ["--source", "s", "--target", "t"]
ALIGN = ["align", "-q", *TEXTS, "--out", "old"]

ARPA = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.3
-0.8\t</s>
-0.7\ta\t-0.2

\\2-grams:
-0.4\t<s> a
-0.3\ta </s>

\\end\\
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>a</seg></tuv>
<tuv xml:lang="fr"><seg>b</tuv></tu></body></tmx>
"""
BOMB = """<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<tmx version="1.4"><header srclang="en"/><body/></tmx>
"""
PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset={}\\n"\n\nmsgid "a"\nmsgstr "é"\n'

FILES = {
    "s": "das haus\nein buch\n" * 20,
    "t": "the house\na book\n" * 20,
    "old": "earlier\n",
    "short": "the house\n",
    "latin1": "fine\nschön\n".encode("latin-1"),
    "binary": b"\x7fELF\0\1\n\0",
    "empty": "",
    "one.s": "ein haus\n",
    "one.t": "a house\n",
    "long.s": " ".join(f"s{i % 800}" for i in range(5000)) + "\n",
    "long.t": " ".join(f"t{i % 700}" for i in range(5000)) + "\n",
    "broken.tmx": TMX,
    "bomb.tmx": BOMB,
    "wrong.po": PO.format("UTF-8").encode("latin-1"),
    "unknown.po": PO.format("KLINGON"),
    "good.arpa": ARPA,
    "counts.arpa": ARPA.replace("ngram 2=2", "ngram 2=3"),
    "nan.arpa": ARPA.replace("-0.4", "nan"),
    "cut.arpa": ARPA[: ARPA.index("-0.3\ta </s>")],
    "cut.arpa.gz": gzip.compress(ARPA.encode())[:-9],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(*arguments: str) -> str:
    """The message of a command that must fail with an error of ours and touch no file."""
    before = contents(Path())
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, DemoticError), (result.exception, result.output)
    assert contents(Path()) == before
    return str(result.exception)


def align(source: str, target: str) -> list[str]:
    return ["align", "-q", "--source", source, "--target", target, "--out", "old"]


def bitext(name: str) -> list[str]:
    return ["align", "-q", "--bitext", name, "--from", "en", "--to", "fr", "--out", "old"]


def evaluate(hypothesis: str, reference: str) -> list[str]:
    return ["evaluate", "-q", "--hypothesis", hypothesis, "--reference", reference]


def estimate(text: str) -> list[str]:
    return ["lm", "-q", text, "--out", "old"]


def convert(model: str) -> list[str]:
    return ["lm", "-q", "--model", model, "--out", "old"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (align("s", "short"), "short:2: "),
        (align("short", "s"), "short:2: "),
        ([*align("s", "short"), "--tokenise"], "short:2: "),
        (evaluate("short", "t"), "short:2: "),
        *(
            (command, message)
            for bad, message in [
                ("latin1", "latin1:2: invalid UTF-8"),
                ("binary", "binary:1: a binary file"),
                ("empty", "empty: "),
                ("missing", "missing: No such file"),
                (".", ".: Is a directory"),
            ]
            for command in (
                align(bad, bad),
                estimate(bad),
                [*estimate(bad), "--classes", "2"],
                ["lm", "-q", "--model", "good.arpa", bad],
                evaluate(bad, bad),
            )
        ),
        (bitext("binary"), "binary:1: a binary file"),
        (bitext("empty"), "empty: is empty"),
        (bitext("broken.tmx"), "broken.tmx:4: broken XML"),
        (bitext("bomb.tmx"), "bomb.tmx:2: refused XML"),
        (bitext("wrong.po"), "wrong.po:5: the charset is UTF-8"),
        (bitext("unknown.po"), "unknown.po:2: the header names an unknown charset"),
        (convert("counts.arpa"), "counts.arpa:15: 3 2-grams were announced"),
        (convert("nan.arpa"), "nan.arpa:12: "),
        (convert("cut.arpa"), "cut.arpa:12: the file ends among the 2-grams"),
        (convert("cut.arpa.gz"), "cut.arpa.gz: damaged gzip"),
        (convert("s"), "s:40: no \\data\\ line"),
        (convert("missing"), "missing: No such file"),
        ([*ALIGN, "--model", "good.arpa"], "good.arpa: not a Demotic binary file"),
        ([*ALIGN, "--model", "missing"], "missing: No such file"),
        ([*ALIGN, "--method", "s"], "s:1: 'das' is not a link"),
        ([*ALIGN, "--reference-sure", "s"], "s:1: 'das' is not a link"),
    ],
)
def test_bad_input_is_one_error_with_its_place(
    folder: Path, arguments: list[str], message: str
) -> None:
    assert refused(*arguments).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ALIGN, "--save-model", "-"], "-: a binary file cannot go to standard output"),
        (["align", "-q", *TEXTS, "--out", "."], ".: is a directory"),
        (["lm", "-q", "s", "--out", "/proc/lm.bin"], "/proc/lm.bin: "),
        (["lm", "-q", "s", "--out", "/dev/full"], "/dev/full: cannot write: No space left"),
        (["lm", "-q", "s", "--classes", "2", "--out", "/dev/full"], "/dev/full: No space left"),
        (["align", "-q", *TEXTS, "--out", "/dev/full"], "/dev/full: No space left"),
        ([*ALIGN, "--save-model", "/dev/full"], "/dev/full: cannot write: No space left"),
    ],
)
def test_output_that_cannot_be_written_is_one_error(
    folder: Path, arguments: list[str], message: str
) -> None:
    assert refused(*arguments).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lm", "-q", "s", "--out", "s"], "s: named twice"),
        (["lm", "-q", "--model", "good.arpa", "--out", "good.arpa"], "good.arpa: named twice"),
        (["align", "-q", *TEXTS, "--out", "t"], "t: named twice"),
        ([*ALIGN, "--forward", "./old"], "old: named twice"),
        ([*ALIGN, "--method", "one.s", "--html", "one.s"], "one.s: named twice"),
        (["align", "-q", *TEXTS, "--out", "-", "--forward", "-"], "standard output is named twice"),
        (align("-", "-"), "standard input is named twice"),
        (["lm", "-q", "s", "--out", "none/lm.bin"], "none/lm.bin: no such folder"),
    ],
)
def test_an_output_that_makes_no_sense_is_wrong_usage(
    folder: Path, arguments: list[str], message: str
) -> None:
    before = contents(folder)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert contents(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        align("one.s", "one.t"),
        align("long.s", "long.t"),
        align("one.s", "long.t"),
        [*align("long.s", "long.t"), "--tokenise", "--from", "de", "--to", "en"],
        estimate("one.s"),
        estimate("long.s"),
        [*estimate("long.s"), "--classes", "5"],
        ["lm", "-q", "--model", "good.arpa", "long.s"],
        evaluate("one.s", "one.t"),
        [*evaluate("long.s", "long.t"), "--metric", "bleu,chrf,gtm", "--samples", "10"],
        ["inspect", "-q", "one.s", "long.s", "good.arpa"],
    ],
)
def test_one_line_and_very_long_lines_are_no_trouble(folder: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output


def test_long_lines_are_announced_before_ter_scores_them(folder: Path) -> None:
    (folder / "h").write_text(" ".join(["x"] * 1200) + "\n")
    result = CliRunner().invoke(app, ["evaluate", "--hypothesis", "h", "--reference", "one.t"])
    assert result.exit_code == 0, result.output
    assert "h:1: 1,200 words; TER can take minutes" in result.output


@pytest.mark.parametrize("part", ["lm", "aligner"])
def test_a_flipped_bit_or_a_cut_end_of_a_model_is_an_error(folder: Path, part: str) -> None:
    made = [*align("s", "t"), "--save-model", "m"] if part == "aligner" else ["lm", "s", "-o", "m"]
    assert CliRunner().invoke(app, made).exit_code == 0
    good = (folder / "m").read_bytes()
    use = [*ALIGN, "--model", "m"] if part == "aligner" else ["lm", "-q", "--model", "m", "s"]
    for place in (9, 30, 70, len(good) // 2, len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 4
        (folder / "m").write_bytes(bad)
        assert "damaged" in refused(*use)
    (folder / "m").write_bytes(good[: len(good) // 2])
    assert refused(*use).startswith("m: truncated")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["lm", "-q", "many", "--out", "old"], "old: "),
        (["lm", "-q", "many", "--out", "new.arpa"], "new.arpa: "),
        (["align", "-q", "--source", "many", "--target", "many", "--out", "old"], "old: "),
        (["align", "-q", "--source", "many", "--target", "many", "--save-model", "old"], "old: "),
    ],
)
def test_a_disk_that_fills_up_is_named_and_leaves_earlier_files(
    folder: Path, arguments: list[str], named: str
) -> None:
    (folder / "many").write_text("".join(f"a{i} b{i} c{i % 7}\n" for i in range(300)))
    before = contents(folder)
    done = subprocess.run(
        [*DEMOTIC, *arguments],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"demotic: error: {named}")
    assert "File too large" in done.stderr
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminated"]
)
def test_an_interrupted_command_leaves_nothing_behind(
    folder: Path, number: signal.Signals, code: int
) -> None:
    before = contents(folder)
    os.mkfifo(folder / "pipe")  # nobody reads it: the command waits, its other outputs half done
    arguments = ["align", "-q", *TEXTS, "--tokens", "old", "--forward", "pipe", "--out", "old"]
    with subprocess.Popen(
        [*DEMOTIC, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background has them ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            while not list(folder.glob(".old.target.*")):
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == code
    assert errors == ""
    assert contents(folder) == before
