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

from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic.progress import SILENT, Progress
from demotic.systems import DEFAULT, configured, system_named

if TYPE_CHECKING:
    from demotic.corpus import Bitext
    from demotic.learn import MertOptions
    from demotic.systems.model import Model


def train(
    bitext: Bitext,
    *,
    system: str = DEFAULT,
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

    from demotic.systems.stages import Training

    config = configured(system, config)
    config.check_files()
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
        model = system_named(system).fit(training, config)
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

    bundle = Bundle.open(path, verify=verify)
    return system_named(bundle.about.system).Model.open(bundle)


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
    return system_named(model.about.system).tune(
        model, dev, out=Path(out), options=options, seed=seed, threads=threads, progress=progress
    )
