"""Rows of table 2 and what they learn from: letters, steps, alternatives, models of folds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import demotic
from demotic.align import Links, Text
from demotic.corpus import Bitext
from demotic.decode import BlockDecoder, BlockSearch
from demotic.errors import ArgumentError
from demotic.experiments.blocks import paper
from demotic.grammar import BlockEvents, EventOptions, extract_blocks, orient
from demotic.grammar.orientation import FEATURES, NEUTRAL_FEATURES
from demotic.learn import CrfOptions, EventGroups, SgdOptions, sgd
from demotic.learn.crf import crf
from demotic.lm.estimation import estimate
from demotic.systems.blocks import Config, LearnConfig
from demotic.systems.blocks.folds import fold_stage
from demotic.systems.blocks.global_model import examples_of, learn_global
from demotic.systems.blocks.learning import Learned
from demotic.systems.blocks.lengths import learn_lengths
from demotic.systems.blocks.oracle import OracleEvents, oracle_events
from demotic.systems.blocks.row_training import STEPS
from demotic.systems.blocks.rows import ROWS
from demotic.systems.config import LmConfig
from demotic.systems.stages import Training
from tests.systems.test_blocks import QUICK, bitext
from tests.systems.test_global_model import REFERENCES, SOURCE, decoder


@pytest.mark.parametrize("name", paper.NAMES)
def test_a_row_is_what_the_papers_table_calls_it(name: str) -> None:
    row, called = ROWS[name], paper.NAMES[name]
    first, last = re.findall(r"\b([a-f])[,-]([a-f])\b", called)[0]
    letters = first + last if "," in called.split()[-1] else "abcdef"[: "abcdef".index(last) + 1]
    assert row.letters == letters
    named = dict(zip("abcde", FEATURES, strict=True))
    assert row.features == tuple(named[letter] for letter in letters if letter in named)
    assert row.pairs == ("f" in letters)
    source = re.search(r"floats from (\w+)", called)
    assert row.floats == (source[1] if source else "training")
    assert row.reorder == ("monotone" if "MON" in called else "swap")
    assert not row.tuned


def test_steps_on_oracles_are_named_by_their_size_and_begin_with_the_papers() -> None:
    assert float(next(iter(STEPS))) == 1e-5
    for name, options in STEPS.items():
        assert options.eta_float == float(name.split()[-1])
        assert options.adagrad == name.startswith("AdaGrad")
        assert options.unit == "event"


def test_learners_and_steps_are_known_by_name() -> None:
    for wrong in ({"learner": "svm"}, {"oracle_steps": "test"}, {"only": "test"}):
        with pytest.raises(ArgumentError, match="choose one of"):
            LearnConfig(**wrong)  # type: ignore[arg-type]


def test_rows_with_and_without_pairs_see_events_equally_often() -> None:
    learn = LearnConfig()
    assert learn.floats == learn.joint
    assert (learn.joint.passes, learn.joint.sample) == (40, 1.0)
    assert (learn.oracle.passes, learn.oracle.unit) == (40, "event")


# -- alternatives ---------------------------------------------------------------------------------


def oracles(options: EventOptions, reference: str) -> OracleEvents:
    """Of a word ``a`` that was translated by x three times, by q twice, by p once."""
    targets = ["x y"] * 3 + ["q y"] * 2 + ["p y"]
    source, target, links = Text.of(["a b"] * len(targets)), Text.of(targets), Links()
    for _ in targets:
        links.append([(0, 0), (1, 1)])
    blocks = extract_blocks(source, target, links)
    table = orient(blocks, source, target, links, options=options).blocks
    wide = BlockSearch(beam=0, delta=math.inf, min_left=1)
    search = BlockDecoder(table, None, {}, options=wide)
    return oracle_events(search, ["a"], [[reference]], options, list_size=1000)


@pytest.mark.parametrize(("most", "wanted"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_a_candidate_is_one_of_the_most_frequent_blocks(most: int, wanted: int) -> None:
    found = oracles(EventOptions(matching="aligned", alternatives=most), "x")
    groups = [events for events in (found.events.successors, found.events.neutral) if len(events)]
    assert [np.diff(events.group_ptr).tolist() for events in groups] == [[wanted]]
    assert found.alone == int(wanted == 1)


@pytest.mark.parametrize(("rare", "events"), [("replace", 1), ("drop", 0)])
def test_a_rare_truth_takes_the_last_place_or_is_dropped(rare: str, events: int) -> None:
    options = EventOptions(matching="aligned", alternatives=2, rare=rare)  # type: ignore[arg-type]
    found = oracles(options, "p")
    assert found.count == events
    if events:
        assert np.diff(found.events.successors.group_ptr).tolist() == [2]


# -- blocks of all lengths ------------------------------------------------------------------------


def toy() -> tuple[BlockDecoder, EventOptions]:
    """Words one by one, and the first two as one block."""
    source, target, links = Text.of(["a b", "a", "b"] * 2), Text.of(["x y", "x", "z"] * 2), Links()
    for _ in range(2):
        for line in ([(0, 0), (1, 1)], [(0, 0)], [(0, 0)]):
            links.append(line)
    options = EventOptions(matching="aligned", unigram="per-word")
    blocks = extract_blocks(source, target, links)
    table = orient(blocks, source, target, links, options=options).blocks
    wide = BlockSearch(beam=0, delta=math.inf, min_left=100)
    return BlockDecoder(table, None, {}, options=wide), options


def test_candidates_of_all_lengths_are_what_else_begins_there() -> None:
    decoder, options = toy()
    found = oracle_events(decoder, ["a b"], [["x y"]], options, list_size=1000, lengths=True)
    groups = found.events.successors
    assert groups.width == len(FEATURES) + 1
    first = groups.features[: int(groups.group_ptr[1]) * groups.width].reshape(groups.width, -1)
    assert sorted(first[-1].tolist()) == [1.0, 2.0]  # a alone, or a b
    alone = oracle_events(decoder, ["a b"], [["x y"]], options, list_size=1000)
    assert np.diff(alone.events.successors.group_ptr)[0] == 1


def mean_log_z(events: EventGroups, dense: Sequence[float]) -> float:
    found = []
    for group in events.group:
        begin, end = (int(events.group_ptr[group + i]) for i in (0, 1))
        rows = events.features[begin * events.width : end * events.width]
        scores = np.asarray(dense) @ rows.reshape(events.width, -1)
        found.append(math.log(sum(math.exp(score) for score in scores)))
    return sum(found) / len(found)


BEFORE = {f"Neutral{name}": -0.5 for name in NEUTRAL_FEATURES}
STEP = SgdOptions(passes=3, eta_float=0.05, unit="event")


def lengths(successors: EventGroups, neutral: EventGroups, learn: LearnConfig) -> Learned:
    events = BlockEvents(successors, neutral)
    return learn_lengths(events, ROWS["row6"], learn, options=STEP, before=BEFORE)


def test_the_price_of_a_block_is_the_mean_of_ln_z() -> None:
    rng = np.random.default_rng(1)
    groups = [[[*rng.random(5), float(rng.integers(1, 4))] for _ in range(3)] for _ in range(6)]
    events = EventGroups.of(groups, [(i, i % 3) for i in range(6)])
    others = EventGroups.of(
        [[[*row[:1], *row[2:]] for row in group] for group in groups[:2]], [(0, 1), (1, 1)]
    )
    none = EventGroups.of([], [], width=5)
    dense = sgd(events, options=STEP).weights.dense
    price = mean_log_z(events, dense)

    alone = lengths(events, none, LearnConfig())
    assert alone.floats.tolist() == dense[:-1].tolist()
    assert alone.weights["Partition"] == pytest.approx(-price / math.log(2))
    assert alone.weights["NeutralLexical"] == BEFORE["NeutralLexical"]

    tied = lengths(events, others, LearnConfig(neutral="tied"))
    assert tied.weights["Partition"] == alone.weights["Partition"]
    assert tied.weights["NeutralLexical"] == tied.weights["Lexical"]

    own = lengths(events, others, LearnConfig())
    weights = [*(own.weights[f"Neutral{name}"] for name in NEUTRAL_FEATURES), dense[-1]]
    assert own.weights["NeutralLexical"] not in (BEFORE["NeutralLexical"], own.weights["Lexical"])
    both = (6 * price + 2 * mean_log_z(others, weights)) / 8
    assert own.weights["Partition"] == pytest.approx(-both / math.log(2))


@pytest.mark.parametrize("rivals", ["phrase", "lengths"])
def test_row_6_learns_from_either_kind_of_candidates(rivals: str, tmp_path: Path) -> None:
    model = demotic.train(
        bitext(150), system="blocks", dev=bitext(30, 7), out=tmp_path / "model",
        config={**QUICK, "preset": "row6", "learn": {**QUICK["learn"], "rivals": rivals}},
    )  # fmt: skip
    assert (model.weights["Partition"] != 1.0) == (rivals == "lengths")
    assert model.about.dev["value"] > 10


# -- language models of folds ---------------------------------------------------------------------


def test_a_fold_is_estimated_as_the_decoders_model_is(tmp_path: Path) -> None:
    lines = [(f"s{i} a", f"t{i} b t{i % 2} </s> b") for i in range(20)]
    text = Bitext.from_pairs(lines, source_language="de", target_language="en", file="toy.tsv")
    config = Config(
        tokenised=True, learn=LearnConfig(lm_folds=4), lm=LmConfig(order=2, prune=(0, 1))
    )
    training = Training(text, text, config, out=tmp_path / "model")
    prepared = training.prepare()
    stage = fold_stage(training, config, prepared)
    known = prepared.path("train.target").read_text().splitlines(keepends=True)
    for number, name in enumerate(stage.files):
        rest = [line for i, line in enumerate(known) if i % 4 != number]
        (tmp_path / "rest").write_text("".join(rest))
        wanted = estimate(tmp_path / "rest", order=2, prune=(0, 1), skip_special=True)
        wanted.save(tmp_path / "wanted.bin")
        assert stage.path(name).read_bytes() == (tmp_path / "wanted.bin").read_bytes()
        estimate(tmp_path / "rest", order=2, skip_special=True).save(tmp_path / "whole.bin")
        assert stage.path(name).read_bytes() != (tmp_path / "whole.bin").read_bytes()


# -- the global model -----------------------------------------------------------------------------


def test_each_round_of_the_global_model_decodes_anew_with_a_seed_of_its_own() -> None:
    options = CrfOptions(passes=3)
    found = learn_global(decoder(), SOURCE, REFERENCES, rounds=2, options=options, seed=5)
    current, reached = decoder(), []
    for seed in (5, 6):
        examples, count = examples_of(current, SOURCE, REFERENCES)
        learned = crf(examples, current.weights, options=options, seed=seed)
        reached.append(count)
        current = current.with_weights(learned.weights)
    assert found.weights == current.weights
    assert list(found.reached) == reached
    other = learn_global(decoder(), SOURCE, REFERENCES, rounds=2, options=options, seed=6)
    assert other.weights != found.weights, "the order of sentences shows"
