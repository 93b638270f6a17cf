"""Language models beside a decoder's first one, each with a feature and a weight of its own.

    classes = cluster("text.en", classes=200)
    model = FurtherModel("ClassModel", class_model("text.en", classes), classes)
    HieroDecoder(rules, lm, weights, further=(model,))

Their weights are tuned like all others: that is the interpolation, log-linear, of what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from demotic import _core, files
from demotic.lm.model import LanguageModel
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.lm.estimation import Estimate


class FurtherModel(_core.FurtherModel):
    """A model, and how it sees words: as they are, or each as the number of its class.

    ``name`` is that of its feature.  From the core: ``find(word)`` is the model's id of a word.
    """

    def __init__(
        self, name: str, lm: LanguageModel, classes: Mapping[str, int] | None = None
    ) -> None:
        if classes is None:
            super().__init__(name, lm)
        else:
            super().__init__(name, lm, dict(classes))


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
