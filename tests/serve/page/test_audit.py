"""The audit finds what it looks for."""

from __future__ import annotations

from typing import Any

from tests.serve.page.audit import low_contrast, nameless

PAGE = """<p>a</p><p>b</p><p>c</p><p>d</p><p>e</p><button></button><a href="#">there</a><input>
<div style="background:#222"><p style="color:#333">dark</p><p style="color:#fff">light</p></div>
<p style="color:#999">pale</p><p style="color:#888;font-size:30px">large</p>
<svg><g class="box"><rect style="fill:#fff"/><text style="fill:#ccc">drawn</text></g></svg>"""


def test_what_has_no_name_or_little_contrast_is_found(browser: Any) -> None:
    page = browser.new_page()
    page.set_content(PAGE)
    assert sorted(nameless(page)) == ["button", "textbox"]
    found = [each.rpartition(": ")[2] for each in low_contrast(page)]
    assert found == ["dark", "pale", "drawn"]
    page.close()
