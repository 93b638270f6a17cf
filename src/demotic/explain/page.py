"""An explanation as a part of a page without scripts, which needs ``STYLE``: the tree as nested
lists, evidence under each rule, and the features. ``html`` makes pages that can be explored."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from demotic.explain.explanation import ExplainedStep, Explanation
from demotic.page import table

STYLE = """
ul.derivation, ul.derivation ul { list-style:none; display:block; margin:0; padding:0 0 0 1.1rem;
  border-left:2px solid var(--rule); font-size:.95rem; color:inherit; }
ul.derivation { padding-left:.6rem; }
ul.derivation li { margin:.35rem 0; }
ul.derivation .span { color:var(--soft); font-size:.8rem; }
ul.derivation .own { color:var(--mark); font-weight:600; }
ul.derivation details { margin:.1rem 0 .2rem; font-size:.85rem; color:var(--soft); }
ul.derivation q { quotes:none; } ul.derivation blockquote { margin:.2rem 0 .2rem .8rem; }
table.features td, table.features th { padding:.15rem .9rem .15rem 0; text-align:right; }
table.features td:first-child, table.features th:first-child { text-align:left; }
"""


def figure(explanation: Explanation) -> str:
    """The tree alone."""
    return "\n".join(_tree(explanation))


def features(explanation: Explanation) -> str:
    """The features of the whole translation with their weights."""
    rows = []
    for name, value in explanation.features.items():
        weight = explanation.weights.get(name, 0.0)
        rows.append((name, f"{value:.3f}", f"{weight:.4f}", f"{value * weight:.3f}"))
    return table(("feature", "value", "weight", "product"), rows, name="features")


def _tree(explanation: Explanation) -> Iterator[str]:
    """Nested lists, by a stack: a derivation may be deeper than Python's."""
    yield '<ul class="derivation">'
    todo: list[int | str] = ["</ul>"]
    if explanation.steps:
        todo.append(0)
    while todo:
        each = todo.pop()
        if isinstance(each, str):
            yield each
            continue
        step = explanation.steps[each]
        yield f"<li>{_rule(step)}{_details(explanation, step)}"
        todo.append("</li>")
        if step.children:
            yield "<ul>"
            todo.append("</ul>")
            todo += reversed(step.children)


def _rule(step: ExplainedStep) -> str:
    begin, end = step.span
    target = " ".join(
        f"[{s + 1}]" if isinstance(s, int) else f'<bdi class="own">{escape(s)}</bdi>'
        for s in step.target
    )
    source = " ".join(f"[{s + 1}]" if isinstance(s, int) else _isolated(s) for s in step.source)
    kind = "" if step.kind == "rule" else f" <em>{escape(step.kind)}</em>"
    order = "" if step.order is None else f' <span class="span">#{step.order} {step.action}</span>'
    place = f'<span class="span">{begin}-{end}</span>'
    return f"{source or '-'} → {target or '-'} {place}{kind}{order}"


def _isolated(text: str) -> str:
    """Text that keeps its direction to itself."""
    return f"<bdi>{escape(text)}</bdi>"


def _details(explanation: Explanation, step: ExplainedStep) -> str:
    if step.reasons:
        items = "".join(f"<div>{_isolated(reason)}</div>" for reason in step.reasons)
        return f"<details><summary>{step.contribution:.3f}</summary>{items}</details>"
    if step.kind != "rule":
        return ""
    words = [
        f"<b>{_isolated(explanation.tokens[word])}</b> "
        f"({', '.join(map(_isolated, explanation.sources_of(word))) or '-'})"
        for word in step.words
    ]
    values = {**step.scores, "LanguageModel": step.language_model}
    scores = ", ".join(f"{escape(name)} {value:.3f}" for name, value in values.items())
    evidence = "".join(
        f"<blockquote>{escape(each.place)}: <q>{_isolated(each.source)}</q> → "
        f"<q>{_isolated(each.target)}</q></blockquote>"
        for each in step.evidence
    )
    fragments = " ".join(f"[{escape(fragment)}]" for fragment in step.stack or ())
    stack = "" if step.stack is None else f"<div>stack {fragments}</div>"
    writes = f"<div>writes {', '.join(words)}</div>" if words else ""
    return (
        f"<details><summary>{step.contribution:.3f}, {step.seen}"
        f"</summary>{writes}{stack}<div>{scores}</div>{evidence}</details>"
    )
