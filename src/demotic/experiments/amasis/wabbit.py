"""Vowpal Wabbit's search on the very examples that our labels are learned from.

The package ``vowpalwabbit`` is no dependency; where it is missing, the part says so.  Features do
not look at the stack here, and nothing is masked: both sides learn a plain choice among labels.
Vowpal Wabbit interpolates by data: with ``--search_interpolation policy`` version 9.11 learns as
well but predicts from the saved model with a policy that was never trained, and where no feature
sees earlier labels the two ways learn from the same examples.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from demotic import _core
from demotic.errors import DemoticError
from demotic.experiments.amasis.bench import Bench
from demotic.experiments.amasis.labels import HOLDOUT
from demotic.grammar import label_corpora
from demotic.learn import LinearPolicy
from demotic.learn.searn import searn
from demotic.systems.amasis.config import LabelConfig
from demotic.systems.amasis.labels import LabelLearner

PASSES = 15
NONE = 2**32 - 1


def compared(bench: Bench) -> Any:
    """Labels right on held-out text by both; ``None`` where the package is missing."""
    if importlib.util.find_spec("vowpalwabbit") is None:
        return None

    def run() -> list[dict[str, Any]]:
        return [_compare(bench, features) for features in ("paper", "context")]

    return bench.parts.get("wabbit", run, settings=[HOLDOUT, PASSES])


def _compare(bench: Bench, features: Any) -> dict[str, Any]:
    source, target, links = bench.aligned
    corpora = label_corpora(source, target, links, features=features, holdout=HOLDOUT)
    config = LabelConfig(features=features)
    learner = LabelLearner(corpora, config)
    mean = searn(learner, options=config.searn).mean()
    assert isinstance(mean, LinearPolicy)
    sets = [_examples(task) for task in (learner.task, learner.held_out)]
    rows, gold = sets[1]
    weights = np.zeros((learner.task.rows + 1, 16 * ((len(corpora.label_counts) + 15) // 16)))
    weights[:-1] = mean.sparse.reshape(learner.task.rows, -1)
    unseen = np.array([count == 0 for count in corpora.label_counts])
    scores = weights[np.minimum(rows, learner.task.rows)].sum(axis=1)[:, : len(unseen)]
    ours = np.where(unseen, -np.inf, scores).argmax(axis=1)
    theirs = _wabbit(corpora, sets)
    return {
        "features": features,
        "labels": len(gold),
        "ours": float((ours == gold).mean()),
        "theirs": float((theirs == gold).mean()),
    }


def _examples(task: _core.LabelTask) -> tuple[Any, Any]:
    """Rows and right labels of all items where there is a choice."""
    made = task.examples([], [], False, "expert", [], [], False, 1, True, 1)
    return made.rows.astype(np.int64), made.costs.argmin(axis=1)


def _sentences(corpora: _core.LabelCorpora, held_out: bool) -> Iterator[int]:
    """How many choices each sentence has."""
    for number in range(corpora.held_out if held_out else corpora.sentences):
        yield sum(not forced for _, forced in corpora.gold(number, held_out))


def _wabbit(corpora: _core.LabelCorpora, sets: list[tuple[Any, Any]]) -> Any:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (rows, gold) in enumerate(sets):
            with (folder / f"{number}.txt").open("w", encoding="ascii") as out:
                at = 0
                for size in _sentences(corpora, held_out=number == 1):
                    for i in range(at, at + size):
                        active = " ".join(f"r{row}" for row in rows[i] if row != NONE)
                        out.write(f"{gold[i] + 1} |f {active}\n")
                    out.write("\n")
                    at += size
        _run(
            ["--search", str(len(corpora.label_counts)), "--search_task", "sequence",
             "--search_history_length", "0", "--passes", str(PASSES), "-k", "-c", "--holdout_off",
             "-b", "22", "-d", str(folder / "0.txt"), "-f", str(folder / "model")]
        )  # fmt: skip
        _run(
            ["-t", "-i", str(folder / "model"), "-d", str(folder / "1.txt"),
             "-p", str(folder / "found")]
        )  # fmt: skip
        return np.array([int(label) - 1 for label in (folder / "found").read_text().split()])


def _run(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "vowpalwabbit", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DemoticError(f"Vowpal Wabbit failed: {done.stderr.strip()[-200:]}")
