"""Spark: the same bytes as here, on two executors; complaints that name the remedy."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from demotic.align import Text, align
from demotic.engine import LocalEngine, open_engine
from demotic.engine.arrays import Arrays
from demotic.engine.spark import SparkEngine
from demotic.errors import DemoticError, FormatError
from demotic.grammar import HieroExtraction, extract_hiero
from demotic.grammar.items import ItemExtraction, extract_items
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


def test_rules_are_those_of_this_machine(spark: SparkEngine, tmp_path: Path) -> None:
    memory = toys.memory(400)
    source, target = Text.of(memory.source_lines()), Text.of(memory.target_lines())
    links = align(source, target).links
    cases = {
        "hiero": HieroExtraction(),
        "tested": HieroExtraction(significance="alpha-epsilon"),
        "phrases": HieroExtraction.phrases(orientations=True, unaligned=True),
    }
    for name, options in cases.items():
        for engine in (LocalEngine(threads=2), spark):
            out = tmp_path / f"{name}.{engine.spread}"
            table = extract_hiero(source, target, links, out=out, options=options, engine=engine)
            assert len(table) > 100
        here, there = (tmp_path / f"{name}.{spread}" for spread in (False, True))
        assert here.read_bytes() == there.read_bytes()
