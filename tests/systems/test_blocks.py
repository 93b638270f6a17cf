"""Block models from end to end: rows, oracles, what comes back from disk."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demotic
from demotic.align import Links, Text
from demotic.corpus import Bitext
from demotic.decode import BlockDecoder, BlockSearch
from demotic.errors import ArgumentError, CorruptFileError, FormatError
from demotic.grammar import BlockEvents, EventOptions, block_events, extract_blocks, orient
from demotic.grammar.orientation import NEUTRAL_FEATURES
from demotic.inspection.models import describe_container
from demotic.learn import EventGroups, SgdOptions, objective, sgd
from demotic.learn.events import LocalWeights
from demotic.progress import SpokenProgress
from demotic.systems.blocks import Config, LearnConfig
from demotic.systems.blocks.folds import fold_models, fold_stage
from demotic.systems.blocks.learning import learn_local, wrong_signs
from demotic.systems.blocks.oracle import oracle_events
from demotic.systems.blocks.row_training import STEPS, BlockTraining, Sentences, learn_row
from demotic.systems.blocks.rows import ROWS
from demotic.systems.records import from_record
from demotic.systems.stages import Training


def pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Adjectives go behind nouns, and agree with them: one word has several translations."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        one, two = rng.randrange(12), rng.randrange(12)
        adjective, verb = rng.randrange(6), rng.randrange(5)
        gender = "e" if one % 2 else ""
        number = "nt" if two % 3 else ""
        plural = "s" if verb % 2 else ""
        found.append(
            (
                f"adj{adjective} noun{one} verb{verb} noun{two} .",
                f"nom{one}{plural} qual{adjective}{gender} agir{verb}{number} nom{two} .",
            )
        )
    return found


def bitext(count: int, seed: int = 1) -> Bitext:
    return Bitext.from_pairs(
        pairs(count, seed), source_language="en", target_language="fr", file="toy.tsv"
    )


QUICK = {
    "learn": {
        "joint": {"passes": 3, "eta_float": 1e-3, "eta_binary": 1e-2},
        "list_size": 50,
        "only": "all",
    },
    "events": {"matching": "aligned", "unigram": "per-word", "pair_threshold": 1},
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of row 7, which goes through every step."""
    path = tmp_path_factory.mktemp("blocks") / "model"
    demotic.train(
        bitext(400), system="blocks", dev=bitext(40, 7),
        config={**QUICK, "preset": "row7"}, out=path,
    )  # fmt: skip
    return path


def test_a_trained_model_translates_explains_and_gives_forests(trained: Path) -> None:
    model = demotic.load(trained)
    assert model.about.system == "blocks"
    text = next(iter(bitext(1, 11))).source
    found = model.translate(text)
    assert found.text
    assert len(model.nbest(text, 5)) > 1
    assert model.forest(text).count() > 1
    explanation = model.explain(text)
    assert explanation.text == found.text
    assert explanation.steps[0].kind == "goal"
    assert any(step.evidence for step in explanation.steps)
    assert model.about.dev["value"] > 0


def test_its_parts_can_be_looked_at(trained: Path) -> None:
    blocks = describe_container(trained / "blocks.bin", verify=True)
    assert blocks[0] == "table of blocks"
    assert int(str(blocks[1]["blocks"])) > 0
    pairs_found = describe_container(trained / "pairs.bin", verify=True)
    assert pairs_found[0] == "weights of pairs of blocks"
    assert int(str(pairs_found[1]["pairs"])) > 0


def test_neighbours_are_swapped_and_words_are_those_of_training(trained: Path) -> None:
    model = demotic.load(trained)
    swapped = 0
    for source, target in pairs(30, seed=99):
        found = model.translate(source).text.split()
        swapped += found[0:2] == target.split()[0:2]
    assert swapped > 15


def test_its_options_and_pairs_come_back_from_disk(trained: Path) -> None:
    model = demotic.load(trained)
    assert isinstance(model.decoder, BlockDecoder)  # type: ignore[attr-defined]
    assert model.about.config["preset"] == "row7"
    assert len(model.pairs) > 0  # type: ignore[attr-defined]
    assert np.abs(model.pairs.weights).max() > 0  # type: ignore[attr-defined]


def test_pairs_of_other_blocks_are_refused(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    demotic.train(
        bitext(100, 3), system="blocks", dev=bitext(40, 7),
        config={**QUICK, "preset": "row5"}, out=other,
    )  # fmt: skip
    (other / "pairs.bin").write_bytes((trained / "pairs.bin").read_bytes())
    with pytest.raises((ArgumentError, CorruptFileError)):
        demotic.load(other, verify=False)


@pytest.mark.parametrize("name", ["row1", "row2", "row3", "row4"])
def test_presets_have_the_features_and_search_of_their_row(name: str, tmp_path: Path) -> None:
    model = demotic.train(
        bitext(150), system="blocks", dev=bitext(20, 7),
        config={**QUICK, "preset": name}, out=tmp_path / "model",
    )  # fmt: skip
    row = ROWS[name]
    used = {feature for feature, weight in model.weights.items() if weight != 0}
    expected = set(row.features) | {"PassThrough", "Partition", "Pairs"}
    if row.oriented:
        expected |= {f"Neutral{each}" for each in row.features if each != "Orientation"}
    else:  # the same vector for every transition
        expected |= {f"Neutral{each}" for each in row.features}
        assert model.weights["NeutralUnigram"] == model.weights["Unigram"]
    assert set(row.features) <= used <= expected
    assert model.decoder.options.reorder == row.reorder  # type: ignore[attr-defined]


def test_tuned_weights_begin_with_those_of_row_7_and_translate_better(tmp_path: Path) -> None:
    def train(preset: str) -> demotic.Model:
        return demotic.train(
            bitext(150), system="blocks", dev=bitext(30, 7), out=tmp_path / preset,
            config={**QUICK, "preset": preset, "tune": {"mert": {"iterations": 3}}},
            work=tmp_path / f"{preset}.work",
        )  # fmt: skip

    row7, tuned = train("row7"), train("tuned")
    learned = json.loads((tmp_path / "tuned.work" / "learned.json").read_text())
    assert all(row7.weights[name] == weight for name, weight in learned.items())
    assert tuned.weights["Partition"] != row7.weights["Partition"]
    assert tuned.about.dev["value"] > row7.about.dev["value"]


def test_rows_that_cheat_are_no_presets() -> None:
    with pytest.raises(ArgumentError, match="preset"):
        from_record(Config, {"preset": "row8"})


def _material() -> tuple[Text, Text, Links]:
    links = Links()
    for _ in range(3):
        links.append([(0, 0), (1, 1), (2, 2)])
        links.append([(0, 1), (1, 0), (2, 2)])
    return Text.of(["a b c", "a b c"] * 3), Text.of(["x y z", "y x z"] * 3), links


def test_missing_events_are_named() -> None:
    source, target, links = _material()
    table = extract_blocks(source, target, links)
    events = block_events(table, source, target, links, lm=None)
    none = EventGroups.of([], [], width=5)
    with pytest.raises(ArgumentError, match="orientations cannot"):
        learn_local(BlockEvents(none, events.neutral), ROWS["row1"], LearnConfig())


def test_without_neutral_events_the_other_weights_stand_in_with_a_warning() -> None:
    source, target, links = _material()
    table = extract_blocks(source, target, links)
    events = block_events(table, source, target, links, lm=None)
    none = EventGroups.of([], [], width=4)
    said = Said()
    found = learn_local(
        BlockEvents(events.successors, none), ROWS["row4"], LearnConfig(), progress=said
    )
    assert any("neutral model cannot be trained" in line for line in said.lines)
    assert found.weights["Unigram"] != 0
    for name in NEUTRAL_FEATURES:
        assert found.weights[f"Neutral{name}"] == found.weights[name]


class Said(SpokenProgress):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, message: str) -> None:
        self.lines.append(message)


def test_text_in_which_every_block_follows_another_trains_and_translates(tmp_path: Path) -> None:
    # One word a line, first and last: its block follows the start of the sentence, always.
    words = [("eins", "one"), ("zwei", "two"), ("drei", "three")] * 20
    text = Bitext.from_pairs(words, source_language="de", target_language="en", file="toy.tsv")
    model = demotic.train(
        text, system="blocks", dev=text, config={**QUICK, "preset": "row4"}, out=tmp_path / "model"
    )
    assert model.translate("zwei").text == "two"


def _training(
    source: Text, target: Text, links: Any, learn: LearnConfig, **others: Any
) -> BlockTraining:
    options = EventOptions(matching="aligned")
    oriented = orient(extract_blocks(source, target, links), source, target, links, options=options)
    config = Config(events=options, learn=learn)
    return BlockTraining(
        source, target, (links, None), oriented.blocks, oriented.pairs, None, config, **others
    )


def test_the_steps_on_oracles_are_those_with_the_best_bleu_on_dev() -> None:
    source, target, links = _material()
    said = Said()
    learn = LearnConfig(joint=SgdOptions(passes=1))
    material = _training(source, target, links, learn, progress=said)
    dev = Sentences.of(["a b c", "b a c", "a c"], ["x y z", "y x z", "x z"])
    row6 = learn_row(material, "row6", dev)
    assert list(row6.tried) == list(STEPS)
    best = max(row6.tried.values())
    lines = material.decoder("row6", row6).decode_lines(dev.source)
    assert dev.bleu([each.text for each in lines]) == best
    (chosen,) = [line for line in said.lines if line.startswith("steps: ")]
    assert row6.tried[chosen.removeprefix("steps: ").split(" (")[0]] == best
    row7 = learn_row(material, "row7", floats=row6)
    assert row7.learned.weights == row6.learned.weights
    fixed = replace(
        material, config=replace(material.config, learn=LearnConfig(oracle_steps="fixed"))
    )
    assert learn_row(fixed, "row6", dev).tried == {}


def test_costs_that_are_learned_to_be_good_are_warned_of() -> None:
    # The rare block is the reference everywhere: what is frequent must look bad.
    source, target, links = _material()
    links.append([(0, 0)])
    source, target = (
        Text.of(["a b c", "a b c"] * 3 + ["a"]),
        Text.of(["x y z", "y x z"] * 3 + ["q"]),
    )
    said = Said()
    learn = LearnConfig(joint=SgdOptions(passes=1), min_count=1)
    material = _training(source, target, links, learn, progress=said)
    found = learn_row(material, "row6", Sentences.of(["a"] * 20, ["q"] * 20))
    assert "Unigram" in wrong_signs(found.learned.weights)
    (warning,) = [line for line in said.lines if line.startswith("warning: ")]
    assert "Unigram" in warning
    assert "from 20 events" in warning


@pytest.mark.parametrize("row", ["row1", "row3", "row4", "row5"])
def test_rows_of_the_training_text_warn_of_costs_that_are_good_as_well(row: str) -> None:
    source, target, links = _material()
    rarer, rarer_alone = ([[each, [0.0] * len(each)]] for each in ([1.0] * 5, [1.0] * 4))
    for label, warned in ((0, True), (1, False)):
        said = Said()
        learn = LearnConfig(floats=SgdOptions(passes=1), joint=SgdOptions(passes=1))
        material = _training(source, target, links, learn, progress=said)
        events = BlockEvents(
            EventGroups.of(rarer, [(0, label)], sparse_size=len(material.pairs)),
            EventGroups.of(rarer_alone, [(0, label)]),
        )
        vars(material)["_with_pairs"] = events
        assert ("Unigram" in wrong_signs(learn_row(material, row).learned.weights)) == warned
        warnings = [line for line in said.lines if line.startswith("warning: Unigram")]
        assert len(warnings) == warned


def test_neutral_weights_may_be_those_of_the_others() -> None:
    source, target, links = _material()
    table = orient(extract_blocks(source, target, links), source, target, links).blocks
    events = block_events(table, source, target, links, lm=None)
    assert len(events.neutral)
    own, tied = (
        learn_local(events, ROWS["row4"], LearnConfig(neutral=neutral)).weights  # type: ignore[arg-type]
        for neutral in ("own", "tied")
    )
    for name in NEUTRAL_FEATURES:
        assert tied[name] == own[name]
        assert tied[f"Neutral{name}"] == tied[name]
    assert any(own[f"Neutral{name}"] != own[name] for name in NEUTRAL_FEATURES)


def test_events_are_of_blocks_that_the_development_set_can_use() -> None:
    source, target, links = _material()

    def material(only: str, *sentences: str) -> BlockTraining:
        return _training(source, target, links, LearnConfig(only=only), sentences=sentences)

    everything = material("all", "a b").events(pairs=True).successors
    some = material("dev", "a b").events(pairs=True).successors
    assert 0 < len(some) < len(everything)
    assert len(material("dev", "a b c").events(pairs=True).successors) == len(everything)
    assert len(material("dev", "q").events(pairs=True).successors) == len(everything)
    with pytest.raises(ArgumentError, match="other events"):
        material("dev", "a b").with_config(material("all").config)


def test_events_are_of_blocks_that_were_seen_often_enough_if_there_are_any() -> None:
    source, target, links = _material()

    def events(least: int) -> int:
        learn = LearnConfig(only="all", min_count=least)
        return len(_training(source, target, links, learn).events(pairs=True).successors)

    assert 0 < events(4) < events(1)
    assert events(10**6) == events(1)


def test_the_models_that_price_the_text_have_not_seen_it(tmp_path: Path) -> None:
    lines = [(f"s{i} a", f"t{i} b") for i in range(20)]  # each has a word of its own
    text = Bitext.from_pairs(lines, source_language="de", target_language="en", file="toy.tsv")
    config = Config(tokenised=True, learn=LearnConfig(lm_folds=4))
    training = Training(text, text, config, out=tmp_path / "model")
    prepared = training.prepare()
    stage = fold_stage(training, config, prepared)
    models = fold_models(stage)
    assert len(models) == 4
    for number, line in enumerate(prepared.path("train.target").read_text().splitlines()):
        word = line.split()[0]
        seen = [word in model for model in models]
        assert seen == [turn != number % 4 for turn in range(4)]
    assert not fold_stage(training, config, prepared).wanted
    assert not stage.path("fold.text").exists()
    few = replace(config, learn=LearnConfig(lm_folds=11))
    assert fold_models(fold_stage(training, few, prepared)) == ()


def test_a_list_of_one_leaves_the_label_alone_and_says_so() -> None:
    source, target, links = _material()
    options = EventOptions(matching="aligned")
    oriented = orient(extract_blocks(source, target, links), source, target, links, options=options)
    decoder = BlockDecoder(oriented.blocks, None, {}, options=BlockSearch(min_left=1))
    found = oracle_events(decoder, ["a b c"], [["x y z"]], options, list_size=1)
    assert found.alone == found.count > 0


def test_a_link_outside_its_sentence_is_named_by_file_and_line(tmp_path: Path) -> None:
    links = tmp_path / "text.align"
    links.write_text("0-0\n" * 30 + "0-9\n" + "0-0\n" * 29)
    with pytest.raises(FormatError, match=r"text\.align:31: .*outside"):
        demotic.train(
            bitext(60), system="blocks", dev=bitext(20, 7), out=tmp_path / "model",
            config={**QUICK, "tokenised": True, "align": {"file": str(links)}},
        )  # fmt: skip


def test_oracle_events_have_the_features_of_training_events() -> None:
    """A list that holds all derivations: the oracle's own choices, priced as training prices."""
    source, target, links = _material()
    options = EventOptions(matching="aligned")
    oriented = orient(extract_blocks(source, target, links), source, target, links, options=options)
    decoder = BlockDecoder(
        oriented.blocks, None, {}, options=BlockSearch(beam=0, delta=math.inf, min_left=1)
    )
    found = oracle_events(decoder, ["a b c a b c"], [["x y z x y z"]], options, list_size=1000)
    assert found.bleu == pytest.approx(100.0)
    assert found.bleu >= found.first_bleu
    assert found.count >= 1
    training = block_events(oriented.blocks, source, target, links, lm=None, options=options)
    columns = np.array(training.successors.features)
    for group in range(found.events.successors.groups):
        begin, end = (int(found.events.successors.group_ptr[group + i]) for i in (0, 1))
        values = found.events.successors.features[begin * 5 : end * 5].reshape(5, -1)
        for candidate in values.T:
            for value in candidate:
                assert np.isclose(columns, value, atol=1e-5).any()


def test_only_pairs_learn_once_floats_are_frozen() -> None:
    source, target, links = _material()
    options = EventOptions(pair_threshold=0)
    oriented = orient(extract_blocks(source, target, links), source, target, links, options=options)
    events = block_events(
        oriented.blocks, source, target, links, lm=None, pairs=oriented.pairs, options=options
    )
    frozen = {name: -0.25 for name in ("Unigram", "Orientation", "FirstWord", "RestWords")}
    frozen |= {"Lexical": -0.5}
    found = learn_local(
        events, ROWS["row7"], LearnConfig(joint=SgdOptions(passes=5, eta_binary=0.1)),
        frozen=frozen,
    )  # fmt: skip
    assert found.weights == frozen
    assert np.abs(found.pairs).max() > 0
    start = LocalWeights(found.floats, np.zeros(len(oriented.pairs), np.float32))
    after = LocalWeights(found.floats, found.pairs)
    assert objective(events.successors, after).loss < objective(events.successors, start).loss


@pytest.mark.parametrize("learner", ["perceptron", "averaged-perceptron"])
def test_perceptrons_take_the_place_of_sgd(learner: str) -> None:
    source, target, links = _material()
    table = orient(extract_blocks(source, target, links), source, target, links).blocks
    events = block_events(table, source, target, links, lm=None)
    found = learn_local(events, ROWS["row4"], LearnConfig(learner=learner, perceptron_passes=10))  # type: ignore[arg-type]
    other = sgd(events.successors, options=SgdOptions(passes=1)).weights.dense
    assert found.floats.shape == other.shape
    assert np.abs(found.floats).max() > 0


def test_projection_trains_too(tmp_path: Path) -> None:
    model = demotic.train(
        bitext(150), system="blocks", dev=bitext(20, 7), out=tmp_path / "model",
        config={**QUICK, "preset": "row4", "extract": {"method": "projection"}},
    )  # fmt: skip
    assert model.translate(next(iter(bitext(1, 11))).source).text


@pytest.mark.parametrize("rare", ["replace", "drop"])
def test_an_oracle_may_use_a_block_that_is_not_among_the_alternatives(
    rare: str, tmp_path: Path
) -> None:
    events = {**QUICK["events"], "alternatives": 1, "rare": rare}
    model = demotic.train(
        bitext(150), system="blocks", dev=bitext(20, 7), out=tmp_path / "model",
        config={**QUICK, "events": events},
    )  # fmt: skip
    assert model.translate(next(iter(bitext(1, 11))).source).text


def test_explanations_add_up_to_the_score(trained: Path) -> None:
    found = demotic.load(trained).explain("adj1 noun2 verb3 noun4 .")
    total = sum(value * found.weights[name] for name, value in found.features.items())
    assert total == pytest.approx(found.score)


def test_a_reordering_that_the_preset_does_not_have_is_refused() -> None:
    with pytest.raises(ArgumentError, match="tuned swaps"):
        from_record(Config, {"search": {"reorder": "monotone"}})
    with pytest.raises(ArgumentError, match="row1 does not swap"):
        from_record(Config, {"preset": "row1", "search": {"reorder": "swap"}})
    assert from_record(Config, {"preset": "row1"}).search.reorder == "monotone"
    assert from_record(Config, {"preset": "row2"}).search.reorder == "swap"


@pytest.mark.parametrize(
    "setting",
    [
        {"seed": -1}, {"extract": {"max_words": -1}}, {"extract": {"min_count": 2**40}},
        {"events": {"alternatives": -1}}, {"events": {"pair_threshold": -1}},
        {"learn": {"joint": {"minibatch": -1}}},
    ],
)  # fmt: skip
def test_counts_are_checked_before_anything_is_trained(setting: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        from_record(Config, setting)


def test_blocks_seen_once_make_events_where_mert_weighs_them() -> None:
    assert Config().learn.min_count == 1
    assert Config(preset="row5").learn.min_count == 2
    assert Config(preset="row5", learn=LearnConfig(min_count=3)).learn.min_count == 3
    some = {"learn": {"lm_folds": 2}}  # leaves the rest to the preset
    assert from_record(Config, some).learn.min_count == 1
    assert from_record(Config, {"preset": "row5", **some}).learn.min_count == 2
