"""The site that ``make docs`` builds from these pages: offline, nothing from elsewhere."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version as version_of
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

project = "Demotic"
copyright = "the Demotic developers, Apache-2.0"
version = release = version_of("demotic")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"Demotic {release}"
html_static_path = ["static"]
html_css_files = ["demotic.css"]
html_copy_source = False

myst_heading_anchors = 4  # as GitHub makes them, so that links hold in both places
myst_enable_extensions = ["deflist"]
highlight_language = "none"

autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# Docstrings are plain text, and name classes that have no page.
suppress_warnings = ["ref.python", "ref.ref", "docutils", "autodoc", "myst.xref_missing"]


def generated(app: Sphinx, docname: str, source: list[str]) -> None:
    """Blocks ``{package} NAME`` and ``{command-help} NAME`` become what they stand for."""
    source[0] = re.sub(r"```\{package\} (\S+)\n```", lambda at: package_page(at[1]), source[0])
    source[0] = re.sub(r"```\{command-help\} (.+)\n```", lambda at: help_of(at[1]), source[0])


def help_of(command: str) -> str:
    """What ``demotic COMMAND --help`` says."""
    whole = [sys.executable, "-m", "demotic", *command.split(), "--help"]
    environment = {**os.environ, "COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
    said = subprocess.run(whole, capture_output=True, text=True, check=True, env=environment)
    text = said.stdout.replace("python -m demotic", "demotic").strip()
    return f"````text\n{text}\n````"


def package_page(name: str) -> str:
    """What a package has for others, from its docstrings."""
    package = import_module(name)
    summary, _, rest = (inspect.getdoc(package) or "").partition("\n\n")
    lines = [summary, ""]
    if rest.strip():
        lines += ["::", "", *(f"    {line}" for line in inspect.cleandoc(rest).splitlines()), ""]
    for each in public_names(package):
        lines += [*documented(name, each, getattr(package, each)), ""]
    return "\n".join(["````{eval-rst}", *lines, "````"])


def public_names(package: ModuleType) -> list[str]:
    """Its ``__all__``; without one the classes and functions that are its own."""
    if hasattr(package, "__all__"):
        return sorted(package.__all__)
    own = (name for name, value in vars(package).items() if is_own(package, value))
    return sorted(name for name in own if not name.startswith("_"))


def is_own(package: ModuleType, value: object) -> bool:
    """Whether it was defined there."""
    return getattr(value, "__module__", None) == package.__name__


def documented(package: str, name: str, value: object) -> list[str]:
    """The directive of one name; nothing for modules and constants without a docstring."""
    again = ["   :no-index:"] if package == "demotic" else []  # each name has its package's page
    if inspect.isclass(value):
        return [f".. autoclass:: {package}.{name}", "   :members:", *again]
    if callable(value) and getattr(value, "__doc__", None):
        return [f".. autofunction:: {package}.{name}", *again]
    return []


def with_examples(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Indented lines of a docstring are an example, to be shown as they are."""
    changed: list[str] = []
    within = False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not within and (not changed or not changed[-1].strip()):
            changed += ["::", ""]
            within = True
        elif line.strip() and not indented:
            within = False
        changed.append(line)
    lines[:] = changed


def beside_the_docs(app: Sphinx, doctree: nodes.document) -> None:
    """Links to files that are no pages, such as the README, lose their address."""
    for link in list(doctree.findall(nodes.reference)):
        if str(link.get("refuri", "")).startswith("../"):
            link.replace_self(nodes.literal("", link.astext()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx asks for this."""
    app.connect("source-read", generated)
    app.connect("autodoc-process-docstring", with_examples)
    app.connect("doctree-read", beside_the_docs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
