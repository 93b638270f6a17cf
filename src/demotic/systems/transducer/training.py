"""The training of a transducer, from two texts and a way to trees to a tuned translator.

The story is :func:`fit`; each stage leaves its files in a work folder, so that a training that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from demotic import files
from demotic.align import pharaoh
from demotic.corpus import Bitext
from demotic.decode.transducer import TreeDecoder, words_to_parse
from demotic.errors import ArgumentError
from demotic.lm.classes import cluster
from demotic.parse import GenerativeParser, Parser, cached_parses, load_parser
from demotic.parse.files import save_parser
from demotic.parse.induced import induced_tree
from demotic.systems.directions import INTERSECTION, UNION, directions
from demotic.systems.stages import Training
from demotic.systems.text_stages import fingerprint_file
from demotic.systems.transducer.config import CHAPTER, START, Config
from demotic.systems.transducer.learning import Text, learn
from demotic.systems.transducer.model import (
    INSERTED,
    ORDERS,
    PARSER,
    WORDS,
    TransducerModel,
    beyond,
    load_choices,
)
from demotic.systems.tuning import tune
from demotic.systems.work import Stage
from demotic.trees import Tree, check_yields, read_trees, write_trees
from demotic.trees.orders import OrderModel
from demotic.trees.reading import same_words

__all__ = ["fit", "tune"]

TREES = "train.trees"
_CLASSES = 50
"""Of source words, instead of tags, for induced trees."""
_INDUCED = 10_000
"""Trees that their parser learns from."""


def fit(training: Training, config: Config) -> TransducerModel:
    """Train a model and write it; nothing is there before it is complete."""
    config.trees.check_source()
    text = training.prepare()
    links = directions(training, text)
    parser = parser_stage(training, config, text, links)
    trees = tree_stage(training, config, text, parser)
    learned = learn_stage(training, config, text, links, trees)

    further = [training.language_model(text)] if config.learn.language_model else []
    more = {name: stage.path(name) for stage in [learned, *further] for name in stage.files}

    def decoder() -> TreeDecoder:
        return TreeDecoder(
            load_parser(parser.path(PARSER)),
            load_choices(learned.path(WORDS)),
            OrderModel.load(learned.path(ORDERS)),
            {},
            options=config.search,
            **beyond(more, verify=True),
        )

    parts = [parser, learned, *further]
    start = START if config.learn.language_model else CHAPTER
    weights = training.tune(text, parts, decoder, config.tune, start, config.search)
    return training.finish(TransducerModel, [text, *parts, weights], config.search)


def parser_stage(training: Training, config: Config, text: Stage, links: Stage) -> Stage:
    """A parser for any text: the given one, or one trained on given or induced trees."""
    given = config.trees
    source = given.parser or given.treebank or given.file
    after = [text] if given.source == "parsed" else [text, links]
    stage = training.work.stage(
        "parser",
        [given.source, fingerprint_file(source), training.config.seed],
        after=after,
        files=[PARSER],
    )
    if stage.wanted:
        parser: Parser
        if given.parser is not None:
            parser = load_parser(given.parser, verify=True)
        elif source is not None:
            parser = _trained(list(read_trees(source)), training)
        else:
            parser = _trained(_induced(training, text, links), training)
        save_parser(parser, stage.path(PARSER))
        stage.finish()
    return stage


def tree_stage(training: Training, config: Config, text: Stage, parser: Stage) -> Stage:
    """A tree for each line of the training text."""
    file = config.trees.file
    stage = training.work.stage(
        "trees",
        [fingerprint_file(file), config.trees.lenient],
        after=[text, parser],
        files=[TREES],
    )
    if stage.wanted:
        sentences = [words_to_parse(line) for line in lines(text, "train.source")]
        if file is not None:
            trees = _of_file(training, config, text, sentences)
            if config.trees.lenient:
                trees = _mended(training, trees, sentences, parser)
            check_yields(trees, sentences, file)
            form = "conllu" if any(tree.relations for tree in trees) else "penn"
            write_trees(stage.path(TREES), trees, form=form)
        else:
            cached_parses(
                load_parser(parser.path(PARSER)),
                sentences,
                stage.path(TREES),
                threads=training.threads,
                progress=training.progress,
            )
        stage.finish()
    return stage


def learn_stage(
    training: Training, config: Config, text: Stage, links: Stage, trees: Stage
) -> Stage:
    """Classifiers of words and of orders."""
    stage = training.work.stage(
        "learn",
        [asdict(config.learn), config.search.right_first],
        after=[text, links, trees],
        files=[WORDS, ORDERS, *([INSERTED] if config.learn.insertions else [])],
    )
    if stage.wanted:
        words, orders, inserted = learn(
            Text(
                lines(text, "train.source"),
                lines(text, "train.target"),
                read_trees(trees.path(TREES)),
                pharaoh.read(links.path(INTERSECTION)),
                pharaoh.read(links.path(UNION)),
            ),
            config.learn,
            right_first=config.search.right_first,
            threads=training.threads,
            progress=training.progress,
        )
        training.progress.say(
            f"words: {len(words.ensembles):,} classifiers, {words.size():,} features at lambda "
            f"{words.lambda_:.2f}; orders: {2 * len(orders.labels)} classifiers at lambda "
            f"{orders.lambda_:.2f}"
        )
        words.save(stage.path(WORDS))
        orders.save(stage.path(ORDERS))
        if inserted is not None:
            inserted.save(stage.path(INSERTED))
        stage.finish()
    return stage


def lines(text: Stage, name: str) -> list[list[str]]:
    """The tokens of each line."""
    return [line.split() for line in files.read_lines(text.path(name))]


def _trained(trees: Sequence[Tree], training: Training) -> Parser:
    if not trees:
        raise ArgumentError(
            "no trees to train a parser on", remedy="give a treebank, or a text with links"
        )
    return GenerativeParser.train(trees, seed=training.config.seed, progress=training.progress)


def _of_file(
    training: Training, config: Config, text: Stage, sentences: Sequence[Sequence[str]]
) -> list[Tree]:
    """The trees of those pairs that cleaning kept; by their words, where pairs are held out."""
    file = config.trees.file
    assert file is not None
    bitext = training.bitext
    trees = list(read_trees(file))
    if len(trees) == len(bitext):
        kept = {pair.id for pair in Bitext.open(text.path("corpus.arrow"))}
        return [tree for tree, pair in zip(trees, bitext, strict=True) if pair.id in kept]
    known = {_folded(tree.words): tree for tree in reversed(trees)}
    found = [known.get(_folded(words)) for words in sentences]
    missing = [k for k, tree in enumerate(found) if tree is None]
    if len(missing) == len(sentences) or (missing and not config.trees.lenient):
        raise ArgumentError(
            f"{len(missing)} of {len(sentences)} sentences have no tree among the {len(trees)} of "
            f"{file}; the first is '{' '.join(sentences[missing[0]])}'",
            remedy="give a tree for each pair of the text, or let a parser make those that are "
            "missing: trees.lenient",
        )
    return [trees[0] if tree is None else tree for tree in found]


def _folded(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _mended(
    training: Training, trees: Sequence[Tree], sentences: Sequence[Sequence[str]], parser: Stage
) -> list[Tree]:
    """Trees with other words than their sentences give way to parses."""
    pairs = zip(trees, sentences, strict=True)
    others = [k for k, (tree, words) in enumerate(pairs) if not same_words(tree, words)]
    found = list(trees)
    if others:
        training.progress.say(
            f"{len(others)} trees with other words than their sentences: parsed instead"
        )
        parses = load_parser(parser.path(PARSER)).parse(
            [sentences[k] for k in others], threads=training.threads
        )
        for k, tree in zip(others, parses, strict=True):
            found[k] = tree
    return found


def _induced(training: Training, text: Stage, links: Stage) -> list[Tree]:
    """The trees that links show, tags being word classes."""
    classes = cluster(
        text.path("train.source"), classes=_CLASSES, threads=training.threads,
        progress=training.progress,
    )  # fmt: skip
    both = pharaoh.read(links.path(INTERSECTION))
    found: list[Tree] = []
    pairs = zip(lines(text, "train.source"), lines(text, "train.target"), strict=True)
    for number, (source, target) in enumerate(pairs):
        if len(found) == _INDUCED:
            break
        tags = [f"c{classes.get(word, 'new')}" for word in source]
        words = words_to_parse(source)
        tree = induced_tree(words, target, [(i, j) for i, j in both[number]], tags)
        if tree is not None:
            found.append(tree)
    return found
