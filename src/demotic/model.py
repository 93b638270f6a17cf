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

from demotic.errors import ArgumentError
from demotic.extras import check_training
from demotic.progress import SILENT, Progress
from demotic.systems import DEFAULT, DEFAULT_EFFORT, Effort, check_effort, configured, system_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demotic.corpus import Bitext
    from demotic.learn import TunerOptions
    from demotic.systems.imputing import ImputedConfig
    from demotic.systems.model import Model


def train(
    bitext: Bitext,
    *,
    system: str = DEFAULT,
    dev: Bitext | None = None,
    references: Sequence[Sequence[str]] = (),
    config: Any = None,
    effort: Effort = DEFAULT_EFFORT,
    out: str | Path | None = None,
    work: str | Path | None = None,
    resume: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Model:
    """Train a translator on a bitext.

    ``dev`` is for tuning; without it, a part of the bitext is held out.  ``references`` are further
    translations of ``dev``, a line for each pair, empty where there is none.  ``config`` is the
    system's configuration or a record of settings that differ from its defaults.  What the record
    leaves out is chosen on ``dev`` as far as ``effort`` goes: ``quick`` tries nothing, ``normal``
    the choices that matter most, ``thorough`` all of them; the model's provenance has what was
    tried.

    What speaks against the text or the model, such as sides that look swapped or a model too small
    to use, is a warning (``DemoticWarning``) unless ``progress`` says it.

    The model is written to ``out``; without it, to a temporary folder that lives as long as the
    model, until ``save``.
    Finished stages are kept in the folder ``work`` and used again with ``resume``.
    """
    import shutil
    import tempfile
    import weakref

    from demotic.corpus.doubts import doubts
    from demotic.systems.quality import tell
    from demotic.systems.stages import Training

    check_training()
    check_effort(effort)
    given = config
    config = configured(system, given)
    if effort != "quick" and given is config:
        raise ArgumentError(
            f"a {type(given).__name__} says all settings, and leaves nothing to choose",
            remedy="give a record of the settings that are not to be changed",
        )
    config.check_files()
    for doubt in doubts(bitext):
        progress.warn(doubt)
    home = None
    if out is None:
        home = tempfile.mkdtemp(prefix="demotic-model-")
        out = Path(home) / "model"
    try:
        training = Training(
            bitext,
            dev,
            config,
            references=references,
            out=Path(out),
            work=None if work is None else Path(work),
            resume=resume,
            threads=threads,
            progress=progress,
        )
        if effort != "quick":
            from demotic.systems.effort import choose

            training.config = config = choose(training, system, given or {}, effort)
        model = system_named(system).fit(training, config)
    except BaseException:
        if home is not None:
            shutil.rmtree(home, ignore_errors=True)
        raise
    held = "text held out" if dev is None else "the development set"
    if "folds" in model.about.provenance:
        held = "all of the text, each part by a model that had not seen it"
    tell(model.about.dev or {}, held, progress)
    if home is not None:
        # Models made of it, such as one with a glossary, share its bundle.
        weakref.finalize(model.bundle, shutil.rmtree, home, ignore_errors=True)
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
    references: Sequence[Sequence[str]] = (),
    options: TunerOptions | None = None,
    imputed: ImputedConfig | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Model:
    """A copy of a model in ``out``, its weights tuned on a development set for BLEU.

    ``options`` (``MertOptions``, ``MiraOptions``, ``ProOptions``, ``MinriskOptions``) name the
    tuner; without them the model is tuned as it was in training.  ``references`` are beside those
    of ``dev``.  ``imputed`` asks for sentences of the target language without a source.
    """
    check_training()
    return system_named(model.about.system).tune(
        model, dev, out=Path(out), references=references, options=options, imputed=imputed,
        seed=seed, threads=threads, progress=progress,
    )  # fmt: skip
