"""Mutation testing by sampling: small faults are put into the code, and the tests must notice.

    pip install coverage  # beside Demotic
    .venv/bin/python tools/mutants.py map      # once: which test files run which line
    .venv/bin/python tools/mutants.py run learn systems experiments --sample 150 --seed 1
    .venv/bin/python tools/mutants.py show     # survivors, and shares by folder

Each mutant is one change of one place (an operator, a number, a condition, an argument that is left
out, a statement that is skipped; see ``Places``) in a copy of the package, never in the work tree.
Only test files that run the changed line are run, those first that are named after the module or
run most of it, as many as take a minute together, until one fails: what is caught at all is more.
Time is CPU time: on a busy machine wall time would count what only had to wait as caught.
Samples are drawn from each folder with a seed, in turn from its modules, so that small modules
count too.  Results stay in a folder (``mutants/``) and are not computed again: empty it when the
code has changed.  What ``tools/equivalent_mutants.txt`` lists changes nothing a test could see.

docs/testing.md has the figures.  Why not mutmut or cosmic-ray: both want to run whole suites for
each mutant, and neither knows a package whose core is a compiled module of another folder.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, islice, pairwise, zip_longest
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "demotic"
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.txt"
TESTS = ("learn", "memory", "documents", "transduce", "systems", "experiments", "explain",
         "inspection", "align", "demo", "cli")  # fmt: skip
"""Folders of tests that are asked; the others do not touch what is mutated."""
COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in",
    "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*", "|": "&",
             "&": "|", "<<": ">>", ">>": "<<"}  # fmt: skip
FUNCTIONS = {"max": "min", "min": "max", "any": "all", "all": "any"}
SILENT = {"progress", "threads", "unit", "total", "remedy", "path", "repr"}
"""Arguments that never show in results: leaving them out is no fault that a result can tell."""
MISSED = ("survived", "not run", "no verdict")
NO_VERDICT = (3, 4, 5)
"""Exit codes of pytest that say nothing of the code: an error of its own, wrong usage, no tests."""

CPU_LIMIT = "MUTANT_CPU_SECONDS"
WALL = 30
"""Times the CPU seconds after which a run that does not end is stopped, without a verdict."""

SITE = f"""
import os, resource, sys
if limit := int(os.environ.get("{CPU_LIMIT}", "0")):
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
try:
    import coverage
    coverage.process_startup()
except ImportError:
    pass
"""


@dataclass(frozen=True)
class Mutant:
    """One change: the text from ``begin`` to ``end`` of a file becomes ``new``."""

    file: str
    line: int
    begin: int
    end: int
    old: str
    new: str
    context: str
    """The line in which it begins."""
    statement: int
    """The line in which its statement begins."""
    turn: int = 1
    """Of those that look the same in their file."""

    @property
    def name(self) -> str:
        """What it does, in words that stay the same while the lines around it change."""
        old, new = (re.sub(r"\s+", " ", text)[:70] for text in (self.old, self.new))
        again = f" #{self.turn}" if self.turn > 1 else ""
        return f"{self.file}: {self.context}: {old} -> {new}{again}".rstrip()


# -- places to change -----------------------------------------------------------------------------


class Places(ast.NodeVisitor):
    """Collects the changes that a module allows."""

    def __init__(self, file: str, text: str) -> None:
        self._file, self._text = file, text
        starts = [0]
        for line in text.encode().split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self._starts, self._bytes = starts, text.encode()
        self.found: list[Mutant] = []
        self._seen: Counter[str] = Counter()
        self._statement = 1
        self.visit(ast.parse(text))

    def _at(self, node: ast.AST, *, end: bool = False) -> int:
        line, column = ("end_lineno", "end_col_offset") if end else ("lineno", "col_offset")
        return self._starts[getattr(node, line) - 1] + int(getattr(node, column))

    def _change(self, begin: int, end: int, new: str) -> None:
        old = self._bytes[begin:end].decode()
        line = self._bytes[:begin].count(b"\n")
        context = self._bytes.split(b"\n")[line].decode().strip()
        mutant = Mutant(self._file, line + 1, begin, end, old, new, context, self._statement)
        self._seen[mutant.name] += 1
        self.found.append(replace(mutant, turn=self._seen[mutant.name]))

    def _replace(self, node: ast.AST, new: str) -> None:
        self._change(self._at(node), self._at(node, end=True), new)

    def _source(self, node: ast.AST) -> str:
        return self._bytes[self._at(node) : self._at(node, end=True)].decode()

    def _between(self, left: ast.AST, right: ast.AST, known: dict[str, str]) -> None:
        """Another operator between two operands."""
        begin, end = self._at(left, end=True), self._at(right)
        between = self._bytes[begin:end].decode()
        for old in sorted(known, key=len, reverse=True):
            found = re.search(rf"(?<![\w<>=!*/]){re.escape(old)}(?![\w<>=*/])", between)
            if found:
                at = begin + len(between[: found.start()].encode())
                self._change(at, at + len(old), known[old])
                return

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self._statement = node.lineno
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)

    # Messages are for people, types for mypy: no test should pin them down.

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace(node, "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        return

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        return

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and self._source(node.target) not in SILENT:
            self.visit(node.value)

    def visit_arguments(self, node: ast.arguments) -> None:
        named = [*node.posonlyargs, *node.args]
        last = named[len(named) - len(node.defaults) :]
        pairs = [*zip(last, node.defaults, strict=True),
                 *zip(node.kwonlyargs, node.kw_defaults, strict=True)]  # fmt: skip
        for argument, default in pairs:
            if default is not None and argument.arg not in SILENT:
                self.visit(default)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if "__all__" in names or any(name.endswith(("Var", "T")) for name in names):
            return
        if isinstance(node.value, ast.Call) and "TypeVar" in self._source(node.value.func):
            return
        if not names and not isinstance(node.targets[0], ast.Tuple):
            self._replace(node, "pass")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if self._source(node.test) == "TYPE_CHECKING":
            for child in node.orelse:
                self.visit(child)
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._replace(test, "True")
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        if isinstance(test, ast.Compare | ast.UnaryOp):
            return  # its operator is changed
        self._replace(test, f"(not ({self._source(test)}))")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            return  # a docstring, or all that a generator does
        if re.search(r"\bsay\(|\badvance\(", self._source(node)):
            return
        self._replace(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._replace(node, "pass")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "continue")

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, right in pairwise(operands):
            self._between(left, right, COMPARISONS)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not (isinstance(node.op, ast.BitOr) and "None" in self._source(node)):  # a type
            self._between(node.left, node.right, OPERATORS)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in pairwise(node.values):
            self._between(left, right, {"and": "or", "or": "and"})
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self._replace(node, self._source(node.operand))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(node, str(not value))
        elif isinstance(value, int | float):
            self._replace(node, repr(value + 1 if isinstance(value, int) else value * 2 + 0.1))

    def visit_Call(self, node: ast.Call) -> None:
        name = self._source(node.func)
        if name in ("cast", "TypeVar", "names_of", "import_module"):
            return
        if name in FUNCTIONS:
            self._replace(node.func, FUNCTIONS[name])
        self._leave_out(node)
        if len(node.args) == 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
            one, two = (self._source(arg) for arg in node.args)
            begin, end = self._at(node.args[0]), self._at(node.args[1], end=True)
            if name not in ("isinstance", "getattr", "hasattr", "np.maximum", *FUNCTIONS):
                self._change(begin, end, f"{two}, {one}")
        self.generic_visit(node)

    def _leave_out(self, node: ast.Call) -> None:
        """Each keyword argument in turn, with the comma behind it."""
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in SILENT:
                continue
            begin, end = self._at(keyword), self._at(keyword, end=True)
            comma = re.match(rb"\s*,", self._bytes[end:])
            self._change(begin, end + (comma.end() if comma else 0), "")


def places(path: Path) -> list[Mutant]:
    """All mutants of a module."""
    return Places(str(path.relative_to(PACKAGE)), path.read_text(encoding="utf-8")).found


def sample(folder: str, count: int, seed: int) -> list[Mutant]:
    """So many mutants of a folder, from its modules in turn."""
    drawn = []
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        found = places(path)
        random.Random(f"{seed} {path.relative_to(PACKAGE)}").shuffle(found)
        drawn.append(found)
    random.Random(seed).shuffle(drawn)  # or a small sample would never reach the last modules
    turns = (each for turn in zip_longest(*drawn) for each in turn if each is not None)
    return list(islice(turns, count))


# -- running tests --------------------------------------------------------------------------------


def copy_package(place: Path) -> Path:
    """The package with its compiled core, where faults can be put into it."""
    shutil.copytree(PACKAGE, place / "demotic", ignore=shutil.ignore_patterns("__pycache__"))
    core = importlib.util.find_spec("demotic._core")
    assert core is not None
    assert core.origin is not None
    shutil.copy(core.origin, place / "demotic")
    (place / "sitecustomize.py").write_text(SITE)
    return place


def environment(place: Path, **others: str) -> dict[str, str]:
    old = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join(filter(None, [str(place), old]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **others}


def run_tests(
    files: list[str], place: Path, seconds: float | None = None, **others: str
) -> tuple[int, str]:
    """The exit code of pytest, and what it said; ``seconds`` of CPU time for each process."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
               "--no-header", "--tb=no", "--basetemp", str(place / "tmp"), *files]  # fmt: skip
    wall = None
    if seconds is not None:
        others[CPU_LIMIT], wall = str(math.ceil(seconds)), WALL * seconds
    done = subprocess.run(
        command, cwd=ROOT, env=environment(place, **others), capture_output=True, text=True,
        timeout=wall, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout[-500:]


@dataclass
class Tests:
    """For each line of the package the test files that run it, and how long these take."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant, budget: float) -> list[str]:
        """Test files for a mutant: of its module by name, then those that run most of it, in so
        many seconds."""
        lines = self.lines.get(mutant.file, {})
        count = Counter(file for files in lines.values() for file in files)
        most = max(count.values(), default=1)

        module = Path(mutant.file)
        subject = {module.stem, module.parent.name}

        def order(file: str) -> tuple[bool, int, float]:
            named = Path(file).stem.removeprefix("test_") in subject
            return not named, -round(8 * count[file] / most), self.seconds[file]

        # Lines that hold constants alone are not run for themselves.
        there = lines.get(str(mutant.line)) or lines.get(str(mutant.statement), [])
        found = sorted(there, key=order)
        ends = accumulate(self.seconds[file] for file in found)
        return [file for file, end in zip(found, ends, strict=True) if end < budget] or found[:1]


def read_tests(out: Path) -> Tests:
    """What ``map`` has found so far."""
    path = out / "tests.json"
    return Tests(**json.loads(path.read_text())) if path.is_file() else Tests({}, {})


def map_tests(out: Path) -> None:
    """Run every test file by itself and note which lines it runs."""
    files = [str(path.relative_to(ROOT)) for folder in TESTS
             for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))]  # fmt: skip
    tests = read_tests(out)
    with tempfile.TemporaryDirectory() as temp:
        place = copy_package(Path(temp))
        config = place / "coveragerc"
        config.write_text(f"[run]\nsource = {place / 'demotic'}\nparallel = true\n"
                          f"data_file = {place / 'data'}\n")  # fmt: skip
        for file in files:
            if file in tests.seconds:
                continue
            begin = cpu_of_children()
            code, said = run_tests([file], place, COVERAGE_PROCESS_START=str(config))
            tests.seconds[file] = cpu_of_children() - begin
            print(f"{tests.seconds[file]:6.1f} s  {file}", flush=True)
            lines = list(_lines_run(place))
            if code not in (0, 5):
                print(f"left out, as it fails without any fault in the code:\n{said}")
                continue
            for name, line in lines:
                known = tests.lines.setdefault(name, {}).setdefault(str(line), [])
                if file not in known:
                    known.append(file)
            (out / "tests.json").write_text(json.dumps(asdict(tests)))


def cpu_of_children() -> float:
    """CPU seconds of all that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _lines_run(place: Path) -> Iterator[tuple[str, int]]:
    """Module and line, for all that processes under coverage have left behind."""
    from coverage import CoverageData, CoverageException

    for path in place.glob("data.*"):
        data = CoverageData(str(path))
        try:
            data.read()
            for file in data.measured_files():
                name = str(Path(file).relative_to(place / "demotic"))
                yield from ((name, line) for line in data.lines(file) or [])
        except CoverageException:
            pass  # of a process that a test killed
        path.unlink(missing_ok=True)  # journals go when their file is read


def judge(mutant: Mutant, tests: Tests, place: Path, budget: float) -> dict[str, object]:
    """Put the fault in, run the tests, take it out."""
    files = tests.of(mutant, budget)
    path = place / "demotic" / mutant.file
    whole = path.read_bytes()
    changed = whole[: mutant.begin] + mutant.new.encode() + whole[mutant.end :]
    record: dict[str, object] = {**asdict(mutant), "name": mutant.name, "tests": files}
    try:
        compile(changed, str(path), "exec")
    except SyntaxError:
        return {**record, "result": "invalid"}
    if not files:
        return {**record, "result": "not run"}
    path.write_bytes(changed)
    begin = time.monotonic()
    try:
        seconds = 60 + 6 * sum(tests.seconds[file] for file in files)
        code, said = run_tests(files, place, seconds)
    except subprocess.TimeoutExpired:
        return {**record, "result": "no verdict"}
    finally:
        path.write_bytes(whole)
    if code in NO_VERDICT:
        raise RuntimeError(f"pytest came to no verdict on {mutant.name} (exit {code}):\n{said}")
    result = "caught" if code else "survived"
    return {**record, "result": result, "said": said, "seconds": time.monotonic() - begin}


def run(
    out: Path, folders: list[str], *, count: int, seed: int, jobs: int, budget: float, again: bool
) -> None:
    """Judge the mutants of a sample that were not judged before, or those that survived again."""
    tests = read_tests(out)
    log = out / "results.jsonl"
    latest = {str(record["name"]): str(record["result"]) for record in _results(log)}
    missed = {name for name, result in latest.items() if result in MISSED}
    done = (latest.keys() - missed) | equivalent() if again else latest.keys()
    todo = [m for folder in folders for m in sample(folder, count, seed) if m.name not in done]
    print(f"{len(todo)} mutants to judge", flush=True)
    with tempfile.TemporaryDirectory() as temp, log.open("a") as kept:
        free: Queue[Path] = Queue()
        for job in range(jobs):
            (Path(temp) / str(job)).mkdir()
            free.put(copy_package(Path(temp) / str(job)))

        def one(mutant: Mutant) -> dict[str, object]:
            place = free.get()
            try:
                return judge(mutant, tests, place, budget)
            finally:
                free.put(place)

        with ThreadPoolExecutor(jobs) as pool:
            for number, record in enumerate(pool.map(one, todo), 1):
                kept.write(json.dumps(record) + "\n")
                kept.flush()
                print(f"{number}/{len(todo)} {record['result']}: line {record['line']} of "
                      f"{record['name']}", flush=True)  # fmt: skip


def _results(log: Path) -> Iterator[dict[str, object]]:
    if log.is_file():
        yield from map(json.loads, log.read_text().splitlines())


def equivalent() -> set[str]:
    """Mutants that change nothing that a test could see; reasons stand above them as comments."""
    lines = EQUIVALENT.read_text().splitlines() if EQUIVALENT.is_file() else []
    return {line for line in lines if line and not line.startswith("#")}


def show(out: Path) -> None:
    """Survivors, and the share that is caught, by folder; the last word on a mutant counts."""
    latest = {record["name"]: record for record in _results(out / "results.jsonl")}
    same = equivalent()
    counts: dict[str, dict[str, int]] = {}
    for name, record in sorted(latest.items(), key=lambda item: str(item[0])):
        result = "equivalent" if name in same else str(record["result"])
        folder = counts.setdefault(str(record["file"]).split("/")[0], {})
        folder[result] = folder.get(result, 0) + 1
        if result in MISSED:
            print(f"{result}: line {record['line']} of {name}")
    for folder, each in counts.items():
        caught, missed = each.get("caught", 0), each.get("survived", 0) + each.get("not run", 0)
        share = 100 * caught / max(1, caught + missed)
        print(f"{folder}: {caught} of {caught + missed} caught, {share:.1f} % ({each})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["map", "run", "show"])
    parser.add_argument("folders", nargs="*", default=["learn", "systems", "experiments"])
    parser.add_argument("--sample", type=int, default=150, help="mutants of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for a mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="survivors, too")
    parser.add_argument("--out", type=Path, default=ROOT / "mutants")
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    if options.what == "map":
        map_tests(options.out)
    elif options.what == "run":
        run(
            options.out, options.folders, count=options.sample, seed=options.seed,
            jobs=options.jobs, budget=options.budget, again=options.again,
        )  # fmt: skip
    show(options.out)


if __name__ == "__main__":
    main()
