"""Tables of rules: load, look up, look at.

rules = RuleTable.load("rules.bin")          # mapped, milliseconds for any size
rules.feature_names                          # what the scores mean; natural logs
for rule in rules.rules_for("ne [X,1] pas"):
    print(rule, rule.scores)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from demotic import _core, files
from demotic.errors import CorruptFileError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.grammar.formats import Format
    from demotic.grammar.templates import TemplateOptions

_PRINTED = 1 << 14  # rules at a time


@dataclass(frozen=True)
class Rule:
    """One rule; a nonterminal is written ``[X,1]`` on both sides."""

    id: int
    lhs: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    scores: dict[str, float]
    links: tuple[tuple[int, int], ...]  # positions among the symbols of each side
    origins: tuple[int, ...]  # a few training sentences that gave it, counted from 0
    counts: tuple[float, ...]  # of the target side, the source side and both, where known
    sparse: dict[str, float] = field(default_factory=dict)  # features that few rules have

    def __str__(self) -> str:
        return f"[{self.lhs}] ||| {' '.join(self.source)} ||| {' '.join(self.target)}"


class RuleTable(_core.RuleTable):
    """Rules in a mapped file; read-only, safe to share between threads.  ``len`` counts them."""

    @classmethod
    def load(cls, path: str | Path, *, verify: bool | None = None) -> RuleTable:
        """Map a table.

        ``verify`` compares it with its checksums and checks every rule; without it, files up to
        64 MiB are.
        """
        with files.naming(path):
            return cls(str(path), verify)

    @classmethod
    def from_text(
        cls,
        path: str | Path,
        *,
        out: str | Path,
        format: Format | Literal["auto"] = "auto",
        empty_targets: bool = False,
        first_duplicate: bool = False,
        columns: Sequence[str] = (),
        progress: Progress = SILENT,
    ) -> RuleTable:
        """Turn another system's text (``.gz`` too) into a table; errors name file and line.

        Without ``format``, the rules tell it.  ``empty_targets`` accepts rules that delete words.
        Equal rules are merged; rules that differ only in their scores are two ways to the same
        words, as in cdec and Joshua, but ``first_duplicate`` keeps the first alone.  Scores whose
        name stands on some rules only become sparse features, unless ``columns`` names them.
        """
        from demotic.grammar.formats import checked_format

        chosen = checked_format(format, path)
        reader = _core.RuleTextReader(chosen, empty_targets, first_duplicate, list(columns))
        with (
            files.atomic_path(out) as temporary,
            progress.step("reading rules", unit="lines") as advance,
        ):
            for block in files.read_text(path):
                with files.naming(path):
                    reader.feed(block)
                advance(block.count(b"\n"))
            with files.naming(path):
                reader.finish(str(temporary))
        return cls.load(out)

    def to_text(self, path: str | Path, *, format: Format, progress: Progress = SILENT) -> None:
        """Write another system's text; ``.gz`` compresses, ``-`` is the standard output."""
        from demotic.grammar.formats import checked_format

        chosen = checked_format(format)
        with (
            files.write_bytes(path) as stream,
            progress.step("writing rules", len(self), "rules") as advance,
        ):
            for begin in range(0, len(self), _PRINTED):
                end = min(begin + _PRINTED, len(self))
                stream.write(_core.print_rules(self, chosen, begin, end))
                advance(end - begin)

    def with_templates(
        self, options: TemplateOptions, *, out: str | Path, progress: Progress = SILENT
    ) -> RuleTable:
        """The same rules with sparse features that follow from each rule alone."""
        from demotic.grammar.templates import add_templates

        return add_templates(self, options, out=out, progress=progress)

    def filter(
        self, sentences: Iterable[str], *, out: str | Path, progress: Progress = SILENT
    ) -> RuleTable:
        """The rules that can match some sentences, as a table of their own."""
        from demotic.grammar.filtering import filter_rules

        return filter_rules(self, sentences, out=out, progress=progress)

    def __getitem__(self, rule: int) -> Rule:
        """A rule by its id."""
        if rule < 0:
            rule += len(self)
        if not 0 <= rule < len(self):
            raise IndexError(rule)
        source = self.source_symbols(rule)
        slots = [
            f"[{self._category(symbol)},{slot}]"
            for slot, symbol in enumerate((each for each in source if each < 0), 1)
        ]
        target = self.target_symbols(rule)
        if any(-1 - each >= len(slots) for each in target):
            raise CorruptFileError("damaged rule table", remedy="copy the file again or rebuild it")
        left = iter(slots)
        return Rule(
            rule,
            self._category(-1 - self.lhs(rule)),
            tuple(self.source_word(each) if each >= 0 else next(left) for each in source),
            tuple(self.target_word(each) if each >= 0 else slots[-1 - each] for each in target),
            dict(zip(self.feature_names, self.scores(rule), strict=True)),
            tuple(self.links(rule)),
            tuple(self.origins(rule)),
            tuple(self.counts(rule)),
            self.sparse_scores(rule),
        )

    def sparse_scores(self, rule: int) -> dict[str, float]:
        """The sparse features of a rule by name."""
        known = self.sparse_features  # a damaged table may hold other ids
        return {
            self.sparse_name(feature): value
            for feature, value in zip(*self.sparse(rule), strict=True)
            if feature < known
        }

    def __iter__(self) -> Iterator[Rule]:
        return (self[rule] for rule in range(len(self)))

    def rules_for(self, source: str) -> list[Rule]:
        """The rules of one source side, written as in ``Rule``; a nonterminal's number is free."""
        symbols = []
        for token in source.split():
            if token.startswith("[") and token.endswith("]") and len(token) > 2:
                category = token[1:-1].rpartition(",")[0] or token[1:-1]
                if category not in self.categories:
                    return []
                symbols.append(-1 - self.categories.index(category))
            elif word := self.find_source_word(token):
                symbols.append(word)
            else:
                return []
        first, end = self.find(symbols)
        return [self[rule] for rule in range(first, end)]

    def _category(self, symbol: int) -> str:
        names = self.categories
        return names[-1 - symbol] if -1 - symbol < len(names) else "?"

    def __repr__(self) -> str:
        return f"<RuleTable of {len(self):,} rules>"
