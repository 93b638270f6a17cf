"""Spark: the same bytes as here, on two executors; complaints that name the remedy."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import demotic
from demotic.align import Text, align
from demotic.cli import app
from demotic.cli.bulk import Asked, Format, TranslateLines, translate_pieces
from demotic.corpus import storage
from demotic.engine import Engine, LocalEngine, open_engine
from demotic.engine.arrays import Arrays
from demotic.engine.spark import SparkEngine
from demotic.errors import ArgumentError, DemoticError, FormatError
from demotic.grammar import HieroExtraction, extract_hiero
from demotic.grammar.items import ItemExtraction, extract_items
from demotic.progress import SILENT
from tests.systems import toys

pytest.importorskip("pyspark", reason="pip install demotic[spark]")
if shutil.which("java") is None:
    pytest.skip("no Java", allow_module_level=True)

SETTINGS = """
spark.ui.enabled false
spark.driver.memory 512m
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.sql.shuffle.partitions 3
"""
PIECE = 70  # lines: six pieces of the toy text


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    """Two executors in processes of their own where that works, or two in one process."""
    folder = tmp_path_factory.mktemp("spark")
    (folder / "conf").mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_CONF_DIR", str(folder / "conf"))
        patched.setenv("SPARK_WORKER_DIR", str(folder / "work"))
        patched.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        patched.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        for name in ("local-cluster[2,1,512]", "local[2]"):
            engine = SparkEngine(name=name, threads=1, temp=folder, piece=PIECE)
            try:
                engine.check()
            except DemoticError:
                continue
            break
        yield engine
        engine._session.stop()


def contents(model: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in model.iterdir()}


def test_a_trained_model_is_that_of_this_machine(
    spark: SparkEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "BATCH_ROWS", 90)
    text, dev = toys.memory(400), toys.text(30)
    there = {"engine": {"name": spark.name, "piece": PIECE, "temp": str(spark.temp)}}
    for name, engine in (("here", {}), ("there", there)):
        config = {**toys.UNTUNED, **engine, "validation": "auto"}
        demotic.train(text, dev=dev, config=config, effort="quick", out=tmp_path / name)
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_rules_are_those_of_this_machine(spark: SparkEngine, tmp_path: Path) -> None:
    memory = toys.memory(400)
    source, target = Text.of(memory.source_lines()), Text.of(memory.target_lines())
    links = align(source, target).links

    def extracted(name: str, engine: Engine) -> object:
        out = tmp_path / f"{name}.{engine.spread}"
        if name == "items":
            options = ItemExtraction(loose=True, compose=3)
            return extract_items(source, target, links, out=out, options=options, engine=engine)[1]
        chosen = {
            "tested": HieroExtraction(significance="alpha-epsilon"),
            "phrases": HieroExtraction.phrases(orientations=True, unaligned=True),
        }[name]
        return len(extract_hiero(source, target, links, out=out, options=chosen, engine=engine))

    for name in ("tested", "phrases", "items"):
        assert extracted(name, LocalEngine(threads=2)) == extracted(name, spark)
        here, there = (tmp_path / f"{name}.{spread}" for spread in (False, True))
        assert len(here.read_bytes()) > 10_000
        assert here.read_bytes() == there.read_bytes()


def test_translations_are_those_of_this_machine(
    spark: SparkEngine, toy_model: Path, tmp_path: Path
) -> None:
    lines = [*toys.lines(20, seed=5), "", "words that nobody knows"]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines))
    command = [
        "translate",
        str(toy_model),
        str(tmp_path / "text"),
        "--format",
        "json",
        "--nbest",
        "2",
    ]
    here = CliRunner().invoke(app, [*command, "--quiet"])
    job = TranslateLines(Asked(toy_model), 2, Format.json, markup=False)
    pieces = translate_pieces([lines[:9], lines[9:]], job, replace(spark, piece=4), SILENT)
    assert here.stdout_bytes == b"".join(pieces)
    elsewhere = ["--engine", spark.name, "--temp", str(spark.temp), "--quiet"]
    there = CliRunner().invoke(app, [*command, "--output", str(tmp_path / "out"), *elsewhere])
    assert there.exit_code == 0, there.output
    assert (tmp_path / "out").read_bytes() == here.stdout_bytes


class Fails:
    """A job that does not like the third piece, nor the fourth."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, piece: Arrays) -> Arrays:
        if int(piece["number"][0]) >= 2:
            raise self.error
        return piece


def numbers(count: int) -> Iterator[Arrays]:
    return ({"number": np.array([number])} for number in range(count))


def test_what_a_task_complains_of_is_told_as_if_it_were_here(spark: SparkEngine) -> None:
    error = FormatError("no text", path="big.de", line=7, remedy="look at it")
    with pytest.raises(FormatError) as caught:
        list(spark.map(Fails(error), numbers(4)))
    assert str(caught.value) == "big.de:7: no text (look at it)"
    with pytest.raises(DemoticError, match=r"work on the cluster failed: .*nothing to divide"):
        list(spark.map(Fails(ZeroDivisionError("nothing to divide")), numbers(4)))
    assert spark.temp is not None
    assert not [path for path in spark.temp.iterdir() if path.name.startswith("demotic-")]


def test_pieces_come_back_in_their_order(spark: SparkEngine) -> None:
    found = spark.map(Fails(ValueError()), numbers(2))
    assert [int(each["number"][0]) for each in found] == [0, 1]
    assert list(spark.map(Fails(ValueError()), numbers(0))) == []


def test_another_master_is_refused_while_there_is_a_session(spark: SparkEngine) -> None:
    with pytest.raises(ArgumentError, match="has a session of Spark at"):
        open_engine("local[7]", threads=1, memory=1 << 30, temp=spark.temp)
    assert open_engine("spark", threads=1, memory=1 << 30, temp=spark.temp).spread
