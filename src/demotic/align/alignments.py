"""Word alignments of a bitext, whoever makes them.

found = align("train.de.gz", "train.en.gz", threads=2)
found.links[0]                              # [(0, 0), (1, 2), ...] of the first sentence pair
found.aligner.save("de-en.aligner")         # the built-in aligner can align new text later
align(new_source, new_target, method=Aligner.load("de-en.aligner"))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from demotic._core import Links
from demotic.align import eflomal, pharaoh, thot
from demotic.align.aligner import Aligner, AlignerOptions
from demotic.align.symmetrise import DEFAULT, check_heuristic
from demotic.align.symmetrise import symmetrise as symmetrised
from demotic.align.text import Text, check_parallel
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.engine import Engine

_SHOWN = 5  # sentence pairs, in a notebook
METHODS = ("builtin", "eflomal", "thot")
Options = AlignerOptions | eflomal.EflomalOptions | thot.ThotOptions
Chosen = TypeVar("Chosen", AlignerOptions, eflomal.EflomalOptions, thot.ThotOptions)


@dataclass(frozen=True)
class Alignments:
    """The links to use, and what they were made from where that is known."""

    links: Links
    forward: Links | None = None  # each target word linked with at most one source word
    backward: Links | None = None  # each source word linked with at most one target word
    aligner: Aligner | None = None  # of the built-in method

    def __len__(self) -> int:
        return len(self.links)

    def _repr_html_(self) -> str:
        from demotic.notebook import card, folded, matrix

        figures = []
        for line in range(min(_SHOWN, len(self))):
            links = list(self.links[line])
            sizes = [1 + max(ends, default=-1) for ends in zip(*links, strict=True)] or [0, 0]
            down, across = ([str(place) for place in range(size)] for size in sizes)
            figure = matrix(down, across, links)
            figures.append(folded(f"sentence pair {line + 1}: {len(links)} links", figure))
        title = f"Links of {len(self):,} sentence pairs, {self.links.count:,} in all"
        return card(title, *figures)


def align(
    source: Text | str | Path | Iterable[str],
    target: Text | str | Path | Iterable[str],
    *,
    method: str | Path | Aligner = "builtin",
    symmetrise: str = DEFAULT,
    options: Options | None = None,
    memory: int = 1 << 30,
    temp: str | Path | None = None,
    threads: int = 1,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> Alignments:
    """Align two texts line by line.

    The texts are files, or sentences, with tokens separated by spaces.  ``method`` is "builtin",
    "eflomal", "thot", a trained ``Aligner``, or the ``Path`` of a file in Pharaoh format, whose
    links are checked against the texts and taken as they are.  What the built-in method keeps of
    every word pair goes to ``temp`` where it does not fit into ``memory`` bytes; an
    ``engine`` that spreads work counts and aligns in pieces of the text.
    """
    check_heuristic(symmetrise)
    source, target = as_text(source), as_text(target)
    check_parallel(source, target)
    if isinstance(method, Path):
        _no_options(options, "a file of links")
        return Alignments(pharaoh.read(method, source=source.lines, target=target.lines))
    aligner = None
    if isinstance(method, Aligner):
        _no_options(options, "a trained aligner")
        aligner = method
        forward, backward = aligner.align(
            source, target, threads=threads, engine=engine, progress=progress
        )
    elif method == "builtin":
        builtin = _of_type(options, AlignerOptions)
        aligner = Aligner.train(
            source,
            target,
            options=builtin,
            memory=memory,
            temp=temp,
            threads=threads,
            engine=engine,
            progress=progress,
        )
        forward, backward = aligner.align(
            source, target, threads=threads, engine=engine, progress=progress
        )
    elif method == "eflomal":
        forward, backward = eflomal.align(
            source,
            target,
            options=_of_type(options, eflomal.EflomalOptions),
            threads=threads,
            progress=progress,
        )
    elif method == "thot":
        forward, backward = thot.align(
            source, target, options=_of_type(options, thot.ThotOptions), progress=progress
        )
    else:
        raise ArgumentError(
            f"unknown alignment method '{method}'",
            remedy="one of " + ", ".join(METHODS) + ", or the Path of a Pharaoh file",
        )
    links = symmetrised(forward, backward, symmetrise, threads=threads)
    return Alignments(links, forward, backward, aligner)


def as_text(text: Text | str | Path | Iterable[str]) -> Text:
    """A text of whatever names one or holds one."""
    if isinstance(text, Text):
        return text
    return Text.read(text) if isinstance(text, str | Path) else Text.of(text)


def _no_options(options: Options | None, method: str) -> None:
    if options is not None:
        raise ArgumentError(f"{method} takes no options")


def _of_type(options: Options | None, wanted: type[Chosen]) -> Chosen | None:
    if options is None or isinstance(options, wanted):
        return options
    raise ArgumentError(
        f"options of another method: {type(options).__name__}", remedy=f"give {wanted.__name__}"
    )
