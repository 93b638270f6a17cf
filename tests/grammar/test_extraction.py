"""Rule extraction against the definition, and what its results may not depend on."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.align import LexicalTable, Links, Text, pharaoh
from demotic.engine import Engine, LocalEngine
from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.grammar import HieroExtraction, Rule, RuleTable, extract_hiero, extraction
from tests.oracles import hiero_extraction as oracle

FLOOR = 1e-10
NAMES = [
    "TargetGivenSource",
    "SourceGivenTarget",
    "LexicalTargetGivenSource",
    "LexicalSourceGivenTarget",
    "SeenOnce",
    "SeenTwice",
]

Pair = tuple[list[str], list[str], list[tuple[int, int]]]


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7))
    target = draw(st.lists(st.sampled_from("uvwx"), min_size=1, max_size=7))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, sorted(draw(st.sets(link, max_size=8)))


@st.composite
def options(draw: st.DrawFn) -> HieroExtraction:
    return HieroExtraction(
        max_phrase=draw(st.integers(1, 8)),
        max_symbols=draw(st.integers(1, 6)),
        max_nonterminals=draw(st.integers(0, 2)),
        min_hole=draw(st.integers(1, 2)),
        tight=draw(st.booleans()),
        tight_holes=draw(st.booleans()),
        deletions=draw(st.booleans()),
        max_targets=0,
    )


def texts(corpus: list[Pair]) -> tuple[Text, Text, Links]:
    links = Links()
    for _, _, each in corpus:
        links.append(each)
    return (
        Text.of(" ".join(source) for source, _, _ in corpus),
        Text.of(" ".join(target) for _, target, _ in corpus),
        links,
    )


def extract(corpus: list[Pair], folder: Path, chosen: HieroExtraction | None = None) -> RuleTable:
    return extract_hiero(
        *texts(corpus), out=folder / "rules.bin", options=chosen, engine=LocalEngine(threads=2)
    )


def expected(corpus: list[Pair], chosen: HieroExtraction) -> dict[oracle.Rule, Fraction]:
    masses: dict[oracle.Rule, Fraction] = defaultdict(Fraction)
    for source, target, links in corpus:
        for rule, mass in oracle.rules(
            source,
            target,
            links,
            max_phrase=chosen.max_phrase,
            max_symbols=chosen.max_symbols,
            max_nonterminals=chosen.max_nonterminals,
            min_hole=chosen.min_hole,
            tight=chosen.tight,
            tight_holes=chosen.tight_holes,
            deletions=chosen.deletions,
        ).items():
            masses[rule] += mass
    return masses


many = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=3), chosen=options())
def test_rules_counts_and_links_are_those_of_the_definition(
    corpus: list[Pair], chosen: HieroExtraction, tmp_path: Path
) -> None:
    masses = expected(corpus, chosen)
    joint: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    of_source: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    of_target: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    by_links: dict[tuple[str, ...], dict[tuple[tuple[int, int], ...], Fraction]]
    by_links = defaultdict(lambda: defaultdict(Fraction))
    for (source, target, links), mass in masses.items():
        joint[source, target] += mass
        of_source[source] += mass
        of_target[target] += mass
        by_links[source, target][links] += mass
    found = list(extract(corpus, tmp_path, chosen))
    assert sorted((rule.source, rule.target) for rule in found) == sorted(joint)
    for rule in found:
        mass = joint[rule.source, rule.target]
        counts = (of_target[rule.target], of_source[rule.source], mass)
        assert rule.counts == pytest.approx([float(each) for each in counts], rel=1e-6)
        assert rule.scores["TargetGivenSource"] == pytest.approx(
            math.log(mass / of_source[rule.source]), abs=1e-5
        )
        assert rule.scores["SourceGivenTarget"] == pytest.approx(
            math.log(mass / of_target[rule.target]), abs=1e-5
        )
        variants = by_links[rule.source, rule.target]
        best = max(variants.values())
        assert float(best - variants[rule.links]) < 1e-6  # a tie, up to the fixed point


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=3))
def test_lexical_weights_are_products_of_mean_link_probabilities(
    corpus: list[Pair], tmp_path: Path
) -> None:
    source, target, links = texts(corpus)
    table = LexicalTable.estimate(source, target, links)
    for rule in extract(corpus, tmp_path):
        forward = backward = 1.0
        for at, word in enumerate(rule.target):
            if not word.startswith("["):
                linked = [rule.source[i] for i, j in rule.links if j == at] or ["NULL"]
                forward *= sum(table.target_given_source(f, word) for f in linked) / len(linked)
        for at, word in enumerate(rule.source):
            if not word.startswith("["):
                linked = [rule.target[j] for i, j in rule.links if i == at] or ["NULL"]
                backward *= sum(table.source_given_target(word, e) for e in linked) / len(linked)
        assert rule.scores["LexicalTargetGivenSource"] == pytest.approx(math.log(forward), abs=1e-4)
        assert rule.scores["LexicalSourceGivenTarget"] == pytest.approx(
            math.log(backward), abs=1e-4
        )


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=8))
def test_origins_are_the_first_three_sentences_that_gave_the_rule(
    corpus: list[Pair], tmp_path: Path
) -> None:
    origins: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = defaultdict(list)
    for sentence, (source, target, links) in enumerate(corpus):
        for f, e in {rule[:2] for rule in oracle.rules(source, target, links)}:
            origins[f, e].append(sentence)
    for rule in extract(corpus, tmp_path, HieroExtraction(max_targets=0)):
        assert list(rule.origins) == origins[rule.source, rule.target][:3]
        seen = len(origins[rule.source, rule.target])
        assert (rule.scores["SeenOnce"], rule.scores["SeenTwice"]) == (seen == 1, seen == 2)


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=6), least=st.integers(1, 3))
def test_rules_with_nonterminals_need_their_number_of_sentences_and_no_score_changes(
    corpus: list[Pair], least: int, tmp_path: Path
) -> None:
    everything = list(extract(corpus, tmp_path, HieroExtraction(max_targets=0)))
    kept = extract(corpus, tmp_path, HieroExtraction(max_targets=0, min_sentences=least))
    assert [(str(rule), rule.scores) for rule in kept] == [
        (str(rule), rule.scores)
        for rule in everything
        if len(rule.origins) >= least or not any(f.startswith("[X") for f in rule.source)
    ]


@many
@given(
    corpus=st.lists(pairs(), min_size=1, max_size=6),
    least=st.integers(1, 3),
    short=st.integers(0, 3),
)
def test_loose_rules_need_their_number_of_sentences_and_no_score_changes(
    corpus: list[Pair], least: int, short: int, tmp_path: Path
) -> None:
    loose = HieroExtraction(max_targets=0, tight=False)
    everything = list(extract(corpus, tmp_path, loose))
    kept = extract(corpus, tmp_path, replace(loose, min_loose=least, short_loose=short))
    assert [(str(rule), rule.scores) for rule in kept] == [
        (str(rule), rule.scores)
        for rule in everything
        if len(rule.origins) >= least or len(rule.source) <= short or not has_free_edge(rule)
    ]


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=4), tight=st.booleans())
def test_deletions_are_words_without_links_and_no_loose_rules(
    corpus: list[Pair], tight: bool, tmp_path: Path
) -> None:
    chosen = HieroExtraction.phrases(
        max_targets=0, tight=tight, deletions=True, orientations=True, unaligned=True
    )
    found = [
        rule for rule in extract(corpus, tmp_path, replace(chosen, min_loose=3)) if not rule.target
    ]
    counts = Counter(
        word
        for source, _, links in corpus
        for at, word in enumerate(source)
        if links and at not in {i for i, _ in links}
    )
    assert {rule.source: rule.counts[2] for rule in found} == {
        (word,): count for word, count in counts.items()
    }
    assert all((rule.scores["Deleted"], rule.scores["Inserted"]) == (1, 0) for rule in found)


def has_free_edge(rule: Rule) -> bool:
    linked = ({i for i, _ in rule.links}, {j for _, j in rule.links})
    return any(
        not side[place].startswith("[X") and place not in known
        for side, known in zip((rule.source, rule.target), linked, strict=True)
        for place in (0, len(side) - 1)
    )


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=6), orientations=st.booleans())
def test_unaligned_words_are_counted_in_columns_of_their_own(
    corpus: list[Pair], orientations: bool, tmp_path: Path
) -> None:
    plain = HieroExtraction.phrases(max_targets=0, orientations=orientations)
    if not orientations:
        plain = HieroExtraction(max_targets=0, tight=False)
    without = list(extract(corpus, tmp_path, plain))
    table = extract(corpus, tmp_path, replace(plain, unaligned=True))
    assert table.feature_names[:8] == [*NAMES, "Deleted", "Inserted"]
    for rule, other in zip(table, without, strict=True):
        for name, side, which in (("Deleted", rule.source, 0), ("Inserted", rule.target, 1)):
            linked = {link[which] for link in rule.links}
            free = [at for at, f in enumerate(side) if not f.startswith("[X") and at not in linked]
            assert rule.scores[name] == len(free)
        scores = dict(rule.scores)
        del scores["Deleted"], scores["Inserted"]
        assert (str(rule), rule.links, scores) == (str(other), other.links, other.scores)


@pytest.mark.parametrize("least", [0, 4])
@pytest.mark.parametrize("option", ["min_sentences", "min_loose"])
def test_a_number_of_sentences_that_is_not_recorded_is_refused(least: int, option: str) -> None:
    with pytest.raises(ArgumentError, match=option):
        HieroExtraction(**{option: least})


def test_the_chinese_example_gives_rules_with_swapped_nonterminals(tmp_path: Path) -> None:
    source = ["yu", "Beihan", "you", "bangjiao"]
    target = ["have", "diplomatic_relations", "with", "North_Korea"]
    table = extract([(source, target, [(0, 2), (1, 3), (2, 0), (3, 1)])], tmp_path)
    rules = {(" ".join(rule.source), " ".join(rule.target)) for rule in table}
    assert ("yu [X,1] you [X,2]", "have [X,2] with [X,1]") in rules
    assert ("yu Beihan you bangjiao", " ".join(target)) in rules
    assert not any("[X,1] [X,2]" in f for f, _ in rules)


def best_targets(table: RuleTable) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    kept: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for rule in table:
        kept[rule.source].add(rule.target)
    return kept


def test_the_most_frequent_targets_are_kept_with_their_full_probabilities(tmp_path: Path) -> None:
    corpus: list[Pair] = []
    for count, word in enumerate(["rare", "some", "often"], 1):
        corpus += [(["a"], [word], [(0, 0)])] * count
    table = extract(corpus, tmp_path, HieroExtraction(max_targets=2))
    assert best_targets(table) == {("a",): {("some",), ("often",)}}
    probabilities = {rule.target[0]: math.exp(rule.scores["TargetGivenSource"]) for rule in table}
    assert probabilities == pytest.approx({"some": 2 / 6, "often": 3 / 6})


def test_ties_between_targets_are_broken_by_their_words(tmp_path: Path) -> None:
    corpus: list[Pair] = [(["a"], [word], [(0, 0)]) for word in "zyx"]
    table = extract(corpus, tmp_path, HieroExtraction(max_targets=2))
    assert best_targets(table) == {("a",): {("z",), ("y",)}}  # words that came first


def test_a_lexical_table_of_other_text_is_used_and_floored(tmp_path: Path) -> None:
    foreign = LexicalTable.estimate(*texts([(["q", "a"], ["r", "u"], [(0, 0), (1, 1)])]))
    table = extract_hiero(
        *texts([(["a", "b"], ["u", "v"], [(0, 0), (1, 1)])]), out=tmp_path / "r", lexical=foreign
    )
    weight = {
        " ".join(rule.source): rule.scores["LexicalTargetGivenSource"]
        for rule in table
        if not rule.source[0].startswith("[")
    }
    assert weight["a"] == pytest.approx(0.0)
    assert weight["b"] == pytest.approx(math.log(FLOOR))
    assert weight["a b"] == pytest.approx(math.log(FLOOR))


def test_products_of_many_floored_words_do_not_underflow(tmp_path: Path) -> None:
    foreign = LexicalTable.estimate(*texts([(["q"], ["r"], [(0, 0)])]))
    target = [f"t{i}" for i in range(40)]
    options = HieroExtraction(max_phrase=60, max_symbols=60, max_nonterminals=0)
    table = extract_hiero(
        *texts([(["a", "b"], target, [(0, 0), (1, 39)])]),
        out=tmp_path / "r",
        lexical=foreign,
        options=options,
    )
    weight = {len(rule.target): rule.scores["LexicalTargetGivenSource"] for rule in table}
    assert weight[40] == pytest.approx(40 * math.log(FLOOR))


def multi30k(data: Path, pairs: int) -> tuple[Text, Text, Links]:
    from itertools import islice

    from demotic import files
    from demotic.align import align

    folder = data / "multi30k" / "tok"
    source, target = (
        Text.of(islice(files.read_lines(folder / f"train.{side}.gz"), pairs))
        for side in ("de", "en")
    )
    return source, target, align(source, target, threads=2).links


def test_the_file_is_the_same_for_any_threads_memory_and_parts(data: Path, tmp_path: Path) -> None:
    corpus = multi30k(data, 1500)
    engines = [
        LocalEngine(threads=1),
        LocalEngine(threads=2, parts=1),
        LocalEngine(threads=3, memory=256 << 20),
        LocalEngine(threads=2, memory=256 << 20, parts=7),
    ]
    written = []
    for number, engine in enumerate(engines):
        extract_hiero(*corpus, out=tmp_path / f"{number}.bin", engine=engine)
        written.append((tmp_path / f"{number}.bin").read_bytes())
    assert written[0] == written[1] == written[2] == written[3]
    assert len(RuleTable.load(tmp_path / "0.bin")) > 100_000


@many
@given(
    corpus=st.lists(pairs(), min_size=1, max_size=6),
    parts=st.integers(2, 9),
    least=st.integers(1, 2),
    at_once=st.integers(1, 5),
    significance=st.sampled_from([0.0, 0.3]),
    orientations=st.booleans(),
)
def test_the_query_and_its_quick_way_give_the_same_file_from_many_runs_or_one(
    corpus: list[Pair],
    parts: int,
    least: int,
    at_once: int,
    significance: float,
    orientations: bool,
    tmp_path: Path,
) -> None:
    chosen = HieroExtraction(
        max_targets=2,
        min_sentences=least,
        significance=significance,
        orientations=orientations,
        tight=False,
        deletions=True,
    )
    extract_hiero(*texts(corpus), out=tmp_path / "one.bin", options=chosen)
    extract_hiero(
        *texts(corpus),
        out=tmp_path / "many.bin",
        options=chosen,
        engine=cast(Engine, OnePartAtATime(parts, at_once)),
    )
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "many.bin").read_bytes()


@many
@given(corpus=st.lists(pairs(), min_size=1, max_size=9), slots=st.integers(1, 300))
def test_the_index_over_source_sides_is_the_same_whatever_memory_it_is_written_in(
    corpus: list[Pair], slots: int, tmp_path: Path
) -> None:
    extract(corpus, tmp_path)
    whole = (tmp_path / "rules.bin").read_bytes()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(extraction, "_INDEX", LocalEngine().memory // (4 * slots))
        table = extract(corpus, tmp_path)
    assert (tmp_path / "rules.bin").read_bytes() == whole
    for rule in table:
        assert rule.id in {found.id for found in table.rules_for(" ".join(rule.source))}


@dataclass
class OnePartAtATime:
    """An engine that runs the query, joins no parts, and hands out few rows at a time."""

    parts: int
    at_once: int
    threads: int = 2
    memory: int = 256 << 20

    @contextmanager
    def aggregate(
        self, rows: Iterable[tuple[int, pa.RecordBatch]], schema: pa.Schema, query: str, *_: object
    ) -> Iterator[list[Iterator[pa.RecordBatch]]]:
        made: dict[int, list[pa.RecordBatch]] = defaultdict(list)
        for part, batch in rows:
            assert part < self.parts
            made[part].append(batch)
        results = []
        for batches in made.values():
            with LocalEngine(threads=1).aggregate(
                ((0, batch) for batch in batches), schema, query
            ) as [result]:
                table = pa.Table.from_batches(list(result)).combine_chunks()
            results.append(iter(table.to_batches(max_chunksize=self.at_once)))
        yield results


def test_real_text_gives_the_rules_of_the_definition(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "moses" / "models" / "extract-rules.hierarchical"
    source, target = Text.read(folder / "fr"), Text.read(folder / "en")
    links = pharaoh.read(folder / "align.fr-en", source=source.lines, target=target.lines)
    short = [
        (source.sentence(i), target.sentence(i), links[i])
        for i in range(len(source))
        if len(source.sentence(i)) <= 12
    ][:25]
    chosen = HieroExtraction(max_targets=0)
    found = {(rule.source, rule.target) for rule in extract(short, tmp_path, chosen)}
    assert found == {rule[:2] for rule in expected(short, chosen)}
    assert len(found) > 1000


@pytest.mark.parametrize("test", ["extract.phrase-based-weighted", "misc.extract-parallel"])
def test_plain_phrases_are_those_of_moses(test: str, data: Path, tmp_path: Path) -> None:
    moses = data / "decoder-tests" / "moses"
    inputs = next(
        folder
        for folder in (moses / "models" / test, moses / "tests" / test)
        if (folder / "fr").exists()
    )
    source, target = Text.read(inputs / "fr"), Text.read(inputs / "en")
    links = pharaoh.read(inputs / "align.fr-en")
    table = extract_hiero(
        source,
        target,
        links,
        out=tmp_path / "phrases.bin",
        options=HieroExtraction.phrases(7, max_targets=0),
    )
    folder = moses / "tests" / test / "truth"
    if (folder / "extract").exists():
        lines = (folder / "extract").read_text(encoding="utf-8").splitlines()
    else:  # all phrases, and then all of them inverted
        lines = (folder / "results.txt").read_text(encoding="utf-8").splitlines()
        lines = lines[: len(lines) // 2]
    wanted = Counter(tuple(field.strip() for field in line.split("|||")[:2]) for line in lines)
    found = {(" ".join(rule.source), " ".join(rule.target)): rule.counts[2] for rule in table}
    assert found == wanted


def test_no_links_give_an_empty_table(tmp_path: Path) -> None:
    assert len(extract([(["a"], ["b"], [])], tmp_path)) == 0


def test_links_beyond_the_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1"):
        extract([(["a"], ["b"], [(3, 0)])], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "chosen",
    [{"max_nonterminals": 3}, {"max_phrase": 0}, {"max_symbols": 101}, {"min_hole": 0}],
)
def test_options_out_of_range_are_refused(chosen: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match=f"{next(iter(chosen))} is"):
        HieroExtraction(**chosen)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    corpus: list[Pair] = [(["a"], ["b"], [(0, 0)])]
    with pytest.raises(FileAccessError, match="no such folder"):
        extract(corpus, tmp_path / "nowhere")


def test_rules_are_found_by_their_source_side(tmp_path: Path) -> None:
    table = extract([(list("abc"), list("uvw"), [(0, 0), (1, 1), (2, 2)])], tmp_path)
    assert [rule.target for rule in table.rules_for("a [X,1] c")] == [("u", "[X,1]", "w")]
    assert isinstance(table[0], Rule)
    assert table.rules_for("a c") == []
    assert table.rules_for("nowhere") == []
    assert table.feature_names == NAMES


# -- orientations --------------------------------------------------------------------------------


@given(st.lists(pairs(), min_size=1, max_size=4), st.integers(1, 7), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_orientations_are_those_of_the_definition_smoothed_by_all(
    tmp_path: Path, corpus: list[Pair], max_phrase: int, tight: bool
) -> None:
    names = ("Monotone", "Swap", "Other")
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    sides = ("Previous", "Next")
    shares: Counter[str] = Counter({f"{o}{side}": 1 for o in names for side in sides})
    for source, target, links in corpus:
        for (f, e), previous, following in oracle.orientations(
            len(source), len(target), links, max_phrase, tight
        ):
            key = (" ".join(source[slice(*f)]), " ".join(target[slice(*e)]))
            counts[key].update([f"{previous}Previous", f"{following}Next"])
            shares.update([f"{previous}Previous", f"{following}Next"])
    chosen = HieroExtraction.phrases(max_phrase, tight=tight, max_targets=0, orientations=True)
    table = extract(corpus, tmp_path, chosen)
    assert {(" ".join(rule.source), " ".join(rule.target)) for rule in table} == set(counts)
    for rule in table:
        seen = counts[" ".join(rule.source), " ".join(rule.target)]
        for side in sides:
            every = sum(shares[f"{o}{side}"] for o in names)
            total = sum(seen[f"{o}{side}"] for o in names)
            for o in names:
                share = shares[f"{o}{side}"] / every
                expected = (seen[f"{o}{side}"] + 1.5 * share) / (total + 1.5)
                assert math.exp(rule.scores[f"{o}{side}"]) == pytest.approx(expected, rel=1e-4)


def test_orientations_change_nothing_else(tmp_path: Path) -> None:
    corpus: list[Pair] = [
        (["a", "b", "c"], ["w", "u", "v"], [(0, 1), (1, 2), (2, 0)]),
        (["a", "b"], ["u", "v"], [(0, 0), (1, 1)]),
    ]
    with_them = list(extract(corpus, tmp_path, HieroExtraction.phrases(orientations=True)))
    without = list(extract(corpus, tmp_path, HieroExtraction.phrases()))
    assert [(r.source, r.target, r.links, r.counts, r.origins) for r in with_them] == [
        (r.source, r.target, r.links, r.counts, r.origins) for r in without
    ]
    assert all(
        r.scores.items() >= s.scores.items() for r, s in zip(with_them, without, strict=True)
    )
