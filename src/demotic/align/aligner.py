"""The built-in word aligner: IBM Model 1, then an HMM, both directions trained to agree.

aligner = Aligner.train(["das haus", "das buch"], ["the house", "the book"])
forward, backward = aligner.align(["ein buch"], ["a book"])
aligner.save("de-en.aligner")
Aligner.load("de-en.aligner").align(...)

Each direction is the HMM of Vogel, Ney and Tillmann (1996) with the empty word of Och and Ney
(2003).  The directions are trained together: a link counts as much as the product of its two
posteriors (Liang, Taskar and Klein 2006), and links are chosen by the same product.  Words that are
spelt alike have a Dirichlet prior that makes them likely translations, which helps with names,
numbers and cognates that are seen once.  The defaults were chosen on hand-aligned text in four
languages, see docs/benchmarks.md.

The same texts and options give the same bytes, whatever the number of threads.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from demotic import _core, files
from demotic._core import Links
from demotic.align.text import Text
from demotic.errors import ArgumentError, CorruptFileError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.align.spread import SpreadTrainer
    from demotic.engine import Engine

_SLICE = 20_000  # sentence pairs between two looks at Ctrl-C
_LINES = 4_000  # sentence pairs of new text aligned in one call


@dataclass(frozen=True)
class AlignerOptions:
    """How the aligner is trained; the defaults suit most corpora."""

    model1_iterations: int = 5
    hmm_iterations: int = 4
    agreement: bool = True
    """Multiply the posteriors of the two directions; otherwise each goes its own way."""
    null_probability: float = 0.2
    """How likely a word is to have no counterpart; higher links fewer words, more surely."""
    spelling_prior: float = 1.0
    """Counts given beforehand to two words of the same spelling; less to a common beginning."""
    lexical_prior: float = 0.0
    """Dirichlet concentration under which the HMM's lexical weights are estimated by variational
    Bayes: below 1, rare links are discounted, which helps where the directions do not agree
    (try 0.01 with agreement=False).  0 does without."""
    jump_smoothing: float = 1.0
    """Jumps added to every distance."""
    max_length: int = 200
    """Pairs with a longer side are left out of training and aligned near the diagonal."""

    def __post_init__(self) -> None:
        if self.model1_iterations < 1 or self.hmm_iterations < 0:
            raise ArgumentError("an aligner needs at least one iteration of Model 1")
        if not isinstance(self.max_length, int) or not 1 <= self.max_length <= 1000:
            raise ArgumentError("max_length must be from 1 to 1000")

    def core(self) -> _core.AlignerOptions:
        """The same for the core."""
        out = _core.AlignerOptions()
        out.agreement = self.agreement
        out.null_probability = self.null_probability
        out.spelling_prior = self.spelling_prior
        out.lexical_prior = self.lexical_prior
        out.jump_smoothing = self.jump_smoothing
        out.max_length = self.max_length
        return out


class DirectedAlignments(NamedTuple):
    """Links of both directions; source and target positions mean the same in each."""

    forward: Links
    """Each target word has at most one link."""
    backward: Links
    """Each source word has at most one link."""


class Aligner:
    """A trained word aligner."""

    def __init__(self, model: _core.AlignerModel, options: AlignerOptions) -> None:
        """Use ``Aligner.train`` or ``Aligner.load``."""
        self._model = model
        self.options = options

    @classmethod
    def train(
        cls,
        source: Text | Iterable[str],
        target: Text | Iterable[str],
        *,
        options: AlignerOptions | None = None,
        memory: int = 1 << 30,
        temp: str | Path | None = None,
        threads: int = 1,
        engine: Engine | None = None,
        progress: Progress = SILENT,
    ) -> Aligner:
        """Learn from sentence pairs, tokens separated by spaces.

        What is kept of every word pair of every sentence pair goes to a file without a name in
        ``temp`` where it would take more than half of ``memory`` bytes.  An ``engine`` that spreads
        work counts in pieces of the text.
        """
        options = options or AlignerOptions()
        vocab = _core.Vocab()
        source_lines, target_lines = (_encode(_as_text(text), vocab) for text in (source, target))
        _check_parallel(len(source_lines), len(target_lines))
        with contextlib.ExitStack() as stack:
            trainer: _core.AlignerTrainer | SpreadTrainer
            if engine is not None and engine.spread:
                from demotic.align.spread import SpreadTrainer

                trainer = stack.enter_context(
                    SpreadTrainer(
                        source_lines, target_lines, vocab, options.core(), engine, progress
                    )
                )
                step = len(trainer)
            else:
                folder = str(temp or tempfile.gettempdir())
                trainer = _core.AlignerTrainer(
                    source_lines, target_lines, vocab, options.core(), folder, memory, threads
                )
                step = _SLICE
            if trainer.skipped:
                progress.say(
                    f"{trainer.skipped} of {len(trainer)} pairs are longer than "
                    f"{options.max_length} words and left out of training"
                )
            _iterate(trainer, "model1", options.model1_iterations, step, threads, progress)
            trainer.prune(threads)
            _iterate(trainer, "hmm", options.hmm_iterations, step, threads, progress)
            return cls(trainer.model(vocab), options)

    def align(
        self,
        source: Text | Iterable[str],
        target: Text | Iterable[str],
        *,
        threads: int = 1,
        engine: Engine | None = None,
        progress: Progress = SILENT,
    ) -> DirectedAlignments:
        """Link the words of sentence pairs, seen in training or not."""
        found = DirectedAlignments(Links(), Links())
        with progress.step("aligning", unit="pairs") as advance:
            batches = _parallel_batches(_as_text(source), _as_text(target))
            for links in self._links(batches, threads, engine):
                for whole, part in zip(found, links, strict=True):
                    whole.extend(part)
                advance(len(links[0]))
        return found

    def _links(
        self, batches: Iterable[tuple[bytes, bytes]], threads: int, engine: Engine | None
    ) -> Iterator[tuple[Links, Links]]:
        """Of batches of lines, in their order."""
        if engine is not None and engine.spread:
            from demotic.align.spread import aligned_elsewhere

            return aligned_elsewhere(self._model, batches, engine)
        return (self._model.align(ours, theirs, threads) for ours, theirs in batches)

    def save(self, path: str | Path) -> None:
        """Write the aligner to a file, complete or not at all."""
        with files.atomic_path(path) as temporary:
            self._model.save(str(temporary), json.dumps(asdict(self.options)))

    @classmethod
    def load(cls, path: str | Path) -> Aligner:
        """Map a saved aligner into memory."""
        with files.naming(path):
            model = _core.AlignerModel.load(str(path))
            return cls(model, _saved_options(model))


def _encode(text: Text, vocab: _core.Vocab) -> _core.TokenLines:
    lines = _core.TokenLines()
    for chunk in text.chunks():
        lines.append(chunk, vocab)
    return lines


def _saved_options(model: _core.AlignerModel) -> AlignerOptions:
    defaults = asdict(AlignerOptions())
    try:
        saved = json.loads(model.config)
        return AlignerOptions(**{name: type(defaults[name])(v) for name, v in saved.items()})
    except (
        ArgumentError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise CorruptFileError("the aligner's options cannot be read") from error


def _iterate(
    trainer: _core.AlignerTrainer | SpreadTrainer,
    stage: str,
    rounds: int,
    step: int,
    threads: int,
    progress: Progress,
) -> None:
    title = {"model1": "IBM Model 1", "hmm": "HMM"}[stage]
    pairs, seen = len(trainer), 0
    with progress.step(f"training {title}, {rounds} rounds", total=pairs, unit="pairs") as advance:
        for _ in range(rounds):
            for begin in range(0, pairs, step):
                end = min(begin + step, pairs)
                trainer.expect(stage, begin, end, threads)
                # A pair counts when all rounds have seen it, or others instead of it.
                advance((seen + end - begin) // rounds - seen // rounds)
                seen += end - begin
            trainer.maximise(threads)


def _as_text(text: Text | Iterable[str]) -> Text:
    return text if isinstance(text, Text) else Text.of(text)


def _check_parallel(source_lines: int, target_lines: int) -> None:
    if source_lines != target_lines:
        raise ArgumentError(
            f"the source has {source_lines} lines and the target {target_lines}",
            remedy="line n of the one must be the translation of line n of the other",
        )
    if source_lines == 0:
        raise ArgumentError("no sentences to align")


def _parallel_batches(source: Text, target: Text) -> Iterator[tuple[bytes, bytes]]:
    """The two texts in pieces that have the same number of lines."""
    batch: tuple[list[bytes], list[bytes]] = ([], [])
    for count, (from_line, to_line) in enumerate(zip_longest(_lines(source), _lines(target))):
        if from_line is None or to_line is None:
            longer, shorter = ("target", "source") if from_line is None else ("source", "target")
            raise ArgumentError(
                f"the {shorter} has {count} lines and the {longer} more",
                remedy="line n of the one must be the translation of line n of the other",
            )
        batch[0].append(from_line)
        batch[1].append(to_line)
        if len(batch[0]) == _LINES:
            yield b"".join(batch[0]), b"".join(batch[1])
            batch = ([], [])
    if batch[0]:
        yield b"".join(batch[0]), b"".join(batch[1])


def _lines(text: Text) -> Iterator[bytes]:
    return chain.from_iterable(_split(chunk) for chunk in text.chunks())


def _split(chunk: bytes) -> list[bytes]:
    """Lines with their newlines; unlike splitlines, at newlines alone."""
    parts = chunk.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last + b"\n"] if last else [])
