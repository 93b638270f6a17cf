"""What decoders share whose search is in the core: slices, threads, derivations.

Sentences are strings of tokens separated by spaces, or sequences of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from demotic import _core
from demotic.decode.bounded import Bounded
from demotic.decode.decoder import Choice, Choices, Sentence
from demotic.decode.derivation import Derivation, Rulebook
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.grammar import RuleTable
    from demotic.lm import LanguageModel

Result = TypeVar("Result")
Found = TypeVar("Found", bound=Derivation)
Lists = Sequence[Sequence[_core.Derivation]]
Counters = TypeVar("Counters")
_SLICE = 1000  # words decoded between two looks at the keyboard, for each thread
MOST = 2**32 - 1
"""What the core takes for a number without limit."""


class CoreSearch(Protocol):
    """A decoder as the core has it."""

    @property
    def counters(self) -> Any:
        """What it did."""

    def reset_counters(self) -> None:
        """Count from zero again."""

    def decode(self, sentences: list[list[str]], threads: int) -> Sequence[_core.Derivation]:
        """One derivation each."""

    def kbest(self, sentences: list[list[str]], k: int, unique: bool, threads: int) -> Lists:
        """The best derivations of each."""


class CoreForestSearch(CoreSearch, Protocol):
    """One that keeps what it considered."""

    def forests(self, sentences: list[list[str]], threads: int) -> list[_core.Forest]:
        """What the search kept."""

    def consensus(
        self,
        sentences: list[list[str]],
        k: int,
        scale: float,
        weights: list[float],
        model: float,
        density: int,
        threads: int,
    ) -> Lists:
        """The best derivation of each, then those that its forest agrees on."""


class CoreDecoder(Generic[Found]):
    """Translates lists of tokens; safe to share between threads.

    A subclass sets its weights by ``_use_weights`` and makes ``_search``.
    """

    KIND: ClassVar[type[Derivation]] = Derivation
    """Of what it finds."""

    rules: Rulebook
    lm: LanguageModel | None
    feature_names: tuple[str, ...]
    weights: dict[str, float]
    """Of all dense features, and of sparse ones that were given a weight."""
    _dense_weights: list[float]
    _sparse_weights: _core.SparseWeights | None
    _labels: tuple[str, ...]
    _search: CoreSearch

    def _use_weights(
        self, names: Iterable[str], weights: Mapping[str, float], table: RuleTable | None = None
    ) -> None:
        """Weights by name, of dense features and of sparse ones of ``table``; others are 0."""
        self.feature_names = tuple(names)
        dense = {name: float(weights.get(name, 0.0)) for name in self.feature_names}
        sparse = {name: float(value) for name, value in weights.items() if name not in dense}
        if table is not None and table.sparse_features:
            stray = sorted(name for name in sparse if not has_sparse(table, name))
        else:
            stray = sorted(sparse)
        if stray:
            raise ArgumentError(
                f"there is no feature '{stray[0]}'",
                remedy=f"the features are {', '.join(self.feature_names)}"
                + (" and the sparse ones of the table" if table and table.sparse_features else ""),
            )
        self.weights = dense | sparse
        self._dense_weights = list(dense.values())
        self._sparse_weights = (
            _core.SparseWeights(table, list(sparse), list(sparse.values()))
            if table is not None and sparse
            else None
        )

    # -- one sentence ---------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Found:
        """The best derivation found."""
        return self.decode_lines([sentence])[0]

    def kbest(self, sentence: Sentence, k: int, *, unique: bool = True) -> list[Found]:
        """The k best derivations of what the search kept, best first; fewer if there are no more.

        ``unique`` keeps the best derivation of each string.
        """
        return self.kbest_lines([sentence], k, unique=unique)[0]

    # -- many sentences, over threads, in order -------------------------------------------------

    def decode_lines(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Found]:
        """One derivation for each line; the number of threads never shows in the results."""
        return list(self.decode_stream(lines, threads=threads, progress=progress))

    def decode_stream(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> Iterator[Found]:
        """As :meth:`decode_lines`, one derivation after the other as lines come in."""
        before = self._shortened()
        run = self._search.decode
        for tokens, core in self._each(lines, threads, progress, "translating", run):
            yield self._derivation(tokens, core)
        if shortened := self._shortened() - before:
            progress.say(
                f"{shortened} very long sentence{'s' if shortened > 1 else ''} translated with a "
                f"lower {self._lowered()}"
            )

    def kbest_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        unique: bool = True,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[list[Found]]:
        """The k best derivations of each line."""

        def run(sentences: list[list[str]], threads: int) -> Lists:
            return self._search.kbest(sentences, k, unique, threads)

        return self._lists(lines, k, threads, progress, run)

    def reset_counters(self) -> None:
        """Count from zero again; the time of loading stays."""
        self._search.reset_counters()

    # -- within ---------------------------------------------------------------------------------

    def _shortened(self) -> int:
        """Sentences so far that were too long for the limits asked for."""
        return int(self._search.counters.shortened)

    def _lowered(self) -> str:
        """The limit that was lowered for them."""
        return "limit"

    def _derivation(self, tokens: list[str], core: _core.Derivation) -> Found:
        """What users see of a core derivation."""
        made = self.KIND(
            tuple(tokens),
            tuple(core.tokens),
            core.score,
            core.span_limit,
            self.rules,
            self.feature_names,
            self._labels,
            core,
        )
        return cast("Found", made)

    def _lists(
        self,
        lines: Iterable[Sentence],
        k: int,
        threads: int,
        progress: Progress,
        run: Callable[[list[list[str]], int], Lists],
    ) -> list[list[Found]]:
        """A list of derivations for each line."""
        if k < 1:
            raise ArgumentError("k must be at least 1")
        return [
            [self._derivation(tokens, core) for core in cores]
            for tokens, cores in self._each(lines, threads, progress, "translating", run)
        ]

    def _each(
        self,
        lines: Iterable[Sentence],
        threads: int,
        progress: Progress,
        title: str,
        run: Callable[[list[list[str]], int], Sequence[Result]],
    ) -> Iterator[tuple[list[str], Result]]:
        """Lines with their results, slice by slice."""
        if threads < 1:
            raise ArgumentError("threads must be at least 1")
        total = len(lines) if isinstance(lines, Sequence) else None
        with progress.step(title, total=total, unit="sentences") as advance:
            for sentences in _slices(lines, _SLICE * threads):
                yield from zip(sentences, run(sentences, threads), strict=True)
                advance(len(sentences))


class CoreForestDecoder(CoreDecoder[Derivation]):
    """One whose search keeps what it considered."""

    _search: CoreForestSearch

    def forest(self, sentence: Sentence) -> Forest:
        """What the search kept, as a Forest whose edges carry the feature vector.

        Its rules' ``origin`` is the rule's number in the table.
        """
        return self.forests([sentence])[0]

    def forests(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """One forest for each line; that of a line without words is a single empty edge."""
        from demotic.forest import Forest

        run = self._search.forests
        return [Forest(core) for _, core in self._each(lines, threads, progress, "decoding", run)]

    def consensus_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        scale: float,
        weights: Sequence[float],
        model: float,
        density: int,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[Choices[Derivation]]:
        """For each line the k derivations that its forest agrees on; see :func:`forest.consensus`.

        All have different words.  A line without derivation has its empty one.
        """

        def run(sentences: list[list[str]], threads: int) -> Lists:
            return self._search.consensus(
                sentences, k, scale, list(weights), model, density, threads
            )

        found = []
        for list_of_line in self._lists(lines, k, threads, progress, run):
            own, *best = [Choice(each, each.core.gain) for each in list_of_line]
            found.append(Choices(own, best or [own]))
        return found


def counted(kind: type[Counters], core: Any, **more: Any) -> Counters:
    """Counters as users see them: those of the core by name, and ``more``."""
    names = {field.name for field in fields(cast("Any", kind))} - set(more)
    return kind(**{name: getattr(core, name) for name in names}, **more)


def check_positive(options: object, *names: str) -> None:
    """Raise where one of these options is below 1."""
    for name in names:
        if getattr(options, name) < 1:
            raise ArgumentError(f"{name} must be at least 1")


def has_sparse(table: RuleTable, name: str) -> bool:
    """Does a table know a sparse feature?  Where names are hashed, by the name of its place."""
    found = table.find_sparse(name)
    return found is not None and (not table.sparse_bits or table.sparse_name(found) == name)


def tokens_of(sentence: Sentence) -> list[str]:
    """The tokens of a sentence."""
    if isinstance(sentence, str):
        return [token for token in sentence.split(" ") if token]
    if isinstance(sentence, Bounded):
        return sentence
    return [*sentence]


def _slices(lines: Iterable[Sentence], words: int) -> Iterator[list[list[str]]]:
    """Runs of sentences of at least so many words together."""
    pending: list[list[str]] = []
    size = 0
    for line in lines:
        tokens = tokens_of(line)
        pending.append(tokens)
        size += len(tokens) + 1
        if size >= words:
            yield pending
            pending, size = [], 0
    if pending:
        yield pending
