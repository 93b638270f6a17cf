"""What ``demotic config`` prints: every setting, each with a word on it, and the defaults again."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from demotic.errors import literal_values
from demotic.systems import SYSTEMS, configured, system_named
from demotic.systems.template import documentation, template
from tests.cli.test_train import run
from tests.systems import toys


def settings(config: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each setting with the section that it stands in."""
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        yield f"{path}{field.name}", config
        if dataclasses.is_dataclass(value):
            yield from settings(value, f"{path}{field.name}.")


def presets() -> Iterator[tuple[str, dict[str, str]]]:
    for name in SYSTEMS:
        yield name, {}
        yield from ((name, {"preset": preset}) for preset in system_named(name).Config.PRESETS)


@pytest.mark.parametrize(("name", "given"), list(presets()))
def test_what_is_printed_is_what_was_meant(name: str, given: dict[str, str]) -> None:
    config = configured(name, given)
    record = tomllib.loads(template(name, config))
    assert record.pop("system") == name
    assert configured(name, record) == config


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_setting_is_there_and_has_a_word_on_it(name: str) -> None:
    config = configured(name, None)
    printed = tomllib.loads(template(name, config))
    for path, section in settings(config):
        *sections, last = path.split(".")
        here: Any = printed
        for each in sections:
            here = here[each]
        assert last in here, path
        assert documentation(type(section))[last].strip(), path


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_text_can_be_named_in_the_same_file(name: str) -> None:
    text = template(name, configured(name, None))
    assert tomllib.loads(text).get("corpus") is None
    begin = text.index("# [corpus]")
    named = text[:begin] + text[begin:].replace("# ", "")
    record = tomllib.loads(named)
    assert record.pop("corpus")["dev_target"] == "dev.en"
    assert record == tomllib.loads(text)


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_value_stands_under_a_comment_of_lines_that_fit(name: str) -> None:
    lines = template(name, configured(name, None)).splitlines()
    for above, line in pairwise(lines):
        if " = " in line and not line.startswith(("#", "system")):
            assert above.startswith("#"), line
        assert len(line) <= 100 or not line.startswith("#")


def test_training_by_what_is_printed_is_training_by_default(tmp_path: Path) -> None:
    toys.memory(120).write(tmp_path / "memory.tsv")
    printed = run("config", "hiero", folder=tmp_path)
    assert printed.returncode == 0, printed.stderr
    (tmp_path / "all.toml").write_text(printed.stdout)
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", "--threads", "1"]
    for out, file in (("one", []), ("other", ["all.toml"])):
        done = run("train", *file, *texts, "--out", out, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    for part in (tmp_path / "one").iterdir():
        assert part.read_bytes() == (tmp_path / "other" / part.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["magic"], "unknown system 'magic'"),
        (["umt", "--preset", "papr"], "there is no preset 'papr'"),
        (["hiero", "--preset", "paper"], "unknown setting 'preset'"),
    ],
)
def test_what_there_is_not_is_wrong_usage(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = run("config", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("name", SYSTEMS)
def test_comments_list_the_values_that_a_setting_may_have(name: str) -> None:
    config = configured(name, None)
    text = template(name, config)
    assert "``" not in text, "marks of docstrings"
    words = " ".join(text.replace("\n#", " ").split())
    for path, section in settings(config):
        hint = typing.get_type_hints(type(section))[path.split(".")[-1]]
        if values := literal_values(hint):
            listed = ", ".join("false" if v is None else f'"{v}"' for v in values)
            assert f"One of {listed}." in words


def test_a_path_is_written_as_people_write_it() -> None:
    config: Any = configured("hiero", None)
    asked = dataclasses.replace(
        config, tokenised=True, align=dataclasses.replace(config.align, file=Path("Übung.align"))
    )
    assert 'file = "Übung.align"' in template("hiero", asked)
