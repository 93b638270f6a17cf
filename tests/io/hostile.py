"""A process of its own: model files with damage that no checksum shows, put to all their uses.

    python -m tests.io.hostile KIND SEED CASES

Every case takes a sound file of a kind (``USES``), damages one of its sections, writes the file
with checksums that fit, and loads and uses it.  Errors of Demotic are welcome; anything else is a
failure, and so are two gigabytes.  Before a case its number goes to standard output, so that
whoever finds the process dead knows which one it was.
"""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import os
import random
import resource
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import demotic
from demotic import _core
from demotic.align import Aligner, AlignerOptions, LexicalTable, Links, Text
from demotic.bundle import About, Bundle
from demotic.corpus import Orthography, OrthographyConfig
from demotic.decode import (
    AmasisDecoder,
    AmasisSearch,
    BlockDecoder,
    BlockSearch,
    HieroDecoder,
    PhraseDecoder,
    UndirectedDecoder,
    UndirectedSearch,
    transduce,
)
from demotic.errors import DemoticError
from demotic.explain.html import page
from demotic.explain.view import view
from demotic.features import FeatureSpace
from demotic.forest import Forest, envelopes
from demotic.grammar import (
    BlockPairs,
    BlockTable,
    HieroExtraction,
    LazyRules,
    RuleTable,
    extract_hiero,
    write_lazy,
)
from demotic.grammar.blocks import load_pairs
from demotic.learn import BinaryRows, Ensembles, train_groups
from demotic.lm import FurtherModel, LanguageModel
from demotic.memory import TranslationMemory
from demotic.parse import (
    DiscriminativeOptions,
    DiscriminativeParser,
    GenerativeParser,
    load_parser,
)
from demotic.parse.files import save_parser
from demotic.systems.amasis.model import label_facts, load_labels
from demotic.systems.umt.sparse import read_sparse, write_sparse
from demotic.transduce import OrderExamples, WordCorpus, WordTransducer, train_orders
from demotic.transduce.words import load_words
from demotic.trees import binarise, bitree, penn
from demotic.trees.orders import OrderModel
from demotic.trees.permutations import attachments
from tests.decode import test_block_decoder as blocks
from tests.decode.grammars import language_model
from tests.oracles import container
from tests.oracles.rule_table import version_1
from tests.systems import toys

HANGS = 120  # seconds
MEMORY = 2 << 30
LINES = ("a b c", "b a c a", "the x <unk> a", "c", "a b a b a b a b", "")
VERIFY = (True, False, None)
NUMBERS = (0, 1, 2, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
WIDE = (1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 8)
SCORES = {"LanguageModel": 0.7, "pair:b_y": 0.25}
FLOATS = (float("nan"), float("inf"), float("-inf"), 3e38, -3e38, -0.0)

ORIENTATIONS = ("MonotonePrevious", "SwapPrevious", "SwapNext", "OtherNext")
RULES = """
[X] ||| a ||| x ||| s=0.5 MonotonePrevious=-0.5 SwapPrevious=-1 OtherNext=-2 ||| 0-0
[X] ||| a ||| y z ||| s=0.25 MonotonePrevious=-0.25 pair:a_y=1 ||| 0-0 0-1
[X] ||| b ||| y ||| s=-1 OtherNext=-1 pair:b_y=1 long=0.5 ||| 0-0
[X] ||| a b ||| z ||| s=1 SwapNext=-3 ||| 0-0 1-0
[X] ||| c ||| the of ||| s=0
[X] ||| a [X,1] ||| [1] x ||| s=1 ||| 0-1
[X] ||| [X,1] b ||| y [1] ||| s=0.125 ||| 1-0
[X] ||| [X,1] a [X,2] ||| [2] x [1] ||| s=2 ||| 1-1
[X] ||| [X,1] c [X,2] ||| [1] the [2] ||| s=-2 ||| 1-1
[Y] ||| b c ||| z z z ||| s=0.75
[Y] ||| [X,1] ||| [1] ||| s=0.75
[S] ||| [Y,1] [X,2] ||| [2] [1] ||| s=0.0625
""".lstrip()


# -- sound files -------------------------------------------------------------------------------


def make_rules(path: Path) -> None:
    text = path.with_suffix(".txt")
    text.write_text(RULES)
    RuleTable.from_text(text, format="cdec", out=path, columns=ORIENTATIONS)


def make_rules_of_version_1(path: Path) -> None:
    make_rules(path)
    path.write_bytes(version_1(path.read_bytes(), RuleTable.load(path)))


def make_counted_rules(path: Path) -> None:
    """Extracted ones, which have counts and origins."""
    options = HieroExtraction(max_phrase=3, max_symbols=3, tight=False, deletions=True)
    extract_hiero(*texts(), options=options, out=path)


def make_lm(path: Path) -> None:
    language_model(3).save(path)


def make_blocks(path: Path) -> None:
    blocks.model()[0].save(path)


def make_pairs(path: Path) -> None:
    blocks.model()[1].save_binary(str(path))


def texts() -> tuple[Text, Text, Links]:
    links = Links()
    for _, _, line in blocks.PAIRS:
        links.append(sorted((int(p[0]), int(p[2])) for p in line.split()))
    source, target = zip(*((s, t) for s, t, _ in blocks.PAIRS), strict=True)
    return Text.of(source), Text.of(target), links


def make_lexical(path: Path) -> None:
    LexicalTable.estimate(*texts()).save(path)


def make_aligned(path: Path) -> None:
    options = HieroExtraction(max_phrase=4, max_symbols=4, tight=False, orientations=True)
    write_lazy(*texts(), out=path, options=options)


def make_aligner(path: Path) -> None:
    source, target, _ = texts()
    Aligner.train(source, target, options=AlignerOptions()).save(path)


def make_forest(path: Path) -> None:
    rules = sound("rules", RuleTable.load)
    found = HieroDecoder(rules, language_model(3), {"s": 1.0, "LanguageModel": 0.5})
    found.forest("a b c a").prune(max_edges=60).refine(2).save(path)


def make_features(path: Path) -> None:
    FeatureSpace(["LanguageModel", "WordPenalty"], [f"pair:{i}" for i in range(20)]).save(str(path))


# -- uses --------------------------------------------------------------------------------------


def attempt(use: Callable[[], Any]) -> None:
    with contextlib.suppress(DemoticError):
        use()


def use_decoder(make: Callable[[], Any]) -> None:
    with contextlib.suppress(DemoticError):
        decoder = make()
        for line in LINES:
            attempt(lambda line=line: list(decoder.decode(line).alignment))
            attempt(lambda line=line: [d.features for d in decoder.kbest(line, 5)])
            if hasattr(decoder, "forest"):
                attempt(lambda line=line: use_forest(decoder.forest(line)))


def use_hiero(table: RuleTable, lm: LanguageModel) -> None:
    weights = SCORES | {"s": 0.5}
    use_decoder(lambda: HieroDecoder(table, lm, weights))
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "rules.bin"
        attempt(lambda: HieroDecoder(table, lm, weights).without_composed(0.5, out=small))


def use_umt(table: RuleTable, lm: LanguageModel) -> None:
    weights = SCORES | {"Cff1": 0.5, "Cff2": 0.25, "CffHead": 1.0}
    for bounds, lookahead in (("chart", True), ("local", False)):
        options = UndirectedSearch(bounds=bounds, lookahead=lookahead)
        use_decoder(lambda o=options: UndirectedDecoder(table, lm, weights, options=o))
    with contextlib.suppress(DemoticError):
        decoder = UndirectedDecoder(table, lm, weights)
        array = np.ones(len(decoder.feature_names))
        for line in LINES:
            attempt(lambda line=line: decoder.episode(line).samples(array, [(0.3, 0.6)] * 3))


def use_rules(path: Path, verify: bool | None) -> None:
    table = RuleTable.load(path, verify=verify)
    lm = language_model(2)
    use_hiero(table, lm)
    use_umt(table, lm)
    units = FurtherModel("Units", lm, sees="units")
    weights = SCORES | {"OtherNext": 0.5, "Units": 0.25}
    use_decoder(lambda: PhraseDecoder(table, lm, weights, further=(units,)))
    everything = AmasisSearch(order="all", reductions=2, beam=20)
    use_decoder(lambda: AmasisDecoder(table, lm, SCORES, options=everything))
    for rule in range(len(table)):
        attempt(lambda rule=rule: table[rule])
    attempt(table.shapes)
    attempt(lambda: table.rules_for("a [X]"))
    for form in ("cdec", "joshua", "moses-hiero"):
        attempt(lambda form=form: table.to_text(path.with_suffix(".out"), format=form))
    attempt(lambda: table.filter(LINES, out=path.with_suffix(".some")))


def use_lm(path: Path, verify: bool | None) -> None:
    lm = LanguageModel.load(path, verify=verify)
    for line in LINES:
        attempt(lambda line=line: lm.full_scores(line))
    attempt(lambda: lm.score_lines(LINES))
    attempt(lambda: list(lm.vocabulary))
    for name in ("again.arpa", "again.bin"):
        attempt(lambda name=name: lm.save(path.with_name(name)))
    table = sound("rules", RuleTable.load)
    use_hiero(table, lm)
    use_umt(table, lm)
    units = FurtherModel("Units", lm, sees="units")
    weights = SCORES | {"OtherNext": 0.5, "Units": 0.25}
    use_decoder(lambda: PhraseDecoder(table, lm, weights, further=(units,)))
    everything = AmasisSearch(order="all", reductions=2, beam=20)
    use_decoder(lambda: AmasisDecoder(table, lm, SCORES, options=everything))
    use_blocks_with(sound("blocks", BlockTable.load), lm, sound("block-pairs", load_pairs))


def use_blocks_with(table: BlockTable, lm: LanguageModel, pairs: BlockPairs | None) -> None:
    weights = {"Unigram": -0.1, "FirstWord": -0.8, "Lexical": -0.2, "Pairs": 1.0}
    for partition, unigram in (("half", "per-word"), ("alternatives", "equal-length")):
        options = BlockSearch(min_left=1, partition=partition, unigram=unigram, beam=20)
        use_decoder(lambda o=options: BlockDecoder(table, lm, weights, pairs=pairs, options=o))


def use_blocks(path: Path, verify: bool | None) -> None:
    table = BlockTable.load(path, verify=verify)
    use_blocks_with(table, language_model(2), None)
    use_blocks_with(table, language_model(2), sound("block-pairs", load_pairs))
    for block in range(len(table)):
        attempt(lambda block=block: table[block])
    attempt(lambda: table.length_totals)
    attempt(lambda: table.filtered(list(LINES)))


def use_pairs(path: Path, verify: bool | None) -> None:
    pairs = load_pairs(path)
    use_blocks_with(sound("blocks", BlockTable.load), language_model(2), pairs)
    attempt(lambda: pairs.with_weights(np.zeros(len(pairs), np.float32)))
    attempt(lambda: pairs.filtered(np.arange(3, dtype=np.uint32), 1))


def use_lexical(path: Path, verify: bool | None) -> None:
    table = LexicalTable.load(path)
    attempt(lambda: table.write(path.with_name("lex")))
    attempt(lambda: table.target_given_source("a", "x") + table.source_given_target("a", "NULL"))
    attempt(lambda: table.save(path.with_name("lexical.again")))
    options = HieroExtraction(max_phrase=3, max_symbols=3)
    out = path.with_suffix(".out")
    attempt(lambda: extract_hiero(*texts(), lexical=table, options=options, out=out))


def use_aligned(path: Path, verify: bool | None) -> None:
    rules = LazyRules.load(path, sound("lexical"), verify=verify)
    attempt(lambda: rules.find_source_word("a"))
    for lines in (LINES, LINES[:1]):
        attempt(lambda lines=lines: list(rules.table(lines)))


def use_aligner(path: Path, verify: bool | None) -> None:
    model = Aligner.load(path)
    source, target, _ = texts()
    attempt(lambda: model.align(source, target))
    attempt(lambda: model.save(path.with_name("aligner.again")))


def use_forest(forest: Forest) -> None:
    weights = np.linspace(-1, 1, len(forest.features))
    for use in (
        lambda: forest.viterbi().tokens,
        lambda: forest.viterbi().source,
        lambda: [d.tokens for d in forest.kbest(20, unique=True)],
        lambda: forest.sample(3, 1),
        lambda: forest.posteriors(),
        lambda: forest.expected_features(),
        lambda: forest.entropy(),
        lambda: forest.prune(max_edges=5).to_json(),
        lambda: forest.rescore(weights).viterbi(),
        lambda: envelopes([forest], weights, weights[::-1].copy()),
        lambda: forest.refine(2, max_nodes=1000).expected_ngrams(3),
        lambda: forest.expected_ngrams(3),
        lambda: forest.restrict(forest.viterbi().tokens),
        lambda: forest.union(forest).viterbi(),
        lambda: forest.to_dot(),
    ):
        attempt(use)


def use_forest_file(path: Path, verify: bool | None) -> None:
    with np.errstate(all="ignore"):
        use_forest(Forest.load(path))


def use_features(path: Path, verify: bool | None) -> None:
    space = FeatureSpace.load(str(path))
    attempt(lambda: [space.name(i) for i in range(len(space))])
    attempt(lambda: space.find("pair:3"))


def make_model(path: Path) -> None:
    """A folder; its parts stand beside sound ones when they are damaged."""
    settings = {"lm": {"order": 2}, "tune": {"mert": {"iterations": 1, "restarts": 0}}}
    demotic.train(toys.memory(60), dev=toys.text(12), config=settings, out=path)


def use_model(path: Path, verify: bool | None) -> None:
    model = demotic.load(path.parent, verify=False)  # or the part's checksum ends it all
    for line in ("The adj1 noun2 verb3 %d noun4.", "noun1 adj2", ""):
        attempt(lambda line=line: model.translate(line))
        attempt(lambda line=line: model.explain(line).tree())
        attempt(lambda line=line: page([view(model, line)]))


def make_parser(path: Path) -> None:
    bank = ["(S (N a) (V b) (N c))", "(S (NP (D c) (N a)) (VP (V b) (N c)))", "(NP (D c) (N b))"]
    save_parser(GenerativeParser.train(penn.parse(bank * 2)), path)


def make_discriminative_parser(path: Path) -> None:
    bank = ["(S (NP (DT the) (NN dog)) (VP (VB sees)) (. .))", "(S (NP (NN cat)) (VP (VB runs)))"]
    options = DiscriminativeOptions(share=1, seen=1)
    save_parser(DiscriminativeParser.train(penn.parse(bank * 4), options=options), path)


def use_parser(path: Path, verify: bool | None) -> None:
    parser = load_parser(path, verify=verify)
    for line in LINES:
        attempt(lambda line=line: parser.parse([line.split()]))


def make_labels(path: Path, policy: Any = None) -> None:
    """With the words of the table of rules, which labels are used beside."""
    table = sound("rules", RuleTable.load)
    source, target = Text.of([]).vocab, Text.of([]).vocab
    for i in range(1, 1000):
        for side, word_of in ((source, table.source_word), (target, table.target_word)):
            if (word := word_of(i)) != "<unk>":
                side.add(word)
    keys = np.arange(1, 40, dtype=np.uint64) * 0x9E3779B97F4A7C15
    if policy is None:
        policy = np.linspace(-1, 1, (len(keys) + 4) * 16).astype(np.float32)
    _core.LabelModel.save(
        str(path), "classes", "none", True, True, list(range(20)), 0.5, keys, [5, 4, 3, 0, 1],
        policy, source, target,
    )  # fmt: skip


def make_boosted_labels(path: Path) -> None:
    """Trees in place of weights."""
    rng = random.Random(3)
    lists = [sorted({rng.randrange(43) for _ in range(8)}) for _ in range(90)]
    labels = np.array([i * i % 5 for i in range(90)], dtype=np.uint32)
    borders = np.array([0, 90], dtype=np.uint64)
    classes = np.array([5], dtype=np.uint32)
    make_labels(path, train_groups(BinaryRows.from_lists(lists, 43), borders, labels, classes).core)


def use_amasis(table: RuleTable, lm: LanguageModel, labels: Any) -> None:
    for options in (
        AmasisSearch(labels=3), AmasisSearch(labels=3, pops=50), AmasisSearch(close="forced"),
    ):  # fmt: skip
        use_decoder(lambda o=options: AmasisDecoder(table, lm, SCORES, labels=labels, options=o))


def use_labels(path: Path, verify: bool | None) -> None:
    labels = load_labels(path, verify=verify)
    use_amasis(sound("rules", RuleTable.load), language_model(2), labels)
    attempt(lambda: label_facts(path, verify))
    attempt(lambda: labels.scores([1, 2, 3], 0, 2, [1], 1))


def make_memory(path: Path) -> None:
    builder = _core.MemoryBuilder()
    builder.add(
        [
            [line, f"x {line}", f"{line} ⟦num⟧", line[:1], f"{n}.po", str(n), line, "x y", "0-0"]
            for n, line in enumerate(("a b c", "b a c a", "a b c", "a b a b", "c 1 d"))
        ]
    )
    builder.save(str(path))


def use_memory(path: Path, verify: bool | None) -> None:
    plain = Orthography("en", OrthographyConfig())
    memory = TranslationMemory.load(path, plain, plain, verify=verify is not False)
    for line in (*LINES, "A B C!", "c 2 d"):
        attempt(lambda line=line: memory.answers(line))
        attempt(lambda line=line: memory.similar(plain.encode(line), least=0.3))
    for number in (*range(8), 0xFFFFFFFE):
        for look in ("source", "words", "translations", "target", "count", "file", "unit", "links"):
            attempt(lambda look=look, number=number: getattr(memory.core, look)(number))


def make_sparse(path: Path) -> None:
    write_sparse(path, np.linspace(0, 1, 64))


def use_sparse(path: Path, verify: bool | None) -> None:
    attempt(lambda: read_sparse(path))


def make_boosted(path: Path) -> None:
    lists = [[i % 5, 5 + i % 7, 12 + i % 3] for i in range(90)]
    labels = np.array([i * i % 3 for i in range(90)], dtype=np.uint32)
    borders = np.array([0, 40, 90], dtype=np.uint64)
    classes = np.array([3, 1], dtype=np.uint32)
    train_groups(BinaryRows.from_lists(lists, 15), borders, labels, classes).save(path)


def use_boosted(path: Path, verify: bool | None) -> None:
    trees = Ensembles.load(path, verify=verify)
    rows = BinaryRows.from_lists([[i % 5, 5 + i % 7] for i in range(20)], 15)
    firsts, counts = np.zeros(20, np.uint32), np.full(20, min(len(trees), 50), np.uint32)
    with np.errstate(all="ignore"):
        attempt(lambda: trees.scores(rows, firsts, counts, lambda_=1.0))
        attempt(lambda: trees.along_path(rows, firsts, counts, np.array([4.0, 1.0])))
        attempt(lambda: trees.prefix(1.0).save(path.with_name("boosted.again")))
        attempt(lambda: trees.size(2.0))
        for classifier in range(min(len(trees), 50)):
            attempt(lambda c=classifier: trees.active([1, 5, 12], c))
            attempt(lambda c=classifier: trees.lambdas(c))
            attempt(lambda c=classifier: trees.tree(c, 0))


def make_words(path: Path) -> None:
    draw = random.Random(1)
    source = [[draw.choice("abc") for _ in range(5)] for _ in range(60)]
    target = [[{"a": "x", "b": "y", "c": "the"}[w] for w in s] for s in source]
    for line in target[::3]:
        line[draw.randrange(5)] = draw.choice("xyz")
    links = [[-1 if i % 4 == j else j for j in range(5)] for i in range(60)]
    tags = [[word.upper() for word in s] for s in source]
    classes = {word: word.upper() for word in "abc"}
    corpus = WordCorpus(source, target, links, tags)
    made = WordTransducer.train(corpus, features="wc", null="all", classes=classes)
    made.at(1.0).save(path)


def use_words(path: Path, verify: bool | None) -> None:
    words = load_words(path, verify=verify)
    attempt(lambda: words.scores([1, 2, 3, 0, 77], [1, 2, 3, 0, 9], [[0], [5]]))
    attempt(lambda: [words.candidates(i) for i in range(6)])
    attempt(lambda: words.source_words() + words.target_words() + words.tag_words())
    attempt(words.other_words)


def make_orders(path: Path) -> None:
    examples = OrderExamples()
    for tree in penn.parse(["(S (N a) (V b) (N c))", "(S (NP (D c) (N a)) (VP (V b) (N c)))"] * 30):
        size = len(tree.words)
        turned = [[(size - 1 - k if tree.words[0] == "a" else k, 1.0)] for k in range(size)]
        examples.add(bitree(tree, turned, size), ["x", "y", "the", "z", "z"][:size])
    targets = {word: k for k, word in enumerate(["<unk>", "x", "y", "the", "z"])}
    train_orders(examples, targets, held_out=OrderExamples(examples.numbers), pooled_below=10).save(
        path
    )


def use_orders(path: Path, verify: bool | None) -> None:
    model = OrderModel.load(path, verify=verify)
    for tree in penn.parse(["(S (N a) (V b) (N c))", "(S (NP (D c) (N a)) (VP (V b) (N c)))"]):
        cells = binarise(tree)
        leaves = [[(k % 4, 0.5), (k % 3 + 1, 0.25)] for k in range(len(tree.words))]
        encoded = model.encode(attachments(tree, cells))
        attempt(
            lambda tree=tree, leaves=leaves, encoded=encoded: transduce(
                tree, leaves, orders=model, encoded=encoded
            ).forest(["", "x", "y", "the"])
        )
    attempt(model.size)
    attempt(lambda: model.active({"t+0=N"}, 0, ["", "x", "y", "the", "z"]))


def make_archive(path: Path) -> None:
    about = About(system="hiero", source_language="de", target_language="en", config={})
    with Bundle.create(path.with_suffix(".demotic"), about) as made:
        (made / "weights.json").write_text('{"a": 1.0}')
    path.with_suffix(".demotic").rename(path)


def use_archive(path: Path, verify: bool | None) -> None:
    bundle = Bundle.open(path, verify=verify)
    for name in bundle.parts:
        bundle.path(name).read_bytes()


USES: dict[str, tuple[Callable[[Path], None], Callable[[Path, bool | None], None]]] = {
    "rules": (make_rules, use_rules),
    "counted-rules": (make_counted_rules, use_rules),
    "rules-of-version-1": (make_rules_of_version_1, use_rules),
    "lm": (make_lm, use_lm),
    "blocks": (make_blocks, use_blocks),
    "block-pairs": (make_pairs, use_pairs),
    "lexical": (make_lexical, use_lexical),
    "aligned-text": (make_aligned, use_aligned),
    "aligner": (make_aligner, use_aligner),
    "forest": (make_forest, use_forest_file),
    "features": (make_features, use_features),
    "labels": (make_labels, use_labels),
    "boosted-labels": (make_boosted_labels, use_labels),
    "parser": (make_parser, use_parser),
    "discriminative parser": (make_discriminative_parser, use_parser),
    "model": (make_model, use_model),
    "memory": (make_memory, use_memory),
    "sparse": (make_sparse, use_sparse),
    "words": (make_words, use_words),
    "orders": (make_orders, use_orders),
    "boosted": (make_boosted, use_boosted),
    "archive": (make_archive, use_archive),
}


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="demotic-hostile-"))


@cache
def sound(kind: str, load: Callable[[Path], Any] | None = None) -> Any:
    """The sound file of a kind, or what a function loads from it."""
    path = folder() / f"{kind}.bin"
    if not path.exists():
        USES[kind][0](path)
    return load(path) if load else path


# -- damage ------------------------------------------------------------------------------------


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Bytes of a section, changed so that it still looks like one."""
    data = bytearray(content)
    if not data:
        return bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 8, 64))))
    width = rng.choice((1, 4, 8)) if len(data) >= 8 else 1
    places = len(data) // width
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(places) * width
        match rng.randrange(6):
            case 0:
                data[at + rng.randrange(width)] ^= 1 << rng.randrange(8)
            case 1 if width == 8:
                struct.pack_into("<Q", data, at, rng.choice((*NUMBERS, *WIDE)))
            case 1 | 2 if width == 4:
                struct.pack_into("<I", data, at, rng.choice((*NUMBERS, rng.randrange(64))))
            case 3 if width > 1:
                step = rng.choice((-1, 1))
                value = int.from_bytes(data[at : at + width], "little") + step
                data[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
            case 4:
                other = rng.randrange(places) * width
                data[at : at + width] = data[other : other + width]
            case 5 if width > 1:
                form = "<d" if width == 8 else "<f"
                struct.pack_into(form, data, at, rng.choice(FLOATS))
            case _:
                data[at : at + width] = rng.randbytes(width)
    if rng.randrange(8) == 0:  # shorter or longer by whole elements
        size = rng.choice((0, len(data) - 4, len(data) - 8, len(data) // 2, len(data) + 8))
        data = data[: max(size, 0)].ljust(max(size, 0), b"\1")
    return bytes(data)


Case = tuple[str, Path, bytes, bool | None]
"""What was damaged, a file, its content, and how to load it."""


def raw_cases(kind: str, seed: int, count: int) -> Iterator[Case]:
    """Files that are no containers, or containers damaged anywhere."""
    whole = sound(kind)
    parts = sorted(whole.iterdir()) if whole.is_dir() else [whole]
    for number, part in zip(range(count), itertools.cycle(parts)):
        rng = random.Random(f"{kind} {seed} {number}")
        yield part.name, part, damaged(part.read_bytes(), rng), rng.choice((None, False))


def cases(kind: str, seed: int, count: int) -> Iterator[Case]:
    """Sections take turns."""
    if kind in ("model", "sparse", "archive"):
        yield from raw_cases(kind, seed, count)
        return
    whole = sound(kind).read_bytes()
    parts = container.sections(whole)
    names = itertools.cycle(parts)
    for number in range(count):
        rng = random.Random(f"{kind} {seed} {number}")
        name = next(names)
        bad = dict(parts)
        bad[name] = damaged(parts[name], rng)
        if rng.randrange(4) == 0:
            also = rng.choice(list(parts))
            bad[also] = damaged(bad[also], rng)
        made = container.container(whole[8:24].rstrip(b"\0"), whole[24], bad)
        yield name.decode(), folder() / f"bad-{kind}.bin", made, rng.choice(VERIFY)


def main() -> None:
    os.environ["XDG_CACHE_HOME"] = str(folder() / "cache")
    kind, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which takes terabytes of addresses
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    for number, (section, path, content, verify) in enumerate(cases(kind, seed, count)):
        os.write(1, f"{kind} {seed} {number}: {section}, verify={verify}\n".encode())
        before = path.read_bytes() if path.exists() else b""
        path.write_bytes(content)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        attempt(lambda path=path, verify=verify: USES[kind][1](path, verify))
        faulthandler.cancel_dump_traceback_later()
        path.write_bytes(before)


if __name__ == "__main__":
    import shutil

    try:
        main()
    finally:
        shutil.rmtree(folder(), ignore_errors=True)
