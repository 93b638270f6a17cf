"""Translators: train one, load one, use it.

    import demotic

    bitext = demotic.read_bitext("memory.tmx", source="en", target="fr")
    model = demotic.train(bitext, system="hiero")
    translation = model.translate("Delete the file?")
    print(translation.text, translation.score)
    print(model.explain("Delete the file?").tree())
    model.save("en-fr.demotic")
    model = demotic.load("en-fr.demotic")

Raw text in, raw text out: tokenising, casing and placeholders belong to the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.bundle import About
    from demotic.corpus import Bitext
    from demotic.decode.decoder import Hypothesis
    from demotic.explain import Explanation
    from demotic.forest import Forest
    from demotic.learn import MertOptions


@dataclass(frozen=True)
class Translation:
    """A sentence in the other language, and how it came about.

    ``tokens`` are the model's, before they were written as text; ``alignment`` holds pairs of
    positions among the source's and these tokens.
    """

    text: str
    tokens: tuple[str, ...]
    score: float
    derivation: Hypothesis | None
    alignment: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return self.text


class Model(Protocol):
    """A trained translator, whatever its system."""

    @property
    def about(self) -> About:
        """System, languages, configuration, development score, provenance."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each feature."""

    @overload
    def translate(self, text: str) -> Translation: ...
    @overload
    def translate(self, text: str, nbest: int) -> list[Translation]: ...
    def translate(self, text: str, nbest: int | None = None) -> Translation | list[Translation]:
        """One line of text; with ``nbest``, a list of up to so many different translations."""

    def translate_lines(
        self,
        lines: Iterable[str],
        *,
        nbest: int = 1,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Iterator[list[Translation]]:
        """Many lines, in their order; for each the best translations, at least one."""

    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""

    def score(
        self, bitext: Bitext, *, threads: int = 1, progress: Progress = SILENT
    ) -> dict[str, Any]:
        """BLEU on a bitext: ``metric``, ``value``, ``signature``, ``sentences``."""

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, or to one file if the name ends in ``.demotic``."""


def train(
    bitext: Bitext,
    *,
    system: str = "hiero",
    dev: Bitext | None = None,
    config: Any = None,
    out: str | Path | None = None,
    work: str | Path | None = None,
    resume: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Model:
    """Train a translator on a bitext.

    ``dev`` is for tuning; without it, a part of the bitext is held out.  ``config`` is the system's
    configuration or a record of settings that differ from its defaults.  The model is written to
    ``out``; without it, to a temporary folder that lives as long as the model, until ``save``.
    Finished stages are kept in the folder ``work`` and used again with ``resume``.
    """
    import shutil
    import tempfile
    import weakref

    from demotic.systems import system_named
    from demotic.systems.config import from_record
    from demotic.systems.stages import Training

    chosen = system_named(system)
    if config is None or isinstance(config, Mapping):
        config = from_record(chosen.Config, config or {})
    home = None
    if out is None:
        home = tempfile.mkdtemp(prefix="demotic-model-")
        out = Path(home) / "model"
    try:
        training = Training(
            bitext,
            dev,
            config,
            out=Path(out),
            work=None if work is None else Path(work),
            resume=resume,
            threads=threads,
            progress=progress,
        )
        model = chosen.fit(training, config)
    except BaseException:
        if home is not None:
            shutil.rmtree(home, ignore_errors=True)
        raise
    if home is not None:
        weakref.finalize(model, shutil.rmtree, home, ignore_errors=True)
    return model


def load(path: str | Path, *, verify: bool | None = None) -> Model:
    """A trained model, from its folder or ``.demotic`` file.

    Parts that were changed since they were first looked at are compared with their checksums;
    ``verify`` does so always, or never.
    """
    from demotic.bundle import Bundle
    from demotic.systems import system_named

    bundle = Bundle.open(path, verify=verify)
    return system_named(bundle.about.system).open_model(bundle)


def tune(
    model: Model,
    dev: Bitext,
    *,
    out: str | Path,
    options: MertOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Model:
    """A copy of a model in ``out``, its weights tuned on a development set for BLEU."""
    from demotic.systems import system_named

    return system_named(model.about.system).tune(
        model, dev, out=Path(out), options=options, seed=seed, threads=threads, progress=progress
    )
