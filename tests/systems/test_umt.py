"""UMT models: trained, saved, opened, explained, taught again; the same on every run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demotic
from demotic.errors import ArgumentError, CorruptFileError
from demotic.explain.page import figure
from demotic.learn import LinearPolicy, MertOptions, MiraOptions
from demotic.metrics import Bleu
from demotic.model import tune
from demotic.progress import SILENT, Progress
from demotic.systems.hiero import START
from demotic.systems.records import from_record
from demotic.systems.tuning import encoded_dev
from demotic.systems.umt import Config, UmtModel
from demotic.systems.umt.learning import UmtTask
from demotic.systems.umt.start import CFF
from tests.experiments.watching import Watching
from tests.systems import toys
from tests.systems.test_hiero import Interrupted

QUICK: dict[str, Any] = {
    "lm": {"order": 3},
    "preset": "full",
    "learn": {"rates": [0.1], "drl": {"epochs": 2}},
}
NARROW: dict[str, Any] = {
    "kappa": [0.0, 1.0], "bounds": ["local", "words"], "cff": ["raw"],
    "sparse_bits": [0, 8], "sparse_rates": [0.001], "repairs": [0, 1],
    "repair_width": [1, 2], "restarts": [1, 2], "beam": [1, 2],
}  # fmt: skip


@pytest.fixture(scope="module")
def umt_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "umt"
    demotic.train(toys.memory(300), system="umt", dev=toys.text(40), config=QUICK, out=path)
    return path


def loaded(path: Path) -> UmtModel:
    model = demotic.load(path)
    assert isinstance(model, UmtModel)
    return model


def test_unseen_sentences_come_out_reordered_and_complete(umt_model: Path) -> None:
    model = loaded(umt_model)
    assert toys.share_in_order(model) >= 0.6


def test_the_description_says_what_was_learned(umt_model: Path) -> None:
    about = loaded(umt_model).about
    assert about.system == "umt"
    assert about.config["preset"] == "full"
    assert about.config["learn"]["drl"]["rate"] == 0.1
    assert about.dev["value"] > 50


def test_lists_hold_different_translations_best_first(umt_model: Path) -> None:
    found = loaded(umt_model).nbest("The adj1 noun2 verb3 a noun4.", 5)
    assert 1 < len(found) <= 5
    assert len({each.text for each in found}) == len(found)
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)


def test_threads_do_not_show(umt_model: Path) -> None:
    model = loaded(umt_model)
    lines = toys.lines(30, 5)
    one = [each.text for each in model.translate_lines(lines)]
    assert [each.text for each in model.translate_lines(lines, threads=2)] == one


@pytest.mark.parametrize("text", ["", " ", "unheard of", "%d %s", "noun1 " * 60])
def test_any_line_gives_one_line(umt_model: Path, text: str) -> None:
    assert "\n" not in loaded(umt_model).translate(text).text


def test_an_explanation_tells_the_order_in_which_the_tree_grew(umt_model: Path) -> None:
    explanation = loaded(umt_model).explain("The adj1 noun2 verb3 %d noun4.")
    orders = sorted(step.order or 0 for step in explanation.steps)
    assert orders == list(range(1, len(explanation.steps) + 1))
    by_order = {step.order: step for step in explanation.steps}
    assert by_order[1].action == "start"
    assert {step.action for step in explanation.steps} <= {"start", "down", "up"}
    parents = {child: i for i, step in enumerate(explanation.steps) for child in step.children}
    for number, step in enumerate(explanation.steps):
        if step.action == "down":
            parent = explanation.steps[parents[number]]
            assert (parent.order or 0) < (step.order or 0), "below what was there"
        if step.action == "up":
            assert any(
                (explanation.steps[child].order or 0) < (step.order or 0) for child in step.children
            ), "above what was there"
    assert "#1 start" in explanation.tree()
    assert "#1 start" in figure(explanation)
    record = json.loads(json.dumps(explanation.to_record()))
    assert {step["order"] for step in record["steps"]} == set(orders)


def test_a_forest_holds_what_the_decoder_chooses_from(umt_model: Path) -> None:
    model = loaded(umt_model)
    text = "The adj1 noun2 verb3 a noun4."
    forest = model.forest(text)
    assert forest.nodes > 0
    assert forest.viterbi().score >= model.translate(text).score - 50


def test_training_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, threads in (("one.demotic", 1), ("two.demotic", 2)):
        demotic.train(
            toys.memory(150), system="umt", dev=toys.text(30), config=QUICK,
            out=tmp_path / name, threads=threads,
        )  # fmt: skip
    assert (tmp_path / "one.demotic").read_bytes() == (tmp_path / "two.demotic").read_bytes()


class Breaking(Progress):
    """Stops learning after its first epoch."""

    def say(self, message: str) -> None:
        if message.startswith("epoch 1"):
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def run(name: str, progress: Progress, *, resume: bool = False) -> None:
        demotic.train(
            toys.memory(150), system="umt", dev=toys.text(30), config=QUICK,
            out=tmp_path / name, progress=progress, resume=resume,
        )  # fmt: skip

    with pytest.raises(KeyboardInterrupt):
        run("cut.demotic", Breaking())
    watch = Interrupted("never")
    run("cut.demotic", watch, resume=True)
    assert "extract: done before" in watch.said
    assert "learning continues after epoch 1" in watch.said
    run("whole.demotic", Progress())
    assert (tmp_path / "cut.demotic").read_bytes() == (tmp_path / "whole.demotic").read_bytes()


def test_the_paper_leaves_out_what_it_does_not_name(tmp_path: Path) -> None:
    model = demotic.train(
        toys.memory(200), system="umt", dev=toys.text(30), config={**QUICK, "preset": "paper"}
    )
    for name in ("SourceGivenTarget", "RulePenalty", "UnknownWord"):
        assert model.weights[name] == 0.0
    assert model.weights["TargetGivenSource"] != 0.0
    assert model.weights["Cff1"] != 0.0


def bounds(cff: str, update: str) -> list[float]:
    """The weights that the bounds of branches have after learning."""
    drl = {"epochs": 2, "update": update}
    model = demotic.train(
        toys.memory(150), system="umt", dev=toys.text(30),
        config={
            **QUICK, "search": {"cff": cff, "lookahead": False, "bounds": "local"},
            "learn": {"rates": [0.1], "drl": drl},
        },
    )  # fmt: skip
    assert model.weights["LanguageModel"] != START["LanguageModel"], "the others are learned"
    return [model.weights[name] for name in CFF]


@pytest.mark.parametrize("update", ["replay", "full_path"])
@pytest.mark.parametrize(("cff", "weight"), [("delta", 1.0), ("off", 0.0)])
def test_bounds_that_cannot_be_learned_keep_their_weight(
    cff: str, weight: float, update: str
) -> None:
    assert bounds(cff, update) == [weight] * 3


def test_raw_bounds_are_learned_step_by_step_but_not_by_replay() -> None:
    assert bounds("raw", "replay") == [1.0] * 3
    assert all(weight != 1.0 for weight in bounds("raw", "full_path"))


def test_learning_can_start_from_mert() -> None:
    settings = {
        **QUICK,
        "learn": {"start": "mert", "drl": {"epochs": 0}},
        "tune": {"mert": {"iterations": 1, "restarts": 0}},
    }
    model = demotic.train(toys.memory(150), system="umt", dev=toys.text(30), config=settings)
    hiero = demotic.train(
        toys.memory(150), dev=toys.text(30),
        config={"lm": {"order": 3, "classes": 0}, "search": {"inner": 1.0},
                "tune": {"method": "mert"} | settings["tune"]},
    )  # fmt: skip
    for name, weight in hiero.weights.items():
        assert model.weights[name] == pytest.approx(weight), "no epoch learns nothing"
    assert model.weights["Cff1"] == 1.0


def test_the_tuned_preset_tries_all_and_keeps_the_best(tmp_path: Path) -> None:
    work = tmp_path / "work"
    model = demotic.train(
        toys.memory(200), system="umt", dev=toys.text(60), work=work, out=tmp_path / "model",
        config={
            **QUICK, "preset": "tuned", "choice": NARROW,
            "tune": {"mert": {"iterations": 1, "restarts": 0}},
        },
    )  # fmt: skip
    record = json.loads((work / "learning.json").read_text())
    trials = [trial["search"] for trial in record["trials"]]
    for name in ("kappa", "bounds", "repairs", "beam", "restarts"):
        assert {trial[name] for trial in trials} >= set(NARROW[name])
    assert {trial["drl"]["update"] for trial in record["trials"]} >= {"replay"}
    assert {trial["drl"]["epochs"] for trial in record["trials"]} >= {0, 2}
    assert record["chosen"]["bleu"] >= max(trial["bleu"] for trial in record["trials"]) - 0.2
    assert model.about.config["search"] == record["chosen"]["search"]
    assert (work / "mert-weights.json").is_file(), "where it started from"


def chosen(
    folder: Path, dev: int = 60, progress: Progress = SILENT, **tuned: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the preset ``tuned`` chose, and all that it tried, in their order."""
    folder.mkdir()
    demotic.train(
        toys.memory(150), system="umt", dev=toys.text(dev), work=folder / "work",
        out=folder / "model", progress=progress,
        config={
            **QUICK, "preset": "tuned", "choice": {**NARROW, "sparse_bits": [], **tuned},
            "tune": {"mert": {"iterations": 1, "restarts": 0}},
        },
    )  # fmt: skip
    record = json.loads((folder / "work/learning.json").read_text())
    return record["chosen"], record["trials"]


def test_a_slower_search_must_gain_enough(tmp_path: Path) -> None:
    slow = {"repairs": 0, "restarts": 1, "beam": 1}
    any_gain, tried = chosen(tmp_path / "any", min_gain=0.0)
    assert any_gain["bleu"] == max(trial["bleu"] for trial in tried)
    assert any(any_gain["search"][name] != value for name, value in slow.items())
    too_little, tried = chosen(tmp_path / "much", min_gain=100.0)
    assert {name: too_little["search"][name] for name in slow} == slow
    assert too_little["bleu"] < max(trial["bleu"] for trial in tried), "there was a gain"
    assert too_little["bleu"] < any_gain["bleu"]


@pytest.mark.parametrize("min_gain", [0.0, 0.5, 100.0])
def test_sparse_features_must_gain_enough(min_gain: float, tmp_path: Path) -> None:
    """How much they gain depends on the last bits of sums: the test goes by what is said."""
    progress = Watching()
    best, _ = chosen(
        tmp_path / "folder", dev=100, progress=progress, sparse_bits=[8, 16],
        sparse_rates=[0.003, 0.001, 0.0003], min_gain=min_gain, bounds=["words"],
        repairs=[0], restarts=[1], beam=[1],
    )  # fmt: skip
    told = "".join(progress.said)
    tried = re.findall(r"BLEU (\S+) without, (\S+) with (\d+) bits of them", told)
    assert len(tried) == 6
    wanted, least = 0, float(tried[0][0])
    for plain, sparse, bits in tried:
        assert float(plain) == least, "compared with the best so far"
        if float(sparse) > least + min_gain:
            wanted, least = int(bits), float(sparse)
    assert best["search"]["sparse_bits"] == wanted


def test_sparse_weights_are_saved_with_the_model(tmp_path: Path) -> None:
    settings = {**QUICK, "search": {"sparse_bits": 10}}
    demotic.train(
        toys.memory(150), system="umt", dev=toys.text(30), config=settings,
        out=tmp_path / "model",
    )  # fmt: skip
    model = loaded(tmp_path / "model")
    assert len(model.sparse) == 1 << 10
    assert model.translate("The adj1 noun2 verb3 a noun4.").text
    with pytest.raises(ArgumentError, match="sparse"):
        tune(model, toys.text(30, 8), out=tmp_path / "again")


def test_a_model_learns_again_on_another_text(umt_model: Path, tmp_path: Path) -> None:
    model = loaded(umt_model)
    dev = toys.text(40, 21)
    with pytest.raises(ArgumentError, match="by no other method"):
        tune(model, dev, out=tmp_path / "tuned", options=MiraOptions())
    tuned = tune(model, dev, out=tmp_path / "tuned", options=MertOptions(iterations=1))
    assert set(tuned.weights) == set(model.weights)
    assert tuned.about.dev["value"] == tuned.score(dev).value
    assert tuned.about.config["learn"]["drl"]["epochs"] == 1
    assert (umt_model / "rules.bin").read_bytes() == (tmp_path / "tuned/rules.bin").read_bytes()


def damaged(path: Path) -> Iterator[bytes]:
    content = path.read_bytes()
    yield content[: len(content) // 2]
    yield b""


def test_damaged_sparse_weights_are_reported(umt_model: Path, tmp_path: Path) -> None:
    loaded(umt_model).save(tmp_path / "model")
    part = tmp_path / "model" / "sparse.npz"
    for bad in damaged(part):
        part.write_bytes(bad)
        with pytest.raises(CorruptFileError):
            demotic.load(tmp_path / "model", verify=False).translate("noun1")


def test_a_checkpoint_of_other_rules_is_not_continued(tmp_path: Path) -> None:
    def train(out: str, work: str, order: int, resume: bool) -> dict[str, float]:
        model = demotic.train(
            toys.memory(150), system="umt", dev=toys.text(30), work=tmp_path / work,
            config={**QUICK, "lm": {"order": order}}, out=tmp_path / out, resume=resume,
        )  # fmt: skip
        return dict(model.weights)

    train("one", "work", 4, resume=False)
    assert train("two", "work", 2, resume=True) == train("three", "new", 2, resume=False)


def test_the_preset_tuned_tries_what_the_decoder_was_told(tmp_path: Path) -> None:
    narrow = {**NARROW, "kappa": [], "lookahead": False, "sparse_bits": []}
    told = {"kappa": 0.25, "cff": "raw", "lookahead": False}
    demotic.train(
        toys.memory(150), system="umt", dev=toys.text(30), work=tmp_path / "work",
        config={**QUICK, "preset": "tuned", "choice": narrow, "search": told},
        out=tmp_path / "model",
    )  # fmt: skip
    trials = json.loads((tmp_path / "work/learning.json").read_text())["trials"]
    assert {trial["search"]["kappa"] for trial in trials} == {0.25}


def test_only_presets_that_follow_the_paper_have_tight_phrases() -> None:
    tight = {name: from_record(Config, {"preset": name}).extract.tight for name in Config.PRESETS}
    assert tight == {
        "paper": True, "literal": True, "lookahead": False, "full": False, "tuned": False,
    }  # fmt: skip
    told = from_record(Config, {"preset": "paper", "extract": {"max_phrase": 7}}).extract
    assert (told.tight, told.max_phrase) == (True, 7)
    loose = from_record(Config, {"extract": {"max_phrase": 7}}).extract
    assert (loose.tight, loose.tight_holes, loose.max_phrase) == (False, True, 7)


def test_the_preset_literal_is_the_paper_to_the_letter_unless_told_otherwise() -> None:
    config = from_record(Config, {"preset": "literal", "search": {"kappa": 0.5}})
    assert not config.search.lookahead
    assert (config.search.bounds, config.search.cff) == ("local", "raw")
    assert config.search.kappa == 0.5
    assert config.learn.drl.update == "full_path"
    assert config.learn.reward == "sentence"
    assert from_record(Config, {"preset": "lookahead"}).learn.drl.update == "replay"


def test_the_reward_of_a_corpus_is_its_bleu_with_one_sentence_exchanged(umt_model: Path) -> None:
    model = loaded(umt_model)
    dev = encoded_dev(model.source, model.target, toys.text(12, 5))
    task = UmtTask(model.decoder, dev, memory=1 << 20, reward="corpus")
    weights = np.array(list(model.weights.values()))
    task.prepare(LinearPolicy(weights))
    lines = [" ".join(task.episode(i).decode(weights).tokens) for i in range(len(task))]
    other = replace(task.episode(3).decode(weights), tokens=("le", "nom2", "."))
    bleu = Bleu(tokenise="none")
    level = bleu.score(lines, [dev.reference]).value
    wanted = bleu.score([*lines[:3], "le nom2 .", *lines[4:]], [dev.reference]).value
    assert wanted < level
    assert task.reward(3, other) == pytest.approx(level + 12 * (wanted - level))
    assert task.reward(3, task.episode(3).decode(weights)) == pytest.approx(level)
    assert task.cost(3, other) == -task.reward(3, other)


def test_a_resumed_choice_finds_what_an_unbroken_one_found(tmp_path: Path) -> None:
    def train(out: str, resume: bool) -> dict[str, float]:
        demotic.train(
            toys.memory(150), system="umt", dev=toys.text(30), work=tmp_path / "work",
            config={**QUICK, "preset": "tuned", "choice": {**NARROW, "bounds": ["words"]}},
            out=tmp_path / out, resume=resume,
        )  # fmt: skip
        record = json.loads((tmp_path / "work/learning.json").read_text())
        return {json.dumps([t["search"], t["drl"]]): t["bleu"] for t in record["trials"]}

    whole = train("one", resume=False)
    (tmp_path / "work" / "learn.done").unlink()
    assert train("two", resume=True) == whole, "weights not learned are not those of a checkpoint"
