"""The phrase system from bitext to model: reordering, explaining, tables of other systems."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import demotic
from demotic.corpus import Bitext
from demotic.errors import ArgumentError, FormatError
from demotic.explain import Explanation
from demotic.grammar import RuleTable
from demotic.model import tune
from demotic.systems.model import Model
from tests.systems import toys

REORDERING = ["MonotonePrevious", "SwapPrevious", "OtherPrevious", "MonotoneNext", "SwapNext",
              "OtherNext"]  # fmt: skip


@pytest.fixture(scope="module")
def phrase_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "phrase"
    train(path)
    return path


def train(out: Path, work: Path | None = None, **settings: object) -> Model:
    return demotic.train(
        toys.memory(400), system="phrase", dev=toys.text(40),
        config={**toys.QUICK, **settings}, out=out, work=work,
    )  # fmt: skip


def test_unseen_sentences_come_out_reordered_and_complete(phrase_model: Path) -> None:
    model = demotic.load(phrase_model)
    assert model.about.system == "phrase"
    assert toys.share_in_order(model) >= 0.8


def test_the_table_has_the_columns_of_reordering_unless_told_otherwise(
    phrase_model: Path, tmp_path: Path
) -> None:
    table = RuleTable.load(phrase_model / "rules.bin")
    assert table.feature_names[-6:] == REORDERING
    plain = train(tmp_path / "plain", extract={"reordering": False, "max_phrase": 3})
    table = RuleTable.load(tmp_path / "plain" / "rules.bin")
    assert not set(REORDERING) & set(table.feature_names)
    assert max(len(rule.source) for rule in table) == 3
    assert not set(REORDERING) & set(plain.weights)  # type: ignore[attr-defined]


def test_explanations_name_the_phrase_behind_each_word(phrase_model: Path) -> None:
    model = demotic.load(phrase_model)
    text = "The adj1 noun2 verb3 %d noun4."
    explained = model.explain(text)
    assert explained.text == model.translate(text).text
    goal, *phrases = explained.steps
    assert goal.children == tuple(range(1, len(phrases) + 1))
    covered = sorted(i for step in phrases for i in range(*step.span))
    assert covered == list(range(len(covered)))
    assert [i for step in phrases for i in step.words] == list(range(len(explained.tokens)))
    assert sum(s.contribution for s in explained.steps) == pytest.approx(
        model.translate(text).score, abs=1e-6
    )
    assert any(step.evidence for step in phrases)


def test_explanations_show_the_orientations_that_hold(phrase_model: Path) -> None:
    model = demotic.load(phrase_model)
    reordered = 0
    for text in toys.lines(10, 3):
        explained = model.explain(text)
        sums = orientations(explained)
        for name, total in sums.items():
            assert explained.features[name] == pytest.approx(total, abs=1e-4)
        reordered += any(sums[name] for name in REORDERING if not name.startswith("Monotone"))
    assert reordered > 5


def orientations(explained: Explanation) -> dict[str, float]:
    """The scores that steps show, summed by name; each shows those of its own place."""
    places = [(0, 0), *(step.span for step in explained.steps[1:])]
    places.append((len(explained.source_tokens),) * 2)
    sums = dict.fromkeys(REORDERING, 0.0)
    for number, step in enumerate(explained.steps[1:], 1):
        if step.kind != "rule":
            continue
        before, here, after = places[number - 1 : number + 2]
        shown = [name for name in REORDERING if name in step.scores]
        assert shown == [f"{followed(before, here)}Previous", f"{followed(here, after)}Next"]
        for name in shown:
            sums[name] += step.scores[name]
    return sums


def followed(before: tuple[int, int], after: tuple[int, int]) -> str:
    if before[1] == after[0]:
        return "Monotone"
    return "Swap" if after[1] == before[0] else "Other"


def test_lists_and_graphs_begin_with_the_translation(phrase_model: Path) -> None:
    model = demotic.load(phrase_model)
    text = "The adj1 noun2 verb3 a noun4."
    best = model.nbest(text, 5)
    assert len({each.text for each in best}) == len(best) > 1
    assert best[0].text == model.translate(text).text
    assert model.forest(text).viterbi().score == pytest.approx(best[0].score, abs=1e-4)


def test_a_line_without_words_stays_one(phrase_model: Path) -> None:
    assert demotic.load(phrase_model).translate("").text == ""
    assert [t.text for t in demotic.load(phrase_model).nbest("  ", 3)] == ["  "]


def test_training_twice_gives_the_same_bytes(phrase_model: Path, tmp_path: Path) -> None:
    train(tmp_path / "again")
    for part in ("rules.bin", "lm.bin", "weights.json"):
        assert (tmp_path / "again" / part).read_bytes() == (phrase_model / part).read_bytes()


def test_tuning_again_leaves_the_table_as_it_is(phrase_model: Path, tmp_path: Path) -> None:
    model = demotic.load(phrase_model)
    tuned = tune(model, toys.text(30, 5), out=tmp_path / "tuned")
    assert (tmp_path / "tuned" / "rules.bin").read_bytes() == (
        phrase_model / "rules.bin"
    ).read_bytes()
    assert toys.share_in_order(tuned) >= 0.8


def test_a_phrase_table_of_moses_can_be_used_instead(phrase_model: Path, tmp_path: Path) -> None:
    table = RuleTable.load(phrase_model / "rules.bin")
    table.to_text(tmp_path / "phrase-table.gz", format="moses-phrase")
    model = train(tmp_path / "model", extract={"table": str(tmp_path / "phrase-table.gz")})
    assert toys.share_in_order(model) >= 0.6
    again = train(tmp_path / "other", extract={"table": str(tmp_path / "model" / "rules.bin")})
    assert again.weights == model.weights
    assert (tmp_path / "other/rules.bin").read_bytes() == (
        tmp_path / "model/rules.bin"
    ).read_bytes()


def test_another_table_leaves_models_of_the_same_work_folder_alone(
    phrase_model: Path, tmp_path: Path
) -> None:
    """They share files with it."""
    work, table = tmp_path / "work", str(phrase_model / "rules.bin")
    for out, extract in (("one", {"max_phrase": 2}), ("two", {"table": table})):
        demotic.train(
            toys.memory(400), system="phrase", dev=toys.text(40), out=tmp_path / out, work=work,
            config={**toys.UNTUNED, "extract": extract}, resume=out == "two",
        )  # fmt: skip
    assert max(len(rule.source) for rule in RuleTable.load(tmp_path / "one/rules.bin")) == 2
    assert (tmp_path / "two/rules.bin").read_bytes() == Path(table).read_bytes()


def test_a_damaged_phrase_table_is_named_with_its_line(tmp_path: Path) -> None:
    broken = tmp_path / "phrase-table"
    broken.write_text("a ||| b ||| 0.5 0.5 0.5 0.5\na ||| c ||| nan 1 1 1\n", encoding="utf-8")
    with pytest.raises(FormatError, match="phrase-table") as caught:
        train(tmp_path / "model", extract={"table": str(broken)})
    assert caught.value.line == 2


ENGLISH = {"haus": "house", "boot": "boat", "garten": "garden", "hund": "dog", "hütte": "hut",
           "ofen": "stove", "stein": "stone", "wagen": "car", "feuer": "fire"}  # fmt: skip


def german(count: int, seed: int, language: str = "de") -> Bitext:
    """``das hausboot und der hund`` and its translation."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        one, two, other = rng.sample(sorted(ENGLISH), 3)
        small = " klein" * rng.randrange(2)
        pairs.append((f"das {one}{two} und{small} {other} .",
                      f"the {ENGLISH[one]} {ENGLISH[two]} and{' small' * bool(small)} "
                      f"{ENGLISH[other]} ."))  # fmt: skip
    return Bitext.from_pairs(pairs, source_language=language, target_language="en", file="toy")


@pytest.mark.parametrize("system", ["phrase", "hiero"])
def test_compounds_of_the_source_are_split_where_its_language_has_them(
    system: str, tmp_path: Path
) -> None:
    def model(language: str, **settings: object) -> Model:
        return demotic.train(
            german(300, 1, language), system=system, dev=german(20, 2, language),
            config={**toys.QUICK, **settings}, out=tmp_path / f"{language}{len(settings)}",
        )  # fmt: skip

    split = model("de")
    text = "das feuerofenhaus und hund ."
    assert split.about.config["source"]["compounds"] == "auto"
    assert split.translate(text).text == "the fire stove house and dog ."
    assert "feuer + ofen + haus" in " ".join(split.explain(text).source_tokens)
    reloaded = demotic.load(tmp_path / "de0")
    assert reloaded.source.config.compounds == "on"
    assert reloaded.translate(text).text == split.translate(text).text
    for whole in (model("fr"), model("de", source={"compounds": "off"})):
        assert whole.source.config.compounds == "off"
        assert "feuerofenhaus" in whole.translate(text).text


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"extract\.max_words"):
        demotic.train(toys.memory(50), system="phrase", config={"extract": {"max_words": 7}})
