"""``demotic train``: two texts in, a translator out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from demotic.cli.options import (
    DevSource,
    DevTarget,
    JsonLog,
    Quiet,
    Temp,
    Threads,
    Tuner,
    byte_count,
    check_files,
    further_references,
    progress_for,
    setting,
    thread_count,
    usage,
)
from demotic.errors import ArgumentError
from demotic.systems import DEFAULT, DEFAULT_EFFORT, EFFORTS, SYSTEMS

if TYPE_CHECKING:
    from demotic.corpus import Bitext
    from demotic.progress import Progress

NAME = "train"
NEEDS_ARGUMENTS = True

TRAIN = ("source", "target", "bitext")
DEV = ("dev_source", "dev_target", "dev")
_TEXTS = (*TRAIN, *DEV, "from", "to")
Corpus: TypeAlias = dict[str, str | list[str]]
"""Texts by name; only bitexts and the references of the development set may be several."""


class Final(StrEnum):
    """From which pairs the model is made in the end."""

    full = "full"
    train = "train"


def command(
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG.toml]", help="Settings; options go first.")
    ] = None,
    source: Annotated[Path | None, typer.Option(metavar="FILE", help="Source sentences.")] = None,
    target: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Their translations, line by line.")
    ] = None,
    bitext: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Both in one: TMX, XLIFF, PO, MO, TSV, or a folder; give it again for more.",
        ),
    ] = None,
    dev_source: DevSource = None,
    dev_target: DevTarget = None,
    dev: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Both in one. [default: a part of the training text is held out]"
        ),
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="LANG", help="Language of the source.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="LANG", help="Language of the target.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"The kind of translator: {', '.join(SYSTEMS)}. [default: {DEFAULT}]",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="MODEL", help="A folder, or one file if it ends in .demotic."
        ),
    ] = None,
    tokenised: Annotated[
        bool,
        typer.Option(
            "--tokenised",
            help="The text has spaces between tokens; take them, and their case, as given.",
        ),
    ] = False,
    alignment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word links in Pharaoh format; needs --tokenised."),
    ] = None,
    lm_text: Annotated[
        list[Path] | None,
        typer.Option(
            "--monolingual",
            "--lm-text",
            metavar="FILE",
            help="Text in the target language, for a language model of its own, whose weight is"
            " tuned; give it again for more of them.",
        ),
    ] = None,
    cdlm: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Text in the target language, for a model that learns from what the translator"
            " would write instead: hiero, phrase, umt.",
        ),
    ] = None,
    classifiers: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="Classifiers of words, which see the sentence around each word, as features of the"
            " rules: boosted, or off; hiero, phrase, amasis. [default: off]",
        ),
    ] = None,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Terms whose translation is decided, for the model to keep to: TSV, CSV or TBX; a"
            " term without translation stays as it is. Give it again for more of them.",
        ),
    ] = None,
    source_trees: Annotated[
        Path | None,
        typer.Option(
            "--source-trees",
            metavar="FILE",
            help="transducer: trees of the source sentences, brackets or CoNLL-U, one for each.",
        ),
    ] = None,
    treebank: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="transducer: trees to train a parser of the source language on."
        ),
    ] = None,
    parser: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="transducer: a parser of demotic parse train."),
    ] = None,
    trees: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="transducer: induced, trees that the word links show, without any treebank.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting, such as lm.order=4."),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="How much is tried on the development set before training, of what no setting "
            f"says: {', '.join(EFFORTS)}. quick tries nothing; normal, in two to three times "
            "the time, whether phrases are tight or loose; thorough, in up to ten times, also "
            f"casing, compounds, words, links, the language model. [default: {DEFAULT_EFFORT}]",
        ),
    ] = None,
    final: Annotated[
        Final | None,
        typer.Option(
            help="Without a development set: make rules, language model and memory again from all"
            " pairs when the weights are tuned, or leave those held out to the score."
            " [default: full]",
            show_default=False,
        ),
    ] = None,
    tuner: Tuner = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="table|lazy",
            help="hiero, phrase: a table of all rules, or rules made for the sentences at hand from"
            " the aligned text: no extraction and less disk, but slower tuning and translating."
            " [default: table]",
            show_default=False,
        ),
    ] = None,
    suggestions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Corrections that users sent to demotic serve: learned from, instead of other"
            " translations of the same messages. [default: the model's own, MODEL.suggestions.jsonl"
            ", where it is there]",
            show_default=False,
        ),
    ] = None,
    no_suggestions: Annotated[
        bool, typer.Option("--no-suggestions", help="Do not look for corrections of users.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse lines of tables, and files of folders, that hold no pair."
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model that is there already.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted training stopped.")
    ] = False,
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the files of each stage; it stays. [default: MODEL.work, removed when"
            " the model is complete]",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where bulk work runs: local, or on Apache Spark: spark://HOST:PORT, local[2],"
            " yarn, spark (as spark-submit says); then --temp is a folder that all machines see."
            " [default: local]",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Memory for bulk work; the rest goes to disk. [default: 1G]"
        ),
    ] = None,
    temp: Temp = None,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Train a translator on parallel text: align, extract rules, model the target language, tune.

    A file of settings has the options' names under [corpus] and the system's settings beside it;
    demotic config SYSTEM prints them all.

    \b
    Examples:
      demotic train --bitext memory.tmx --from en --to fr --out en-fr.demotic
      demotic train --source train.de --target train.en --dev-source dev.de \\
                    --dev-target dev.en --out de-en.demotic
      demotic train de-en.toml --set lm.order=4 --resume
      demotic train de-en.toml --effort thorough                what suits the text best
      demotic train de-en.toml --memory 500M --temp /var/tmp    in little memory
    """
    from demotic.bundle import check_place, check_vacant
    from demotic.model import train
    from demotic.systems import check_effort, configured
    from demotic.systems.records import merged, read_toml
    from demotic.systems.work import check_work

    record = read_toml(config) if config is not None else {}
    corpus = _section(record.pop("corpus", {}))
    given = {
        "source": source, "target": target, "dev_source": dev_source,
        "dev_target": dev_target, "dev": dev, "from": from_, "to": to,
    }  # fmt: skip
    corpus |= {name: _texts(value) for name, value in given.items() if value not in (None, [])}
    if bitext:
        corpus["bitext"] = [str(path) for path in bitext]
    _check_texts(corpus)
    named = str(record.pop("system", DEFAULT))
    place = _path(record.pop("out", None), out)
    workplace = _path(record.pop("work", None), work)
    level = str(record.pop("effort", DEFAULT_EFFORT)) if effort is None else effort
    record.pop("effort", None)
    if place is None:
        raise typer.BadParameter("say where the model goes", param_hint="--out")
    of_trees = _given(
        {
            "file": _text(source_trees), "treebank": _text(treebank), "parser": _text(parser),
            "source": trees,
        }
    )  # fmt: skip
    size = None if memory is None else byte_count(memory, "--memory")
    options = {
        "tokenised": tokenised or None, "seed": seed,
        "final": None if final is None else final.value, "align": {"file": _text(alignment)},
        "tune": {"method": tuner},
        "lm": {"extra": [str(path) for path in lm_text] if lm_text else None},
        "glossary": [str(path) for path in glossary] if glossary else None,
        # Not all systems have these.
        **({} if rules is None else {"extract": {"rules": rules}}),
        **({} if cdlm is None else {"cdlm": {"text": _text(cdlm)}}),
        **({} if classifiers is None else {"classifiers": {"method": classifiers}}),
        **({} if not of_trees else {"trees": of_trees}),
        "engine": {"name": engine, "memory": size, "temp": _text(temp)},
    }  # fmt: skip
    for over in (_given(options), *(setting(each, "--set") for each in settings or [])):
        record = merged(record, over)
    # All that can be known to be wrong is, before a line of text is read.
    with usage():
        _check_known(system or named, options)
        chosen = configured(system or named, record)
    with usage("--effort"):
        tried = check_effort(level)
    with usage("--out"):
        check_place(place)
        if not force:
            check_vacant(place)
    with usage("--work"):
        check_work(workplace)
    try:
        chosen.check_files()
    except ArgumentError as error:  # what is missing is no file, but an option
        raise typer.BadParameter(str(error)) from error
    texts = [Path(name) for kind in (*TRAIN, *DEV) for name in _paths(corpus, kind)]
    check_files(inputs=[*texts, *([suggestions] if suggestions else [])], outputs=[])
    chosen.engine.open(thread_count(threads))  # or it is told what a cluster lacks
    progress = progress_for(quiet=quiet, json_log=json_log)
    text = _read(corpus, TRAIN, progress, strict=strict)
    text = _suggested(text, suggestions, place, progress) if not no_suggestions else text
    tuned_on = _read(corpus, DEV, progress, strict=strict) if _any(corpus, DEV) else None
    others = [Path(path) for path in _paths(corpus, "dev_target")[1:]]
    further = [] if tuned_on is None else further_references(others, len(tuned_on))
    try:
        train(
            text,
            system=system or named,
            dev=tuned_on,
            references=further,
            config=record,
            effort=tried,
            out=place,
            work=workplace,
            resume=resume,
            threads=thread_count(threads),
            progress=progress,
        )
    except KeyboardInterrupt:
        folder = workplace or place.with_name(f"{place.name}.work")
        progress.say(
            f"interrupted: finished stages stay in {folder}; the same command with --resume goes on"
            " from there"
        )
        raise
    progress.say(f"the model is in {place}; try: demotic translate {place}")


_OF_SOME = {
    "trees": "--source-trees, --treebank, --parser and --trees", "cdlm": "--cdlm",
    "classifiers": "--classifiers",
}  # fmt: skip
"""Settings that not all systems have, and the options that give them."""


def _check_known(system: str, options: Mapping[str, Any]) -> None:
    """Raise where an option is given that the system has no use for."""
    from demotic.systems import system_named

    def has(system: str, name: str) -> bool:
        return any(field.name == name for field in fields(system_named(system).Config))

    for name, option in _OF_SOME.items():
        if name in options and not has(system, name):
            able = [each for each in SYSTEMS if has(each, name)]
            raise ArgumentError(
                f"the system {system} has no {name}: {option} cannot be used with it",
                remedy=f"--system {' or '.join(able)}",
            )


def _suggested(text: Bitext, given: Path | None, place: Path, progress: Progress) -> Bitext:
    """The text with what users of the model suggested, where there is something."""
    from demotic.memory.suggestions import suggestions_path, with_suggestions

    path = given or suggestions_path(place)
    if given is None and not path.exists():
        return text
    learned, count = with_suggestions(text, path)
    progress.say(f"{path}: {count:,} suggestions of users")
    return learned


def _texts(value: object) -> str | list[str]:
    return [str(path) for path in value] if isinstance(value, list) else str(value)


def _paths(corpus: Corpus, name: str) -> list[str]:
    value = corpus.get(name, [])
    return [value] if isinstance(value, str) else value


def _section(section: Any) -> Corpus:
    if not isinstance(section, dict):
        raise typer.BadParameter("[corpus] must be a section")
    for name in section:
        if name not in _TEXTS:
            raise typer.BadParameter(f"unknown setting corpus.{name}; known: {', '.join(_TEXTS)}")
        if isinstance(section[name], list) and (
            name not in ("dev_target", "bitext") or not section[name]
        ):
            raise typer.BadParameter(f"corpus.{name} is one file")
    return {name: _texts(value) for name, value in section.items()}


def _path(written: object, option: Path | None) -> Path | None:
    """What the file of settings says, unless an option says otherwise."""
    if option is not None or written is None:
        return option
    return Path(str(written))


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, section by section."""
    inside = {
        name: _given(value) if isinstance(value, dict) else value for name, value in options.items()
    }
    return {name: value for name, value in inside.items() if value is not None}


def _check_texts(corpus: Corpus) -> None:
    for one, other, both in (TRAIN, DEV):
        names = [f"--{name.replace('_', '-')}" for name in (one, other, both)]
        if (one in corpus) != (other in corpus):
            raise typer.BadParameter(f"{names[0]} and {names[1]} belong together")
        if one in corpus and both in corpus:
            raise typer.BadParameter(f"give {names[0]} and {names[1]}, or {names[2]}, not all")
    if not _any(corpus, TRAIN):
        raise typer.BadParameter("give --source and --target, or --bitext")


def _any(corpus: Corpus, names: tuple[str, ...]) -> bool:
    return any(name in corpus for name in names)


def _read(
    corpus: Corpus, names: tuple[str, str, str], progress: Progress, *, strict: bool
) -> Bitext:
    from demotic.corpus import read_bitext

    one, other, both = names
    source, target = (next(iter(_paths(corpus, name)), None) for name in ("from", "to"))
    options: dict[str, Any] = {
        "source": source, "target": target, "strict": strict, "progress": progress,
    }  # fmt: skip
    if both in corpus:
        return read_bitext(_paths(corpus, both), **options)
    return read_bitext(_paths(corpus, one)[0], _paths(corpus, other)[0], **options)
