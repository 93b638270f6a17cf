"""What was learned: weights of bigrams of symbols, and where they came from.

cdlm = Cdlm.read("cdlm.json")
cdlm.column(rules, out="rules.bin")        # one more score of each rule, ConfusionModel
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demotic import files
from demotic.errors import CorruptFileError, DemoticError
from demotic.grammar import RuleTable, Symbols

COLUMN = "ConfusionModel"
PREFIX = "bigram|"
_VERSION = 1


@dataclass(frozen=True)
class Cdlm:
    """The weights of the bigrams on a rule's target side; their sum is a score of the rule."""

    symbols: Symbols
    weights: Mapping[str, float]
    """By name, all of those that training had; the language model's and others', too."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """What was learned from, round by round."""

    @property
    def bigrams(self) -> dict[str, float]:
        """Those of the column."""
        return {name: value for name, value in self.weights.items() if name.startswith(PREFIX)}

    def column(self, rules: RuleTable, *, out: str | Path, name: str = COLUMN) -> RuleTable:
        """A copy of a table with one more score for each rule."""
        bigrams = self.symbols.bigrams(rules)
        bigrams.meet_rules(rules)
        bigrams.freeze()
        known = self.bigrams
        weights = [known.get(bigrams.name(i), 0.0) for i in range(len(bigrams))]
        with files.atomic_path(out) as temporary:
            bigrams.add_column(rules, str(temporary), name, weights)
        return RuleTable.load(out)

    def write(self, path: str | Path) -> None:
        """Write JSON that :meth:`read` reads."""
        record = {
            "version": _VERSION,
            "symbols": dict(self.symbols.of),
            "weights": dict(self.weights),
            "training": self.training,
        }
        files.write_lines(path, [json.dumps(record, indent=1, ensure_ascii=False)])

    @classmethod
    def read(cls, path: str | Path) -> Cdlm:
        """What :meth:`write` wrote."""
        with files.naming(path):
            data = Path(path).read_bytes()
        try:
            record = json.loads(data)
            if record["version"] != _VERSION:
                raise ValueError(f"version {record['version']}")
            symbols = Symbols({str(w): str(s) for w, s in record["symbols"].items()})
            weights = {str(name): float(value) for name, value in record["weights"].items()}
            training = dict(record["training"])
        except (
            ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError,
            DemoticError,
        ) as error:  # fmt: skip
            raise CorruptFileError(
                f"a language model of confusions that cannot be read: {error}", path=path
            ) from error
        return cls(symbols, weights, training)
