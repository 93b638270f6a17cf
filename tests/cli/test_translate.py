"""``demotic translate``: as many lines out as in, in their order, whatever they hold."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import demotic
from demotic.lm.estimation import estimate
from tests.systems import toys

COMMAND = [sys.executable, "-c", "from demotic.cli import main; main()", "translate", "--quiet"]


def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, input=stdin, check=False
    )


def test_lines_keep_their_number_and_order(toy_model: Path, tmp_path: Path) -> None:
    sources = toys.lines(40, 9)
    lines = [
        "",
        *sources,
        "   ",
        "unknown words only",
        "noun1 " * 5000,
        "",
        "no end of line",
    ]
    (tmp_path / "text").write_text("\n".join(lines))
    done = run(toy_model, tmp_path / "text", "--output", tmp_path / "out", "--threads", "2")
    assert done.returncode == 0, done.stderr
    out = (tmp_path / "out").read_text().split("\n")[:-1]
    assert len(out) == len(lines)
    model = demotic.load(toy_model)
    assert out[1:41] == [model.translate(source).text for source in sources]
    assert out[0] == out[-2] == ""
    assert out[41] == "   "  # white space comes back as it was
    assert out[42].lower() == "unknown words only"
    assert out[43].lower().split().count("nom1") == 5000


def test_standard_input_is_answered_line_by_line(toy_model: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, str(toy_model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        model = demotic.load(toy_model)
        for line in ("noun1", "", "noun2"):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{model.translate(line).text}\n"
        process.stdin.close()
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_several_files_and_gzip(toy_model: Path, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("noun1\n")
    (tmp_path / "two.gz").write_bytes(gzip.compress(b"noun2\nnoun3\n"))
    done = run(toy_model, tmp_path / "one", tmp_path / "two.gz")
    found = [re.findall(r"nom\d+", line) for line in done.stdout.lower().splitlines()]
    assert found == [["nom1"], ["nom2"], ["nom3"]]


def test_json_holds_scores_and_lists(toy_model: Path) -> None:
    text = "The adj1 noun2 verb3 %d noun4."
    done = run(toy_model, "--format", "json", "--nbest", "4", stdin=f"{text}\n\n")
    first, blank = map(json.loads, done.stdout.splitlines())
    assert first["source"] == text
    assert 1 < len(first["nbest"]) <= 4
    assert first["nbest"][0]["text"] == first["text"]
    weights = demotic.load(toy_model).weights
    for each in first["nbest"]:
        total = sum(weights[name] * value for name, value in each["features"].items())
        assert abs(total - each["score"]) < 1e-3
    assert blank["text"] == ""


def test_lists_as_text_count_lines_from_0(toy_model: Path) -> None:
    done = run(toy_model, "--nbest", "3", stdin="The noun1 verb2 a noun3.\nnoun2\n")
    rows = [line.split(" ||| ") for line in done.stdout.splitlines()]
    assert {row[0] for row in rows} == {"0", "1"}
    assert all(len(row) == 4 for row in rows)
    assert "LanguageModel= " in rows[0][2]


def test_a_failure_leaves_the_output_alone(toy_model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("before")
    (tmp_path / "text").write_bytes(b"noun1\n\xff\n")
    done = run(toy_model, tmp_path / "text", "--output", tmp_path / "out")
    assert done.returncode == 1
    assert "text:2: invalid UTF-8" in done.stderr
    assert (tmp_path / "out").read_text() == "before"


def test_bad_models_are_reported_without_a_traceback(toy_model: Path, tmp_path: Path) -> None:
    demotic.load(toy_model).save(tmp_path / "model")
    (tmp_path / "model" / "lm.bin").unlink()
    for model, message in ((tmp_path / "model", "lm.bin is missing"), (tmp_path, "not a model")):
        done = run(model, stdin="x\n")
        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_a_model_is_not_overwritten_by_what_it_says(toy_model: Path, tmp_path: Path) -> None:
    demotic.load(toy_model).save(tmp_path / "toy.demotic")
    before = (tmp_path / "toy.demotic").read_bytes()
    done = run(tmp_path / "toy.demotic", "--output", tmp_path / "toy.demotic", stdin="noun1\n")
    assert done.returncode == 2, done.stderr
    assert "named twice" in done.stderr
    assert (tmp_path / "toy.demotic").read_bytes() == before


def test_a_narrower_search_is_asked_for_by_name(toy_model: Path) -> None:
    lines = "\n".join(toys.lines(15, 9)) + "\n"
    usual, narrow = (
        run(toy_model, "--nbest", "20", *more, stdin=lines) for more in ([], ["--pops", "1"])
    )
    assert narrow.returncode == 0, narrow.stderr
    assert len(narrow.stdout.splitlines()) < len(usual.stdout.splitlines())
    own = str(demotic.load(toy_model).about.config["search"]["pops"])
    assert run(toy_model, "--nbest", "20", "--pops", own, stdin=lines).stdout == usual.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beam", "3"], "a model of the system hiero searches without 'beam' (it has span_limit"),
        (["--stack", "3"], "a model of the system hiero searches without 'stack'"),
        (["--pops", "0"], "pops must be at least 1"),
        (["--pops", "many"], "valid integer"),
    ],
)
def test_a_search_that_the_system_does_not_have_is_wrong_usage(
    toy_model: Path, options: list[str], message: str
) -> None:
    done = run(toy_model, *options, stdin="noun1\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_consensus_is_asked_for_and_shown(toy_model: Path, tmp_path: Path) -> None:
    text = "\n".join(toys.lines(5, 9)) + "\n"
    plain = run(toy_model, stdin=text)
    assert run(toy_model, "--consensus", "off", stdin=text).stdout == plain.stdout
    sure = ["--consensus-scale", "1000000"]
    for method in ("forest", "kbest"):
        asked = run(toy_model, "--consensus", method, *sure, stdin=text)
        assert (asked.returncode, asked.stdout) == (0, plain.stdout)
    listed = run(toy_model, "--consensus", "kbest", "--nbest", "3", stdin=text)
    assert {line.count(" ||| ") for line in listed.stdout.splitlines()} == {4}
    done = run(toy_model, "--consensus", "forest", "--format", "json", stdin=text)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["consensus"]["method"] for each in records} == {"forest"}
    assert [each["consensus"]["own"] for each in records] == plain.stdout.splitlines()
    wrong = run(toy_model, "--consensus", "kbest", "--consensus-scale", "-1", stdin=text)
    assert wrong.returncode == 2
    assert "--consensus-scale" in wrong.stderr


def test_a_grammar_of_ones_own_translates_tokens(tmp_path: Path) -> None:
    rules = "[X] ||| das [X,1] ||| the [1] ||| P=-0.5\n[X] ||| haus ||| house ||| P=-0.1\n"
    (tmp_path / "rules").write_text(rules)
    (tmp_path / "text").write_text("das haus\n\nhaus zzz\n")
    (tmp_path / "weights.json").write_text('{"P": 1.0, "LanguageModel": 0.1, "PassThrough": -10}')
    (tmp_path / "target").write_text("the house\na house\n")
    estimate(tmp_path / "target", order=2).save(tmp_path / "lm.bin")
    options = ["--rules", tmp_path / "rules", "--lm", tmp_path / "lm.bin"]
    done = run(*options, "--weights", tmp_path / "weights.json", tmp_path / "text", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the house\n\nhouse zzz\n"
    listed = run(
        *options, "--weights", tmp_path / "weights.json", tmp_path / "text", "--nbest", "2", "-q"
    )
    assert "0 ||| the house ||| P= -0.6" in listed.stdout
    for wrong in ([*options, tmp_path / "text"], [tmp_path / "text", "--lm", tmp_path / "lm.bin"]):
        done = run(*wrong)
        assert done.returncode == 2
        assert "--weights" in done.stderr
