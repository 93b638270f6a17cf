"""What an UMT training tries and notes down: names, lists of choices, sparse weights on disk."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demotic.decode.undirected import UndirectedSearch
from demotic.errors import CorruptFileError
from demotic.learn import DrlOptions
from demotic.systems.hiero import START
from demotic.systems.umt.config import AHEAD, ChoiceConfig, Config
from demotic.systems.umt.learning import Trial
from demotic.systems.umt.sparse import read_sparse, sparse_facts, write_sparse
from demotic.systems.umt.start import CFF, NARROW, holding, start_weights

NAMES = (*START, *CFF)


def trial(search: UndirectedSearch, **drl: Any) -> Trial:
    options = DrlOptions(**drl)
    return Trial(
        search=search, drl=options, weights={}, sparse=np.empty(0), bleu=12.5, epochs=()
    )  # fmt: skip


def test_a_label_names_what_is_not_as_by_default() -> None:
    assert trial(UndirectedSearch(), update="mira", rate=0.25).label == "mira 0.25"
    assert trial(UndirectedSearch(beam=4), epochs=0).label == "not learned, beam=4"
    ahead = trial(replace(AHEAD, kappa=0.5), update="replay", rate=0.3).label
    assert sorted(ahead.split(", ")) == [
        "bounds=chart", "cff=delta", "kappa=0.5", "lookahead=True", "replay 0.3",
    ]  # fmt: skip


def test_a_record_of_a_trial_holds_its_options() -> None:
    record = trial(AHEAD, rate=0.25).to_record()
    assert record["search"] == asdict(AHEAD)
    assert record["drl"]["rate"] == 0.25
    assert record["bleu"] == 12.5


@pytest.mark.parametrize("name", ["repairs", "repair_width", "restarts", "beam"])
def test_choices_begin_with_the_search_that_takes_no_longer(name: str) -> None:
    first, *slower = getattr(ChoiceConfig(), name)
    assert first == getattr(AHEAD, name)
    assert all(value > first for value in slower)


def test_literal_updates_once_a_sentence_at_one_of_three_rates() -> None:
    learn = Config(preset="literal").learn
    assert learn.drl.samples == 1
    assert learn.rates == (1.0, 0.1, 0.01)


def test_paper_is_the_closest_reading_of_the_paper_that_works() -> None:
    config = Config(preset="paper")
    assert config.search == UndirectedSearch(kappa=1.0, bounds="words", cff="raw")
    assert config.learn.rates == (0.1, 0.01, 0.001, 0.0001)
    drl = config.learn.drl
    assert (drl.update, drl.samples, config.learn.reward) == ("full_path", 1, "sentence")
    assert "TargetGivenSource" in NARROW[config.features]
    assert "SourceGivenTarget" not in NARROW[config.features]


@pytest.mark.parametrize("features", ["paper", "printed", "all"])
def test_features_that_are_not_there_start_at_0_and_stay_there(features: Any) -> None:
    base = {name: 0.5 for name in START}
    search = UndirectedSearch()
    start = start_weights(NAMES, base, features, search)
    left_out = {name for name in START if name not in NARROW.get(features, START)}
    wanted = {name: 0.0 if name in left_out else 0.5 for name in START}
    assert start == wanted | dict.fromkeys(CFF, 1.0)
    options = DrlOptions(update="full_path", fixed=("Glue",))
    held = holding(start, options, features, search).fixed
    assert set(held) == left_out | {"Glue"}
    replay = holding(start, DrlOptions(update="replay"), features, search).fixed
    assert set(replay) == left_out | set(CFF)
    off = UndirectedSearch(cff="off")
    assert all(start_weights(NAMES, base, features, off)[name] == 0.0 for name in CFF)
    assert set(CFF) <= set(holding(start, options, features, off).fixed)


# -- sparse weights on disk -----------------------------------------------------------------------


def test_sparse_weights_come_back(tmp_path: Path) -> None:
    weights = np.zeros(16)
    weights[[3, 7]] = 0.5, -2.0
    write_sparse(tmp_path / "sparse.npz", weights)
    assert np.array_equal(read_sparse(tmp_path / "sparse.npz"), weights)
    assert sparse_facts(tmp_path / "sparse.npz") == {"ids": 16, "weights that are not 0": 2}
    write_sparse(tmp_path / "none.npz", np.empty(0))
    assert len(read_sparse(tmp_path / "none.npz")) == 0


@pytest.mark.parametrize(
    ("size", "ids", "values"),
    [
        (4, [0, 1], [1.0]),
        (4, [[0, 1]], [[1.0, 2.0]]),
        (-1, [], []),
        ((1 << 24) + 1, [0], [1.0]),
        (4, [4], [1.0]),
        (4, [0], [np.inf]),
        (4, [0], [np.nan]),
    ],
)
def test_sparse_weights_that_make_no_sense_are_refused(
    size: int, ids: Any, values: Any, tmp_path: Path
) -> None:
    path = tmp_path / "sparse.npz"
    np.savez(
        path, size=np.array([size]), ids=np.array(ids, np.uint32), values=np.array(values, float)
    )
    with pytest.raises(CorruptFileError, match="sparse weights that cannot be read"):
        read_sparse(path)
