"""A session of Apache Spark, or what is missing for one and what to do about it.

    session = connect("spark://master:7077", folder)
    session.sparkContext.parallelize(...)

Settings of Spark's own come from where they always do: ``spark-submit``, ``spark-defaults.conf``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic import __version__
from demotic.errors import ArgumentError, DemoticError, MissingDependencyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = "spark"
"""The name of the engine that takes what ``spark-submit`` was told."""
_MASTERS = re.compile(
    r"spark|local\[(\*|\d+)(,\d+)?\]|local-cluster\[\d+,\d+,\d+\]|yarn|k8s://.+|spark://.+"
)
_REACHED = 5.0  # seconds to wait for a master
_ANSWERED = 180.0  # and for an executor, which may have to be started
_LOOK = 0.2  # seconds between two looks at the keyboard


def is_spark(name: str) -> bool:
    """Does the name of an engine say Spark?"""
    return _MASTERS.fullmatch(name) is not None


def check_installed(name: str) -> None:
    """Raise where Spark, Java or the master are not there, as far as that shows at once."""
    if find_spec("pyspark") is None:
        raise MissingDependencyError(
            f"the engine {name} needs pyspark, which is not installed",
            remedy="pip install 'demotic[spark]'",
        )
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        raise MissingDependencyError(
            f"the engine {name} needs Java, and "
            + (f"JAVA_HOME={home} has none" if home else "there is none"),
            remedy="install Java 17 (Debian: openjdk-17-jre-headless)"
            + (" or mend JAVA_HOME" if home else ""),
        )
    if name.startswith("spark://"):
        _check_reached(name)


def _check_reached(name: str) -> None:
    """Can one of the masters be reached?"""
    for place in name.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise ArgumentError(f"{name} names no master", remedy="write spark://HOST:PORT")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), _REACHED):
            return
    raise DemoticError(
        f"nothing answers at {name}",
        remedy="check the address on the master's page, that it runs, and the firewall",
    )


def connect(name: str, temp: Path | None) -> SparkSession:
    """The session of this process, with executors that have answered."""
    check_installed(name)
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if SparkSession.getActiveSession() is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("demotic").config(
        "spark.ui.showConsoleProgress", "false"
    )
    if name != SUBMITTED:
        builder = builder.master(name)
    try:
        with _own_signals():
            session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError, _java_error()) as error:
        raise DemoticError(
            f"Spark does not start at {name}: {first_line(error)}",
            remedy="see what it says above; it needs Java 17 or later",
        ) from error
    if name != SUBMITTED and session.sparkContext.master != name:
        raise ArgumentError(
            f"this process has a session of Spark at {session.sparkContext.master}, not {name}",
            remedy=f"give the engine '{SUBMITTED}' to use it",
        )
    session.sparkContext.setLogLevel("ERROR")
    _check_executors(session, name, temp)
    return session


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Spark takes Ctrl-C to itself; we give it back to whom it belonged."""
    import signal

    here = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if here else None
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _java_error() -> type[Exception]:
    from py4j.protocol import Py4JError

    error: type[Exception] = Py4JError
    return error


def first_line(error: BaseException) -> str:
    """What a long complaint of Spark's is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    told = causes[-1].removeprefix("Caused by: ") if causes else next(iter(lines), "")
    return told or type(error).__name__


def _check_executors(session: SparkSession, name: str, temp: Path | None) -> None:
    """Do executors answer, have they this version of Demotic, do they see the folder?"""
    folder = Path(temp or tempfile.gettempdir()).absolute()
    context = session.sparkContext
    with tempfile.NamedTemporaryFile(prefix="demotic-", dir=folder) as seen:
        probe = Probe(seen.name)
        tasks = max(2, context.defaultParallelism)
        answers = run(
            session,
            lambda: context.parallelize(range(tasks), tasks).map(probe).collect(),
            _ANSWERED,
        )
    for version, python, sees in answers:
        if (version, python) != (__version__, _python()):
            raise DemoticError(
                f"executors have Demotic {version} on Python {python}, this process {__version__} "
                f"on {_python()}",
                remedy="ship this environment to them: see docs/spark.md",
            )
        if not sees:
            raise DemoticError(
                f"executors at {name} do not see the folder {folder}",
                remedy="give --temp a folder that all machines have under the same path",
            )


def _python() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


class Probe:
    """What an executor has: the version of Demotic, that of Python, a file in the folder."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, number: int) -> tuple[str, str, bool]:
        from demotic import _core  # noqa: F401  # has it been built for this machine?

        return __version__, _python(), Path(self._path).exists()


def run(
    session: SparkSession,
    action: Callable[[], Any],
    patience: float | None = None,
    look: Callable[[], None] = lambda: None,
) -> Any:
    """The result of an action of Spark's; Ctrl-C ends it, and its complaints become ours.

    ``look`` is called now and then meanwhile.
    """
    from pyspark import InheritableThread

    context, outcome = session.sparkContext, _Outcome()
    group = f"demotic-{id(outcome)}"

    def work() -> None:
        try:
            context.setJobGroup(group, "demotic", interruptOnCancel=True)
            outcome.result = action()
        except Exception as error:
            outcome.error = error

    thread = InheritableThread(target=work, daemon=True)
    thread.start()
    waited = 0.0
    try:
        while thread.is_alive():
            thread.join(_LOOK)
            waited += _LOOK
            look()
            if patience is not None and waited > patience and thread.is_alive():
                raise DemoticError(
                    f"no executor answered within {patience:.0f} seconds",
                    remedy="see the master's page: are there workers with free cores and memory?",
                )
    except BaseException:
        context.cancelJobGroup(group)
        raise
    look()
    if outcome.error is not None:
        raise explained(outcome.error) from outcome.error
    return outcome.result


class _Outcome:
    """Of an action."""

    result: Any = None
    error: Exception | None = None


def explained(error: Exception) -> Exception:
    """A complaint of Spark's as ours."""
    text = str(error)
    if isinstance(error, DemoticError):
        return error
    if "No module named 'demotic" in text:
        return DemoticError(
            "executors have no Demotic", remedy="ship this environment to them: see docs/spark.md"
        )
    if "PYTHON_VERSION_MISMATCH" in text:
        return DemoticError(
            "executors have another version of Python than this process",
            remedy="ship this environment to them: see docs/spark.md",
        )
    named = re.findall(r"^\s*((?:\w+\.)*\w+(?:Error|Exception): .+)", text, re.MULTILINE)
    python = [line for line in named if not line.startswith(("org.", "java."))]
    told = python[-1] if python and "Traceback" in text else first_line(error)
    return DemoticError(
        f"work on the cluster failed: {told}", remedy="the executors' logs have the rest"
    )
