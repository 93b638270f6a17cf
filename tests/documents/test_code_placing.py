"""Codes follow their words, come out exactly once, and nest as they did."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from demotic.documents import Code, Inline, place_codes
from demotic.documents.code_placing import Link
from demotic.documents.inline import InlineBuilder


def marked(text: str) -> Inline:
    """``a <b>red</b> car`` as text and codes; ``<x/>`` is a point."""
    built = InlineBuilder()
    for part in text.replace("<", "\0<").replace(">", ">\0").split("\0"):
        if part.endswith("/>"):
            built.point(part)
        elif part.startswith("</"):
            built.end(part, part[2:-1])
        elif part.startswith("<"):
            built.begin(part, part[1:-1])
        else:
            built.text(part)
    return built.finish()


def words_of(text: str) -> list[tuple[int, int]]:
    places, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        places.append((at, at + len(word)))
        at += len(word)
    return places


def placed(source: str, target: str, links: str) -> str:
    """Links of words, as ``0-1 1-0``."""
    inline = marked(source)
    ours, theirs = words_of(inline.text), words_of(target)
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    found: list[Link] = [(ours[i], theirs[j]) for i, j in pairs]
    return place_codes(inline, target, found).rendered(str)


def test_a_pair_goes_with_its_words() -> None:
    assert (
        placed("a <b>red</b> car", "une voiture rouge", "0-0 1-2 2-1") == "une voiture <b>rouge</b>"
    )


def test_a_pair_around_everything_stays_around_everything() -> None:
    assert placed("<p>delete page</p>", "Seite löschen", "0-1 1-0") == "<p>Seite löschen</p>"


def test_pairs_that_touch_stay_apart() -> None:
    assert (
        placed("<b>red</b> <i>car</i>", "voiture rouge", "0-1 1-0") == "<i>voiture</i> <b>rouge</b>"
    )


def test_pairs_stay_within_pairs() -> None:
    source = "see <a>the <b>red</b> car</a> now"
    target = "regarde la voiture rouge maintenant"
    assert (
        placed(source, target, "0-0 1-1 2-3 3-2 4-4")
        == "regarde <a>la voiture <b>rouge</b></a> maintenant"
    )


def test_words_torn_apart_keep_the_longest_run_marked() -> None:
    assert placed("<b>turn it off</b> now", "x off y turn it", "0-3 1-4 2-1 3-2") == (
        "x off y <b>turn it</b>"
    )


def test_points_go_with_the_word_they_lean_on() -> None:
    assert placed("the car<1/> is red", "rouge est la voiture", "0-2 1-3 2-1 3-0") == (
        "rouge est la voiture<1/>"
    )
    assert placed("<1/>hello you", "toi salut", "0-1 1-0") == "<1/>toi salut"
    assert placed("hello you<1/>", "toi salut", "0-1 1-0") == "toi salut<1/>"


def test_codes_without_any_link_are_still_there() -> None:
    assert placed("one <b>two</b> three", "eins zwei drei", "").count("<b>") == 1


def test_an_empty_translation_keeps_the_codes() -> None:
    assert placed("<b>x</b><1/>", "", "") == "<b></b><1/>"


@st.composite
def trees(draw: st.DrawFn) -> Inline:
    """Random text with random, well-formed markup."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    built = InlineBuilder()
    open_: list[str] = []
    for step in range(draw(st.integers(0, 25))):
        match rng.randrange(5):
            case 0:
                open_.append(str(step))
                built.begin(f"<{step}>", str(step))
            case 1 if open_:
                name = open_.pop()
                built.end(f"</{name}>", name)
            case 2:
                built.point(f"<{step}/>")
            case _:
                built.text(rng.choice(["word", " ", "a", ", ", "more words "]))
    while open_:
        name = open_.pop()
        built.end(f"</{name}>", name)
    return built.finish()


def nesting(codes: tuple[Code, ...]) -> dict[str, str]:
    """Each code's name with that of the pair around it; fails where pairs cross."""
    path, found = [""], {}
    for code in codes:
        if code.kind == "close":
            assert path.pop() == code.raw.replace("/", "")
            continue
        found[code.raw] = path[-1]
        if code.kind == "open":
            path.append(code.raw)
    assert path == [""]
    return found


@given(trees(), st.lists(st.sampled_from(["x", "yy", "zzz,"]), max_size=8), st.integers(0, 2**32))
def test_every_code_comes_out_once_and_nested_as_it_was(
    source: Inline, words: list[str], seed: int
) -> None:
    target = " ".join(words)
    rng = random.Random(seed)
    ours, theirs = words_of(source.text), words_of(target)
    links: list[Link] = []
    if ours and theirs:
        links = [(rng.choice(ours), rng.choice(theirs)) for _ in range(rng.randrange(12))]
    out = place_codes(source, target, links)
    assert out.text == target
    assert nesting(out.codes) == nesting(source.codes)
    places = [code.at for code in out.codes]
    assert places == sorted(places)
    assert all(0 <= place <= len(target) for place in places)
