"""Links and anchors of README, CHANGELOG and docs lead somewhere; answers are two clicks away."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, blocks, followed, links, name_of, prose

HOME = ROOT / "docs" / "index.md"
QUESTIONS = ROOT / "docs" / "questions.md"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    wrong = []
    for link in links(page):
        found = followed(page, link)
        if found is None:
            continue
        path, anchor = found
        if not path.exists() or (anchor and anchor not in anchors(path)):
            wrong.append(link)
    assert wrong == []


def test_anchors_are_those_of_github() -> None:
    page = ROOT / "docs" / "serve.md"
    assert {"corrections", "post-explain", "get-models"} <= anchors(page)
    assert "9-a-translator-is-put-together-systems-bundlepy-explain" in anchors(
        ROOT / "docs" / "architecture.md"
    )


def contents(page: Path) -> list[Path]:
    """The pages that a page's tables of contents name."""
    listed = [each for each in blocks(page) if each.info == "{toctree}"]
    lines = [line.strip() for each in listed for line in each.content.splitlines()]
    names = [line for line in lines if line and not line.startswith(":")]
    return [(page.parent / f"{name}.md").resolve() for name in names]


def test_every_page_is_in_the_contents() -> None:
    pages = [page for page in PAGES if page.parent != ROOT]
    listed = {HOME} | {each for page in pages for each in contents(page)}
    assert set(pages) == listed


def one_click(page: Path) -> set[Path]:
    """The pages that a page links to."""
    found = (followed(page, link) for link in links(page))
    return {path for each in found if each is not None for path in [each[0]]}


def test_twenty_questions_are_answered_within_two_clicks() -> None:
    questions = re.findall(r"^\d+\. (.+\?) \[.+?\]\((.+?)\)$", prose(QUESTIONS), re.MULTILINE)
    assert len(questions) == 20
    first = one_click(HOME)
    assert QUESTIONS in first
    near = (
        {HOME}
        | first
        | {page for each in first if each.suffix == ".md" for page in one_click(each)}
    )
    for question, link in questions:
        found = followed(QUESTIONS, link)
        assert found is not None
        assert found[0] in near, question


@cache
def messages() -> list[str]:
    """The texts of the program, with … for what is put in."""
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else "…" for p in node.values]
                found.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return found


def test_the_errors_that_are_explained_are_those_of_the_program() -> None:
    page = prose(ROOT / "docs" / "errors.md")
    explained = re.findall(r"\*\*`(.+?)`\*\*", page)
    assert len(explained) > 15
    texts = [re.sub("…+", "…", text) for text in messages()]
    gone = [each for each in explained if not any(each in text for text in texts)]
    assert gone == []
