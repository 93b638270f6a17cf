"""Small grammars and language models for the tests of decoders."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.lm.estimation import estimate
from tests.oracles.cky import Rule, is_nonterminal

WEIGHTS = {
    "score": 0.9,
    "LanguageModel": 0.6,
    "WordPenalty": 0.3,
    "RulePenalty": -0.2,
    "Glue": -0.4,
    "PassThrough": -1.5,
    "UnknownWord": -0.7,
}

_TEXT = """a b c
the a of b
b of the c
a a c d
x y a b
d c b a
the c the a the d
of d a
"""


def rule_text(rule: Rule) -> str:
    """A rule in cdec's format."""
    numbers = itertools.count(1)
    source = [f"{s[:-1]},{next(numbers)}]" if is_nonterminal(s) else s for s in rule.source]
    target = [f"[{s + 1}]" if isinstance(s, int) else s for s in rule.target]
    return f"[{rule.lhs}] ||| {' '.join(source)} ||| {' '.join(target)} ||| score={rule.score!r}\n"


def rule_table(rules: Sequence[Rule]) -> RuleTable:
    """The rules as a table; it stays mapped when its file is gone."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "rules.txt"
        text.write_text("".join(map(rule_text, rules)), encoding="utf-8")
        out = Path(folder) / "rules.bin"
        return RuleTable.from_text(text, format="cdec", out=out, empty_targets=True)


@cache
def language_model(order: int) -> LanguageModel:
    """Of a few words; ``d`` and ``e`` among others are rare or unknown."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text(_TEXT, encoding="utf-8")
        return estimate(text, order=order).model()


_scores = st.integers(-40, 0).map(lambda tenths: tenths / 8)  # exact in single precision
_words = st.sampled_from(["A", "B", "C"])
_english = st.sampled_from(["a", "b", "c", "d", "e", "the", "of"])


@st.composite
def hiero_rules(draw: st.DrawFn) -> Rule:
    """X over one or two words and up to three nonterminals, never only nonterminals."""
    holes = draw(st.integers(0, 3))
    source = draw(st.lists(_words, min_size=1, max_size=2 if holes < 3 else 1))
    for _ in range(holes):
        source.insert(draw(st.integers(0, len(source))), "[X]")
    target: list[str | int] = list(draw(st.lists(_english, max_size=2)))
    for slot in draw(st.permutations(range(holes))):
        target.insert(draw(st.integers(0, len(target))), slot)
    return Rule("X", tuple(source), tuple(target), draw(_scores))


# Rules that differ in nothing but their scores are two rules.
grammars = st.lists(hiero_rules(), min_size=1, max_size=6, unique=True)
sentences = st.lists(st.sampled_from(["A", "B", "C", "D", "the"]), min_size=1, max_size=4)
