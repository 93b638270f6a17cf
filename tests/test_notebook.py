"""What objects look like in a notebook: well-formed, escaped, complete."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import demotic
from demotic.align import align
from demotic.notebook import card, matrix, outline, rows
from demotic.systems import SYSTEMS
from tests.systems import toys

_VOID = {"br", "hr", "img", "meta"}


class _Checked(HTMLParser):
    """Every element is closed in order; the text is kept."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_is_never_markup() -> None:
    nasty = "<script>alert('\"&')</script>"
    for html in (
        card(nasty, outline(nasty)), rows((nasty,), [(nasty,)]), matrix([nasty], [nasty], {(0, 0)})
    ):  # fmt: skip
        shown = _Checked(html)
        assert "script" not in shown.tags
        assert nasty in shown.text


def test_a_matrix_has_a_dot_for_each_link_at_its_place() -> None:
    html = matrix(["a", "b"], ["x", "y", "z"], {(0, 2), (1, 0)})
    cells = [row.count("●") for row in html.split("<tr>")[2:]]
    assert cells == [1, 1]
    assert html.split("<tr>")[2].rindex("●") > html.split("<tr>")[3].index("●")


def test_a_long_tree_says_how_much_is_left_out() -> None:
    assert "… 600 more lines" in outline("\n".join(map(str, range(1000))))


@pytest.mark.parametrize("system", SYSTEMS)
def test_translations_show_their_words_and_their_tree(
    system: str, every_system: dict[str, Path]
) -> None:
    model = demotic.load(every_system[system]).with_memory({"use": False})
    found = model.translate("noun2 noun3")
    shown = _Checked(found._repr_html_())
    assert found.text in shown.text
    assert f"score {found.score:.3f}" in shown.text
    tree = found.derivation.tree()  # type: ignore[union-attr]
    assert all(line.strip() in shown.text for line in tree.split("\n"))
    assert ("●" in shown.text) == bool(found.alignment)
    explained = model.explain("noun2 noun3")
    assert explained.text in _Checked(explained._repr_html_()).text
    forest = model.forest("noun2 noun3")
    assert _Checked(forest._repr_html_()).tags.count("tr") > 1
    best = forest.viterbi()
    assert best.text in _Checked(best._repr_html_()).text


def test_what_the_memory_answers_says_so(toy_model: Path) -> None:
    stored = next(iter(toys.memory(400)))
    found = demotic.load(toy_model).translate(stored.source)
    assert found.memory is not None
    assert "match of the memory" in _Checked(found._repr_html_()).text
    shown = _Checked(found.memory._repr_html_()).text
    assert "exact, 100%" in shown
    assert found.memory.place in shown


def test_links_are_drawn_for_the_first_pairs() -> None:
    text = toys.memory(30)
    links = align(list(text.source_lines()), list(text.target_lines()))
    shown = _Checked(links._repr_html_())
    assert "Links of 30 sentence pairs" in shown.text
    assert shown.text.count("sentence pair ") == 5
