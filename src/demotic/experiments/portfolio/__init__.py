"""Portfolio: settings and systems compared on many sets, to choose defaults that hold on all.

train    every system under every setting on every set, with every seed: a trial each
report   verdicts, tables, a plot of what is finished

Trials are kept one by one, so that one more setting costs its own trials alone; several processes
may share the work, each takes sets that no other is busy with.  ``sets`` says which sets there are,
``texts`` makes their halves, ``trial`` trains and measures, ``compare`` judges.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from demotic import __version__, files
from demotic.errors import ArgumentError, MissingDependencyError
from demotic.experiments.parts import Parts
from demotic.experiments.plots import Series, draw
from demotic.experiments.portfolio import report
from demotic.experiments.portfolio.report import Arm
from demotic.experiments.portfolio.sets import DEFAULT, DataSet, sets_of, settings_of
from demotic.experiments.portfolio.texts import Texts, prepare
from demotic.experiments.portfolio.trial import Trial
from demotic.experiments.setup import Setup
from demotic.progress import SILENT
from demotic.systems import configured
from demotic.systems.records import merged
from demotic.systems.stages import saved_settings
from demotic.systems.trials import begin

PARTS = ("train", "report")
USES = ("seeds", "portfolio", "sets", "systems", "setting", "set")
TOKENISED = False


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not: a part, a set, a system, a setting."""
    setup.check_parts(PARTS)
    sets_of(replace(setup, progress=SILENT))
    _arms(setup)


def _arms(setup: Setup) -> dict[Arm, dict[str, Any]]:
    """What is compared, each a record of settings that its system has."""
    arms = {}
    for system in setup.systems:
        for name, changes in settings_of(setup).items():
            settings = merged(changes, {"tokenised": True} if setup.tokenised else {})
            try:
                configured(system, settings)
            except ArgumentError as error:
                error.message = f"{system}, {name}: {error.message}"
                raise
            arms[Arm(system, name)] = settings
    return arms


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    settings = {"version": __version__}
    parts = Parts(setup.out / "results", settings, progress=setup.progress)
    bench = _Bench(setup, _arms(setup), parts)
    sets = sets_of(setup)
    if setup.wants("train"):
        _share(bench, sets)
    if not setup.wants("report"):
        return ""
    return _report(bench, sets)


@dataclass(frozen=True)
class _Bench:
    """What every trial needs."""

    setup: Setup
    arms: Mapping[Arm, Mapping[str, Any]]
    parts: Parts

    def trials(self, data_set: DataSet, texts: Texts, arm: Arm) -> Iterator[tuple[str, Trial, Any]]:
        """The trials of an arm on a set, with their names and what their results depend on."""
        name = data_set.name
        for seed in self.setup.seeds:
            settings = merged(self.arms[arm], {"seed": seed})
            trial = Trial(
                texts=texts, system=arm.system, settings=settings, work=self.work(name, arm),
                tune=data_set.tune, threads=self.setup.threads,
            )  # fmt: skip
            key = [texts.digest, saved_settings(configured(arm.system, settings))]
            if not data_set.tune:
                key.append("tuned on its own text")
            yield f"{name}.{arm.system}.{arm.setting}.{seed}", trial, key

    def work(self, name: str, arm: Arm) -> Path:
        """Where the stages of an arm are."""
        return self.setup.out / "work" / name / f"{arm.system}.{arm.setting}"

    def texts(self, data_set: DataSet) -> Texts | None:
        return prepare(data_set, self.setup, self.setup.out / "data")


def _share(bench: _Bench, sets: Sequence[DataSet]) -> None:
    """Train on every set; those that another process is busy with come last."""
    later = []
    for data_set in sets:
        with _lock(bench.setup.out / "locks" / data_set.name, wait=False) as mine:
            if mine:
                _train(bench, data_set)
            else:
                later.append(data_set)
    for data_set in later:
        with _lock(bench.setup.out / "locks" / data_set.name, wait=True):
            _train(bench, data_set)


@contextmanager
def _lock(path: Path, *, wait: bool) -> Iterator[bool]:
    """Is this process the only one here?  A process that is killed leaves no lock."""
    with files.naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def _train(bench: _Bench, data_set: DataSet) -> None:
    """All trials on a set that are not done yet."""
    texts = bench.texts(data_set)
    if texts is None:
        return
    for arm in bench.arms:
        trials = list(bench.trials(data_set, texts, arm))
        if all(bench.parts.has(name, settings=key) for name, _, key in trials):
            continue
        work = bench.work(data_set.name, arm)
        defaults = [work.with_name(f"{arm.system}.{DEFAULT}"), *work.parent.glob(f"*.{DEFAULT}")]
        begin(work, [work, *defaults])
        for name, trial, key in trials:
            found = bench.parts.get(name, partial(Trial.run, trial), settings=key)
            bench.setup.progress.say(
                f"{name}: {found['held']['bleu']:.2f} held out, {found['tuned']['bleu']:.2f} tuned "
                f"on, {found['test']['bleu']:.2f} test; {found['seconds']:.0f} CPU s"
            )
        if arm.setting != DEFAULT:  # whose stages others begin with
            shutil.rmtree(work, ignore_errors=True)


def _report(bench: _Bench, sets: Sequence[DataSet]) -> str:
    out = bench.setup.out
    results: dict[Arm, dict[str, list[Any]]] = {arm: {} for arm in bench.arms}
    sizes = {}
    for data_set in sets:
        texts = bench.texts(data_set)
        if texts is None:
            continue
        sizes[data_set.name] = texts.sizes()
        for arm, found in results.items():
            trials = list(bench.trials(data_set, texts, arm))
            if all(bench.parts.has(name, settings=key) for name, _, key in trials):
                known = [bench.parts.known(name) for name, _, _ in trials]
                found[data_set.name] = [each[1] for each in known if each is not None]
    settings = settings_of(bench.setup)
    text = report.markdown(results, settings, sizes)
    files.write_lines(out / "report.md", [text])
    record = report.record(results, settings, sizes)
    files.write_lines(out / "report.json", [json.dumps(record, indent=1)])
    _plot(results, out)
    return text


def _plot(results: report.Results, out: Path) -> None:
    """Gains by set, where there is something to compare and something to draw with."""
    series, names = [], list(dict.fromkeys(name for sets in results.values() for name in sets))
    for (arm, other), found in report.comparisons(results).items():
        xs = [float(names.index(each.name)) for each in found.sets]
        gains = [each.held for each in found.sets]
        series.append(Series(f"{arm} against {other}", xs, gains, style="points"))
    if series:
        try:
            draw(out / "gains", series, x="", y="BLEU gained, held out", title="", ticks=names)
        except MissingDependencyError:
            return
