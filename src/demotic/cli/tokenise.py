"""``demotic tokenise``, ``detokenise``, ``sentences``: text to tokens and back, without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import check_files


class Method(StrEnum):
    """Tokenisers."""

    reversible = "reversible"
    moses = "moses"


Text = Annotated[
    list[Path] | None, typer.Argument(metavar="[TEXT]...", help="Files; - is standard input.")
]
Language = Annotated[
    str, typer.Option("--language", "-l", metavar="CODE", help="The language of the text.")
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="- for standard out.")]
How = Annotated[Method, typer.Option(help="With marks that bring the text back, or as Moses does.")]


def tokenise_command(
    text: Text = None,
    language: Language = "en",
    method: How = Method.reversible,
    output: Output = Path("-"),
) -> None:
    """Write each line as tokens with spaces between them.

    The marks of `reversible` say where a token stood beside its neighbour without a space;
    `demotic detokenise` brings the line back. A trained model's tokens differ, see docs/text.md.

    \b
    Examples:
      demotic tokenise --language de text.de > text.tok.de
      demotic tokenise -l de --method moses < text.de
    """
    from demotic.corpus.tokens import tokenise

    _each_line(text, output, lambda line: [" ".join(tokenise(line, language, method=method.value))])


def detokenise_command(
    text: Text = None,
    language: Language = "en",
    method: How = Method.reversible,
    output: Output = Path("-"),
) -> None:
    """Write lines of tokens as text.

    \b
    Examples:
      demotic detokenise --language de text.tok.de
      demotic tokenise -l fr < text.fr | demotic detokenise -l fr
    """
    from demotic.corpus.tokens import detokenise

    _each_line(text, output, lambda line: [detokenise(line.split(), language, method=method.value)])


def sentences_command(
    text: Text = None, language: Language = "en", output: Output = Path("-")
) -> None:
    """Write each sentence of a text on a line of its own; line ends of the text stay.

    \b
    Examples:
      demotic sentences --language de article.de
    """
    from demotic.corpus import split_sentences

    def split(line: str) -> list[str]:
        return [each.strip() for each in split_sentences(line, language)] or [""]

    _each_line(text, output, split)


def _each_line(
    paths: list[Path] | None, output: Path, change: Callable[[str], Iterable[str]]
) -> None:
    from demotic import files

    paths = paths or [Path("-")]
    check_files(inputs=paths, outputs=[output])
    lines = (made for path in paths for line in files.read_lines(path) for made in change(line))
    files.write_lines(output, lines)


COMMANDS: dict[str, Callable[..., None]] = {
    "tokenise": tokenise_command,
    "detokenise": detokenise_command,
    "sentences": sentences_command,
}
