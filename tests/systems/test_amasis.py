"""The system amasis from bitext to model: order learned from labels, stacks explained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import demotic
from demotic.errors import ArgumentError, CorruptFileError
from demotic.explain.page import figure
from demotic.grammar import RuleTable
from demotic.model import tune
from demotic.systems import configured
from demotic.systems.amasis.model import AmasisModel, label_facts
from tests.systems import toys

LABELS = {"min_count": 2}


@pytest.fixture(scope="module")
def amasis_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "amasis"
    train(path)
    return path


def train(out: Path, work: Path | None = None, **settings: object) -> AmasisModel:
    model = demotic.train(
        toys.memory(400), system="amasis", dev=toys.text(40),
        config={**toys.QUICK, "learn": LABELS, **settings}, out=out, work=work,
    )  # fmt: skip
    assert isinstance(model, AmasisModel)
    return model


def test_unseen_sentences_come_out_reordered_and_complete(amasis_model: Path) -> None:
    model = demotic.load(amasis_model)
    assert model.about.system == "amasis"
    learned = toys.share_in_order(model)
    assert learned >= 0.6
    assert learned > toys.share_in_order(model.with_search({"order": "monotone"})) + 0.3


def test_the_preset_of_the_paper_has_its_seven_weights(tmp_path: Path) -> None:
    model = train(tmp_path / "paper", tmp_path / "work", preset="paper")
    config = configured("amasis", {"preset": "paper"})
    assert model.search == config.search  # type: ignore[attr-defined]
    start = config.start  # type: ignore[attr-defined]
    kept = {name for name, value in model.weights.items() if value == start[name]}
    assert kept >= {"SeenOnce", "SeenTwice", "UnknownWord", "Label"}
    assert len(model.weights.keys() - kept - {"PassThrough"}) <= 7  # which is scaled alone
    assert "Deleted" not in model.weights
    [record] = [json.loads(p.read_text()) for p in (tmp_path / "work").glob("**/labels.json")]
    assert record["labels"]["S,R+"] > 0
    assert record["accuracy"]["mean"] > 0.5
    [items] = [json.loads(p.read_text()) for p in (tmp_path / "work").glob("**/items.json")]
    assert items["items"] > items["empty_items"] > 0


def test_explanations_show_the_stack_item_by_item(amasis_model: Path) -> None:
    model = demotic.load(amasis_model)
    text = "The adj1 noun2 verb3 %d noun4."
    explained = model.explain(text)
    assert explained.text == model.translate(text).text
    items = sorted((s for s in explained.steps if s.order), key=lambda s: s.order or 0)
    assert [s.span[0] for s in items] == sorted(s.span[0] for s in items)
    assert all(s.action is not None and s.action.startswith("S") for s in items)
    last = items[-1].stack
    assert last is not None
    assert " ".join(fragment for fragment in last if fragment) == " ".join(explained.tokens)
    kinds = {step.kind for step in explained.steps}
    assert {"straight", "goal", "rule"} <= kinds
    assert sum(s.contribution for s in explained.steps) == pytest.approx(
        model.translate(text).score, abs=1e-6
    )
    assert "| stack [" in explained.tree()
    assert "stack [" in figure(explained)


def test_lists_and_graphs_begin_with_the_translation(amasis_model: Path) -> None:
    model = demotic.load(amasis_model)
    text = "The adj1 noun2 verb3 a noun4."
    best = model.nbest(text, 5)
    assert len({each.text for each in best}) == len(best) > 1
    assert best[0].text == model.translate(text).text
    assert model.forest(text).viterbi().score == pytest.approx(best[0].score, abs=1e-4)


def test_consensus_works_on_its_graphs(amasis_model: Path) -> None:
    model = demotic.load(amasis_model)
    for method in ("forest", "kbest"):
        agreed = model.with_consensus({"method": method, "scale": 1.0}).translate("noun1 adj2")
        assert agreed.consensus is not None


def test_a_line_without_words_stays_one(amasis_model: Path) -> None:
    model = demotic.load(amasis_model)
    assert model.translate("").text == ""
    assert [t.tokens for t in model.nbest("  ", 3)] == [()]
    assert model.explain("").text == ""


def test_training_twice_gives_the_same_bytes(amasis_model: Path, tmp_path: Path) -> None:
    train(tmp_path / "again")
    for part in ("rules.bin", "labels.bin", "weights.json"):
        assert (tmp_path / "again" / part).read_bytes() == (amasis_model / part).read_bytes()


def test_tuning_again_leaves_table_and_labels_as_they_are(
    amasis_model: Path, tmp_path: Path
) -> None:
    model = demotic.load(amasis_model)
    tuned = tune(model, toys.text(30, 5), out=tmp_path / "tuned")
    for part in ("rules.bin", "labels.bin"):
        assert tuned.part(part).read_bytes() == (amasis_model / part).read_bytes()


def test_models_of_classes_and_units_go_with_it(tmp_path: Path) -> None:
    model = train(tmp_path / "classes", lm={"order": 2, "classes": 8, "bilingual": 8})
    assert {"ClassModel", "BilingualModel"} <= model.weights.keys()
    found = model.translate("The adj1 noun2 verb3 %d noun4.")
    assert found.derivation is not None
    total = sum(model.weights[name] * value for name, value in found.derivation.features.items())
    assert total == pytest.approx(found.score, abs=1e-3)


def test_labels_under_a_mask_close_every_stack(tmp_path: Path) -> None:
    model = train(
        tmp_path / "full",
        learn={**LABELS, "mask": "full", "depth": True},
        search={"close": "forced", "beam": 30},
    )
    assert model.labels.mask == "full"
    model.decoder.reset_counters()
    list(model.translate_lines(toys.lines(20, 3)))
    assert model.decoder.counters.unclosed == 0


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ArgumentError, match="full with forced"):
        configured("amasis", {"search": {"close": "forced"}})
    with pytest.raises(ArgumentError, match="no preset"):
        configured("amasis", {"preset": "best"})
    with pytest.raises(ArgumentError, match="holdout"):
        configured("amasis", {"learn": {"holdout": 1}})


def test_labels_of_another_training_are_refused(amasis_model: Path, tmp_path: Path) -> None:
    other = demotic.train(
        toys.memory(200, seed=4), system="amasis", dev=toys.text(40),
        config={**toys.QUICK, "learn": LABELS}, out=tmp_path / "other",
    )  # fmt: skip
    optional = [name for name in AmasisModel.OPTIONAL if (tmp_path / "other" / name).exists()]
    parts = {name: other.part(name) for name in (*AmasisModel.PARTS, *optional)}
    parts["labels.bin"] = amasis_model / "labels.bin"
    with pytest.raises(CorruptFileError, match=r"labels\.bin.*other words"):
        AmasisModel.of_parts(parts, replace(other.search))


def test_inspection_tells_what_was_learned(amasis_model: Path) -> None:
    facts = label_facts(amasis_model / "labels.bin", True)
    assert facts["mask"] == "none"
    assert facts["label S,R+"]
    assert RuleTable.load(amasis_model / "rules.bin").feature_names[-2:] == ["Deleted", "Inserted"]
