"""Plural forms: gettext's rules, read from a header and known for common languages.

>>> rule = PluralRule.parse("Plural-Forms: nplurals=2; plural=(n > 1);")
>>> rule.forms, rule.form(1), rule.form(5)
(2, 0, 1)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_HEADER = re.compile(r"nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;\n]+)", re.IGNORECASE)
_TOKEN = re.compile(r"\s*(\d{1,9}|n|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:()])")
_MOST_TOKENS = 400

# By language, in gettext's own notation; those not listed have Germanic forms: one, and all others.
_RULES = {
    "1; 0": "ja ko zh th vi id ms lo my ka km",
    "2; n > 1": "fr pt-br oc tr br fil wa am ti uz",
    "2; n%10==1 && n%100!=11 ? 0 : 1": "mk",
    "2; n%10!=1 || n%100==11": "is",
    "3; n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2": "lv",
    "3; n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2": "lt",
    "3; n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2": (
        "ru uk be sr hr bs"
    ),
    "3; n==1 ? 0 : n>=2 && n<=4 ? 1 : 2": "cs sk",
    "3; n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2": "pl",
    "3; n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2": "ro",
    "4; n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3": "sl",
    "5; n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4": "ga",
    "6; n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5": "ar",
    "4; n==1 ? 0 : n==2 ? 1 : n==8 || n==11 ? 2 : 3": "cy",
}
_BY_LANGUAGE = {name: rule for rule, names in _RULES.items() for name in names.split()}


@dataclass(frozen=True)
class PluralRule:
    """How many forms there are, and which one a number takes."""

    forms: int
    expression: str

    @staticmethod
    def germanic() -> PluralRule:
        """One, and all others."""
        return PluralRule(2, "n != 1")

    @staticmethod
    def parse(header: str) -> PluralRule | None:
        """The rule in a header's line; None if there is none that makes sense."""
        found = _HEADER.search(header)
        if found is None:
            return None
        rule = PluralRule(int(found[1]), found[2].strip())
        try:
            rule.form(1)
        except (ValueError, ZeroDivisionError):
            return None
        return rule if rule.forms > 0 else None

    def form(self, number: int) -> int:
        """The form that a number takes."""
        return min(_compiled(self.expression)(number), max(self.forms - 1, 0))

    def is_singular(self, form: int) -> bool:
        """Whether a form is that of one thing: its text is made from the singular message."""
        return self.forms > 1 and form == self.form(1)


def rule_of(language: str) -> PluralRule | None:
    """The rule of a language by its code; None where no language is given."""
    code = language.lower().replace("_", "-")
    if not code or code == "und":
        return None
    written = _BY_LANGUAGE.get(code) or _BY_LANGUAGE.get(code.partition("-")[0])
    if written is None:
        return PluralRule.germanic()
    forms, _, expression = written.partition("; ")
    return PluralRule(int(forms), expression)


def written_rule(rule: PluralRule) -> str:
    """The line of a header."""
    return f"Plural-Forms: nplurals={rule.forms}; plural=({rule.expression});"


@lru_cache(256)
def _compiled(expression: str) -> Callable[[int], int]:
    """The expression as a function; ValueError if it is none.  It is never given to Python."""
    tokens: list[str] = []
    at = 0
    expression = expression.strip()
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if found is None or len(tokens) >= _MOST_TOKENS:
            raise ValueError(f"not an expression: {expression[:80]}")
        tokens.append(found[1])
        at = found.end()
    parser = _Parser(tokens)
    value = parser.choice()
    if parser.at != len(tokens):
        raise ValueError(f"not an expression: {expression[:80]}")
    return value


_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a) or bool(b)),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}
_MOST_DEPTH = 50
Value = Callable[[int], int]


class _Parser:
    """Recursive descent over C's operators; how deep is bounded."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self.at = 0
        self._depth = 0

    def choice(self) -> Value:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise ValueError("an expression that is too deep")
        condition = self._binary(0)
        if not self._take("?"):
            self._depth -= 1
            return condition
        yes = self.choice()
        if not self._take(":"):
            raise ValueError("'?' without ':'")
        no = self.choice()
        self._depth -= 1
        return lambda n: yes(n) if condition(n) else no(n)

    def _binary(self, level: int) -> Value:
        if level == len(_LEVELS):
            return self._single()
        value = self._binary(level + 1)
        while self.at < len(self._tokens) and self._tokens[self.at] in _LEVELS[level]:
            operator = _OPERATORS[self._tokens[self.at]]
            self.at += 1
            value = _applied(operator, value, self._binary(level + 1))
        return value

    def _single(self) -> Value:
        if self._take("!"):
            self._depth += 1
            if self._depth > _MOST_DEPTH:
                raise ValueError("an expression that is too deep")
            inner = self._single()
            self._depth -= 1
            return lambda n: int(not inner(n))
        if self._take("("):
            value = self.choice()
            if not self._take(")"):
                raise ValueError("'(' without ')'")
            return value
        if self._take("n"):
            return lambda n: n
        if self.at < len(self._tokens) and self._tokens[self.at].isdigit():
            number = int(self._tokens[self.at])
            self.at += 1
            return lambda n: number
        raise ValueError("a value is missing")

    def _take(self, token: str) -> bool:
        if self.at < len(self._tokens) and self._tokens[self.at] == token:
            self.at += 1
            return True
        return False


def _applied(operator: Callable[[int, int], int], a: Value, b: Value) -> Value:
    return lambda n: operator(a(n), b(n))
