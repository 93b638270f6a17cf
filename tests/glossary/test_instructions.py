"""Lines that say how they are to be translated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import demotic
from demotic.corpus import Orthography, OrthographyConfig
from demotic.errors import FormatError
from demotic.glossary import Glossary
from demotic.glossary.instructions import instructions, token_limits, with_instructions
from demotic.systems.model import Model
from tests.systems import toys

ENGLISH = Orthography("en", OrthographyConfig(casing="none"))
TOKENS = Orthography("en", OrthographyConfig(tokeniser="none", casing="none", protect=()))
MAIN = [sys.executable, "-c", "from demotic.cli import main; main()", "translate", "--quiet"]


@pytest.fixture(scope="module")
def model(toy_model: Path) -> Model:
    return demotic.load(toy_model)


def test_translations_are_taken_out_and_named() -> None:
    found = instructions(
        "to the <x translation=\"a &lt; b||c\">old house</x>, <i translate='no'>X</i>!"
    )
    assert found.text == "to the {x1}, {x2}!"
    assert found.decided == {"{x1}": ("old house", "a < b"), "{x2}": ("X", "X")}


def test_names_that_the_line_has_are_left_alone() -> None:
    found = instructions('{x1} <x translation="b">a</x>')
    assert found.text == "{x1} {x2}"


def test_zones_and_walls_are_places_in_the_text() -> None:
    found = instructions("see <zone> the <zone>old</zone> house </zone> and <wall/> go")
    assert found.text == "see the old house and go"
    assert sorted(found.text[a:b].strip() for a, b in found.zones) == ["old", "the old house"]
    assert [found.text[at:] for at in found.walls] == ["go"]


@pytest.mark.parametrize("line", ["a <b>c</b> d", "a < b > c", "<x id='1'/>", "</b>", "1 <2"])
def test_other_markup_is_text(line: str) -> None:
    found = instructions(line)
    assert (found.text, found.decided, found.zones, found.walls) == (line, {}, (), ())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('<x translation="a">b', "<x> is not closed"),
        ("<zone>b", "<zone> is not closed"),
        ("a</zone>", "</zone> closes nothing"),
        ('<zone><x translation="a">b</zone></x>', "</zone> closes nothing"),
        ('<x translation="a"><zone>b</zone></x>', "within a translation that is given"),
    ],
)
def test_instructions_that_cannot_be_followed_are_errors(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        instructions(line)


@given(st.text(alphabet="<>/zonewalx ='\"\\{}1&;", max_size=40))
def test_any_line_is_read_or_refused(line: str) -> None:
    try:
        found = instructions(line)
    except FormatError:
        return
    for start, end in found.zones:
        assert 0 <= start <= end <= len(found.text)
    assert all(found.text.count(name) == 1 for name in found.decided)


@pytest.mark.parametrize("orthography", [ENGLISH, TOKENS])
def test_what_is_decided_comes_out_once(orthography: Orthography) -> None:
    line = instructions('go to <x translation="das Haus">the house</x> now')
    encoded = with_instructions(line, orthography.encode)
    assert len(encoded.tokens) == 4
    assert orthography.decode(encoded.tokens, encoded) == "go to das Haus now"


def test_limits_by_tokens() -> None:
    line = instructions('(<zone>the <x translation="T">old, house</x>!</zone> and <wall/>go')
    encoded = with_instructions(line, ENGLISH.encode)
    zones, walls = token_limits(line, encoded)
    words = [token.strip("￭") for token in encoded.tokens]
    [(first, end)] = zones
    assert words[first:end] == ["the", "⟦var1⟧", "!"]
    assert [words[at] for at in walls] == ["go"]


def test_a_model_follows_them(model: Model) -> None:
    line = 'The noun1 <x translation="machin chose">verb4 the</x> <x translate="no">noun2</x>.'
    [found] = model.translate_lines([line], markup=True)
    assert found.text.count("machin chose") == 1
    assert found.text.count("noun2") == 1
    assert "<x" not in found.text
    [plain] = model.translate_lines([line])
    assert "<x" in plain.text


def test_capitals_leave_tags_and_placeholders_of_a_translation_alone(model: Model) -> None:
    line = """THE NOUN1 <x translation="un <b>machin</b> de %s">VERB4 THE NOUN3</x> NOUN2."""
    [found] = model.translate_lines([line], markup=True)
    assert "UN <b>MACHIN</b> DE %s" in found.text


def test_nothing_moves_across_a_wall(model: Model) -> None:
    """``pas`` and the verb stand behind the object unless a wall is in between."""
    words = "The noun1 does not verb1 <wall/> the noun2 ."
    [found] = model.translate_lines([words], markup=True)
    [free] = model.translate_lines([words.replace("<wall/> ", "")], markup=True)
    text, other = found.text.split(), free.text.split()
    assert max(text.index(w) for w in text if w.startswith("agir")) < min(
        text.index(w) for w in text if w.startswith("nom2")
    )
    assert "pas" in text
    assert "pas" in other


def test_the_command_line_names_the_line_that_it_cannot_follow(
    toy_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text('The noun1.\nThe <x translation="u">noun2.\n')
    out = tmp_path / "out"
    command = [*MAIN, toy_model, tmp_path / "text", "--markup", "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{tmp_path / 'text'}:2: <x> is not closed" in done.stderr
    assert not out.exists()
    (tmp_path / "text").write_text('The <x translation="machin">noun2</x>.\n')
    subprocess.run(command, check=True)
    assert "machin" in out.read_text().lower()


def test_names_differ_where_the_line_has_one_of_them() -> None:
    found = instructions('{x1} <x translation="A">a</x> <x translation="B">b</x>')
    assert [found.decided[name] for name in found.text.split()[1:]] == [("a", "A"), ("b", "B")]


def test_elements_of_the_same_name_within_one_are_text() -> None:
    found = instructions('<i translate="no">a <i>b</i> c</i> <i>d</i>')
    assert found.text == "{x1} <i>d</i>"
    assert found.decided == {"{x1}": ("a <i>b</i> c", "a <i>b</i> c")}


def test_zones_that_cross_brackets_count_more_than_these(model: Model) -> None:
    decoder = model.with_memory({"use": False})
    line = "<zone>The noun1 ( adj2</zone> noun3 ) verb4 noun2."
    [found] = decoder.translate_lines([line], markup=True)
    assert "nom1" in found.text


def test_a_zone_within_a_term_ends_with_it(model: Model) -> None:
    keeping = model.with_memory({"use": False}).with_glossary(Glossary.of([("noun1 adj2", "zut")]))
    line = "The <zone>noun1</zone> adj2 verb4 noun2."
    [found] = keeping.translate_lines([line], markup=True)
    assert found.text.lower().count("zut") == 1


@pytest.mark.parametrize("orthography", [TOKENS, Orthography("en", OrthographyConfig(protect=()))])
def test_translations_are_written_where_names_stand_beside_other_signs(
    orthography: Orthography,
) -> None:
    line = 'the <x translation="A">a</x>, <zone>b<x translation="B">c</x> d</zone> e'
    encoded = with_instructions(instructions(line), orthography.encode)
    assert [(span.text, span.origin) for span in encoded.spans] == [("A", "a"), ("B", "c")]
    text = orthography.decode(encoded.tokens, encoded)
    assert "{" not in text
    assert "A" in text
    assert "B" in text
    [(first, end)] = encoded.zones
    assert encoded.tokens[first] == "b"
    assert encoded.tokens[end] == "e"


def test_the_memory_answers_lines_whose_tags_say_nothing(model: Model) -> None:
    stored = next(iter(toys.memory(400).source_lines()))
    for line in (stored, f"<b>{stored}</b>"):
        [found] = model.translate_lines([line], markup=True)
        assert found.text == model.translate(line).text
        assert (found.memory is None) == (model.translate(line).memory is None)
    [found] = model.translate_lines([f"<zone>{stored}</zone>"], markup=True)
    assert found.memory is None


@pytest.mark.parametrize("piece", ["<zone>a b</zone> ", "a <wall/>"])
def test_more_limits_than_a_decoder_can_look_at_are_refused(piece: str) -> None:
    assert instructions(piece * 100)
    with pytest.raises(FormatError, match="more than 100 zones or walls"):
        instructions(piece * 101)
