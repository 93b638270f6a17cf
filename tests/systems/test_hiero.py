"""The Hiero system from bitext to model: translating, resuming, saying what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import demotic
from demotic.corpus import Bitext
from demotic.errors import ArgumentError, CorruptFileError
from demotic.model import tune
from demotic.progress import Advance, Progress
from demotic.systems.hiero import Config
from demotic.systems.model import Model
from demotic.systems.records import from_record
from tests.systems import toys


def test_unseen_sentences_come_out_reordered_and_complete(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    assert toys.share_in_order(model) >= 0.9


def test_the_description_says_all(toy_model: Path) -> None:
    about = demotic.load(toy_model).about
    assert (about.system, about.source_language, about.target_language) == ("hiero", "en", "fr")
    assert about.config["lm"]["order"] == 3
    assert about.config["cleaning"]["max_words"] == 100, "defaults are written down too"
    assert about.dev["value"] > 60
    assert about.dev["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a")
    assert about.provenance["files"] == ["toy.tsv"]
    assert about.provenance["cleaning"]["kept"] > 300


def test_placeholders_come_out_exactly_once(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    for text in (
        "The adj1 noun2 verb3 %d noun4.",
        "%d %s %(name)s",
        "noun1 <b>noun2</b> noun3 {0} %% https://example.org/a?b=c",
        "verb1 verb1 verb1 %d verb1 %d verb2 %d",
    ):
        spans = [span.text for span in model.source.encode(text).spans]  # type: ignore[attr-defined]
        assert spans
        for best in model.nbest(text, 5):
            for span in spans:
                assert best.text.count(span) == text.count(span), (text, best.text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u3000",
        "zzz yyy",
        "<s>",
        "</s> <unk>",
        "[X,1] ||| a",
        "￭ ⟦num1⟧ ▁",
        "日本語",
        "\t\x0b",
    ],
)
def test_any_line_gives_one_line(toy_model: Path, text: str) -> None:
    model = demotic.load(toy_model)
    translation = model.translate(text)
    assert "\n" not in translation.text
    if not text.strip():
        assert translation.text == text


def test_unknown_words_pass_through(toy_model: Path) -> None:
    assert demotic.load(toy_model).translate("zzz yyy").text.lower() == "zzz yyy"


def test_unknown_forms_fall_back_to_known_ones(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    known = model.translate("see noun1").text.split()[-1]
    assert model.translate("see NOUN1").text.split()[-1] == known.upper()
    assert list(model.stranded(["NOUN1", "noun1"])) == [0]


def test_branches_of_arguments_are_translated_each_by_itself(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    one, other = model.translate("# noun1").text, model.translate("noun2").text
    text = "{n, plural, one {# noun1} other {noun2}}"
    assert model.translate(text).text == f"{{n, plural, one {{{one}}} other {{{other}}}}}"
    assert one != "# noun1"
    nested = "{g, select, other {" + text + "}}"
    assert model.nbest(nested, 2)[0].text == (
        "{g, select, other {" + model.translate(text).text + "}}"
    )


def test_translations_have_features(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    found = model.translate("the noun1")
    assert found.features["WordPenalty"]
    total = sum(value * model.weights[name] for name, value in found.features.items())
    assert total == pytest.approx(found.score, rel=1e-4)


def test_lists_hold_different_translations_best_first(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    found = model.nbest("The adj1 noun2 verb3 %d noun4.", 10)
    assert 1 < len(found) <= 10
    assert len({each.text for each in found}) == len(found)
    assert all(one.score >= two.score - 1e-9 for one, two in pairwise(found))
    assert found[0].text == model.translate("The adj1 noun2 verb3 %d noun4.").text


def test_threads_do_not_show(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    lines = toys.lines(60, 5)
    one, two = (
        [[(t.text, t.score) for t in best] for best in model.nbest_lines(lines, 1, threads=n)]
        for n in (1, 2)
    )
    assert one == two


def test_forests_hold_the_translation(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    text = "The adj1 noun2 verb3 a noun4."
    best = model.forest(text).viterbi()
    assert best.tokens == model.translate(text).tokens


def test_a_saved_model_translates_alike(toy_model: Path, tmp_path: Path) -> None:
    model = demotic.load(toy_model)
    lines = toys.lines(20, 3)
    expected = [each.text for each in model.translate_lines(lines)]
    for name in ("copy", "copy.demotic"):
        model.save(tmp_path / name)
        copied = demotic.load(tmp_path / name)
        assert [each.text for each in copied.translate_lines(lines)] == expected


def test_a_model_without_a_place_lives_as_long_as_it_is_used(tmp_path: Path) -> None:
    model = demotic.train(toys.memory(120), config=toys.QUICK)
    folder = model.bundle.folder  # type: ignore[attr-defined]
    assert folder.is_dir()
    model.save(tmp_path / "kept.demotic")
    del model
    assert not folder.exists()
    assert demotic.load(tmp_path / "kept.demotic").translate("noun1").text


def test_training_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, threads in (("one.demotic", 1), ("two.demotic", 2)):
        demotic.train(
            toys.memory(150), dev=toys.text(30), config=toys.QUICK,
            out=tmp_path / name, threads=threads,
        )  # fmt: skip
    assert (tmp_path / "one.demotic").read_bytes() == (tmp_path / "two.demotic").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.demotic", "two.demotic"]


class Interrupted(Progress):
    """Stops the work when a step begins."""

    def __init__(self, at: str) -> None:
        self._at = at
        self.steps: list[str] = []
        self.said: list[str] = []

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        if title == self._at:
            raise KeyboardInterrupt
        self.steps.append(title)
        yield lambda amount: None

    def say(self, message: str) -> None:
        self.said.append(message)


def test_an_interrupted_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    bitext, dev = toys.memory(150), toys.text(30)

    def run(name: str, progress: Progress, *, resume: bool = False) -> Model:
        return demotic.train(
            bitext,
            dev=dev,
            config=toys.QUICK,
            out=tmp_path / name,
            progress=progress,
            resume=resume,
        )

    with pytest.raises(KeyboardInterrupt):
        run("cut.demotic", Interrupted("tuning"))
    assert not (tmp_path / "cut.demotic").exists(), "no half model"
    watch = Interrupted("never")
    run("cut.demotic", watch, resume=True)
    assert "extracting rules" not in watch.steps
    assert "tuning" in watch.steps
    assert "extract: done before" in watch.said
    run("whole.demotic", Progress())
    assert (tmp_path / "cut.demotic").read_bytes() == (tmp_path / "whole.demotic").read_bytes()


def test_a_work_folder_used_again_leaves_the_first_model_alone(tmp_path: Path) -> None:
    for name, seed, order in (("one", 1, 3), ("two", 2, 2)):
        demotic.train(
            toys.memory(150, seed), dev=toys.text(20, seed + 5), out=tmp_path / name,
            config={**toys.QUICK, "lm": {"order": order}, "source": {"casing": "lower"}},
            work=tmp_path / "work", resume=True,
        )  # fmt: skip
    for name in ("one", "two"):
        demotic.load(tmp_path / name, verify=True)
    parts = [(tmp_path / name / "lm.bin").read_bytes() for name in ("one", "two")]
    assert parts[0] != parts[1]


def test_given_links_are_used_for_the_pairs_that_remain(tmp_path: Path) -> None:
    rows = [("a b", "B A"), ("a b", "B A"), ("c b", "B C"), ("a d", "D A")] * 4
    bitext = Bitext.from_pairs(rows, source_language="xx", target_language="yy")
    links = tmp_path / "links"
    links.write_text("0-1 1-0\n" * len(rows))
    model = demotic.train(
        bitext,
        dev=Bitext.from_pairs(rows, source_language="xx", target_language="yy"),
        config={
            **toys.QUICK,
            "tokenised": True,
            "align": {"file": str(links)},
            "extract": {"min_sentences": 1},
        },
    )
    assert model.translate("c d").text == "D C"
    assert model.about.dev["signature"].split("|")[3] == "tok:none"
    links.write_text("0-1 1-0\n")
    with pytest.raises(ArgumentError, match="1 lines and the bitext 16 pairs"):
        demotic.train(bitext, dev=bitext, config={"tokenised": True, "align": {"file": str(links)}})


def test_tuning_again_changes_nothing_but_the_weights(toy_model: Path, tmp_path: Path) -> None:
    model = demotic.load(toy_model)
    dev = toys.text(40, 21)
    tuned = tune(model, dev, out=tmp_path / "tuned")
    assert set(tuned.weights) == set(model.weights)
    assert tuned.about.dev["value"] == tuned.score(dev).value
    old, new = toy_model, tmp_path / "tuned"
    assert (old / "rules.bin").read_bytes() == (new / "rules.bin").read_bytes()
    assert json.loads((new / "weights.json").read_text()) == dict(tuned.weights)


@pytest.mark.parametrize("size", [0, 1, 9])
def test_a_tiny_dev_set_is_refused_before_anything_happens(tmp_path: Path, size: int) -> None:
    with pytest.raises(ArgumentError, match=f"a development set of {size} sentence"):
        demotic.train(toys.memory(100), dev=toys.text(size), out=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_place_is_refused_before_anything_happens(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ArgumentError, match="is a file"):
        demotic.train(toys.memory(100), out=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_an_unknown_system_or_setting_is_named() -> None:
    with pytest.raises(ArgumentError, match="unknown system 'nematus'"):
        demotic.train(toys.memory(100), system="nematus")
    with pytest.raises(ArgumentError, match=r"unknown setting 'lm\.ordre'"):
        demotic.train(toys.memory(100), config={"lm": {"ordre": 3}})


@pytest.mark.parametrize("part", ["rules.bin", "lm.bin", "weights.json", "source.json"])
def test_damage_in_any_part_is_reported(toy_model: Path, tmp_path: Path, part: str) -> None:
    demotic.load(toy_model).save(tmp_path / "model")
    path = tmp_path / "model" / part
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="has changed"):
        demotic.load(tmp_path / "model")


def test_given_links_keep_words_whole() -> None:
    links = {"tokenised": True, "align": {"file": "train.align"}}
    config = from_record(Config, {**links, "source": {"compounds": "auto"}})
    assert config.source.compounds == "off"
    with pytest.raises(ArgumentError, match="split"):
        from_record(Config, {**links, "source": {"compounds": "on"}})
