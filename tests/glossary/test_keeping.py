"""Models keep to glossaries, whatever their system, and say what became of each term."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import demotic
from demotic.documents import fill_in, open_document
from demotic.glossary import Glossary
from demotic.systems.model import Model
from tests.systems import toys

MAIN = [sys.executable, "-c", "from demotic.cli import main; main()"]


@pytest.fixture(scope="module")
def model(toy_model: Path) -> Model:
    return demotic.load(toy_model)


def outcomes(model: Model, text: str) -> list[tuple[str, str]]:
    return [(each.term.source, each.outcome) for each in model.translate(text).terms]


def test_a_translation_that_has_its_terms_stays(model: Model) -> None:
    text = toys.lines(1, 9)[0]
    noun = next(word for word in text.split() if word.startswith("noun")).rstrip(".")
    own = model.translate(text)
    with_terms = model.with_glossary(Glossary.of([(noun, noun.replace("noun", "nom"))]))
    kept = with_terms.translate(text)
    assert kept.text == own.text
    assert kept.score == own.score
    assert {each.outcome for each in kept.terms} == {"used"}


def test_a_term_that_is_missing_is_put_in_once_for_each_place(model: Model) -> None:
    keeping = model.with_glossary(Glossary.of([("noun3", "machin chose")]))
    one = keeping.translate("The noun3 verb4 the noun2.")
    assert one.text.lower().count("machin chose") == 1
    assert outcomes(keeping, "The noun3 verb4 the noun2.") == [("noun3", "put in")]
    two = keeping.translate("The noun3 verb4 the noun3.")
    assert two.text.lower().count("machin chose") == 2
    assert "nom2" in one.text


def test_words_stay_that_have_no_translation(model: Model) -> None:
    keeping = model.with_glossary(Glossary.of([("noun3", "noun3"), ("verb4", "verb4")]))
    text = keeping.translate("The noun3 verb4 the noun2.").text
    assert text.split().count("noun3") == 1
    assert "verb4" in text


def test_all_of_the_best_translations_have_them(model: Model) -> None:
    keeping = model.with_glossary(Glossary.of([("noun3", "machin")]))
    for each in keeping.nbest("The noun3 does not verb4 the noun2.", 5):
        assert each.text.lower().count("machin") == 1


def test_the_memory_is_not_changed_but_what_it_lacks_is_said(model: Model) -> None:
    stored = next(iter(toys.memory(400).source_lines()))
    own = model.translate(stored)
    assert own.memory is not None
    noun = next(word.rstrip(".") for word in stored.split() if word.startswith("noun"))
    keeping = model.with_glossary(Glossary.of([(noun, "machin")]))
    assert keeping.translate(stored).text == own.text
    assert set(outcomes(keeping, stored)) == {(noun, "missing")}
    assert "machin" in keeping.with_memory({"use": False}).translate(stored).text.lower()


def test_explanations_show_what_was_put_in(model: Model) -> None:
    keeping = model.with_glossary(Glossary.of([("noun3", "machin")]))
    explained = keeping.explain("The noun3 verb4 the noun2.")
    assert "machin" in explained.text.lower()


def test_a_model_keeps_the_glossary_that_it_was_trained_with(tmp_path: Path) -> None:
    for name, lines in zip(
        ("a.en", "a.fr"),
        (toys.memory(200).source_lines(), toys.memory(200).target_lines()),
        strict=True,
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "terms.tsv").write_text("noun3\tmachin\n")
    done = subprocess.run(
        [*MAIN, "train", "--source", tmp_path / "a.en", "--target", tmp_path / "a.fr",
         "--from", "en", "--to", "fr", "--glossary", tmp_path / "terms.tsv",
         "--set", "tune.mira.iterations=1", "--set", "lm.classes=0", "--out", tmp_path / "model",
         "-j", "1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = "The noun3 verb4 the noun2 now."
    trained = demotic.load(tmp_path / "model")
    assert outcomes(trained, text) == [("noun3", "put in")]
    more = tmp_path / "more.tsv"
    more.write_text("noun2\ttruc\n")
    (tmp_path / "text").write_text(f"{text}\n")

    def translated(*options: str | Path) -> dict[str, object]:
        out = subprocess.run(
            [*MAIN, "translate", tmp_path / "model", tmp_path / "text", "--format", "json", "-q",
             *options],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        record: dict[str, object] = json.loads(out.stdout)
        return record

    both = translated("--glossary", more)
    assert [each["term"] for each in both["terms"]] == ["noun3", "noun2"]  # type: ignore[attr-defined]
    assert "truc" in str(both["text"]).lower()
    assert "terms" not in translated("--no-glossary")


def test_reports_name_terms_and_those_that_could_not_be_placed(model: Model) -> None:
    stored = next(iter(toys.memory(400).source_lines()))
    noun = next(word.rstrip(".") for word in stored.split() if word.startswith("noun"))
    keeping = model.with_glossary(Glossary.of([(noun, "machin")]))
    data = f'msgid "{stored}"\nmsgstr ""\n\nmsgid "The adj0 {noun} verb4."\nmsgstr ""\n'
    document = open_document("a.po", data=data.encode(), target_language="fr")
    _, report = fill_in(document, keeping)
    assert report.terms["put in"] == 1
    assert report.terms["missing"] >= 1
    assert any(line.endswith(f"{noun}: could not be placed") for line in report.lines())
    record = report.record()
    assert record["terms"] == report.terms
    assert record["segments"][1]["terms"][0]["form"] == "machin"
    assert f"{noun}: missing" in report.html("a.po")


def test_markup_goes_with_a_term_that_was_put_in(model: Model) -> None:
    keeping = model.with_glossary(Glossary.of([("noun2", "machin chose")]))
    source = "The noun1 verb4 the <g id='1'>noun2</g>."
    data = (
        '<xliff version="1.2"><file source-language="en"><body>'
        f'<trans-unit id="1"><source>{source}</source></trans-unit></body></file></xliff>'
    )
    document = open_document(
        "a.xlf", data=data.encode(), source_language="en", target_language="fr"
    )
    out = fill_in(document, keeping)[0].decode()
    assert "<g id='1'>machin chose</g>" in out


@pytest.mark.parametrize("wanted", ["iPhone", "Fenster 11", "50 %%", r"\1 {0} <b>|[x]", "nom.txt"])
def test_numbers_names_and_placeholders_of_a_term_are_written(model: Model, wanted: str) -> None:
    keeping = model.with_memory({"use": False}).with_glossary(Glossary.of([("noun3", wanted)]))
    found = keeping.translate("The noun3 verb4 the noun2.")
    assert wanted in found.text
    assert [(each.outcome, each.form) for each in found.terms] == [("put in", wanted)]


def test_what_a_term_has_of_placeholders_is_written_once(model: Model) -> None:
    pairs = [("noun3 {name}", "{name} zut"), ("noun2 5", "zut 7")]
    keeping = model.with_memory({"use": False}).with_glossary(Glossary.of(pairs))
    found = keeping.translate("The noun3 {name} verb4 the noun2 5.").text
    assert "{name} zut" in found
    assert "zut 7" in found
    assert found.count("{name}") == 1
    assert "5" not in found


def test_what_stays_keeps_its_case_among_capitals(model: Model) -> None:
    decoder = model.with_memory({"use": False})
    line = 'THE <x translate="no">eBay log</x> VERB4 THE <x translation="zut">NOUN2</x>.'
    [found] = decoder.translate_lines([line], markup=True)
    assert "eBay log" in found.text
    assert "ZUT" in found.text


def test_accelerators_stay_with_terms(model: Model) -> None:
    glossary = Glossary.of([("machine", "machin ch&ose"), ("objet", "objet")])
    keeping = model.with_glossary(glossary)
    assert "machin ch&ose" in keeping.translate("The noun1 verb4 the &machine.").text
    assert "machin chose" in keeping.translate("The noun1 verb4 the machine.").text
    # A mark within the translation's word hides no term.
    text = "The noun1 verb4 the obj&et."
    assert outcomes(keeping, text) == [("objet", "used")]
    assert keeping.translate(text).text == model.translate(text).text
