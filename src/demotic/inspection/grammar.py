"""What is in the rules of other systems, as text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from demotic.errors import FormatError
from demotic.files import raw_lines
from demotic.grammar.formats import guess_format
from demotic.inspection.report import Fact
from demotic.inspection.text import Encoding, Findings

_MOST_NAMES = 20


def inspect_grammar(path: str | Path) -> Findings:
    """Format, rules, nonterminals, scores."""
    encoding = Encoding()
    arity: Counter[int] = Counter()
    scores: Counter[str] = Counter()
    sources: set[bytes] = set()
    blank = 0
    remarks = []
    try:
        format = guess_format(path)
    except FormatError as error:
        format = None
        remarks.append(f"{error.message}; {error.remedy}")
    first = 0 if format is not None and format.startswith("moses") else 1
    for number, line in raw_lines(path):
        line = encoding.look(number, line)
        if not line.strip():
            blank += 1
            continue
        fields = [field.strip() for field in line.split(b" ||| ")]
        source = fields[first] if len(fields) > first else b""
        sources.add(source)
        # Moses writes the left-hand side at the end of the source side.
        arity[_nonterminals(source) - (format == "moses-hiero")] += 1
        values = fields[first + 2].split() if len(fields) > first + 2 else []
        for place, value in enumerate(values):
            name, sign, _ = value.decode(errors="replace").partition("=")
            scores[name if sign else f"score {place + 1}"] += 1
    facts: dict[str, Fact] = {
        "format": format or "unclear",
        "rules": sum(arity.values()),
        "source sides": len(sources),
        "rules by nonterminals": {str(count): rules for count, rules in sorted(arity.items())},
        "rules with a score": dict(scores.most_common(_MOST_NAMES)),
    }
    if len(scores) > _MOST_NAMES:
        remarks.append(f"{len(scores):,} names of scores; those on most rules are shown")
    if blank:
        remarks.append(f"{blank:,} blank lines")
    return facts, [*encoding.remarks(), *remarks], encoding.problems()


def _nonterminals(side: bytes) -> int:
    return sum(
        len(symbol) > 2 and symbol[:1] == b"[" and symbol[-1:] == b"]" for symbol in side.split()
    )
