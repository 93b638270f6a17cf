"""``demotic extract``: rules from aligned text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from demotic.cli.options import (
    EngineName,
    JsonLog,
    Memory,
    Quiet,
    Temp,
    Threads,
    byte_count,
    check_files,
    opened_engine,
    progress_for,
    thread_count,
    usage,
)
from demotic.cli.rule_files import RuleFormat, check_out, table_file

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.grammar import HieroExtraction
    from demotic.progress import Progress

NAME = "extract"
NEEDS_ARGUMENTS = True


def command(
    source: Annotated[Path, typer.Option(help="Source text, tokenised, one sentence a line.")],
    target: Annotated[Path, typer.Option(help="Target text, line by line.")],
    alignment: Annotated[Path, typer.Option(help="Word links in Pharaoh format (0-0 1-2).")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The table: binary (.bin), or text in --format (.gz compresses).",
        ),
    ],
    format: Annotated[
        RuleFormat | None, typer.Option(help="Write this text format instead of a binary table.")
    ] = None,
    phrases: Annotated[
        bool,
        typer.Option(
            "--phrases", help="Plain phrases up to 7 words, also with unaligned words at edges."
        ),
    ] = False,
    orientations: Annotated[
        bool,
        typer.Option(
            "--orientations",
            help="With --phrases: how each phrase follows its neighbours, for lexicalised"
            " reordering.",
        ),
    ] = False,
    max_phrase: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Words of a phrase pair, each side. [default: 10]"),
    ] = None,
    max_symbols: Annotated[
        int | None, typer.Option(min=1, max=100, help="Source symbols of a rule. [default: 5]")
    ] = None,
    max_nonterminals: Annotated[
        int | None, typer.Option(min=0, max=2, help="Nonterminals of a rule. [default: 2]")
    ] = None,
    min_hole: Annotated[
        int | None,
        typer.Option(min=1, help="Source words a nonterminal stands for, at least. [default: 1]"),
    ] = None,
    tight: Annotated[
        bool | None,
        typer.Option(
            "--tight/--loose",
            help="Whether unaligned words are kept from the edges. [default: --tight]",
            show_default=False,
        ),
    ] = None,
    tight_holes: Annotated[
        bool,
        typer.Option("--tight-holes", help="With --loose: what nonterminals stand for is tight."),
    ] = False,
    max_targets: Annotated[
        int, typer.Option(min=0, help="Rules kept for each source side; 0 keeps all.")
    ] = 30,
    min_sentences: Annotated[
        int, typer.Option(min=1, max=3, help="Sentences that must give a rule with nonterminals.")
    ] = 1,
    min_loose: Annotated[
        int,
        typer.Option(min=1, max=3, help="With --loose: sentences that must give a loose rule."),
    ] = 1,
    short_loose: Annotated[
        int,
        typer.Option(min=0, help="Source symbols up to which one sentence is enough for that."),
    ] = 0,
    deletions: Annotated[
        bool,
        typer.Option(
            "--deletions", help="Source words without a link give rules without a target."
        ),
    ] = False,
    significance: Annotated[
        str,
        typer.Option(
            metavar="NUMBER",
            help="Least -log p of Fisher's exact test, or alpha+epsilon (no rule that was seen once"
            " with sides seen once), or alpha-epsilon (these, too). 0 keeps all.",
        ),
    ] = "0",
    unaligned: Annotated[
        bool,
        typer.Option(
            "--unaligned", help="Add Deleted and Inserted: words of either side without a link."
        ),
    ] = False,
    sparse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEMPLATE",
            help="Sparse features of rules: rule, source_bigrams, target_bigrams, pairs, shape."
            " Can be repeated.",
        ),
    ] = None,
    sparse_min_count: Annotated[
        int,
        typer.Option(min=0, help="Leave out sparse features whose rules were seen fewer times."),
    ] = 0,
    sparse_bits: Annotated[
        int,
        typer.Option(min=0, max=24, help="Hash their names to 2^bits places. [default: keep them]"),
    ] = 0,
    lexical: Annotated[
        Path | None,
        typer.Option(
            metavar="PREFIX",
            help="Word translation tables PREFIX.f2e and PREFIX.e2f, or a .bin; else estimated.",
        ),
    ] = None,
    filter: Annotated[
        Path | None,
        typer.Option(metavar="TEXT", help="Keep only rules that can match these sentences."),
    ] = None,
    engine: EngineName = "local",
    memory: Memory = "1G",
    temp: Temp = None,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Extract hierarchical rules, or plain phrases, from aligned text, and score them.

    Rules are those of Chiang (2007), counted exactly. Scores are TargetGivenSource,
    SourceGivenTarget and the two lexical weights, natural logs, and SeenOnce and SeenTwice, 1 for
    rules of one and of two sentences; each rule keeps its word links, its counts and up to three
    sentences it was seen in. The result is the same for any --threads and --memory.

    \b
    Examples:
      demotic extract --source train.de --target train.en --alignment train.align --out rules.bin
      demotic extract ... --out grammar.gz --format cdec        text for another decoder
      demotic extract ... --out rules.bin --filter test.de      only what test.de can use
      demotic extract ... --out phrase-table.gz --phrases --format moses-phrase
      demotic extract ... --out phrases.bin --phrases --orientations
      demotic extract ... --out rules.bin --sparse pairs --sparse shape --sparse-min-count 2
    """
    from demotic.grammar import HieroExtraction, TemplateOptions

    with usage():
        templates = TemplateOptions(
            templates=tuple(sparse or ()),  # type: ignore[arg-type]
            min_count=sparse_min_count,
            bits=sparse_bits,
        )
    if not sparse and (sparse_min_count or sparse_bits):
        raise typer.BadParameter("say which sparse features there are", param_hint="--sparse")
    given = {
        "sparse": templates,
        "max_phrase": max_phrase,
        "max_symbols": max_symbols,
        "max_nonterminals": max_nonterminals,
        "min_hole": min_hole,
        "tight": tight,
        "tight_holes": tight_holes,
        "deletions": deletions,
        "max_targets": max_targets,
        "min_sentences": min_sentences,
        "min_loose": min_loose,
        "short_loose": short_loose,
        "significance": _significance(significance),
        "unaligned": unaligned,
    }
    if orientations and not phrases:
        raise typer.BadParameter("only plain phrases have them", param_hint="--orientations")
    if phrases and max_nonterminals:
        raise typer.BadParameter("phrases have no nonterminals", param_hint="--phrases")
    base = HieroExtraction.phrases(orientations=orientations) if phrases else HieroExtraction()
    with usage():
        options = _options(base, given)
    check_out(out, format)
    size = byte_count(memory, "--memory")
    read = [source, target, alignment, lexical, filter]
    check_files(inputs=[path for path in read if path is not None], outputs=[out])
    place = opened_engine(engine, threads=thread_count(threads), memory=size, temp=temp)
    progress = progress_for(quiet=quiet, json_log=json_log)
    texts = _Texts(source, target, alignment, lexical)
    with table_file(out, format, filter, temp, progress) as path:
        texts.extract(path, options, place, progress)


def _significance(given: str) -> float | str:
    try:
        return float(given)
    except ValueError:
        return given  # a name, if it is one


@dataclass(frozen=True)
class _Texts:
    source: Path
    target: Path
    alignment: Path
    lexical: Path | None

    def extract(
        self, out: Path, options: HieroExtraction, engine: Engine, progress: Progress
    ) -> None:
        from demotic.align import LexicalTable, Text, pharaoh
        from demotic.grammar import extract_hiero

        source, target = Text.read(self.source), Text.read(self.target)
        links = pharaoh.read(self.alignment, source=source.lines, target=target.lines)
        lexical = None
        if self.lexical is not None:
            read = LexicalTable.load if self.lexical.suffix == ".bin" else LexicalTable.read
            lexical = read(self.lexical)
        table = extract_hiero(
            source,
            target,
            links,
            out=out,
            lexical=lexical,
            options=options,
            engine=engine,
            progress=progress,
        )
        progress.say(f"{len(table):,} rules")


def _options(options: HieroExtraction, given: dict[str, Any]) -> HieroExtraction:
    from dataclasses import replace

    chosen = {name: value for name, value in given.items() if value is not None}
    if options.max_nonterminals == 0 and "max_phrase" in chosen:
        chosen.setdefault("max_symbols", chosen["max_phrase"])  # a phrase is one rule, whole
    return replace(options, **chosen)
