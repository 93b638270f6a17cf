"""The transducer's experiments: Wellington, Turian and Melamed's tables on any data.

data (table 7.1), words (7.2), gains (forms of the learner's gain), rivals (other learners), bags
(7.3 and 7.4), trees (7.5; parsers: with trees of the discriminative parser, too; phrases: rows of
the phrase-based system), speed (against liblinear and LightGBM).  Sentence pairs for tuning,
development and test are drawn from the training part, as in the chapter; words are linked by both
directions of the aligner.  Tags and dependencies are those of a parser of a treebank, or of induced
trees.

Large texts can be done in pieces: links and parses, then each set of features (w-linked, wdc-all,
...), which the parts above take up as they find them.  Only sets with d need parses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from demotic import files
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.experiments.transducer import learned, report, rivals
from demotic.experiments.transducer.bench import Bench
from demotic.transduce import WordCorpus

LEARNED = {f"{s}-{null}": (s, null) for null in learned.NULLS for s in learned.SETS}
"""Sets of features with the words that they are learned from."""
Learned = Callable[[Mapping[str, Any], Mapping[str, WordCorpus]], dict[str, Any]]
PARTS = (
    "links", "parses", *LEARNED, "data", "words", "gains", "rivals", "bags", "trees", "parsers",
    "phrases", "speed",
)  # fmt: skip
USES = ("from", "to", "treebank", "seeds")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    bench = Bench(setup)
    trees = "induced" if setup.treebank is None else setup.treebank.name
    settings = {
        "quick": setup.quick, "size": bench.size, "held_out": bench.held_out, "trees": trees,
        "seed": setup.seeds[0],
    }  # fmt: skip
    parts = Parts(setup.out / "results", settings, progress=setup.progress)

    def learn(name: str) -> Any:
        features, null = LEARNED[name]

        def run() -> Any:
            corpora = bench.with_dependencies if "d" in features else bench.corpora
            return learned.learn(corpora, features, null, setup)

        return parts.get(name, run)

    def tables(name: str, make: Learned) -> Any:
        """Of what the parts asked for are about, and of all that was learned before."""
        used = [
            each
            for each, (_, null) in LEARNED.items()
            if setup.wants("bags" if null == "all" else "words") or parts.has(each)
        ]
        made = {each.replace("-", " "): learn(each) for each in used}
        return parts.get(name, lambda: make(made, bench.corpora), settings=used)

    def rivals_found() -> Any:
        return parts.get("rivals", lambda: rivals.accuracies(bench.corpora, "w", setup))

    def transduced() -> Any:
        second = setup.wants("parsers")
        if not second and not setup.wants("trees"):
            return None
        return parts.get("trees", lambda: bench.trees(second=second), settings=second)

    def phrases() -> Any:
        wanted = setup.wants("phrases") or parts.has("phrases")
        return parts.get("phrases", bench.phrases) if wanted else None

    if "links" in setup.parts:
        setup.progress.say(f"{len(bench.both)} pairs linked")
    if "parses" in setup.parts:
        setup.progress.say(f"{len(bench.parses)} trees")
    for name in LEARNED:
        if name in setup.parts:
            learn(name)
    sections: dict[str, Callable[[], str]] = {
        "data": lambda: report.data(parts.get("data", bench.facts)),
        "words": lambda: report.words(tables("words", learned.words), bench.size, setup.out),
        "gains": lambda: report.gains(
            parts.get("gains", lambda: learned.gains(bench.corpora, setup))
        ),
        "rivals": lambda: report.rivals(rivals_found()),
        "bags": lambda: report.bags(tables("bags", learned.bags), bench.size),
        "trees": lambda: report.trees(transduced(), phrases()),
        "speed": lambda: report.speed(parts.get("speed", bench.speed)),
    }
    of = {"parsers": "trees", "phrases": "trees"}  # parts that are rows of a section
    wanted = {of.get(name, name) for name in PARTS if setup.wants(name)}
    texts = [make() for name, make in sections.items() if name in wanted]
    head = (
        f"# Transducer on {setup.source}-{setup.target}\n\n"
        f"{bench.size:,} training pairs; {bench.held_out:,} each to tune, develop and test, drawn "
        f"from the same text. Trees: {trees}. Chapter: Wellington, Turian and "
        "Melamed, Europarl English-French."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text
