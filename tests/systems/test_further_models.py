"""Language models beside the first one, from settings to bundles."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.bundle import Bundle
from demotic.errors import ArgumentError, CorruptFileError, FileAccessError, FormatError
from demotic.lm import LanguageModel, WordClasses
from demotic.lm.further import units
from demotic.model import tune
from demotic.systems import configured
from demotic.systems.model import Model
from tests.decode.test_forged_tables import forged
from tests.systems import toys
from tests.systems.test_forged_models import infinite_unigrams

LINE = "The adj1 noun2 verb3 %d noun4."
FEATURES = {"ClassModel", "LanguageModel2"}
PARTS = {"classes.txt", "class-lm.bin", "lm-2.bin"}


def mono(folder: Path, seed: int = 5) -> Path:
    """Text of the target language that is written with care."""
    path = folder / f"mono{seed}"
    path.write_text("\n".join(toys.text(200, seed).target_lines()) + "\n", encoding="utf-8")
    return path


def train(out: Path, system: str, lm: dict[str, Any], **more: Any) -> Model:
    return demotic.train(
        toys.memory(150), system=system, dev=toys.text(30),
        config={**toys.QUICK, "lm": {"order": 3, **lm}}, out=out, **more,
    )  # fmt: skip


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("further")
    lm = {"classes": 8, "extra": [str(mono(folder))]}
    train(folder / request.param, request.param, lm)
    return folder / str(request.param)


def test_a_model_has_them_as_parts_and_features(path: Path) -> None:
    model = demotic.load(path, verify=True)
    assert {*model.bundle.parts} >= PARTS
    assert model.weights.keys() >= FEATURES
    assert model.about.config["lm"]["classes"] == 8
    assert LanguageModel.load(path / "class-lm.bin").order == 7
    assert set(WordClasses.load(path / "classes.txt").values()) == set(range(8))


def test_features_are_what_the_models_say_of_the_translation(path: Path) -> None:
    model = demotic.load(path)
    classes = WordClasses.load(path / "classes.txt")
    for found in model.nbest(LINE, 5):
        derivation = found.derivation
        assert derivation is not None
        line = " ".join(str(classes.get(word, "none")) for word in found.tokens)
        for name, part, text in (
            ("ClassModel", "class-lm.bin", line),
            ("LanguageModel2", "lm-2.bin", " ".join(found.tokens)),
        ):
            said = math.log(10) * LanguageModel.load(path / part).score(text)
            assert derivation.features[name] == pytest.approx(said, abs=1e-4)


def test_explanations_and_forests_show_them(path: Path) -> None:
    model = demotic.load(path)
    explained = model.explain(LINE)
    for name in FEATURES:
        steps = sum(step.scores[name] for step in explained.steps)
        assert steps == pytest.approx(explained.features[name], abs=1e-4)
        assert name in explained.tree()
    forest = model.forest(LINE)
    assert {*forest.space.names()} >= FEATURES
    assert forest.viterbi().score == pytest.approx(explained.score, abs=1e-4)


def test_tuning_again_and_saving_keep_them(path: Path, tmp_path: Path) -> None:
    model = demotic.load(path)
    tuned = tune(model, toys.text(20, 3), out=tmp_path / "tuned.demotic")
    for part in PARTS:
        assert tuned.part(part).read_bytes() == (path / part).read_bytes()
    model.save(tmp_path / "copy.demotic")
    copy = demotic.load(tmp_path / "copy.demotic")
    assert copy.translate(LINE).score == model.translate(LINE).score


def test_resuming_repeats_only_what_the_settings_change(tmp_path: Path) -> None:
    def run(name: str, lm: dict[str, Any], work: str) -> bytes:
        train(tmp_path / name, "phrase", lm, work=tmp_path / work, resume=True)
        return (tmp_path / name).read_bytes()

    def marks() -> dict[str, str]:
        notes = (tmp_path / "work").glob("*.done")
        return {note.stem: json.loads(note.read_bytes())[0] for note in notes}

    run("plain.demotic", {}, "work")
    before = marks()
    both = run("both.demotic", {"classes": 4, "extra": [str(mono(tmp_path))]}, "work")
    after = marks()
    assert {name for name in after if after[name] != before.get(name)} == {
        "classes", "lm-2", "tune",
    }  # fmt: skip
    other = run("other.demotic", {"classes": 6, "extra": [str(mono(tmp_path))]}, "work")
    assert {name for name in after if after[name] != marks()[name]} == {"classes", "tune"}
    again = {"classes": 6, "extra": [str(mono(tmp_path))]}
    assert run("fresh.demotic", again, "new") == other != both


def without(path: Path, out: Path, *gone: str, **changed: str) -> Path:
    """A copy whose checksums fit."""
    sound = Bundle.open(path)
    with Bundle.create(out, sound.about) as folder:
        for each in {*sound.parts} - {*gone}:
            shutil.copyfile(sound.path(each), folder / each)
        for name, content in changed.items():
            (folder / name.replace("_", ".")).write_text(content)
    return out


def test_a_part_without_the_other_is_refused(path: Path, tmp_path: Path) -> None:
    for gone in ("classes.txt", "class-lm.bin"):
        with pytest.raises(CorruptFileError, match=f"no {gone}"):
            demotic.load(without(path, tmp_path / f"no-{gone}", gone))
    with pytest.raises(ArgumentError, match="there is no feature 'LanguageModel2'"):
        demotic.load(without(path, tmp_path / "no-lm-2", "lm-2.bin"))


@pytest.mark.parametrize(
    "content", ["word\n", "word\t-1\n", "word\t1\nword\t2\n", f"word\t{10**30}\n"]
)
def test_classes_that_are_none_are_refused(path: Path, tmp_path: Path, content: str) -> None:
    with pytest.raises(FormatError, match=r"classes\.txt:"):
        demotic.load(without(path, tmp_path / "bad", classes_txt=content))


def test_classes_that_the_model_lacks_are_unknown_words(path: Path, tmp_path: Path) -> None:
    words = WordClasses.load(path / "classes.txt")
    strange = "".join(f"{word}\t{999_999_999}\n" for word in words)
    model = demotic.load(without(path, tmp_path / "strange", classes_txt=strange), verify=True)
    assert model.translate(LINE).text


@pytest.mark.parametrize("part", ["class-lm.bin", "lm-2.bin"])
def test_who_verifies_looks_into_them(path: Path, tmp_path: Path, part: str) -> None:
    sound = Bundle.open(path)
    with Bundle.create(tmp_path / "forged", sound.about) as folder:
        for each in sound.parts:
            shutil.copyfile(sound.path(each), folder / each)
        forged(folder / part, infinite_unigrams)
    assert demotic.load(tmp_path / "forged").translate(LINE).text
    with pytest.raises(CorruptFileError, match="damaged language model"):
        demotic.load(tmp_path / "forged", verify=True)


@pytest.mark.parametrize("system", ["umt", "blocks"])
@pytest.mark.parametrize("lm", [{"classes": 10}, {"extra": ["text"]}])
def test_systems_with_one_model_say_so(system: str, lm: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="has one language model") as caught:
        configured(system, {"lm": lm})
    assert caught.value.remedy is not None
    *_, named = caught.value.remedy.split("one of ")
    assert all(configured(name, {"lm": lm}) for name in named.split(", "))


@pytest.mark.parametrize(
    "lm",
    [
        {"classes": -1},
        {"class_order": 9},
        {"class_order": 0},
        {"bilingual_order": 9},
        {"extra": ["text"] * 9},
    ],
)
def test_wrong_settings_are_refused(lm: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        configured("hiero", {"lm": lm})


def test_texts_are_missed_before_training_and_must_have_words(tmp_path: Path) -> None:
    missing = configured("hiero", {"lm": {"extra": [str(tmp_path / "none")]}})
    with pytest.raises(FileAccessError, match="none"):
        missing.check_files()
    empty = tmp_path / "empty"
    empty.write_text("\n\n")
    with pytest.raises(FormatError, match="empty: the text has no words"):
        train(tmp_path / "model", "phrase", {"extra": [str(empty)]})


@pytest.fixture(scope="module")
def bilingual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bilingual") / "model"
    train(path, "phrase", {"bilingual": 6, "bilingual_order": 4})
    return path


def test_the_bilingual_model_is_asked_about_words_and_what_they_translate(bilingual: Path) -> None:
    model = demotic.load(bilingual, verify=True)
    lm = LanguageModel.load(bilingual / "unit-lm.bin")
    assert lm.order == 4
    classes = WordClasses.load(bilingual / "unit-classes.txt")
    known = 0
    for found in model.nbest(LINE, 5):
        derivation = found.derivation
        assert derivation is not None
        linked = units(
            " ".join(derivation.source),
            " ".join(derivation.tokens),
            " ".join(f"{i}-{j}" for i, j in derivation.alignment),
        )
        known += sum(unit in classes for unit in linked)
        said = math.log(10) * lm.score(" ".join(str(classes.get(each, "none")) for each in linked))
        assert derivation.features["BilingualModel"] == pytest.approx(said, abs=1e-4)
    assert known > 5
    explained = model.explain(LINE)
    steps = sum(step.scores["BilingualModel"] for step in explained.steps)
    assert steps == pytest.approx(explained.features["BilingualModel"], abs=1e-4)


def test_tuning_again_keeps_the_bilingual_model(bilingual: Path, tmp_path: Path) -> None:
    tuned = tune(demotic.load(bilingual), toys.text(20, 3), out=tmp_path / "tuned.demotic")
    assert tuned.part("unit-lm.bin").read_bytes() == (bilingual / "unit-lm.bin").read_bytes()
    assert "BilingualModel" in tuned.weights


def test_units_without_their_classes_are_refused(bilingual: Path, tmp_path: Path) -> None:
    for gone in ("unit-classes.txt", "unit-lm.bin"):
        with pytest.raises(CorruptFileError, match=f"no {gone}"):
            demotic.load(without(bilingual, tmp_path / f"no-{gone}", gone))


@pytest.mark.parametrize("system", ["hiero", "umt", "blocks"])
def test_only_phrase_has_a_bilingual_model(system: str) -> None:
    with pytest.raises(ArgumentError, match="no model of units"):
        configured(system, {"lm": {"bilingual": 4}})
