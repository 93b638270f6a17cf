"""Who translates, explains and serves needs none of what training does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.systems import toys

BLOCK = """
import sys
for name in ("duckdb", "pyarrow", "sacrebleu", "scipy", "pandas", "sklearn"):
    sys.modules[name] = None
"""
FROM_PYTHON = """
import demotic
from demotic.explain.html import page
from demotic.explain.view import view

model = demotic.load(sys.argv[1]).with_memory({"use": False})
line = "The adj1 noun2 does not verb3 noun4."
assert len(model.nbest(line, 3)) == 3
assert sum(len(step.evidence) for step in model.explain(line).steps) > 0
assert "seen" in page([view(model, line)])
assert len(model.training_corpus) > 0
assert demotic.tokenise("a b")
"""


def run(code: str, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCK + code, *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def demotic(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return run("from demotic.cli import main; main()", *arguments, folder=folder)


def test_a_model_is_used_from_python(toy_model: Path, tmp_path: Path) -> None:
    done = run(FROM_PYTHON, toy_model, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "MODEL", "a.json", "--output", "b.json", "--report", "report.html"],
        ["explain", "MODEL", "The noun2.", "--format", "html", "--output", "why.html"],
        ["explain", "MODEL", "The noun2."],
        ["inspect", "--verify", "MODEL"],
        ["tokenise", "a.json"],
        ["serve", "--help"],
    ],
)
def test_so_do_commands(arguments: list[str], toy_model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"hello": "The noun2."}')
    given = [str(toy_model) if each == "MODEL" else each for each in arguments]
    done = demotic(*given, folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_server_answers_and_remembers(toy_model: Path, tmp_path: Path) -> None:
    code = """
import asyncio
from demotic.serve.desk import Desk
from tests.serve.asking import asking
from pathlib import Path
import json

with asking(Path(sys.argv[1])) as asker:
    def asked(path, **fields):
        body = json.dumps({"source": "en", "target": "fr"} | fields).encode()
        return asyncio.run(asker.asked("POST", path, body, "application/json"))
    assert asked("/translate", q="The noun2.").status == 200
    assert asked("/explain", q="The noun2 verb3.").status == 200
    assert asked("/suggest", q="The noun2.", s="Le mot.").status == 200
    assert asked("/translate", q="The noun2.").record["translatedText"] == "Le mot."
    assert asked("/detect", q="The noun2.").status == 200
"""
    here = Path(__file__).parent.parent
    done = run(f"sys.path.insert(0, {str(here)!r})\n" + code, toy_model, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--bitext", "a.tsv", "--from", "en", "--to", "fr", "--out", "m"],
        ["align", "--bitext", "a.tsv", "--from", "en", "--to", "fr", "--out", "a"],
        ["evaluate", "--hypothesis", "a.tsv", "--reference", "a.tsv"],
    ],
)
def test_what_is_missing_is_named_with_its_extra(arguments: list[str], tmp_path: Path) -> None:
    toys.memory(20).write(tmp_path / "a.tsv")
    done = demotic(*arguments, folder=tmp_path)
    assert done.returncode == 1
    assert "pip install 'demotic[train]'" in done.stderr
    assert "Traceback" not in done.stderr
