"""Folders of texts for experiments, in two toy languages."""

from __future__ import annotations

from pathlib import Path

from demotic.corpus import Bitext
from tests.systems import toys


def words_apart(text: Bitext) -> tuple[list[str], list[str]]:
    """Both sides with full stops as words of their own."""
    source, target = (
        [line.replace(".", " .") for line in lines]
        for lines in (text.source_lines(), text.target_lines())
    )
    return source, target


def write(folder: Path, train: Bitext) -> Path:
    """``train``, and 20 sentences each to tune and to test on, as en and fr."""
    for name, text in (("train", train), ("dev", toys.text(20, 2)), ("test", toys.text(20, 3))):
        for language, lines in zip(("en", "fr"), words_apart(text), strict=True):
            write_lines(folder / f"{name}.{language}", lines)
    return folder


def write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
