"""Blocks and their events against definitions that look at everything."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.align import Links, Text, pharaoh
from demotic.errors import ArgumentError, CorruptFileError, FileAccessError, FormatError
from demotic.grammar import (
    BlockExtraction,
    BlockTable,
    EventOptions,
    Projection,
    block_events,
    extract_blocks,
    orient,
)
from demotic.grammar.blocks import load_pairs, save_pairs
from demotic.lm import LanguageModel
from tests.oracles import backoff
from tests.oracles import blocks as oracle

Pair = tuple[list[str], list[str], list[tuple[int, int]]]
LONGEST = 3


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=6))
    target = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=6))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, sorted(draw(st.sets(link, min_size=1, max_size=8)))


corpora = st.lists(pairs(), min_size=1, max_size=4)


def texts(corpus: list[Pair]) -> tuple[Text, Text, Links]:
    links = Links()
    for _, _, pair_links in corpus:
        links.append(pair_links)
    return (
        Text.of(" ".join(source) for source, _, _ in corpus),
        Text.of(" ".join(target) for _, target, _ in corpus),
        links,
    )


def counted(corpus: list[Pair]) -> Counter[oracle.Block]:
    return Counter(
        place[0]
        for source, target, links in corpus
        for place in oracle.consistent(source, target, links, LONGEST)
    )


def places(
    corpus: list[Pair], blocks: Counter[oracle.Block], matching: str
) -> list[list[oracle.Occurrence]]:
    return [
        oracle.matches(set(blocks), source, target, LONGEST)
        if matching == "string"
        else oracle.consistent(source, target, links, LONGEST)
        for source, target, links in corpus
    ]


OPTIONS = BlockExtraction(max_words=LONGEST)


@given(corpora)
def test_blocks_and_counts_equal_all_consistent_phrase_pairs(corpus: list[Pair]) -> None:
    expected = counted(corpus)
    if not expected:
        with pytest.raises(ArgumentError, match="no blocks"):
            extract_blocks(*texts(corpus), options=OPTIONS)
        return
    table = extract_blocks(*texts(corpus), options=OPTIONS)
    assert {(block.source, block.target): block.count for block in table} == expected
    assert table.total == sum(expected.values())


@given(corpora, st.data())
def test_projection_equals_its_definition(corpus: list[Pair], data: st.DataObject) -> None:
    source, target, some = texts(corpus)
    union = Links()
    for words, others, links in corpus:
        link = st.tuples(st.integers(0, len(words) - 1), st.integers(0, len(others) - 1))
        union.append(sorted({*links, *data.draw(st.sets(link, max_size=6))}))
    expected = Counter(
        place[0]
        for line, (words, others, links) in enumerate(corpus)
        for place in oracle.projected(words, others, links, union[line], LONGEST)
    )
    options = BlockExtraction(max_words=LONGEST, method="projection")
    if not expected:
        return
    table = extract_blocks(
        source, target, some, options=options, projection=Projection(some, union)
    )
    assert {(block.source, block.target): block.count for block in table} == expected


@given(corpora, st.sampled_from(["literal", "koehn"]))
def test_lexical_weights_equal_their_formula(corpus: list[Pair], kind: str) -> None:
    expected = counted(corpus)
    if not expected:
        return
    options = BlockExtraction(max_words=LONGEST, lexical=kind)  # type: ignore[arg-type]
    for block in extract_blocks(*texts(corpus), options=options):
        cost = oracle.lexical(expected, (block.source, block.target), kind)
        assert block.lexical == pytest.approx(cost, rel=1e-5, abs=1e-5)


@given(corpora)
def test_rare_blocks_are_cut_unless_they_have_one_word_a_side(corpus: list[Pair]) -> None:
    expected = counted(corpus)
    kept = {b for b, n in expected.items() if n >= 2 or (len(b[0]) == 1 and len(b[1]) == 1)}
    if not kept:
        return
    table = extract_blocks(*texts(corpus), options=BlockExtraction(max_words=LONGEST, min_count=2))
    assert {(block.source, block.target) for block in table} == kept


@given(corpora)
def test_rare_blocks_may_stay_where_their_phrase_has_no_other(corpus: list[Pair]) -> None:
    expected = counted(corpus)
    if not expected:
        return
    phrases = Counter(source for source, _ in expected)
    kept = {
        (source, target)
        for (source, target), n in expected.items()
        if n >= 2 or (len(source) == 1 and len(target) == 1) or phrases[source] == 1
    }
    options = BlockExtraction(max_words=LONGEST, min_count=2, keep_lone=True)
    if not kept:
        with pytest.raises(ArgumentError, match="no blocks"):
            extract_blocks(*texts(corpus), options=options)
        return
    table = extract_blocks(*texts(corpus), options=options)
    assert {(block.source, block.target): block.count for block in table} == {
        block: expected[block] for block in kept
    }


@given(corpora)
def test_blocks_of_a_phrase_stand_by_count_and_target(corpus: list[Pair]) -> None:
    expected = counted(corpus)
    if not expected:
        return
    source, target, links = texts(corpus)
    table = extract_blocks(source, target, links, options=OPTIONS)
    ids = {word: target.vocab.find(word) for word in "xyz"}
    for phrase in {block.source for block in table}:
        found = [(block.source, block.target) for block in table.blocks_for(" ".join(phrase))]
        assert found == oracle.alternatives(expected, ids, phrase)


@given(corpora, st.sampled_from(["string", "aligned"]), st.sampled_from(["start", "neutral"]))
def test_events_and_orientation_counts_equal_all_pairs_of_occurrences(
    corpus: list[Pair], matching: str, boundary: str
) -> None:
    expected = counted(corpus)
    if not expected:
        return
    source, target, links = texts(corpus)
    table = extract_blocks(source, target, links, options=OPTIONS)
    options = EventOptions(matching=matching, boundary=boundary, pair_threshold=0)  # type: ignore[arg-type]
    found = orient(table, source, target, links, options=options, extraction=OPTIONS)
    left: Counter[oracle.Block] = Counter()
    right: Counter[oracle.Block] = Counter()
    neutral = 0
    seen: Counter[tuple[object, oracle.Block]] = Counter()
    for occurrences in places(corpus, expected, matching):
        for before, orientation, after in oracle.events(occurrences, start=boundary == "start"):
            if orientation == "N":
                neutral += 1
                continue
            seen[before if isinstance(before, str) else before[0], after[0]] += 1  # type: ignore[index]
            if before != oracle.START:
                (left if orientation == "L" else right)[after[0]] += 1
    assert found.counts.neutral == neutral
    assert found.counts.left + found.counts.right == sum(seen.values())
    for block in found.blocks:
        name = (block.source, block.target)
        assert (block.left, block.right) == (left[name], right[name])
    names: dict[int, object] = {block.id: (block.source, block.target) for block in table}
    names[_core.BEGIN_BLOCK] = oracle.START
    keys = [int(key) for key in found.pairs.keys]
    assert {(names[key >> 32], names[key & 0xFFFFFFFF]) for key in keys} == set(seen)


@given(corpora, st.integers(1, 3), st.sampled_from(["replace", "drop"]))
def test_candidates_are_the_alternatives_of_true_successors(
    corpus: list[Pair], most: int, rare: str
) -> None:
    expected = counted(corpus)
    if not expected:
        return
    source, target, links = texts(corpus)
    table = extract_blocks(source, target, links, options=OPTIONS)
    ids = {word: target.vocab.find(word) for word in "xyz"}
    name = [(block.source, block.target) for block in table]
    options = EventOptions(alternatives=most, rare=rare)  # type: ignore[arg-type]
    core = options.core(OPTIONS)
    for line, occurrences in enumerate(places(corpus, expected, "string")):
        truth = oracle.events(occurrences, start=True)
        found, successors, neutral = _core.block_pair_events(
            table, core, source.lines, target.lines, links, None, line
        )
        named = [(name[block], *place) for block, *place in found]
        assert sorted(named) == sorted(occurrences)
        assert len(neutral) == sum(orientation == "N" for _, orientation, _ in truth)
        for predecessor, candidates, labels in successors:
            before = oracle.START if predecessor is None else named[predecessor]
            wanted = set()
            right = set()
            for _, orientation, after in (e for e in truth if e[0] == before):
                block, j1 = after[0], after[1]
                ranked = oracle.alternatives(expected, ids, block[0])
                chosen = ranked[:most]
                if block not in chosen:
                    if rare == "drop":
                        continue
                    chosen = [*ranked[: most - 1], block]
                wanted |= {(each, orientation, j1) for each in chosen}
                right.add((block, orientation, j1))
            listed = [(name[block], orientation, j1) for block, orientation, j1 in candidates]
            assert len(listed) == len(set(listed))
            assert set(listed) == wanted
            assert {listed[label] for label in labels} == right


CORPUS: list[Pair] = [
    (list("abc"), list("xyz"), [(0, 0), (1, 1), (2, 2)]),
    (list("abca"), list("yxzx"), [(0, 1), (1, 0), (2, 2), (3, 3)]),
    (list("abc"), list("yxz"), [(0, 1), (1, 0), (2, 2)]),
    (list("cb"), list("zz"), [(0, 0), (1, 1)]),
]


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    """A trigram model over the target words."""
    ngrams = {(word,): (-0.5 - 0.1 * i, -0.2) for i, word in enumerate(["<unk>", "<s>", "</s>"])}
    ngrams |= {("x",): (-0.7, -0.3), ("y",): (-0.6, -0.1), ("z",): (-0.9, -0.4)}
    ngrams |= {("<s>", "x"): (-0.2, -0.3), ("x", "y"): (-0.3, -0.2), ("y", "z"): (-0.4, -0.1)}
    ngrams |= {("<s>", "x", "y"): (-0.1, 0.0), ("x", "y", "z"): (-0.15, 0.0)}
    path = tmp_path_factory.mktemp("lm") / "toy.arpa"
    path.write_text(backoff.write_arpa(ngrams, 3))
    return LanguageModel.load(path)


@pytest.mark.parametrize("unigram", ["raw", "per-word", "equal-length"])
def test_features_of_events_equal_their_definitions(lm: LanguageModel, unigram: str) -> None:
    source, target, links = texts(CORPUS)
    options = EventOptions(pair_threshold=1, unigram=unigram)  # type: ignore[arg-type]
    table = extract_blocks(source, target, links, options=OPTIONS)
    oriented = orient(table, source, target, links, options=options, extraction=OPTIONS)
    blocks, pairs = list(oriented.blocks), oriented.pairs
    assert len(pairs) > 0
    events = block_events(
        oriented.blocks, source, target, links, lm=lm, pairs=pairs, options=options,
        extraction=OPTIONS,
    )  # fmt: skip
    lengths = Counter[int]()
    for block in blocks:
        lengths[len(block.source)] += block.count
    totals = (oriented.blocks.left_total, oriented.blocks.right_total)

    def features(block_id: int, orientation: str, before: tuple[str, ...]) -> list[float]:
        block = blocks[block_id]
        p = block.count / (table.total if unigram != "equal-length" else lengths[len(block.source)])
        costs = [-math.log(p) / (len(block.source) if unigram == "per-word" else 1)]
        if orientation != "N":
            seen = block.left if orientation == "L" else block.right
            share = totals[orientation == "R"] / sum(totals)
            costs.append(-math.log((seen + 0.5 * share) / (block.left + block.right + 0.5)))
        words: list[float] = []
        history = ["<s>", *before]
        for word in block.target:
            words.append(-lm.score_ngram(history, word).log10 * math.log(10))
            history.append(word)
        return [*costs, words[0], sum(words[1:]), block.lexical]

    core = options.core(OPTIONS)
    wanted: list[Group] = []
    wanted_neutral: list[Group] = []
    for line, (_, words, _) in enumerate(CORPUS):
        found, successors, neutral = _core.block_pair_events(
            table, core, source.lines, target.lines, links, None, line
        )
        for predecessor, candidates, right in successors:
            place = 0 if predecessor is None else found[predecessor][4]
            previous = _core.BEGIN_BLOCK if predecessor is None else found[predecessor][0]
            listed = [features(b, o, tuple(words[:place])) for b, o, _ in candidates]
            binary = [pairs.find(previous, b) for b, _, _ in candidates]
            wanted.append((right, binary, listed))
        for occurrence, candidates, right in neutral:
            before = tuple(words[: found[occurrence][3]])
            listed = [features(b, "N", before) for b, _, _ in candidates]
            wanted_neutral.append((right, [], listed))
    assert any(each != _core.NO_PAIR for _, binary, _ in wanted for each in binary)
    assert_same_groups(groups_of(events.successors), wanted)
    assert_same_groups(groups_of(events.neutral), wanted_neutral)


Group = tuple[list[int], list[int], list[list[float]]]
"""Labels, pairs, and the features of each candidate."""


def groups_of(events: _core.EventGroups) -> list[Group]:
    """The groups, as they are written."""
    found: list[Group] = []
    for number in range(events.groups):
        begin, end = int(events.group_ptr[number]), int(events.group_ptr[number + 1])
        columns = events.features[begin * events.width : end * events.width]
        labels = events.label[events.group == number]
        found.append(
            (
                labels.tolist(),
                events.binary[begin:end].tolist(),
                columns.reshape(events.width, end - begin).T.tolist(),
            )
        )
    return found


def assert_same_groups(found: list[Group], wanted: list[Group]) -> None:
    """Equal but for their order."""

    def key(group: Group) -> tuple[object, ...]:
        return (group[0], group[1], [[round(value, 3) for value in row] for row in group[2]])

    assert len(found) == len(wanted)
    for one, other in zip(sorted(found, key=key), sorted(wanted, key=key), strict=True):
        assert one[:2] == other[:2]
        np.testing.assert_allclose(one[2], other[2], rtol=1e-5, atol=1e-6)


@given(corpora, st.sampled_from(["consistent", "projection"]))
def test_extraction_does_not_depend_on_threads(corpus: list[Pair], how: str) -> None:
    sure: Pair = (["a"], ["x"], [(0, 0)])  # a corpus without any block is refused
    source, target, links = texts([*corpus, sure] * 70)  # more than a thread takes at a time
    options = BlockExtraction(max_words=LONGEST, method=how)  # type: ignore[arg-type]
    found = [
        extract_blocks(
            source, target, links, options=options, projection=Projection(links, links),
            threads=threads,
        )
        for threads in (1, 2, 5)
    ]  # fmt: skip
    assert list(found[0]) == list(found[1]) == list(found[2])
    assert found[0].fingerprint == found[1].fingerprint == found[2].fingerprint


def test_each_line_is_priced_by_the_language_model_of_its_turn(
    lm: LanguageModel, tmp_path: Path
) -> None:
    path = tmp_path / "other.arpa"
    words = ("<unk>", "<s>", "</s>", "x", "y", "z")
    path.write_text(
        backoff.write_arpa({(word,): (-0.1 * i, 0.0) for i, word in enumerate(words)}, 1)
    )
    other = LanguageModel.load(path)
    table = extract_blocks(*texts(CORPUS), options=OPTIONS)

    def events(
        corpus: list[Pair], lm: LanguageModel | list[LanguageModel], kind: str
    ) -> list[Group]:
        found = block_events(table, *texts(corpus), lm=lm, extraction=OPTIONS)
        return groups_of(getattr(found, kind))

    for kind in ("successors", "neutral"):
        together = events(CORPUS, [lm, other], kind)
        apart = events(CORPUS[::2], lm, kind) + events(CORPUS[1::2], other, kind)
        assert_same_groups(together, apart)
        assert events(CORPUS, lm, kind) != events(CORPUS, other, kind)


@given(corpora, st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
def test_events_of_sentences_are_those_between_blocks_that_they_can_use(
    corpus: list[Pair], words: list[str]
) -> None:
    source, target, links = texts([*CORPUS, *corpus])
    table = extract_blocks(source, target, links, options=OPTIONS)
    small, kept = table.filtered([" ".join(words)])
    events = block_events(
        table, source, target, links, lm=None, extraction=OPTIONS, sentences=[" ".join(words)]
    )
    assert len(kept) > 0
    alone = block_events(BlockTable.of(small), source, target, links, lm=None, extraction=OPTIONS)
    for one, other in ((events.successors, alone.successors), (events.neutral, alone.neutral)):
        assert sorted(map(shape, groups_of(one))) == sorted(map(shape, groups_of(other)))


@given(corpora, st.integers(1, 3))
def test_events_of_blocks_seen_often_are_those_between_them_among_all_alternatives(
    corpus: list[Pair], least: int
) -> None:
    corpus = [*CORPUS, *corpus]
    expected = counted(corpus)
    source, target, links = texts(corpus)
    table = extract_blocks(source, target, links, options=OPTIONS)
    found = block_events(table, source, target, links, lm=None, extraction=OPTIONS, least=least)
    wanted = [
        (orientation, len(alternatives))
        for occurrences in places(corpus, expected, "string")
        for _, orientation, after in oracle.events(
            [each for each in occurrences if expected[each[0]] >= least], start=True
        )
        if (alternatives := [block for block in expected if block[0] == after[0][0]])
    ]
    assert len(found.successors) == sum(kind != "N" for kind, _ in wanted)
    assert Counter(len(group[2]) for group in groups_of(found.neutral)) == Counter(
        min(count, 9) for kind, count in wanted if kind == "N"
    )


def shape(group: Group) -> tuple[object, ...]:
    """Labels and how many candidates there are."""
    return (group[0], len(group[2]))


def test_counting_pairs_over_candidates_finds_more(lm: LanguageModel) -> None:
    source, target, links = texts(CORPUS)
    table = extract_blocks(source, target, links, options=OPTIONS)
    found = {
        how: orient(
            table, source, target, links, options=EventOptions(pairs=how, pair_threshold=0),  # type: ignore[arg-type]
            extraction=OPTIONS,
        ).pairs.keys
        for how in ("none", "observed", "candidates")
    }  # fmt: skip
    assert len(found["none"]) == 0
    assert set(found["observed"]) < set(found["candidates"])


def test_results_do_not_depend_on_threads_or_on_memory(lm: LanguageModel, tmp_path: Path) -> None:
    source, target, links = texts(CORPUS * (_core.EVENT_WINDOW // 2))  # two windows
    table = extract_blocks(source, target, links, options=OPTIONS)
    seen = []
    for threads, memory in ((1, 1 << 20), (3, 64)):
        oriented = orient(
            table, source, target, links, options=EventOptions(pair_threshold=500),
            extraction=OPTIONS, threads=threads, folder=tmp_path, memory=memory,
        )  # fmt: skip
        assert len(oriented.pairs) > 0
        events = block_events(
            oriented.blocks, source, target, links, lm=lm, pairs=oriented.pairs,
            extraction=OPTIONS, threads=threads, folder=tmp_path, memory=memory,
        )  # fmt: skip
        assert not list(tmp_path.iterdir())
        arrays = [oriented.pairs.keys, events.successors.features, events.successors.binary]
        arrays += [events.neutral.features, events.neutral.label, events.successors.group]
        seen.append([array.tobytes() for array in arrays])
    assert seen[0] == seen[1]


def test_events_beyond_the_limit_of_memory_live_in_files(lm: LanguageModel, tmp_path: Path) -> None:
    source, target, links = texts(CORPUS * 10)
    table = extract_blocks(source, target, links, options=OPTIONS)
    nowhere = tmp_path / "nowhere"

    def build(memory: int, folder: Path) -> _core.EventGroups:
        return block_events(
            table, source, target, links, lm=lm, extraction=OPTIONS, folder=folder,
            memory=memory,
        ).successors  # fmt: skip

    size = build(1 << 30, nowhere).features.nbytes  # which needs no folder
    with pytest.raises(FileAccessError, match="temporary file"):
        build(size - 1, nowhere)
    assert build(size - 1, tmp_path).features.nbytes == size


def test_groups_of_a_sentence_are_written_apart(lm: LanguageModel) -> None:
    # Learners visit neighbours together, and those of one sentence are alike.
    pairs: list[Pair] = [
        ([f"s{i}", f"s{i}'"], [f"t{i}", f"t{i}'"], [(0, 0), (1, 1)]) for i in range(200)
    ]
    source, target, links = texts(pairs)
    table = extract_blocks(source, target, links, options=OPTIONS)
    options = EventOptions(pair_threshold=0)
    oriented = orient(table, source, target, links, options=options, extraction=OPTIONS)
    events = block_events(
        oriented.blocks, source, target, links, lm=lm, pairs=oriented.pairs, options=options,
        extraction=OPTIONS,
    ).successors  # fmt: skip
    keys = oriented.pairs.keys[events.binary[events.group_ptr[:-1].astype(int)]]
    words = [oriented.blocks[int(key & 0xFFFFFFFF)].source[0].rstrip("'") for key in keys]
    assert sorted(Counter(words).values()) == [2] * 200
    neighbours = sum(one == other for one, other in pairwise(words))
    assert neighbours < 10


def test_a_table_survives_its_file_and_damage_is_found(tmp_path: Path) -> None:
    source, target, links = texts(CORPUS)
    table = extract_blocks(source, target, links, options=OPTIONS)
    oriented = orient(table, source, target, links, extraction=OPTIONS).blocks
    path = tmp_path / "blocks.bin"
    oriented.save(path)
    again = BlockTable.load(path)
    assert list(again) == list(oriented)
    assert again.fingerprint == table.fingerprint
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(CorruptFileError) as caught:
        BlockTable.load(path)
    assert "blocks.bin" in str(caught.value)
    path.write_bytes(bytes(content[:200]))
    with pytest.raises(CorruptFileError):
        BlockTable.load(path)


def test_unverified_damage_gives_errors_or_wrong_blocks_but_no_crash(tmp_path: Path) -> None:
    source, target, links = texts(CORPUS)
    table = extract_blocks(source, target, links, options=OPTIONS)
    path = tmp_path / "blocks.bin"
    table.save(path)
    content = path.read_bytes()
    for at in range(64, len(content), 41):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        try:
            damaged = BlockTable.load(path, verify=False)
            damaged.blocks_for("a b")
            list(damaged)
        except (CorruptFileError, UnicodeDecodeError):
            pass


def test_pairs_of_another_table_are_refused(lm: LanguageModel, tmp_path: Path) -> None:
    source, target, links = texts(CORPUS)
    table = extract_blocks(source, target, links, options=OPTIONS)
    options = EventOptions(pair_threshold=0)
    pairs = orient(table, source, target, links, options=options, extraction=OPTIONS).pairs
    other = extract_blocks(*texts(CORPUS[:2]), options=OPTIONS)
    with pytest.raises(ArgumentError, match="another set of blocks"):
        block_events(other, source, target, links, lm=lm, pairs=pairs, extraction=OPTIONS)
    path, same = tmp_path / "pairs.bin", tmp_path / "other.bin"
    save_pairs(pairs, path)
    same.hardlink_to(path)  # as stages that trials share
    save_pairs(pairs.with_weights(np.full(len(pairs), 2, np.float32)), path)
    again = load_pairs(same)
    assert not again.weights.any()
    assert load_pairs(path).weights.all()
    assert list(again.keys) == list(pairs.keys)
    assert again.fingerprint == pairs.fingerprint
    with pytest.raises(ArgumentError, match="not finite"):
        pairs.with_weights(np.full(len(pairs), np.nan, np.float32))


def test_long_sentences_are_skipped_and_counted() -> None:
    corpus = [*CORPUS, (["a"] * 9, ["x"] * 9, [(i, i) for i in range(9)])]
    source, target, links = texts(corpus)
    options = BlockExtraction(max_words=LONGEST, longest=8)
    table = extract_blocks(source, target, links, options=options)
    assert list(table) == list(extract_blocks(*texts(CORPUS), options=OPTIONS))
    assert orient(table, source, target, links, extraction=options).counts.skipped == 1


def test_bad_input_is_named(tmp_path: Path) -> None:
    source, target, links = texts(CORPUS)
    with pytest.raises(FormatError, match="ends after 3 lines"):
        extract_blocks(source, Text.of(["x", "y", "z"]), links)
    with pytest.raises(FormatError):
        extract_blocks(source, Text.of(["x"] * 4), links)
    path = tmp_path / "bad.align"
    path.write_text("0-0\n0-x\n")
    with pytest.raises(FormatError, match=r"bad\.align:2"):
        pharaoh.read(path)
    with pytest.raises(ArgumentError, match="intersection"):
        extract_blocks(source, target, links, options=BlockExtraction(method="projection"))
    with pytest.raises(ArgumentError, match="alternatives"):
        orient(
            extract_blocks(source, target, links), source, target, links,
            options=EventOptions(alternatives=0),
        )  # fmt: skip
