"""Choices that training makes by itself, on a pair of languages on which some of them matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.corpus import Bitext
from demotic.errors import ArgumentError
from demotic.grammar import HieroExtraction
from demotic.inspection import inspect
from demotic.model import tune
from demotic.progress import Progress
from demotic.systems import EFFORTS, SYSTEMS, Effort, configured, hiero, system_named
from demotic.systems.choices import COMPOUNDS, PHRASES, SYMMETRISATION, TARGET_WORDS, Choice
from demotic.systems.effort import SMALLEST
from demotic.systems.hiero.config import Config
from demotic.systems.model import Model
from demotic.systems.records import merged
from tests.systems import toys

LENGTH = Choice(
    name="length",
    candidates={f"up-to-{n}": {"extract": {"max_phrase": n}} for n in (1, 2, 10)},
    effort="normal",
)
"""Rules of one word have no order to give to others: two are better, ten better still."""
CLEANING = Choice(
    name="cleaning",
    candidates={f"{n}-words": {"cleaning": {"max_words": n}} for n in (100, 90)},
    effort="normal",
)
"""No sentence is so long."""
LM = Choice(name="lm", candidates={"order-2": {"lm": {"order": 2}}})
BAD = HieroExtraction(max_phrase=1)
Train = Callable[..., Model]


@dataclass(frozen=True, kw_only=True)
class Short(Config):
    """Hiero with a bad default."""

    extract: HieroExtraction = BAD


class Watching(Progress):
    """Remembers which trials there were; one of them may be interrupted."""

    def __init__(self, interrupted: str = "none") -> None:
        self.trials: list[str] = []
        self.said: list[str] = []
        self._interrupted = interrupted

    def say(self, message: str) -> None:
        self.said.append(message)
        if message.startswith("trying "):
            self.trials.append(message.removeprefix("trying "))
            if self.trials[-1] == self._interrupted:
                raise KeyboardInterrupt


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    """Trains a model of Hiero, as if its default were bad and these its choices."""

    def trained(
        *choices: Choice,
        settings: dict[str, Any] | None = None,
        effort: Effort = "normal",
        dev: int = 200,
        out: str = "model",
        **options: Any,
    ) -> Model:
        monkeypatch.setattr(hiero, "CHOICES", choices, raising=False)
        monkeypatch.setattr(hiero, "Config", Short, raising=False)
        return demotic.train(
            toys.memory(200), dev=toys.text(dev), config=merged(toys.QUICK, settings or {}),
            effort=effort, out=tmp_path / out, **options,
        )  # fmt: skip

    return trained


def record(model: Model) -> dict[str, Any]:
    return dict(model.about.provenance["choices"])


def without_times(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: without_times(each) for name, each in found.items() if name != "seconds"}
    return found


def test_the_best_of_the_better_ones_is_taken_and_kept(train: Train, tmp_path: Path) -> None:
    model = train(CLEANING, LENGTH)
    found = record(model)
    # What makes no difference changes nothing.
    assert found["chosen"] == {"cleaning": "100-words", "length": "up-to-10"}
    assert model.about.config["cleaning"]["max_words"] == 100
    assert model.about.config["extract"]["max_phrase"] == 10
    assert found["tried"]["cleaning"]["90-words"]["p"] == 1
    tried = found["tried"]["length"]
    assert list(tried) == ["up-to-1", "up-to-2", "up-to-10"]
    assert tried["up-to-10"]["bleu"] == max(each["bleu"] for each in tried.values())
    assert tried["up-to-10"]["p"] < 0.05
    assert (found["effort"], found["pairs"]) == ("normal", 200)
    assert (found["tuned_on"], found["judged_on"]) == (100, 100)
    # The same as whoever had set it: trials leave nothing else behind.
    plain = train(effort="quick", settings={"extract": {"max_phrase": 10}}, out="plain")
    assert model.weights == plain.weights
    assert model.about.config == plain.about.config
    assert "choices" not in plain.about.provenance
    assert not (tmp_path / "model.work").exists()
    # Seen by whoever looks at the model, and still when it is tuned again.
    shown = inspect(tmp_path / "model")
    assert shown.facts["choices"]["chosen"] == found["chosen"]  # type: ignore[call-overload, index]
    assert "choices" not in shown.facts["provenance"]  # type: ignore[operator]
    assert "up-to-10" in "\n".join(shown.lines())
    tuned = tune(model, toys.text(50, 3), out=tmp_path / "tuned")
    assert record(tuned) == found


def test_what_is_given_is_never_changed(train: Train) -> None:
    watching = Watching()
    model = train(LENGTH, settings={"extract": {"max_phrase": 1}}, progress=watching)
    assert watching.trials == []
    assert "there was nothing to choose" in watching.said
    assert model.about.config["extract"]["max_phrase"] == 1
    # A choice of two settings, one of them given: candidates that agree with it remain.
    both = Choice(
        name="both",
        candidates={
            "short": {"extract": {"max_phrase": 1, "max_symbols": 5}},
            "long": {"extract": {"max_phrase": 10, "max_symbols": 5}},
            "few": {"extract": {"max_phrase": 10, "max_symbols": 3}},
        },
        effort="normal",
    )
    model = train(both, settings={"extract": {"max_symbols": 5}}, out="other", progress=watching)
    assert watching.trials == ["start", "both.long"]
    assert record(model)["chosen"] == {"both": "long"}
    assert model.about.config["extract"]["max_symbols"] == 5


def test_a_search_goes_on_where_it_was_interrupted(train: Train, tmp_path: Path) -> None:
    options = {"work": tmp_path / "work"}
    with pytest.raises(KeyboardInterrupt):
        train(CLEANING, LENGTH, progress=Watching("length.up-to-10"), **options)
    watching = Watching()
    resumed = train(CLEANING, LENGTH, progress=watching, resume=True, **options)
    assert watching.trials == ["length.up-to-10"]
    assert "extract: done before" in watching.said  # the winner's, in the training itself
    again = Watching()
    train(CLEANING, LENGTH, out="again", progress=again, resume=True, **options)
    assert again.trials == []
    fresh = train(CLEANING, LENGTH, out="fresh", threads=2)
    assert without_times(record(resumed)) == without_times(record(fresh))
    assert resumed.weights == fresh.weights
    # Other text, other results.
    train(CLEANING, out="more", progress=again, resume=True, dev=220, **options)
    assert again.trials == ["start", "cleaning.90-words"]


def test_an_effort_tries_its_own_choices_alone(train: Train) -> None:
    quick, thorough = Watching(), Watching()
    train(LENGTH, LM, effort="quick", progress=quick)
    assert quick.trials == []
    settings = {"extract": {"max_phrase": 3}}
    train(
        LENGTH, Choice(name="l2", candidates={"on": {"tune": {"mert": {"l2": 1.0}}}}),
        effort="thorough", settings=settings, progress=thorough,
    )  # fmt: skip
    assert thorough.trials == ["start", "l2.on"]


def test_a_small_development_set_decides_nothing(train: Train) -> None:
    watching = Watching()
    model = train(LENGTH, dev=SMALLEST - 1, progress=watching)
    assert watching.trials == []
    assert any("nothing is chosen" in line for line in watching.said)
    assert model.about.config["extract"]["max_phrase"] == 1


def test_what_cannot_be_tried_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="leaves nothing to choose"):
        demotic.train(toys.memory(20), config=Config(), effort="normal", out=tmp_path / "model")
    with pytest.raises(ArgumentError, match="there is no effort 'hard'"):
        demotic.train(toys.memory(20), effort="hard", out=tmp_path / "model")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_candidate_of_a_system_is_a_configuration(system: str) -> None:
    names = [choice.name for choice in system_named(system).CHOICES]
    assert len({*names}) == len(names) > 0
    for choice in system_named(system).CHOICES:
        configs = [configured(system, settings) for settings in choice.candidates.values()]
        assert all(one != other for i, one in enumerate(configs) for other in configs[:i])
        assert choice.within("thorough")
        assert not choice.within(EFFORTS[0])
        for config in configs:
            assert config.for_trials() == config.for_trials().for_trials() != config


@pytest.mark.parametrize(
    ("choice", "languages", "settings", "suits"),
    [
        (COMPOUNDS, "de en", {}, True),
        (COMPOUNDS, "de_AT en", {}, True),
        (COMPOUNDS, "en de", {}, False),
        (TARGET_WORDS, "zh en", {}, False),
        (TARGET_WORDS, "en zh", {"tokenised": True}, False),
        (SYMMETRISATION, "de en", {}, True),
        (SYMMETRISATION, "de en", {"tokenised": True, "align": {"file": "links"}}, False),
        (PHRASES, "de en", {}, True),
        (PHRASES, "de en", {"extract": {"table": "phrases.gz"}}, False),
    ],
)
def test_a_choice_is_made_where_it_makes_a_difference(
    choice: Choice, languages: str, settings: dict[str, Any], suits: bool
) -> None:
    source, target = languages.split()
    bitext = Bitext.from_pairs([], source_language=source, target_language=target, file="none")
    assert choice.suits(bitext, configured("phrase", settings)) is suits


@pytest.mark.parametrize("system", ["hiero", "phrase", "umt"])
def test_all_that_training_can_find_out_is_among_the_choices(system: str) -> None:
    settings = {
        f"{section}.{name}"
        for choice in system_named(system).CHOICES
        for candidate in choice.candidates.values()
        for section, chosen in candidate.items()
        for name in chosen
    }
    assert settings >= {
        "source.compounds", "source.segment", "target.segment", "source.casing", "target.casing",
        "lm.order", "extract.tight", "align.symmetrise", "align.method",
    }  # fmt: skip
