"""The hierarchical decoder: CKY+ over a synchronous grammar, then cube pruning with an LM.

    decoder = HieroDecoder(rules, lm, {"LanguageModel": 0.5, "TargetGivenSource": 0.4, ...})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.tree())
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

Sentences are strings of tokens separated by spaces, or sequences of tokens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from demotic import _core
from demotic.decode.derivation import Derivation
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.grammar import RuleTable
    from demotic.lm import LanguageModel

Sentence = str | Sequence[str]
Result = TypeVar("Result")
_SLICE = 1000  # words decoded between two looks at the keyboard, for each thread
_MOST = 2**32 - 1


@dataclass(frozen=True, kw_only=True)
class DecoderOptions:
    """How to search."""

    pops: int = 30
    """Candidates taken at each node of the forest: more of them find better ones, slower."""
    init: Literal["eager", "lazy"] = "eager"
    """``eager`` scores every rule with the language model; ``lazy`` those whose turn comes."""
    span_limit: int = 10
    """Source words that a nonterminal other than the goal may cover."""
    max_edges: int = 5_000_000
    """Edges of one sentence's forest, and entries of its chart; bounds memory.  For a very long
    sentence that would need more, the span limit falls (10, 5, 2, 1), then the pops."""
    glue: Literal["auto", "always", "never"] = "auto"
    """``auto`` glues pieces together where the grammar has no derivation of its own."""
    goal: str = "S"
    """The category of a sentence; a grammar may have rules for it."""
    default_category: str = "X"
    """The category of words that no rule translates alone: they pass through as they are."""


DEFAULTS = DecoderOptions()


@dataclass(frozen=True)
class Counters:
    """What the decoder did so far."""

    sentences: int
    shortened: int
    """Sentences whose span limit was lowered to stay within ``max_edges``."""
    edges: int
    """Edges of the context-free forests."""
    pops: int
    lm_evaluations: int
    """Edges, with their tails' entries, that the language model has scored."""
    lm_words: int
    """Words of rules that it has looked up for them."""
    seconds: dict[str, float]
    """CPU time by phase: ``load`` (making the decoder ready), ``parse``, ``rescore``."""


class HieroDecoder:
    """Translates lists of tokens; safe to share between threads."""

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        options: DecoderOptions = DEFAULTS,
    ) -> None:
        begin = time.thread_time()
        self.rules, self.lm, self.options = rules, lm, options
        self.feature_names: tuple[str, ...] = tuple(_core.hiero_feature_names(rules))
        if stray := sorted(set(weights) - set(self.feature_names)):
            raise ArgumentError(
                f"there is no feature '{stray[0]}'",
                remedy=f"the features are {', '.join(self.feature_names)}",
            )
        for name in ("pops", "span_limit", "max_edges"):
            if getattr(options, name) < 1:
                raise ArgumentError(f"{name} must be at least 1")
        self.weights = {name: float(weights.get(name, 0.0)) for name in self.feature_names}
        self._core = _core.HieroDecoder(
            rules,
            lm,
            list(self.weights.values()),
            pops=min(options.pops, _MOST),
            init=options.init,
            span_limit=min(options.span_limit, _MOST),
            max_edges=options.max_edges,
            glue=options.glue,
            goal=options.goal,
            default_category=options.default_category,
        )
        self._labels = tuple(self._core.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(self, weights: Mapping[str, float]) -> HieroDecoder:
        """The same decoder with other weights."""
        return HieroDecoder(self.rules, self.lm, weights, options=self.options)

    # -- one sentence ---------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Derivation:
        """The best derivation found."""
        return self.decode_lines([sentence])[0]

    def kbest(self, sentence: Sentence, k: int, *, unique: bool = True) -> list[Derivation]:
        """The k best derivations of what the search kept, best first; fewer if there are no more.

        ``unique`` keeps the best derivation of each string.
        """
        return self.kbest_lines([sentence], k, unique=unique)[0]

    def forest(self, sentence: Sentence) -> Forest:
        """What the search kept, as a Forest whose edges carry the feature vector.

        Its rules' ``origin`` is the rule's number in the table.
        """
        return self.forests([sentence])[0]

    def parse(self, sentence: Sentence) -> Forest:
        """Every derivation of the grammar, scored without the language model."""
        return self.parses([sentence])[0]

    # -- many sentences, over threads, in order -------------------------------------------------

    def decode_lines(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Derivation]:
        """One derivation for each line; the number of threads never shows in the results."""
        return list(self.decode_stream(lines, threads=threads, progress=progress))

    def decode_stream(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> Iterator[Derivation]:
        """As :meth:`decode_lines`, one derivation after the other as lines come in."""
        before = self.counters.shortened
        run = self._core.decode
        for tokens, core in self._each(lines, threads, progress, "translating", run):
            yield self._derivation(tokens, core)
        if shortened := self.counters.shortened - before:
            progress.say(
                f"{shortened} very long sentence{'s' if shortened > 1 else ''} translated with a "
                f"lower span limit to stay within {self.options.max_edges:,} edges"
            )

    def kbest_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        unique: bool = True,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[list[Derivation]]:
        """The k best derivations of each line."""
        if k < 1:
            raise ArgumentError("k must be at least 1")

        def run(sentences: list[list[str]], threads: int) -> list[list[_core.HieroDerivation]]:
            return self._core.kbest(sentences, k, unique, threads)

        return [
            [self._derivation(tokens, core) for core in cores]
            for tokens, cores in self._each(lines, threads, progress, "translating", run)
        ]

    def forests(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """One forest for each line; that of a line without words is a single empty edge."""
        from demotic.forest import Forest

        run = self._core.forests
        return [Forest(core) for _, core in self._each(lines, threads, progress, "decoding", run)]

    def parses(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """The context-free forest of each line."""
        from demotic.forest import Forest

        run = self._core.parses
        return [Forest(core) for _, core in self._each(lines, threads, progress, "parsing", run)]

    # -- what it did ----------------------------------------------------------------------------

    @property
    def counters(self) -> Counters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._core.counters
        return Counters(
            core.sentences,
            core.shortened,
            core.edges,
            core.pops,
            core.lm_evaluations,
            core.lm_words,
            {
                "load": self._load_seconds,
                "parse": core.parse_seconds,
                "rescore": core.rescore_seconds,
            },
        )

    def reset_counters(self) -> None:
        """Count from zero again; the time of loading stays."""
        self._core.reset_counters()

    # -- within ---------------------------------------------------------------------------------

    def _derivation(self, tokens: list[str], core: _core.HieroDerivation) -> Derivation:
        return Derivation(
            tuple(tokens),
            tuple(core.tokens),
            core.score,
            core.span_limit,
            self.rules,
            self.feature_names,
            self._labels,
            core,
        )

    def _each(
        self,
        lines: Iterable[Sentence],
        threads: int,
        progress: Progress,
        title: str,
        run: Callable[[list[list[str]], int], list[Result]],
    ) -> Iterator[tuple[list[str], Result]]:
        """Lines with their results, slice by slice."""
        if threads < 1:
            raise ArgumentError("threads must be at least 1")
        total = len(lines) if isinstance(lines, Sequence) else None
        with progress.step(title, total=total, unit="sentences") as advance:
            for sentences in _slices(lines, _SLICE * threads):
                yield from zip(sentences, run(sentences, threads), strict=True)
                advance(len(sentences))


def _slices(lines: Iterable[Sentence], words: int) -> Iterator[list[list[str]]]:
    """Runs of sentences of at least so many words together."""
    pending: list[list[str]] = []
    size = 0
    for line in lines:
        tokens = [token for token in line.split(" ") if token] if isinstance(line, str) else [*line]
        pending.append(tokens)
        size += len(tokens) + 1
        if size >= words:
            yield pending
            pending, size = [], 0
    if pending:
        yield pending
