"""What is missing for Spark is told before anything is read, with the remedy."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from demotic.cli import app
from demotic.engine import check_engine
from demotic.engine import session as sessions
from demotic.errors import ArgumentError, DemoticError, MissingDependencyError


def test_names_of_engines() -> None:
    for name in (
        "local", "local[2]", "local[*]", "local-cluster[2,1,1024]", "spark", "yarn",
        "spark://master:7077", "k8s://https://host:443",
    ):  # fmt: skip
        check_engine(name)
    for name in ("", "Local", "local[]", "local-cluster[2]", "hadoop", "spark:/master"):
        with pytest.raises(ArgumentError, match="unknown engine"):
            check_engine(name)


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="needs pyspark") as caught:
        sessions.connect("local[2]", None)
    assert caught.value.remedy == "pip install 'demotic[spark]'"


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="there is none") as caught:
        sessions.connect("local[2]", None)
    assert "openjdk-17-jre-headless" in caught.value.remedy
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="has none") as caught:
        sessions.connect("local[2]", None)
    assert "mend JAVA_HOME" in caught.value.remedy


@pytest.fixture
def with_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As far as names of files go."""
    pytest.importorskip("pyspark")
    (tmp_path / "java").touch(mode=0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("with_java")
def test_a_master_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        sessions.check_installed(f"spark://127.0.0.1:{port}")
    with pytest.raises(DemoticError, match="nothing answers") as caught:
        sessions.connect(f"spark://127.0.0.1:{port}", None)
    assert "check the address" in caught.value.remedy
    for name in ("spark://master", "spark://:7077", "spark://master:99999"):
        with pytest.raises(ArgumentError, match="names no master"):
            sessions.connect(name, None)


@pytest.mark.usefixtures("with_java")
@pytest.mark.parametrize(
    "command",
    [
        "train --source {0} --target {0} --out model",
        "extract --source {0} --target {0} --alignment {0} --out rules.bin",
        "align --source {0} --target {0} --out links",
        "lm {0} --out lm.bin",
    ],
    ids=lambda command: command.split()[0],
)
def test_commands_connect_before_they_read(command: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"\xff no text\n")  # which they would complain of
    command = command.format(text)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    done = CliRunner().invoke(
        app, [*command.split(), "--quiet", "--engine", f"spark://127.0.0.1:{port}"]
    )
    assert isinstance(done.exception, DemoticError)
    assert "nothing answers" in str(done.exception)


def test_complaints_of_spark_are_explained() -> None:
    error = RuntimeError(
        "An error occurred while calling o1.x\n: org.apache.spark.SparkException: Job aborted\n"
        "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
        "ModuleNotFoundError: No module named 'demotic'\n"
    )
    told = sessions.explained(error)
    assert isinstance(told, DemoticError)
    assert told.message == "executors have no Demotic"
    assert "docs/spark.md" in told.remedy
    error = RuntimeError(
        "An exception was thrown from the Python worker: Traceback (most recent call last):\n"
        "ZeroDivisionError: nothing to divide\n SQLSTATE: 38000\n"
        "org.apache.spark.SparkException: Job aborted\n"
    )
    told = sessions.explained(error)
    assert str(told).startswith("work on the cluster failed: ZeroDivisionError: nothing to divide")
    assert str(sessions.explained(RuntimeError("gone\nat once"))).startswith(
        "work on the cluster failed: gone ("
    )
