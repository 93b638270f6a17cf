"""Cross-validated tuning: every sentence is tuned on, none by a model that has seen it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.corpus import Bitext, split
from demotic.corpus.splitting import folds
from demotic.errors import ArgumentError
from demotic.metrics import Bleu
from demotic.systems import configured
from demotic.systems.hiero import Config
from demotic.systems.model import Model
from demotic.systems.stages import Training
from tests.systems import toys

PAIRS = 60
CONFIG: dict[str, Any] = {
    "lm": {"order": 3},
    "validation": "folds",
    "folds": 3,
    "tune": {"mira": {"iterations": 3}},
}


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> Model:
    out = tmp_path_factory.mktemp("folds") / "model"
    return demotic.train(toys.memory(PAIRS), config=CONFIG, out=out)


def test_the_model_is_that_of_all_the_text_with_other_weights(
    folded: Model, tmp_path: Path
) -> None:
    fixed = demotic.train(
        toys.memory(PAIRS), config=CONFIG | {"validation": "none"}, out=tmp_path / "model"
    )
    parts, others = folded.bundle.parts, fixed.bundle.parts
    assert {name for name in parts if parts[name] != others[name]} == {"weights.json"}
    assert folded.weights.keys() == fixed.weights.keys()
    assert folded.weights != fixed.weights
    assert fixed.about.dev == {}


def test_the_score_is_that_of_models_that_have_not_seen_the_text(
    folded: Model, tmp_path: Path
) -> None:
    texts, references = [], []
    for number, (unseen, rest) in enumerate(folds(toys.memory(PAIRS), 3, seed=1)):
        alone = demotic.train(
            rest, config=CONFIG | {"validation": "none"}, out=tmp_path / str(number)
        ).with_weights(folded.weights)
        alone = alone.with_memory({"repair": folded.memory_options.repair})
        texts += [each.text for each in alone.translate_lines(unseen.source_lines())]
        references += [pair.target for pair in unseen]
    assert len(texts) == PAIRS
    figures = folded.about.dev
    assert figures is not None
    yardstick = folded.yardstick()
    assert figures["sentences"] == PAIRS
    assert figures["value"] == pytest.approx(yardstick.score(texts, [references]).value)
    assert isinstance(yardstick.bleu, Bleu)


def test_it_is_better_than_fixed_weights(tmp_path: Path) -> None:
    scores = {
        way: toys.unseen_bleu(
            demotic.train(
                toys.memory(200), config={"lm": {"order": 3}, "validation": way}, out=tmp_path / way
            )
        )
        for way in ("folds", "none")
    }
    assert scores["folds"] > scores["none"] + 3


def test_going_on_gives_the_same_model(folded: Model, tmp_path: Path) -> None:
    work = tmp_path / "work"
    for resume in (False, True):
        again = demotic.train(
            toys.memory(PAIRS), config=CONFIG, out=tmp_path / "model", work=work, resume=resume
        )
        assert again.bundle.parts == folded.bundle.parts
        assert again.about.dev == folded.about.dev


def test_phrase_has_them_too(tmp_path: Path) -> None:
    model = demotic.train(
        toys.memory(PAIRS), system="phrase", config=CONFIG, out=tmp_path / "model"
    )
    assert model.about.provenance["folds"] == 3
    assert (model.about.dev or {})["sentences"] == PAIRS


@pytest.mark.parametrize("system", ["umt", "blocks"])
def test_who_learns_from_one_text_refuses_them(system: str) -> None:
    with pytest.raises(ArgumentError, match=f"{system}|this system has none; hiero, phrase"):
        configured(system, {"validation": "folds"})


def test_given_links_and_sparse_features_belong_to_one_text(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.write_text("0-0\n")
    given = {"tokenised": True, "align": {"file": str(links)}}
    with pytest.raises(ArgumentError, match="links are those of one text"):
        configured("hiero", {**given, "validation": "folds"})
    assert configured("hiero", given).validation == "auto"
    with pytest.raises(ArgumentError, match="confusions"):
        configured("hiero", {"validation": "folds", "cdlm": {"text": str(links)}})
    with pytest.raises(ArgumentError, match="sparse features"):
        configured(
            "hiero",
            {"validation": "folds", "tune": {"method": "minrisk", "candidates": "forest"}},
        )


@pytest.mark.parametrize(
    ("pairs", "validation"), [(12, "none"), (20, "folds"), (99, "folds"), (1000, "folds")]
)
def test_few_pairs_are_tuned_on_in_folds(pairs: int, validation: str, tmp_path: Path) -> None:
    lines = [(f"source {n}", f"target {n}") for n in range(pairs)]
    text = Bitext.from_pairs(lines, source_language="en", target_language="fr", file="x")
    assert Training(text, None, Config(), out=tmp_path / "m").validation == validation
    more = Bitext.from_pairs(
        [*lines, *((f"{one} x", f"{other} x") for one, other in lines)] * (1 + 1000 // pairs),
        source_language="en", target_language="fr", file="x",
    )  # fmt: skip
    assert Training(more, None, Config(), out=tmp_path / "more").validation == "part"


def test_pairs_that_say_the_same_are_one(tmp_path: Path) -> None:
    text = Bitext.from_pairs([("a", "b")] * 60, source_language="en", target_language="fr")
    assert Training(text, None, Config(), out=tmp_path / "m").validation == "none"


def test_a_part_is_held_out_where_that_is_asked_for(tmp_path: Path) -> None:
    pairs = toys.memory(200)
    model = demotic.train(
        pairs, config=CONFIG | {"validation": "part", "final": "train"}, out=tmp_path / "model"
    )
    unseen = split(pairs, dev=20, test=0, seed=1).dev
    assert (model.about.dev or {})["sentences"] == len(unseen)
    assert isinstance(unseen, Bitext)
    assert "folds" not in model.about.provenance
