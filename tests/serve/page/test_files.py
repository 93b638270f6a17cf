"""What the page's files promise: nothing is parsed as markup, nothing comes from elsewhere, and
those that go into files of ``explain`` can stand behind each other."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from demotic.explain.html import FOLDER, SCRIPTS, STYLES, page

FILES = sorted(path.name for path in FOLDER.iterdir())
PARSERS = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function"


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_no_text_is_parsed_and_nothing_comes_from_elsewhere(name: str) -> None:
    found = text(name)
    assert not re.search(PARSERS, found)
    assert {*re.findall(r"https?://[^\s\"']*", found)} <= {"http://www.w3.org/2000/svg"}
    assert len(found.splitlines()) < 400


def test_every_import_is_there() -> None:
    for name in FILES:
        for names, module in re.findall(r'^import \{(.*)\} from "\./(.*)";$', text(name), re.M):
            for each in names.split(","):
                assert re.search(rf"^export .*\b{each.strip()}\b", text(module), re.M), (name, each)
    assert {*re.findall(r'(?:href|src)="page/([^"]+)"', text("index.html"))} <= {*FILES}


def test_scripts_of_a_file_stand_behind_what_they_import() -> None:
    for at, name in enumerate(SCRIPTS):
        imported = re.findall(r'^import .* from "\./(.*)";$', text(name), re.MULTILINE)
        assert {*imported} <= {*SCRIPTS[:at]}, name
    names = re.findall(
        r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)",
        "".join(map(text, SCRIPTS)),
        re.MULTILINE,
    )
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_a_file_without_explanations_is_whole() -> None:
    made = page([])
    assert all(text(name) in made for name in STYLES)
    assert made.count("</script>") == 2
