"""What a page must have so that all can use it: names of controls, and contrast of text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CONTROLS = {
    "button", "link", "textbox", "combobox", "checkbox", "slider", "radio", "tab", "switch",
    "searchbox", "spinbutton", "DisclosureTriangle",
}  # fmt: skip

LOW_CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


def nameless(page: Any) -> list[str]:
    """Controls without a name, as Chromium tells assistive technology."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        if (
            not node.get("ignored")
            and role in CONTROLS
            and not node["name"].get("value", "").strip()
        ):
            found.append(role)
    assert len(nodes) > 10
    return found


def low_contrast(page: Any) -> list[str]:
    """Text below WCAG's AA, with its ratio."""
    seen, low = page.evaluate(LOW_CONTRAST)
    assert seen > 5
    return list(low)
