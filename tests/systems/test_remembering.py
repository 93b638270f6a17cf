"""A model honours its memory: what it was trained on is translated so again, and it says so."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

import demotic
from demotic.cli import app
from demotic.errors import ArgumentError
from demotic.memory import MemoryOptions
from demotic.systems import SYSTEMS, finishing
from demotic.systems.model import Model
from tests.systems import toys


@pytest.fixture(scope="module")
def model(toy_model: Path) -> Model:
    return demotic.load(toy_model)


def test_every_training_message_comes_back_with_a_stored_translation(model: Model) -> None:
    stored = defaultdict(set)
    for pair in toys.memory(400):
        stored[pair.source].add(pair.target)
    lines = list(stored)
    found = model.translate_batch(lines, threads=2)
    assert all(each.text in stored[line] for each, line in zip(found, lines, strict=True))
    assert all(each.memory is not None and each.derivation is None for each in found)
    alone = model.with_memory({"use": False})
    decoded = alone.translate_batch(lines)
    assert all(each.memory is None for each in decoded)
    assert any(each.text not in stored[line] for each, line in zip(decoded, lines, strict=True))


def test_memory_goes_before_the_decoder_in_lists(model: Model) -> None:
    line = next(iter(toys.memory(400))).source
    first, *others = model.nbest(line, 4)
    assert first.memory is not None
    assert others
    assert all(each.memory is None and each.text != first.text for each in others)


def test_an_explanation_says_where_it_was_translated_before(model: Model) -> None:
    line = next(iter(toys.memory(400))).source
    found = model.explain(line)
    assert found.memory is not None
    assert "from the memory (exact): toy.tsv:1" in found.tree()
    assert found.to_record()["memory"]["unit"] == "1"
    assert model.with_memory({"use": False}).explain(line).steps


def test_similar_messages_are_offered_beside_a_translation(model: Model) -> None:
    stored = next(iter(toys.memory(400))).source
    words = stored[:-1].split()
    line = " ".join([*words[:-1], "noun99"]) + "."
    found = model.explain(line)
    assert found.memory is None
    assert found.matches[0].difference
    assert "{+noun99+}" in found.tree()
    assert model.matches(line)[0].similarity >= model.memory_options.offer


def test_the_command_says_what_comes_from_the_memory(toy_model: Path, tmp_path: Path) -> None:
    stored = next(iter(toys.memory(400)))
    text = tmp_path / "text"
    text.write_text(f"{stored.source}\nThe noun1 verb1 the noun77.\n")
    run = CliRunner().invoke

    def output(*options: str) -> str:
        found = run(app, ["translate", str(toy_model), str(text), "--quiet", *options])
        assert found.exit_code == 0, found.output
        return found.stdout

    first, second = map(json.loads, output("--format", "json").splitlines())
    assert first["memory"]["kind"] == "exact"
    assert first["memory"]["file"] == "toy.tsv"
    assert "memory" not in second
    assert "memory" not in json.loads(output("--format", "json", "--no-memory").splitlines()[0])
    assert f"0 ||| {first['text']} ||| Memory= 1 Similarity= 1 ||| 0" in output("--nbest", "2")


@pytest.mark.parametrize("system", [name for name in SYSTEMS if name not in ("hiero", "umt")])
def test_every_system_has_a_memory(system: str) -> None:
    bitext = toys.memory(60)
    model = demotic.train(bitext, system=system, dev=toys.text(12), config=toys.quick(system))
    pair = next(iter(bitext))
    assert model.translate(pair.source).text == pair.target


def test_a_model_can_do_without(tmp_path: Path) -> None:
    settings = toys.UNTUNED | {"memory": {"use": False}}
    model = demotic.train(toys.memory(40), dev=toys.text(10), config=settings, out=tmp_path / "m")
    assert "memory.bin" not in model.bundle.parts
    assert model.matches("The noun1 verb1.") == []
    assert model.translate(next(iter(toys.memory(40))).source).memory is None


def test_repairs_keep_the_words_of_the_message(model: Model) -> None:
    stored = next(iter(toys.memory(400)))
    line = stored.source.replace(stored.source.split()[-1], "noun88.")
    alone = model.with_memory({"repair": 0.0})
    assert alone.translate(line).memory is None
    found = model.with_memory({"repair": 0.6}).translate(line)
    assert found.memory is not None
    assert found.memory.kind == "repaired"
    assert "noun88" in found.text
    assert any(piece.given == ("noun88",) for piece in found.memory.difference)
    kept = set(found.memory.target[:-1].split()) & set(found.text[:-1].split())
    assert len(kept) >= 2
    first, *others = model.with_memory({"repair": 0.6}).nbest(line, 3)
    assert first.memory == found.memory
    assert all(each.memory is None for each in others)


def test_the_development_set_says_from_where_messages_are_repaired(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    kept = model.about.config["memory"]["repair"]
    assert kept == model.memory_options.repair
    dev = toys.text(40)
    least = finishing.best_repair([(model, dev)])
    assert least == kept
    scores = {
        similarity: model.with_memory({"repair": similarity}).score(dev).value
        for similarity in (0.0, *finishing.REPAIRS)
    }
    assert scores[kept] == pytest.approx(max(scores[0.0], scores[kept]))


@pytest.mark.parametrize("value", [-0.1, 1.5])
def test_a_similarity_is_between_0_and_1(value: float) -> None:
    for name in ("offer", "repair"):
        with pytest.raises(ArgumentError, match=name):
            MemoryOptions(**{name: value})  # type: ignore[arg-type]
