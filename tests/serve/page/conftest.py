"""A server with a model of each system, and a real browser that looks at it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import demotic
from demotic.corpus import Bitext
from tests.serve.asking import serving
from tests.systems import toys

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
PATIENCE = 30_000
"""Milliseconds: machines may be busy."""
Visit = Callable[..., Any]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Debian's Chromium; one for all, gone before tests with an event loop of their own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs demotic[test]")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium (apt-get install chromium)")
    if os.environ.get("LD_PRELOAD"):
        pytest.skip("a browser does not start below a sanitiser")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def back(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the other direction."""
    pairs = [(pair.target, pair.source) for pair in toys.memory(150)]
    bitext = Bitext.from_pairs(pairs, source_language="fr", target_language="en")
    path = tmp_path_factory.mktemp("models") / "back"
    demotic.train(bitext, system="phrase", config=toys.UNTUNED, effort="quick", out=path)
    return path


@pytest.fixture(scope="package")
def address(
    every_system: dict[str, Path], back: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where the page is."""
    kept = tmp_path_factory.mktemp("suggestions") / "kept.jsonl"
    with serving(*every_system.values(), back, "--suggestions", kept) as running:
        yield running.url
        running.stop()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """Opens the page; whatever a test does, nothing may go wrong in it or ask another host."""
    contexts, wrong = [], []

    def opened(url: str = address, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.expected = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append("a dialog: script was run"))

        def said(message: Any) -> None:
            known = any(each in message.text for each in page.expected)
            if message.type in ("error", "warning") and not known:
                wrong.append(message.text)

        def asked(request: Any) -> None:
            there = urlsplit(request.url)
            if there.scheme not in ("data", "blob") and there[:2] != urlsplit(url)[:2]:
                wrong.append(f"asked {request.url}")

        page.on("console", said)
        page.on("request", asked)
        page.goto(url)
        if url == address:
            page.wait_for_selector(".placeholder")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
