"""The sets of a portfolio are found, named, cut to size and taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demotic.demo import catalogues
from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.experiments.portfolio.sets import STANDARD, DataSet, sets_of, settings_of
from demotic.experiments.portfolio.texts import prepare
from demotic.experiments.setup import Setup
from tests.experiments.test_data import fill
from tests.experiments.watching import Watching

ONE = DataSet(name="one", folder="one", source="de", target="en", train=4, dev=5, test=3)


def corpus(folder: Path, *languages: str, dev: str = "dev", lines: int = 8) -> None:
    folder.mkdir(parents=True)
    fill(folder, *(f"{p}.{x}" for p in ("train", dev, "test") for x in languages), lines=lines)


def test_standard_sets_are_taken_as_far_as_they_are_there(tmp_path: Path) -> None:
    corpus(tmp_path / "multi30k", "de", "en", "fr")
    corpus(tmp_path / "mine", "de", "en")
    watching = Watching()
    names = [each.name for each in sets_of(Setup(data=tmp_path, out=tmp_path, progress=watching))]
    assert names == [
        "multi30k-de-en", "multi30k-fr-en", "catalogues-en-fr", "multi30k-de-en-1k",
        "multi30k-de-en-5k",
    ]  # fmt: skip
    left_out = len(STANDARD) - len(names)
    assert sum("left out" in said for said in watching.said) == left_out


def test_any_folder_of_folders_will_do(tmp_path: Path) -> None:
    corpus(tmp_path / "a", "de", "en", "fr", dev="val")
    corpus(tmp_path / "b", "de", "fr")
    (tmp_path / "c").mkdir()
    fill(tmp_path / "c", "train.de", "train.en", "dev.de", "dev.en")  # no test set
    fill(tmp_path / "b", "train.it")  # and nothing else
    names = [each.name for each in sets_of(Setup(data=tmp_path, out=tmp_path))]
    assert names == ["a.de-en", "a.fr-en", "b.de-fr"]
    with pytest.raises(FileAccessError, match="no folder in it"):
        sets_of(Setup(data=tmp_path / "a", out=tmp_path))


def test_sets_are_chosen_by_name_and_cut_to_size(tmp_path: Path) -> None:
    corpus(tmp_path / "multi30k", "de", "en", "fr")
    made = Setup(data=tmp_path, out=tmp_path, sets=("multi30k-de-en-1k",), quick=True)
    [found] = sets_of(made)
    assert (found.train, found.dev, found.test) == (1000, 40, 40)
    [found] = sets_of(replace(made, quick=False, train_lines=2000, dev_lines=900, test_lines=2000))
    assert (found.train, found.dev, found.test) == (1000, 900, 2000)
    with pytest.raises(ArgumentError, match="no set 'multi40k'"):
        sets_of(Setup(data=tmp_path, out=tmp_path, sets=("multi40k",)))


def test_a_file_names_sets_and_settings(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        '[[sets]]\nname = "x"\nfolder = "x"\nfrom = "de"\nto = "en"\n'
        "[settings.loose]\nextract.tight = false\n"
    )
    made = Setup(
        data=tmp_path, out=tmp_path, portfolio=file, base={"lm": {"order": 3}},
        settings={"wide": {"lm": {"order": 4}}},
    )  # fmt: skip
    assert sets_of(made) == [DataSet(name="x", folder="x", source="de", target="en")]
    assert settings_of(made) == {
        "default": {"lm": {"order": 3}},
        "loose": {"lm": {"order": 3}, "extract": {"tight": False}},
        "wide": {"lm": {"order": 4}},
    }
    file.write_text('[[sets]]\nname = "x"\nfolders = "x"\n')
    with pytest.raises(ArgumentError, match=r"set 1 of .*p\.toml"):
        sets_of(made)
    file.write_text('[[sets]]\nname = "x/y"\nfrom = "de"\nto = "en"\n')
    with pytest.raises(ArgumentError, match="no name for a set"):
        sets_of(made)


def test_odd_sentences_are_tuned_on_and_even_ones_held_out(tmp_path: Path) -> None:
    corpus(tmp_path / "one", "de", "en")
    texts = prepare(ONE, Setup(data=tmp_path, out=tmp_path, tokenised=False), tmp_path / "data")
    assert texts is not None
    assert list(texts.train.source_lines()) == [f"train.de {n}" for n in range(4)]
    assert list(texts.tune.source_lines()) == [f"dev.de {n}" for n in (0, 2, 4)]
    assert list(texts.tune.target_lines()) == [f"dev.en {n}" for n in (0, 2, 4)]
    assert texts.held.source == ["dev.de 1", "dev.de 3"]
    assert texts.held.references == [["dev.en 1", "dev.en 3"]]
    assert texts.test.source == [f"test.de {n}" for n in range(3)]
    assert texts.sizes() == {"train": 4, "tune": 3, "held": 2, "test": 3}


def test_all_references_count_and_the_first_is_tuned_on(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    fill(
        folder,
        "train.de",
        "train.en",
        "dev.de.gz",
        "test.de",
        *(f"{p}.en.{n}.gz" for p in ("dev", "test") for n in range(3)),
    )
    made = Setup(data=tmp_path, out=tmp_path, tokenised=False)
    texts = prepare(ONE, made, tmp_path / "data")
    assert texts is not None
    assert texts.held.references == [[f"dev.en.{n}.gz 1"] for n in range(3)]
    assert list(texts.tune.target_lines()) == ["dev.en.0.gz 0", "dev.en.0.gz 2"]
    turned = DataSet(name="turned", folder="one", source="en", target="de")
    texts = prepare(turned, made, tmp_path / "data")
    assert texts is not None
    assert texts.held.source == ["dev.en.0.gz 1"]
    assert texts.held.references == [["dev.de.gz 1"]]


def test_text_is_known_by_its_content(tmp_path: Path) -> None:
    corpus(tmp_path / "one", "de", "en")
    made = Setup(data=tmp_path, out=tmp_path, tokenised=False)

    def digest() -> str:
        texts = prepare(ONE, made, tmp_path / "data")
        assert texts is not None
        return texts.digest

    first = digest()
    lines = (tmp_path / "one" / "test.en").read_text()
    (tmp_path / "one" / "test.en").write_text("Other words\n" + lines.split("\n", 1)[1])
    second = digest()
    (tmp_path / "one" / "test.en").write_text(lines)
    assert first == digest() != second


def test_tokens_are_those_of_the_set_or_those_of_moses(tmp_path: Path) -> None:
    pytest.importorskip("sacremoses")
    made = Setup(data=tmp_path, out=tmp_path, tokenised=True)
    folder = tmp_path / "one"
    folder.mkdir()
    for name in ("train", "dev", "test"):
        (folder / f"{name}.de").write_text("Das ist es, A|B & mehr.\n" * 2)
        (folder / f"{name}.en").write_text("That's it: A|B & more.\n" * 2)
    texts = prepare(ONE, made, tmp_path / "data")
    assert texts is not None
    assert texts.test.source[0] == "das ist es , a / b & mehr ."
    assert texts.test.references[0][0] == "that 's it : a / b & more ."
    corpus(folder / "tok", "de", "en")
    texts = prepare(ONE, made, tmp_path / "data")
    assert texts is not None
    assert texts.test.source[0] == "test.de 0"


def test_sides_of_different_length_are_refused(tmp_path: Path) -> None:
    corpus(tmp_path / "one", "de", "en", lines=2)
    fill(tmp_path / "one", "dev.en", lines=3)
    with pytest.raises(FormatError, match=r"2 lines, and 3 in dev\.en"):
        prepare(ONE, Setup(data=tmp_path, out=tmp_path), tmp_path / "data")


def test_catalogues_that_are_not_to_be_had_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(catalogues, "SYSTEM_FOLDERS", (tmp_path / "locale",))
    watching = Watching()
    made = Setup(data=tmp_path, out=tmp_path, progress=watching)
    messages = DataSet(name="messages", source="en", target="fr")
    assert prepare(messages, made, tmp_path / "data") is None
    assert watching.said[-1].startswith("messages: left out, no catalogues found for fr")
