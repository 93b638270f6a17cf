"""Language models beside a decoder's first one, each with a feature and a weight of its own.

    classes = cluster("text.en", classes=200)
    model = FurtherModel("ClassModel", class_model("text.en", classes), classes)
    HieroDecoder(rules, lm, weights, further=(model,))

    write_units("units", zip(source_lines, target_lines, link_lines))
    classes = cluster("units", classes=400)
    model = FurtherModel("BilingualModel", class_model("units", classes), classes, sees="units")
    PhraseDecoder(rules, lm, weights, further=(model,))

A *unit* is a target word with the source words that it is linked to, ``house|haus`` (Niehues et al.
2011): a model of units, or of their classes, knows which translation follows which, across phrases.

Their weights are tuned like all others: that is the interpolation, log-linear, of what they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from demotic import _core, files
from demotic.lm.model import LanguageModel
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.lm.estimation import Estimate


Sight = Literal["words", "units"]


class FurtherModel(_core.FurtherModel):
    """A model, and how it sees words: as they are, or each as the number of its class.

    ``name`` is that of its feature.  A model that ``sees`` units is asked about these instead of
    words, and ``classes`` are of units; only the phrase-based decoder has such models.  From the
    core: ``find(word)`` is the model's id of a word or unit.
    """

    def __init__(
        self,
        name: str,
        lm: LanguageModel,
        classes: Mapping[str, int] | None = None,
        *,
        sees: Sight = "words",
    ) -> None:
        sight = _core.Sight.units if sees == "units" else _core.Sight.words
        if classes is None:
            super().__init__(name, lm, sight)
        else:
            super().__init__(name, lm, dict(classes), sight)


def write_units(path: str | Path, pairs: Iterable[tuple[str, str, str]]) -> None:
    """Write the units of aligned sentence pairs, given as tokens, tokens and links in Pharaoh
    format: a text to estimate a model from."""
    files.write_lines(path, (" ".join(units(*pair)) for pair in pairs))


def units(source: str, target: str, links: str) -> list[str]:
    """Of a sentence pair, in target order; source words stand in the order of the source."""
    words = source.split()
    linked: list[list[int]] = [[] for _ in target.split()]
    for link in links.split():
        i, _, j = link.partition("-")
        linked[int(j)].append(int(i))
    return [
        "|".join([word, *(words[i] for i in sorted(places))]) if places else f"{word}|"
        for word, places in zip(target.split(), linked, strict=True)
    ]


def class_model(
    text: str | Path,
    classes: Mapping[str, int],
    *,
    order: int = 7,
    memory: int = 1 << 30,
    temp: str | Path | None = None,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Estimate:
    """An n-gram model of the classes of a tokenised text; words without a class are passed over."""
    import tempfile

    from demotic.lm.estimation import estimate

    names = {word: str(number) for word, number in classes.items()}
    with tempfile.TemporaryDirectory(dir=temp) as folder:
        path = Path(folder) / "classes"
        files.write_lines(
            path,
            (
                " ".join(names[word] for word in line.split() if word in names)
                for line in files.read_lines(text)
            ),
        )
        return estimate(
            path, order=order, memory=memory, temp=temp, threads=threads, progress=progress
        )
