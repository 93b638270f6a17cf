"""The tests under a core that was built with sanitisers, one file after the other.

    python -m tests.sanitized address --python .venv-asan/bin/python     make sanitize
    python -m tests.sanitized thread --python .venv-tsan/bin/python      make sanitize-threads
    python -m tests.sanitized address --python ... tests/lm              some files

What came of a file is kept in ``sanitize-out``, so that a run that was stopped goes on where it
was; a file is tried again when it has changed, or the core has.  Whatever a sanitiser says, in the
tests' process or in one that they start, is a finding.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

LEFT_OUT = {
    "corpus": "Python alone",
    "documents": "Python alone",
    "glossary": "Python alone",
    "demo": "trains what systems train",
    "experiments": "trains what systems train",
    "chaos": "trains what systems train",
    "sanitized": "this",
}
"""Folders of tests, and why they are not run here."""
THREADS = "thread or parallel"
"""What is in the names of tests that run kernels with several threads."""


@dataclass
class Result:
    """What came of the tests of a file."""

    file: str
    key: str
    """Of the core and the file."""
    code: int = 0
    tests: int = 0
    failures: int = 0
    skipped: int = 0
    cpu: float = 0.0
    findings: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.code in (0, 5) and not self.findings  # 5: no test was chosen

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.tests - self.skipped} tests, {self.failures} failed, "
            f"{self.cpu:.0f} CPU s, {len(self.findings)} findings"
        )


class Sanitiser:
    """How tests are run under it."""

    def __init__(self, kind: str, python: Path, out: Path) -> None:
        self.kind, self.out = kind, out / kind
        self.out.mkdir(parents=True, exist_ok=True)
        # Not resolved: a link to the interpreter is what makes it that of an environment.
        self.python = Path.cwd() / python
        found = _output(self.python, "-c", "from demotic import _core; print(_core.__file__)", env={
            **os.environ, "LD_PRELOAD": self.preload, "ASAN_OPTIONS": "detect_leaks=0",
        })  # fmt: skip
        self.core = hashlib.sha256(Path(found).read_bytes()).hexdigest()

    @property
    def preload(self) -> str:
        """The sanitiser comes before all else, and C++ before packages that bring their own."""
        first = "libasan.so" if self.kind == "address" else "libtsan.so"
        return " ".join(
            _output("gcc", f"-print-file-name={library}") for library in (first, "libstdc++.so.6")
        )

    @property
    def environment(self) -> dict[str, str]:
        """Reports go to files, wherever a process's errors go."""
        to = f"log_path={self.out / 'report'}"
        return {
            **os.environ,
            "LD_PRELOAD": self.preload,
            # Python leaks by design, and takes what memory there is for an answer.
            "ASAN_OPTIONS": f"detect_leaks=0:allocator_may_return_null=1:{to}",
            "UBSAN_OPTIONS": f"print_stacktrace=1:{to}",
            "TSAN_OPTIONS": f"suppressions={HERE / 'threads.supp'}:second_deadlock_stack=1:{to}",
        }

    def files(self, chosen: Sequence[str]) -> list[Path]:
        """Test files, large ones first."""
        found = list(_files([ROOT / each for each in chosen or ["tests"]]))
        if self.kind == "thread":
            words = THREADS.split(" or ")
            found = [path for path in found if any(word in path.read_text() for word in words)]
        return sorted(found, key=lambda path: -path.stat().st_size)

    def run(self, path: Path) -> Result:
        """The tests of a file, unless it is known what comes of them."""
        name = str(path.relative_to(ROOT))
        key = hashlib.sha256(self.core.encode() + path.read_bytes()).hexdigest()
        kept = self.out / f"{name.replace('/', '.')}.json"
        if kept.exists() and (known := Result(**json.loads(kept.read_bytes()))).key == key:
            return known
        result = Result(name, key)
        marks = self.out / f"{name.replace('/', '.')}.xml"
        command = ["setarch", "-R", str(self.python), "-m", "pytest", "-p", "no:cacheprovider"]
        command += ["-m", "not memory", f"--junitxml={marks}", name]
        command += ["-k", THREADS] if self.kind == "thread" else []
        reports = self.out / name.replace("/", ".")
        environment = {
            option: value.replace("/report", f"/{reports.name}")
            for option, value in self.environment.items()
        }
        for old in self.out.glob(f"{reports.name}.[0-9]*"):
            old.unlink()
        with (self.out / f"{reports.name}.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
            _, status, spent = os.wait4(process.pid, 0)
        result.code = os.waitstatus_to_exitcode(status)
        process.returncode = result.code
        result.cpu = spent.ru_utime + spent.ru_stime
        if marks.exists() and marks.stat().st_size:
            for suite in ET.parse(marks).getroot().iter("testsuite"):
                result.tests = int(suite.get("tests", 0))
                result.failures = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
                result.skipped = int(suite.get("skipped", 0))
        result.findings = sorted(each.name for each in self.out.glob(f"{reports.name}.[0-9]*"))
        kept.write_text(json.dumps(asdict(result)))
        return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitized")
    parser.add_argument("kind", choices=["address", "thread"])
    parser.add_argument("files", nargs="*", help="or folders")
    parser.add_argument("--python", type=Path, required=True, help="of the sanitised environment")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=ROOT / "sanitize-out")
    options = parser.parse_args()
    sanitiser = Sanitiser(options.kind, options.python, options.out)
    files = sanitiser.files(options.files)
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(sanitiser.run, files):
            print(result, flush=True)
            results.append(result)
    bad = [result.file for result in results if not result.good]
    print(
        f"{len(results)} files, {sum(each.tests - each.skipped for each in results)} tests, "
        f"{sum(each.cpu for each in results):.0f} CPU s, "
        f"{sum(len(each.findings) for each in results)} findings"
    )
    if bad:
        sys.exit(f"see {sanitiser.out} for {', '.join(bad)}")


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        for each in path.rglob("test_*.py") if path.is_dir() else [path]:
            if each.relative_to(ROOT / "tests").parts[0] not in LEFT_OUT:
                yield each


def _output(*command: str | Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
