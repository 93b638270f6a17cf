from __future__ import annotations

import gzip
import sys
from itertools import islice
from pathlib import Path

import pytest

from demotic.align import (
    EflomalOptions,
    Links,
    Text,
    ThotOptions,
    align,
    error_rate,
    pharaoh,
    symmetrise,
)
from demotic.errors import ArgumentError, FormatError, MissingDependencyError

SOURCE = [
    "das Haus",
    "das Buch",
    "ein Buch",
    "ein Haus",
    "das Haus ist klein",
    "klein ist das Buch",
]
TARGET = ["the house", "the book", "a book", "a house", "the house is small", "the book is small"]
PEERS = ("eflomal", "thot")


def sources_of(links: list[tuple[int, int]], target: int) -> list[int]:
    return [i for i, j in links if j == target]


@pytest.mark.parametrize("method", PEERS)
def test_forward_links_are_functions_of_the_target_and_backward_of_the_source(method: str) -> None:
    pytest.importorskip(method)
    found = align(SOURCE * 20, TARGET * 20, method=method)
    assert len(found) == len(SOURCE) * 20
    assert found.forward is not None
    assert found.backward is not None
    assert found.forward.count > 0
    assert found.backward.count > 0
    for forward, backward in zip(found.forward, found.backward, strict=True):
        assert len({j for _, j in forward}) == len(forward)
        assert len({i for i, _ in backward}) == len(backward)
    assert found.links == symmetrise(found.forward, found.backward)


@pytest.mark.parametrize("options", [EflomalOptions(length=0.2), ThotOptions()])
def test_links_resemble_those_of_eflomal_on_the_whole_corpus(
    data: Path, options: EflomalOptions | ThotOptions
) -> None:
    method = "thot" if isinstance(options, ThotOptions) else "eflomal"
    pytest.importorskip(method)
    lines = 300
    sides = []
    for language in ("de", "en"):
        path = data / f"multi30k/tok/train.{language}.gz"
        with gzip.open(path, "rt", encoding="utf-8") as text:
            sides.append([line.strip() for line in islice(text, lines)])
    known = pharaoh.read(data / "multi30k/tok/train.de-en.align.gz").slice(0, lines)
    found = align(*sides, method=method, symmetrise="intersection", options=options)
    mirrored = align(sides[1], sides[0], method=method, symmetrise="intersection", options=options)
    assert error_rate(found.links, known).precision > 0.7
    assert error_rate(mirrored.links, known).precision < 0.7  # source and target are not confused


@pytest.mark.parametrize("method", PEERS)
def test_empty_and_very_long_lines_keep_their_place(method: str) -> None:
    pytest.importorskip(method)
    long = " ".join(f"w{n % 50}" for n in range(5000))
    found = align(
        [*SOURCE, "", "x", long, "Haus"], [*TARGET, "y", "", long, "house"], method=method
    )
    assert len(found) == len(SOURCE) + 4
    assert found.links[len(SOURCE)] == []
    assert found.links[len(SOURCE) + 1] == []
    assert all(i == j == 0 for i, j in found.links[len(SOURCE) + 3])


@pytest.mark.parametrize("method", PEERS)
def test_spaces_that_unicode_knows_do_not_break_tokens(method: str) -> None:
    pytest.importorskip(method)
    # A no-break space and a line separator inside tokens; the words after them keep their numbers.
    source = [f"{s} 10\u00a0000 a\u2028b" for s in SOURCE] * 5
    target = [f"{t} 10\u00a0000 a\u2028b" for t in TARGET] * 5
    found = align(source, target, method=method)
    last = {
        (len(s.split(" ")) - 1, len(t.split(" ")) - 1) for s, t in zip(source, target, strict=True)
    }
    assert any(last & set(links) for links in found.links)


def test_thot_is_the_same_on_every_run() -> None:
    pytest.importorskip("thot")
    assert align(SOURCE, TARGET, method="thot").links == align(SOURCE, TARGET, method="thot").links


def test_thot_trains_as_long_as_it_is_told() -> None:
    pytest.importorskip("thot")
    once = align(
        SOURCE, TARGET, method="thot", options=ThotOptions(ibm1_iterations=1, hmm_iterations=0)
    )
    full = align(SOURCE, TARGET, method="thot")
    assert once.links != full.links


def test_eflomal_says_that_it_takes_no_seed() -> None:
    with pytest.raises(ArgumentError, match="differ from run to run"):
        EflomalOptions(seed=1)


def test_eflomal_has_three_models() -> None:
    with pytest.raises(ArgumentError, match="no model 4"):
        EflomalOptions(model=4)
    pytest.importorskip("eflomal")
    assert len(align(SOURCE, TARGET, method="eflomal", options=EflomalOptions(model=1))) == 6


@pytest.mark.parametrize(("method", "module"), [("eflomal", "eflomal"), ("thot", "thot")])
def test_a_missing_package_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, method: str, module: str
) -> None:
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "site-packages" not in p])
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingDependencyError) as caught:
        align(SOURCE, TARGET, method=method)
    assert caught.value.remedy == f"pip install 'demotic[{method}]'"


def test_a_file_of_links_is_taken_as_it_is(tmp_path: Path) -> None:
    links = Links()
    for source in SOURCE:
        links.append([(i, i) for i in range(len(source.split()))])
    path = tmp_path / "links.gz"
    pharaoh.write(path, links)
    found = align(SOURCE, TARGET, method=path)
    assert found.links == links
    assert found.forward is None
    with pytest.raises(FormatError, match=r"links\.gz:7: 6 lines of links for 7 sentence pairs"):
        align([*SOURCE, "a"], [*TARGET, "b"], method=path)


def test_files_and_sentences_give_the_same(tmp_path: Path) -> None:
    pytest.importorskip("thot")
    for name, lines in (("s", SOURCE), ("t", TARGET)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    from_files = align(tmp_path / "s", str(tmp_path / "t"), method="thot")
    assert from_files.links == align(SOURCE, TARGET, method="thot").links
    assert from_files.links == align(Text.of(SOURCE), Text.of(TARGET), method="thot").links


def test_unequal_or_empty_texts_are_refused_with_the_place(tmp_path: Path) -> None:
    short, long = tmp_path / "short", tmp_path / "long"
    short.write_text("a\nb\n")
    long.write_text("a\nb\nc\n")
    with pytest.raises(FormatError) as caught:
        align(long, short, method="thot")
    assert str(caught.value).startswith(f"{short}:3: ends after 2 lines, but {long} has 3")
    with pytest.raises(FormatError, match="no sentences"):
        align([], [], method="thot")


def test_unknown_methods_and_foreign_options_are_refused() -> None:
    with pytest.raises(ArgumentError, match="unknown alignment method 'giza'"):
        align(SOURCE, TARGET, method="giza")
    with pytest.raises(ArgumentError, match="give ThotOptions"):
        align(SOURCE, TARGET, method="thot", options=EflomalOptions())
