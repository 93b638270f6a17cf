"""A portfolio runs from folders of texts to verdicts, and does nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from demotic import train
from demotic.corpus import Bitext
from demotic.errors import ArgumentError, DemoticError
from demotic.experiments.portfolio import _lock, check, run
from demotic.experiments.portfolio.texts import Texts
from demotic.experiments.portfolio.trial import Trial
from demotic.experiments.setup import Setup
from demotic.systems.model import MEMORY
from tests.experiments.markdown import tables
from tests.experiments.watching import Watching
from tests.systems import toys

BASE = toys.QUICK
CHANGES = {"tune": {"mira": {"iterations": 0}}}
SETS = """
[[sets]]
name = "{one}"
folder = "one"
from = "en"
to = "fr"
train = 200
dev = 40
test = 20

[[sets]]
name = "two"
folder = "two"
from = "en"
to = "fr"
dev = 40
test = 20

[settings.untuned]
tune.mira.iterations = 0
"""


def fill(folder: Path, **parts: Bitext) -> None:
    folder.mkdir(parents=True)
    for name, bitext in parts.items():
        (folder / f"{name}.en").write_text("".join(f"{x}\n" for x in bitext.source_lines()))
        (folder / f"{name}.fr").write_text("".join(f"{x}\n" for x in bitext.target_lines()))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    for number, name in enumerate(("one", "two")):
        seed = 10 * number
        fill(
            path / name,
            train=toys.memory(300, seed + 1), dev=toys.text(50, seed + 2),
            test=toys.text(30, seed + 3),
        )  # fmt: skip
    (path / "sets.toml").write_text(SETS.format(one="one"))
    return path


def setup(data: Path, out: Path, **changes: Any) -> Setup:
    made = Setup(
        data=data, out=out, portfolio=data / "sets.toml", tokenised=False, seeds=(1,), base=BASE,
        systems=("hiero",), progress=Watching(),
    )  # fmt: skip
    return replace(made, **changes)


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("portfolio") / "out"
    return out, run(setup(data, out))


def result(out: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "results" / f"{name}.json").read_text())["result"]
    return found


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


TRIALS = [
    f"{name}.hiero.{setting}.1" for name in ("one", "two") for setting in ("default", "untuned")
]


@pytest.mark.parametrize("trial", TRIALS)
def test_scores_are_those_of_sacrebleu_on_the_halves_and_the_test_set(
    data: Path, finished: tuple[Path, str], trial: str
) -> None:
    out, text = finished
    name, _, setting, _ = trial.split(".")
    found = result(out, trial)
    dev, test = lines(data / name / "dev.fr")[:40], lines(data / name / "test.fr")[:20]
    references = {"tuned": dev[0::2], "held": dev[1::2], "test": test}
    for part, reference in references.items():
        translated = found[part]["lines"]
        bleu = sacrebleu.corpus_bleu(translated, [reference])
        assert found[part]["bleu"] == pytest.approx(bleu.score)
        assert found[part]["length"] == pytest.approx(bleu.sys_len / bleu.ref_len)
        chrf = sacrebleu.corpus_chrf(translated, [reference])
        assert found[part]["chrf"] == pytest.approx(chrf.score)
    [row] = [row for row in tables(text)[-1] if row["set"] == name and row["setting"] == setting]
    shown = ("BLEU of the held-out half", "of the half tuned on", "test", "chrF, test", "length")
    exact = [found[part]["bleu"] for part in ("held", "tuned", "test")]
    exact += [found["test"]["chrf"], found["test"]["length"]]
    assert [row[title] for title in shown] == [f"{value:.2f}" for value in exact]
    assert row["pairs"] == ("200" if name == "one" else "300")
    assert row["rules"] == f"{found['rules']:,}"
    assert float(row["training, CPU s"]) == pytest.approx(found["seconds"], abs=0.01)


def test_a_trial_is_the_training_that_anybody_would_do(
    data: Path, finished: tuple[Path, str]
) -> None:
    def text(part: str, begin: int, end: int, step: int) -> Bitext:
        sides = [lines(data / "one" / f"{part}.{side}")[begin:end:step] for side in ("en", "fr")]
        return Bitext.from_pairs(
            zip(*sides, strict=True), source_language="en", target_language="fr", file=part
        )

    model = train(text("train", 0, 200, 1), dev=text("dev", 0, 40, 2), config=BASE)
    held = text("dev", 1, 40, 2)
    found = result(finished[0], "one.hiero.default.1")
    assert [each.text for each in model.translate_lines(held.source_lines())] == found["held"][
        "lines"
    ]
    assert found["rules"] == len(model.rules)  # type: ignore[attr-defined]
    # A trial keeps no memory of the text: settings are judged by what a model learned.
    parts = (path for path in model.bundle.folder.iterdir() if path.name != MEMORY)
    sizes = [path.stat().st_size for path in parts]
    assert found["bytes"] == pytest.approx(sum(sizes), rel=0.01)


def test_a_set_may_leave_it_to_training_what_to_tune_on(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "sets.toml"
    file.write_text(
        '[[sets]]\nname = "alone"\nfolder = "one"\nfrom = "en"\nto = "fr"\n'
        "train = 150\ndev = 20\ntest = 10\ntune = false\n"
    )
    run(setup(data, tmp_path / "out", portfolio=file))
    found = result(tmp_path / "out", "alone.hiero.default.1")
    sides = [lines(data / "one" / f"train.{side}")[:150] for side in ("en", "fr")]
    text = Bitext.from_pairs(
        zip(*sides, strict=True), source_language="en", target_language="fr", file="train"
    )
    model = train(text, config=BASE).with_memory({"use": False})
    held = lines(data / "one" / "dev.en")[1:20:2]
    assert [each.text for each in model.translate_lines(held)] == found["held"]["lines"]


def test_the_mean_gain_is_that_of_the_sets(finished: tuple[Path, str]) -> None:
    out, text = finished
    gains = {}
    for name in ("one", "two"):
        untuned, default = (result(out, f"{name}.hiero.{s}.1") for s in ("untuned", "default"))
        gains[name] = untuned["held"]["bleu"] - default["held"]["bleu"]
    [row] = tables(text)[1]
    assert row["mean gain [95 %]"].startswith(f"{sum(gains.values()) / 2:+.2f} [")
    for each in tables(text)[2]:
        [cell] = [value for title, value in each.items() if title != "set"]
        assert cell.startswith(f"{gains[each['set']]:+.2f} (p = ")
    # The toy is one on which weights matter: leaving them as they are cannot be a default.
    assert "loses on the mean" in row["verdict"]
    record = json.loads((out / "report.json").read_text())
    [compared] = record["comparisons"]
    assert compared["mean"] == pytest.approx(sum(gains.values()) / 2)
    assert compared["wins"] is False


def test_a_setting_of_the_tuner_redoes_tuning_alone(finished: tuple[Path, str]) -> None:
    out, _ = finished
    default, untuned = (result(out, f"one.hiero.{s}.1")["stages"] for s in ("default", "untuned"))
    shared = {name for name in default if default[name] == untuned[name]}
    assert shared == {"text", "dev", "align", "extract", "lm", "classes"}
    # Their cost counts for both: nobody has them for nothing.
    for found in (result(out, "one.hiero.default.1"), result(out, "one.hiero.untuned.1")):
        assert found["seconds"] == pytest.approx(sum(found["stages"].values()))
    assert not (out / "work" / "one" / "hiero.untuned").exists()


def test_only_what_is_missing_is_trained(data: Path, finished: tuple[Path, str]) -> None:
    out, text = finished
    again = Watching()
    assert run(setup(data, out, progress=again)) == text
    assert not again.said
    (out / "results" / "two.hiero.untuned.1.json").unlink()
    run(setup(data, out, progress=again))
    assert [said for said in again.said if ":" not in said] == ["two.hiero.untuned.1"]
    more = Watching()
    run(setup(data, out, settings={"lm2": {"lm": {"order": 2}}}, sets=("one",), progress=more))
    assert [said for said in more.said if ":" not in said] == ["one.hiero.lm2.1"]
    other, default = (result(out, f"one.hiero.{s}.1")["stages"] for s in ("lm2", "default"))
    assert {name for name in default if default[name] == other[name]} == {
        "text",
        "dev",
        "align",
        "extract",
        "classes",
    }


def test_a_trial_that_was_killed_is_done_again_from_its_finished_stages(
    data: Path, finished: tuple[Path, str]
) -> None:
    out, _ = finished
    before = result(out, "one.hiero.untuned.1")
    (out / "results" / "one.hiero.untuned.1.json").unlink()
    left = out / "work" / "one" / "hiero.untuned"
    shutil.copytree(left.with_name("hiero.default"), left)
    for name in ("weights.json", "mert-0.json"):
        (left / name).write_text("half")
    run(setup(data, out))
    after = result(out, "one.hiero.untuned.1")
    assert after["held"] | {"ms": 0} == before["held"] | {"ms": 0}
    assert after["stages"]["align"] == before["stages"]["align"]


def test_a_trial_ends_with_the_process_that_waits_for_it(
    data: Path, finished: tuple[Path, str], tmp_path: Path
) -> None:
    """Or the next run would meet it in its work folder."""
    out = tmp_path / "out"
    code = (
        "from pathlib import Path; from tests.experiments.test_portfolio import setup; "
        "from demotic.experiments.portfolio import run; "
        f"run(setup(Path({str(data)!r}), Path({str(out)!r})))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    work = out / "work" / "one" / "hiero.default"
    while not (work / "text.done").exists():
        assert parent.poll() is None
        time.sleep(0.02)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 60
    while any(_runs(pid) for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    run(setup(data, out))
    for trial in TRIALS:
        one, other = (result(place, trial)["held"] for place in (out, finished[0]))
        assert one | {"ms": 0} == other | {"ms": 0}


def test_whoever_is_told_to_stop_does_not_wait_for_the_trial(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    slow = {"iterations": 20, "restarts": 1000, "min_gain": 0.0}  # minutes
    code = (
        "from pathlib import Path; from tests.experiments.test_portfolio import BASE, setup; "
        "from demotic.experiments.portfolio import run; "
        "from demotic.systems.records import merged; "
        f"base = merged(BASE, {{'tune': {{'method': 'mert', 'mert': {slow}}}}}); "
        f"run(setup(Path({str(data)!r}), Path({str(out)!r}), base=base))"
    )
    work = out / "work" / "one" / "hiero.default"
    with subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True
    ) as parent:
        try:
            while not (work / "classes.done").exists():
                assert parent.poll() is None
                time.sleep(0.02)
            parent.send_signal(signal.SIGINT)
            said = parent.communicate(timeout=60)[1]
        finally:
            parent.kill()
    assert parent.returncode != 0
    assert "KeyboardInterrupt" in said
    assert not (work / "tune.done").exists()


def test_a_trial_whose_process_is_killed_is_an_error_that_says_so(
    data: Path, finished: tuple[Path, str], tmp_path: Path
) -> None:
    texts = Texts(finished[0] / "data" / "one", "en", "fr")
    trial = Trial(texts=texts, system="hiero", settings=BASE, work=tmp_path / "work")

    def kill() -> None:
        while not (tmp_path / "work").exists():
            time.sleep(0.02)
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(DemoticError, match="ended before its time"):
        trial.run()
    killer.join()


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_other_text_or_other_settings_are_other_trials(
    data: Path, finished: tuple[Path, str], tmp_path: Path
) -> None:
    (tmp_path / "sets.toml").write_text(SETS.format(one="one").replace("test = 20", "test = 10"))
    report = run(setup(data, finished[0], portfolio=tmp_path / "sets.toml", parts=("report",)))
    assert not tables(report)[-1]
    report = run(setup(data, finished[0], base={"lm": {"order": 2}}, parts=("report",)))
    assert not tables(report)[-1]


def test_settings_that_a_system_does_not_have_are_refused(data: Path, tmp_path: Path) -> None:
    wanted = setup(data, tmp_path / "out", settings={"odd": {"lm": {"ordre": 3}}})
    with pytest.raises(ArgumentError, match=r"hiero, odd: unknown setting 'lm\.ordre'"):
        check(wanted)
    with pytest.raises(ArgumentError, match="no part 'trials'"):
        check(replace(wanted, parts=("trials",)))


def test_a_set_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    with _lock(tmp_path / "locks" / "one", wait=False) as mine:
        assert mine
        with _lock(tmp_path / "locks" / "one", wait=False) as theirs:
            assert not theirs
        with _lock(tmp_path / "locks" / "two", wait=False) as theirs:
            assert theirs
    with _lock(tmp_path / "locks" / "one", wait=False) as mine:
        assert mine
