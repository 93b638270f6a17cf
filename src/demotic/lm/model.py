"""N-gram language models: load, save, score.

    lm = LanguageModel.load("news.arpa.gz")
    lm.save("news.bin")                     # memory-mapped, loads in milliseconds
    lm.score("the house is small .")        # log10 p(sentence, </s> | <s>)
    lm.score_lines(lines, threads=4).perplexity

Sentences are strings of words separated by white space, tokenised as the model's text was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

from demotic import _core, files
from demotic.errors import ArgumentError
from demotic.lm import arpa
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.lm.line_scores import LineScores

_MAGIC = b"DEMOTIC\0"
_SLICE = 1 << 22  # bytes of text scored between two looks at the keyboard

State = _core.LmState
Fragment = _core.LmFragment


class WordScore(NamedTuple):
    """One word's score: log10 probability, length of the n-gram found, is the word unknown?"""

    log10: float
    length: int
    oov: bool


class LanguageModel(_core.LmModel):
    """An n-gram model with back-off; read-only, safe to share between threads.

    From the core, without a detour: ``score(sentence, bos=True, eos=True)`` is the log10
    probability of a sentence, ``order`` the length of its longest n-grams, ``find(word)`` and
    ``word(id)`` go between words and ids, ``begin_sentence()`` and ``empty_context()`` are the
    states to start from.
    """

    @classmethod
    def load(
        cls, path: str | Path, *, verify: bool | None = None, progress: Progress = SILENT
    ) -> LanguageModel:
        """Read an ARPA file (``.gz`` too) or map a binary one, whatever it is called.

        ``verify`` compares a binary file with its checksums; without it, files up to 64 MiB are.
        """
        if _is_binary(path):
            with files.naming(path):
                return cls(str(path), verify)
        builder = _core.LmBuilder()
        arpa.read(path, builder, progress=progress)
        return cls(builder.finish())

    def save(self, path: str | Path) -> None:
        """Write ARPA (``.arpa``, ``.arpa.gz``) or, under any other name, the binary form."""
        if arpa.is_arpa(path):
            with arpa.writing(path) as sink:
                self.emit(sink)
        else:
            with files.atomic_path(path) as temporary:
                self.save_binary(str(temporary))

    # -- what it is -----------------------------------------------------------------------------

    @property
    def vocabulary(self) -> Sequence[str]:
        """Its words by id, ``<unk>`` first."""
        return _Vocabulary(self)

    def __contains__(self, word: str) -> bool:
        return self.find(word) != 0

    def __repr__(self) -> str:
        return f"<LanguageModel of order {self.order}, {self.counts[0]:,} words>"

    # -- sentences ------------------------------------------------------------------------------

    def full_scores(self, sentence: str, *, bos: bool = True, eos: bool = True) -> list[WordScore]:
        """The score of each word, ``</s>`` last."""
        return [WordScore(*each) for each in self.word_scores(sentence, bos, eos)]

    def perplexity(self, sentence: str) -> float:
        """Of one sentence, per word, ``</s>`` included."""
        words = len(self.full_scores(sentence))
        return float(10.0 ** (-self.score(sentence) / words)) if words else 1.0

    def score_lines(
        self,
        lines: bytes | Iterable[str],
        *,
        bos: bool = True,
        eos: bool = True,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> LineScores:
        """Score many sentences: strings, or the bytes of a text with one sentence per line."""
        from demotic.lm.line_scores import LineScores

        parts = []
        with progress.step("scoring", unit="lines") as advance:
            for block in _blocks(lines):
                parts.append(LineScores(*self.text_scores(block, bos, eos, threads)))
                advance(len(parts[-1]))
        return LineScores.joined(parts)

    # -- words ----------------------------------------------------------------------------------

    def extend(self, state: State, word: str) -> tuple[WordScore, State]:
        """The score of a word after a state, and the state that follows; states are hashable."""
        score, after = self.word_after(state, word)
        return WordScore(*score), after

    def score_ngram(self, history: Sequence[str], word: str) -> WordScore:
        """The score of a word after a history, given oldest word first."""
        return WordScore(*self.word_in(list(history), word))

    def fragment(
        self, parts: Sequence[str | Fragment], *, bos: bool = False
    ) -> tuple[Fragment, float]:
        """Put words and fragments side by side: the new fragment, and the change in log10 score.

        The changes of a whole tree add up to the left-to-right score of its words.
        """
        return self.make_fragment(list(parts), bos)


@contextlib.contextmanager
def ngram_sink(path: str | Path) -> Iterator[_core.NgramSink]:
    """A sink that writes ``path``, ARPA or binary by its name, whole or not at all."""
    if arpa.is_arpa(path):
        with arpa.writing(path) as sink:
            yield sink
        return
    builder = _core.LmBuilder()
    with files.atomic_path(path) as temporary:
        yield builder
        builder.finish().save_binary(str(temporary))


def _is_binary(path: str | Path) -> bool:
    if str(path) == "-" or not Path(path).is_file():
        return False  # a pipe or a missing file, which the reader of text explains
    with files.naming(path), Path(path).open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def _blocks(lines: bytes | Iterable[str]) -> Iterator[bytes]:
    """Texts of whole lines, some megabytes each."""
    if isinstance(lines, str):
        raise ArgumentError("lines must be several strings, not one", remedy="pass a list")
    if isinstance(lines, bytes):
        at = 0
        while at < len(lines):
            end = lines.find(b"\n", at + _SLICE) + 1 or len(lines)
            yield lines[at:end]
            at = end
        return
    pending: list[str] = []
    size = 0
    for line in lines:
        if "\n" in line.rstrip("\n"):
            raise ArgumentError("a line holds a line break", remedy="split it into lines")
        pending.append(line.rstrip("\n"))
        size += len(line) + 1
        if size >= _SLICE:
            yield ("\n".join(pending) + "\n").encode()
            pending, size = [], 0
    if pending:
        yield ("\n".join(pending) + "\n").encode()


class _Vocabulary(Sequence[str]):
    """The words of a model, read where they lie."""

    def __init__(self, model: _core.LmModel) -> None:
        self._model = model

    def __len__(self) -> int:
        return self._model.words

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._model.word(id) for id in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._model.word(index % len(self))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word == "<unk>" or self._model.find(word) != 0)
