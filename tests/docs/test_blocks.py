"""Code on the pages: Python compiles, what says ``run`` runs; commands and options exist."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from demotic.cli import app
from tests.docs.pages import PAGES, ROOT, Block, blocks, name_of, prose
from tests.systems import toys

COMMANDS = typer.main.get_command(app)
TARGETS = set(
    re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(), re.MULTILINE)
)
PYTHON = [each for page in PAGES for each in blocks(page) if each.info.startswith("python")]
RUN = [each for each in PYTHON if each.info == "python run"]


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_compiles(block: Block) -> None:
    # "..." at the end of a call that goes on, and awaited interfaces, are Python, too
    ast.parse(textwrap.dedent(block.content))


def test_there_are_blocks_that_run() -> None:
    assert len({each.page for each in RUN}) >= 4


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_python_runs_on_the_toy(
    block: Block, toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if 'out="en-fr.demotic"' not in block.content:
        shutil.copytree(toy_model, tmp_path / "en-fr.demotic")
    pairs = toys.memory(15)  # too few to tune on, and quick
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{pair.source}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>{pair.target}</seg></tuv></tu>'
        for pair in pairs
    )
    header = '<header srclang="en" datatype="plaintext" segtype="sentence"/>'
    text = f'<tmx version="1.4">{header}<body>{units}</body></tmx>'
    (tmp_path / "memory.tmx").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(block.content, block.name, "exec"), {"__name__": "page"})


def lines_of_shell(page: Path) -> Iterator[str]:
    """Commands: in blocks of any kind, indented or fenced, and in the text between backticks."""
    whole = page.read_text(encoding="utf-8")
    quoted = re.findall(r"(?<!`)`((?:demotic|make|python -m) [^`\n]+)`", prose(page))
    for line in [*re.sub(r"\\\n", " ", whole).split("\n"), *quoted]:
        line = re.sub(r"^ *\$ ", "", line.strip())
        if re.match(r"(echo .*\| )?([A-Z_]+=\S+ )*(demotic|make|python -m) ", line):
            yield line


def commands(page: Path) -> Iterator[list[str]]:
    """Each command with its arguments."""
    for line in lines_of_shell(page):
        line = re.sub(r"\s#.*|\s{3,}.*$", "", line)
        try:
            words = shlex.split(line)
        except ValueError:  # an apostrophe of prose that happens to begin with a command's name
            continue
        one: list[str] = []
        for word in [*words, ";"]:
            if word in ("|", ";", "&&", ">"):
                if one:
                    yield one
                one = []
            else:
                one.append(word)


def wrong_in(command: list[str]) -> str:
    """What a command has that there is not; empty if all is there."""
    while command and re.fullmatch(r"[A-Z_]+=.*", command[0]):
        command = command[1:]
    match command:
        case ["make", target, *_] if "=" not in target:
            return "" if target in TARGETS or target[0] in "-." else f"no target {target}"
        case ["python", "-m", module, *_] if module.startswith(("benchmarks", "tests")):
            path = ROOT / module.replace(".", "/")
            there = path.with_suffix(".py").exists() or (path / "__main__.py").exists()
            return "" if there else f"no module {module}"
        case ["demotic", name, *arguments] if name.islower() and name.isalpha():
            command_of = COMMANDS.get_command(None, name)  # type: ignore[attr-defined, arg-type]
            if command_of is None:
                return f"no command {name}"
            known = {
                opt for each in command_of.params for opt in [*each.opts, *each.secondary_opts]
            }
            known |= {"-h", "--help"}
            given = [each.split("=")[0] for each in arguments if re.match(r"--?[a-z]", each)]
            return ", ".join(f"no option {each} of {name}" for each in given if each not in known)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_exist(page: Path) -> None:
    wrong = [(shlex.join(each), said) for each in commands(page) if (said := wrong_in(each))]
    assert wrong == []


def test_what_there_is_not_is_found() -> None:
    assert wrong_in(["demotic", "trian", "--out", "m"]) == "no command trian"
    assert wrong_in(["demotic", "train", "--ot", "m"]) == "no option --ot of train"
    assert wrong_in(["A=1", "python", "-m", "benchmarks.nothing"]) == "no module benchmarks.nothing"
    assert wrong_in(["make", "tea"]) == "no target tea"
    assert not wrong_in(["demotic", "train", "--out", "m", "-j", "1"])


def test_commands_are_looked_at() -> None:
    found = [each for page in PAGES for each in commands(page)]
    assert sum(each[0] == "demotic" for each in found) > 100
