"""``demotic parse``: train a parser from a treebank, parse text with it, measure it."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demotic.cli import options

NAME = "parse"
NEEDS_ARGUMENTS = True


class Action(StrEnum):
    """What to do."""

    train = "train"
    run = "run"
    evaluate = "evaluate"


class Method(StrEnum):
    """Which parser to train."""

    generative = "generative"
    discriminative = "discriminative"


class Form(StrEnum):
    """How trees are written."""

    penn = "penn"
    conllu = "conllu"


class Format(StrEnum):
    """How scores are printed."""

    text = "text"
    json = "json"


def command(
    action: Annotated[Action, typer.Argument(help="train, run or evaluate.")],
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE ...",
            help="train: treebanks, in Penn brackets or CoNLL-U. run: a parser, then tokenised "
            "text. evaluate: a parser, then a treebank.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The parser, or the trees ('-')."),
    ] = None,
    heads: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules for heads in brackets, instead of Collins'."),
    ] = None,
    form: Annotated[
        Form, typer.Option(help="Trees as brackets or as CoNLL-U; brackets lose relations.")
    ] = Form.penn,
    method: Annotated[
        Method | None,
        typer.Option(
            help="Train: a lexicalised grammar, or boosted trees that judge each node. "
            "[default: generative]"
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(min=1, help="Train, generative: items kept in each span. [default: 15]"),
    ] = None,
    pops: Annotated[
        int | None,
        typer.Option(
            min=1, help="Train, discriminative: states followed to their end. [default: 30]"
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(min=1, help="Train: longer sentences are parsed in pieces. [default: 100]"),
    ] = None,
    format: Annotated[Format, typer.Option(help="Scores as text or as JSON.")] = Format.text,
    seed: options.Seed = 1,
    threads: options.Threads = 0,
    quiet: options.Quiet = False,
    json_log: options.JsonLog = False,
) -> None:
    """Train a tagger and a parser from a treebank, parse text with it, measure it.

    The generative parser is lexicalised (Collins 1997), the discriminative one makes the tree node
    by node, from right to left (Turian and Melamed 2006). Text is tokenised, one sentence a line,
    as the treebank's is.

    \b
    Examples:
      demotic parse train wsj.mrg.gz --out en.parser
      demotic parse train wsj.mrg.gz --method discriminative --out en.parser
      demotic parse run en.parser train.en --out train.trees
      demotic parse run en.parser train.en --form conllu --out train.conllu
      demotic parse evaluate en.parser test.mrg.gz
    """
    progress = options.progress_for(quiet=quiet, json_log=json_log)
    if action is not Action.train and len(inputs) != 2:
        raise typer.BadParameter(f"{action} takes a parser and one file")
    if (action is not Action.evaluate) != (out is not None):
        raise typer.BadParameter(
            "evaluate writes no file" if out is not None else f"{action} needs --out"
        )
    given = {"items": items, "max_words": max_words, "pops": pops}
    settings = {name: value for name, value in given.items() if value is not None}
    if action is not Action.train and (settings or method is not None):
        names = [*settings, *(["method"] if method is not None else [])]
        raise typer.BadParameter(f"{' and '.join(names)}: chosen when a parser is trained")
    discriminative = method is Method.discriminative
    if (items if discriminative else pops) is not None:
        raise typer.BadParameter("--items is of the generative parser, --pops of the other one")
    more = [heads] if heads is not None else []
    options.check_files(inputs=[*inputs, *more], outputs=[out] if out is not None else [])
    threads = options.thread_count(threads)

    from demotic.parse import (
        DiscriminativeOptions,
        DiscriminativeParser,
        GenerativeOptions,
        GenerativeParser,
        Parser,
        evaluate,
        load_parser,
    )
    from demotic.parse.files import save_parser
    from demotic.trees import HeadRules, read_trees, write_trees

    rules = HeadRules.read(heads) if heads is not None else None
    if action is Action.train:
        assert out is not None
        trees = [tree for path in inputs for tree in read_trees(path, heads=rules)]
        parser: Parser
        if discriminative:
            parser = DiscriminativeParser.train(
                trees,
                options=DiscriminativeOptions(**settings),
                seed=seed,
                threads=threads,
                progress=progress,
            )
        else:
            parser = GenerativeParser.train(
                trees, options=GenerativeOptions(**settings), seed=seed, progress=progress
            )
        save_parser(parser, out)
        progress.say(f"{len(trees)} trees, {len(parser.symbols)} labels and tags")
        return
    ready = load_parser(inputs[0])
    if action is Action.evaluate:
        gold = list(read_trees(inputs[1], heads=rules))
        found = ready.parse([t.words for t in gold], threads=threads, progress=progress)
        score = evaluate(found, gold)
        if format is Format.json:
            typer.echo(json.dumps(asdict(score)))
            return
        typer.echo(
            f"labelled F1 {score.f1:.2f} (precision {score.precision:.2f}, recall "
            f"{score.recall:.2f}), heads {score.heads:.2f}, tags {score.tags:.2f}"
            + (f", heads with relations {score.relations:.2f}" if score.relations else "")
            + f"; {score.sentences} sentences, {score.failures} without a parse"
        )
        return
    assert out is not None
    sentences = _sentences(inputs[1])
    found = ready.parse(sentences, threads=threads, progress=progress)
    write_trees(out, found, form=form.value)
    flat = sum(tree.flat for tree in found)
    if flat:
        progress.say(f"{flat} sentences without a parse have flat trees")


def _sentences(path: Path) -> list[list[str]]:
    from demotic import files
    from demotic.errors import FormatError

    found = []
    for number, line in enumerate(files.read_lines(path), 1):
        words = line.split()
        if not words:
            raise FormatError(
                "a line without words has no tree", path=path, line=number, remedy="remove it"
            )
        found.append(words)
    return found
