"""An explanation as indented text."""

from __future__ import annotations

from collections.abc import Iterator

from demotic.explain.explanation import ExplainedStep, Explanation, isolated
from demotic.terminal import shown_line

_SHOWN = 100  # letters of a training sentence


def tree(explanation: Explanation) -> str:
    """Source and target, then the rules from the root down, then the whole score."""
    lines = [
        isolated(explanation.source),
        f"→ {isolated(explanation.text)}",
        *explanation.preference(),
        *explanation.remembered(),
        "",
    ]
    if explanation.memory is not None:
        return _written(lines[:-1])
    todo = [(0, 0)] if explanation.steps else []
    while todo:
        number, depth = todo.pop()
        step = explanation.steps[number]
        lines += ["  " * depth + line for line in _step(explanation, step)]
        todo += [(child, depth + 1) for child in reversed(step.children)]
    lines += ["", f"score {explanation.score:.3f}"]
    for name, value in explanation.features.items():
        weight = explanation.weights.get(name, 0.0)
        lines.append(f"  {name:<26} {value:9.3f} x {weight:8.4f} = {value * weight:9.3f}")
    return _written(lines)


def _written(lines: list[str]) -> str:
    return "\n".join(map(shown_line, lines))


def _step(explanation: Explanation, step: ExplainedStep) -> Iterator[str]:
    begin, end = step.span
    kind = "" if step.kind == "rule" else f"  {step.kind}"
    order = "" if step.order is None else f"  #{step.order} {step.action}"
    yield f"{step.lhs} {begin}-{end}  {step.text}  {step.contribution:.3f}{kind}{order}"
    margin = "   | "
    written = [
        f"{isolated(explanation.tokens[word])} ({', '.join(map(isolated, sources))})"
        if (sources := explanation.sources_of(word))
        else isolated(explanation.tokens[word])
        for word in step.words
    ]
    if written:
        yield f"{margin}writes {' '.join(written)}"
    if step.kind == "rule":
        scores = {**step.scores, "LanguageModel": step.language_model}
        yield margin + ", ".join(f"{name} {value:.3f}" for name, value in scores.items())
    if step.stack is not None:
        yield f"{margin}stack {' '.join(f'[{fragment}]' for fragment in step.stack)}"
    for reason in step.reasons:
        yield f"{margin}{isolated(reason)}"
    if step.evidence:
        yield f"{margin}{step.seen}"
    for each in step.evidence:
        yield f"{margin}  {each.place}: {_cut(each.source)} → {_cut(each.target)}"


def _cut(text: str) -> str:
    return isolated(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
