"""What training can choose by itself, tried on the development set.

    training.config = choose(training, "hiero", given, "normal")   # and training.choices

Greedy: one choice after the other, in the order of the system's ``CHOICES``.  Each candidate is
trained with what was chosen so far, its weights tuned in a hurry on one half of the development
set, and judged by the other half.  It takes the place of the present one only if it is better by a
paired bootstrap, so that ties keep the default; of several that are better the best does.  What is
given is never changed.

Which trials there are depends on the effort, the text and the results, never on a clock: the same
text, settings and seed lead to the same model.  Trials are kept in the work folder.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from demotic import files
from demotic.corpus import Bitext
from demotic.errors import ArgumentError
from demotic.metrics import Bleu
from demotic.metrics.metric import Array
from demotic.metrics.significance import paired_bootstrap
from demotic.systems import Effort, configured, system_named
from demotic.systems.choices import Choice
from demotic.systems.config import TrainingConfig
from demotic.systems.quality import metric_for
from demotic.systems.records import merged
from demotic.systems.stages import Training, saved_settings
from demotic.systems.text_stages import fingerprint
from demotic.systems.trials import Sentences, begin, halves, scored, train
from demotic.systems.tuning import streams
from demotic.systems.work import WorkFolder

LARGEST = 50_000
"""Pairs that trials learn from; of a larger text they see so many, evenly spaced."""
SMALLEST = 100
"""Sentences of a development set; half of fewer decides nothing."""
LEVEL = 0.05
"""How probable it may be that a better candidate is better by chance."""
START = "start"


def choose(
    training: Training, system: str, given: Mapping[str, Any], effort: Effort
) -> TrainingConfig:
    """The settings to train with; ``training`` gets the record and the stages that fit them.

    ``given`` is the record that the training's configuration was made from.
    """
    choices = [
        choice
        for choice in system_named(system).CHOICES
        if choice.within(effort) and choice.suits(training.bitext, training.config)
    ]
    if choices and len(training.dev) < SMALLEST:
        training.progress.say(
            f"nothing is chosen by a development set of fewer than {SMALLEST} sentences"
        )
        return training.config
    search = _Search(training, system, given)
    for choice in choices:
        search.decide(choice)
    training.choices = search.record(effort)
    for line in table(training.choices):
        training.progress.say(line)
    if search.present is not None and search.present.work.is_dir():
        WorkFolder(search.present.work, resume=True).copy(training.work.folder)
    return search.config


def table(record: Mapping[str, Any]) -> Iterator[str]:
    """What was tried, for people."""
    if not record["tried"]:
        yield "there was nothing to choose"
        return
    yield (
        f"tried on {record['pairs']:,} pairs; BLEU of {record['judged_on']:,} sentences that were "
        f"not tuned on; {record['seconds']:.0f} CPU s in all"
    )
    for choice, tried in record["tried"].items():
        for candidate, found in tried.items():
            mark = "*" if record["chosen"][choice] == candidate else " "
            chance = "" if found["p"] is None else f"  p = {found['p']:.3f}"
            yield f"{mark} {f'{choice}: {candidate}':32} {found['bleu']:6.2f}{chance}"


@dataclass(frozen=True)
class _Tried:
    """A trial that is finished."""

    config: TrainingConfig
    found: Mapping[str, Any]
    seconds: float
    """That it took of CPU time, beside stages that others had done."""
    work: Path

    @property
    def settled(self) -> dict[str, Any]:
        """All settings, with what ``auto`` came to."""
        return merged(saved_settings(self.config), self.found["settled"])

    @property
    def statistics(self) -> Array:
        """Of the translations, to resample."""
        return np.array(self.found["statistics"], dtype=np.float64)


class _Search:
    """A search under way."""

    def __init__(self, training: Training, system: str, given: Mapping[str, Any]) -> None:
        self.system = system
        self.config = training.config
        self.present: _Tried | None = None
        """None as long as nothing was tried."""
        self._training = training
        self._settings = dict(given)
        self._home = WorkFolder(training.work.folder / "choices", resume=training.resume)
        self._tried: dict[str, dict[str, Any]] = {}
        self._chosen: dict[str, str] = {}
        self._seconds = 0.0

    def decide(self, choice: Choice) -> None:
        """Try the candidates of a choice, and take the best if it is better for sure."""
        open_ = dict(self._open(choice))
        if not open_:
            return
        if self.present is None:
            self.present = self._try(START, self.config)
        present = self.present
        kept = [name for name, each in choice.candidates.items() if _agree(each, present.settled)]
        rivals = {name: config for name, config in open_.items() if name not in kept}
        if not rivals:
            return
        best, best_name = present, kept[0] if kept else "as-set"
        tried: dict[str, Any] = {best_name: _row(present, None)}
        for name, config in rivals.items():
            rival = self._try(f"{choice.name}.{name}", config, present.work)
            p_value = paired_bootstrap(self._metric, rival.statistics, present.statistics).p_better
            tried[name] = _row(rival, p_value)
            better = p_value < LEVEL and rival.found["bleu"] > best.found["bleu"]
            loser = best if better else rival
            if better:
                best, best_name = rival, name
            if loser is not present:
                shutil.rmtree(loser.work, ignore_errors=True)
        self._tried[choice.name], self._chosen[choice.name] = tried, best_name
        self._training.progress.say(f"{choice.name}: {best_name} is chosen")
        if best is not present:
            shutil.rmtree(present.work, ignore_errors=True)
            self._settings = merged(self._settings, choice.candidates[best_name])
            self.present, self.config = best, best.config

    def record(self, effort: Effort) -> dict[str, Any]:
        """What was tried and chosen, for the model."""
        tune, held = self._dev
        return {
            "effort": effort,
            "pairs": len(self._bitext),
            "tuned_on": len(tune),
            "judged_on": len(held),
            "metric": self._metric.signature(1),
            "seconds": round(self._seconds, 1),
            "tried": self._tried,
            "chosen": self._chosen,
        }

    def _open(self, choice: Choice) -> Iterator[tuple[str, TrainingConfig]]:
        """Candidates that differ from the present settings and from none that are given."""
        for name, settings in choice.candidates.items():
            if not _agree(settings, self._settings, missing=True):
                continue
            try:
                config = configured(self.system, merged(self._settings, settings))
            except ArgumentError:
                continue  # it does not go with what is given
            if config != self.config:
                yield name, config

    def _try(self, name: str, config: TrainingConfig, *finished: Path) -> _Tried:
        """Train on one half of the development set and score the other, unless that was done."""
        training, (tune, held) = self._training, self._dev
        tune_references, held_references = self._references
        progress = training.progress
        hurried = config.for_trials()
        origin = [fingerprint(self._bitext), training.dev_fingerprint(), saved_settings(hurried)]
        stage = self._home.stage(name, origin, files=[f"{name}.json"])
        work = self._home.folder / name
        if stage.wanted:
            progress.say(f"trying {name}")
            begin(work, [work, *finished])
            with tempfile.TemporaryDirectory(prefix="model-", dir=self._home.folder) as place:
                trial = Training(
                    self._bitext, tune, hurried, references=tune_references,
                    out=Path(place) / "model", work=work, resume=True, memory=False,
                    threads=training.threads, progress=progress,
                )  # fmt: skip
                model = train(self.system, hurried, trial).model
                references = streams(list(held.target_lines()), *held_references)
                text = Sentences(list(held.source_lines()), references)
                score = scored(model, text, self._metric, training.threads)
                settled = {
                    side: {"compounds": written.compounds, "segment": written.segment}
                    for side, written in (
                        ("source", model.source.config), ("target", model.target.config),
                    )
                }  # fmt: skip
            found = {"settled": settled} | {key: score[key] for key in ("bleu", "statistics")}
            files.write_lines(stage.path(f"{name}.json"), [json.dumps(found)])
            stage.finish()
        found = json.loads(stage.path(f"{name}.json").read_bytes())
        self._seconds += stage.cost.seconds
        progress.say(f"{name}: BLEU {found['bleu']:.2f}, {stage.cost.seconds:.0f} CPU s")
        return _Tried(config, found, stage.cost.seconds, work)

    @cached_property
    def _bitext(self) -> Bitext:
        """What trials learn from."""
        bitext = self._training.bitext
        size = len(bitext)
        # Links of another aligner belong to the lines of the whole text.
        if size <= LARGEST or self.config.align.file is not None:
            return bitext
        return bitext.select(row * size // LARGEST for row in range(LARGEST))

    @cached_property
    def _dev(self) -> tuple[Bitext, Bitext]:
        """The halves to tune on and to judge by."""
        dev = self._training.dev
        tune, held = halves(range(len(dev)))
        return dev.select(tune), dev.select(held)

    @property
    def _references(self) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
        """Further ones of both halves."""
        both = [halves(lines) for lines in self._training.references]
        return [tune for tune, _ in both], [held for _, held in both]

    @cached_property
    def _metric(self) -> Bleu:
        language = self._training.bitext.target_language
        return metric_for(language, tokenised=self.config.tokenised)


def _row(tried: _Tried, p_value: float | None) -> dict[str, Any]:
    return {
        "bleu": round(tried.found["bleu"], 3),
        "p": None if p_value is None else round(p_value, 4),
        "seconds": round(tried.seconds, 1),
    }


def _agree(
    candidate: Mapping[str, Any], settings: Mapping[str, Any], *, missing: bool = False
) -> bool:
    """Do settings have the values of a candidate, or ``missing`` ones none?"""
    for name, value in candidate.items():
        if name not in settings:
            if not missing:
                return False
        elif isinstance(value, Mapping) and isinstance(settings[name], Mapping):
            if not _agree(value, settings[name], missing=missing):
                return False
        elif value != settings[name]:
            return False
    return True
