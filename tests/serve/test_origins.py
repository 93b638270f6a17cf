"""What pages from elsewhere may ask: what nobody gave them leave for is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.serve.options import ServeOptions
from demotic.serve.origins import Origins
from demotic.serve.refusal import Refusal
from tests.serve.asking import Asker, asking

FORM = "application/x-www-form-urlencoded"


def allowed(method: str, name: str, page: str = "", **options: object) -> bool:
    """Is a request let in?"""
    headers = {b"host": name.encode(), **({b"origin": page.encode()} if page else {})}
    try:
        Origins(ServeOptions(**options)).check(method, headers)  # type: ignore[arg-type]
    except Refusal as refusal:
        return refusal.status != 403
    return True


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("", True), ("http://localhost:5000", True), ("https://app.example", True),
        ("https://evil.example", False), ("null", False),
        ("https://app.example.evil.example", False),
    ],
)  # fmt: skip
def test_leave_for_one_page_is_no_leave_for_others(origin: str, expected: bool) -> None:
    assert allowed("POST", "localhost:5000", origin, cors="https://app.example") == expected


def test_leave_for_all_is_for_all() -> None:
    assert allowed("POST", "localhost:5000", "https://evil.example", cors="*")
    assert allowed("POST", "any.example:5000", "https://evil.example", cors="*")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True), ("LOCALHOST.:5000", True), ("demotic.localhost:5000", True),
        ("127.0.0.1:5000", True), ("127.8.0.1", True), ("[::1]:5000", True), ("", True),
        ("evil.example:5000", False), ("localhost.evil.example", False), ("10.0.0.1:5000", False),
        ("127.0.0.1.evil.example", False),
    ],
)  # fmt: skip
def test_a_foreign_name_that_leads_here_leads_nowhere(
    method: str, host: str, expected: bool
) -> None:
    assert allowed(method, host, f"http://{host}" if host else "") == expected


@pytest.mark.parametrize(
    "options", [{"host": "0.0.0.0"}, {"host": "lab.example"}, {"behind_proxy": True}]
)
def test_servers_for_others_answer_to_any_name(options: dict[str, object]) -> None:
    assert allowed("POST", "lab.example", "https://lab.example", **options)
    assert not allowed("POST", "lab.example", "https://evil.example", **options)


def test_no_correction_comes_from_elsewhere(model: Path) -> None:
    body = b"q=a&s=b&source=en&target=fr"

    def suggested(asker: Asker, **headers: str) -> int:
        return asker.ask("POST", "/suggest", body, FORM, **headers).status

    with asking(model, cors="https://app.example") as asker:
        assert suggested(asker, origin="https://evil.example") == 403
        assert suggested(asker, host="evil.example", origin="http://evil.example") == 403
        assert asker.get("/memory?q=a&source=en&target=fr", host="evil.example").status == 403
        assert not model.with_name(f"{model.name}.suggestions.jsonl").exists()
        assert suggested(asker, origin="https://app.example") == 200
