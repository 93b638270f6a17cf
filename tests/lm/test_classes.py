"""Exchange clustering climbs the likelihood to a local optimum, the same one every time."""

from __future__ import annotations

import functools
import operator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demotic import _core, files
from demotic.errors import ArgumentError, FormatError
from demotic.lm import class_model, estimate
from demotic.lm.classes import WordClasses, cluster
from tests.oracles.class_bigram import log_likelihood

words = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])
texts = st.lists(st.lists(words, max_size=7).map(" ".join), min_size=1, max_size=10).filter(any)


def exchange_of(
    lines: list[str], classes: int, *, min_count: int = 1, threads: int = 1
) -> tuple[_core.ClassExchange, _core.BigramCounts]:
    counts = _core.BigramCounts()
    counts.add("".join(f"{line}\n" for line in lines).encode())
    return _core.ClassExchange(counts, classes, min_count, threads), counts


@pytest.fixture(scope="module")
def slice_of_text(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("classes") / "text"
    files.write_lines(
        path, islice(files.read_lines(data / "multi30k" / "tok" / "train.en.gz"), 3000)
    )
    return path


@settings(max_examples=150)
@given(texts, st.integers(1, 5))
def test_every_exchange_raises_the_likelihood_of_the_definition(
    lines: list[str], classes: int
) -> None:
    exchange, counts = exchange_of(lines, classes)
    before = log_likelihood(lines, exchange.assignment(counts))
    for _ in range(3):
        for item in range(len(exchange)):
            moves = exchange.improve(item, item + 1)
            after = log_likelihood(lines, exchange.assignment(counts))
            assert exchange.log_likelihood == pytest.approx(after, abs=1e-6)
            if moves:
                assert after > before
            else:
                assert after == pytest.approx(before, abs=1e-9)
            before = after


@settings(max_examples=150)
@given(texts, st.integers(1, 5))
def test_a_pass_without_moves_is_locally_optimal(lines: list[str], classes: int) -> None:
    exchange, counts = exchange_of(lines, classes)
    passes = 0
    while exchange.improve(0, len(exchange)) > 0:
        passes += 1
        assert passes < 100
    found = dict(exchange.assignment(counts))
    best = log_likelihood(lines, found)
    for word in found:
        for other in range(classes):
            assert log_likelihood(lines, {**found, word: other}) <= best + 1e-5


@settings(max_examples=50)
@given(texts, st.integers(1, 4), st.integers(2, 4))
def test_rare_words_move_as_one(lines: list[str], classes: int, min_count: int) -> None:
    exchange, counts = exchange_of(lines, classes, min_count=min_count)
    exchange.improve(0, len(exchange))
    found = exchange.assignment(counts)
    seen = " ".join(lines).split()
    rare = {word for word in seen if seen.count(word) < min_count}
    assume(rare)
    assert len({found[word] for word in rare}) == 1
    merged = [" ".join("RARE" if w in rare else w for w in line.split()) for line in lines]
    classes_of_merged = {**found, "RARE": found[min(rare)]}
    assert exchange.log_likelihood == pytest.approx(
        log_likelihood(merged, classes_of_merged), abs=1e-6
    )


def test_threads_do_not_change_the_result(slice_of_text: Path) -> None:
    one = cluster(slice_of_text, classes=30, iterations=4)
    three = cluster(slice_of_text, classes=30, iterations=4, threads=3)
    assert list(one.items()) == list(three.items())
    assert one.log_likelihood == three.log_likelihood


def test_exchange_beats_the_initial_assignment(slice_of_text: Path) -> None:
    initial = cluster(slice_of_text, classes=30, iterations=0)
    found = cluster(slice_of_text, classes=30, iterations=10)
    lines = list(files.read_lines(slice_of_text))
    assert initial.log_likelihood == pytest.approx(log_likelihood(lines, initial))
    assert found.log_likelihood == pytest.approx(log_likelihood(lines, found))
    assert found.log_likelihood is not None
    assert initial.log_likelihood is not None
    assert found.log_likelihood > 0.9 * initial.log_likelihood  # both are negative


def test_similar_words_share_a_class() -> None:
    lines = [f"{d} {n} {v}" for d in ("the", "a") for n in ("cat", "dog") for v in ("eats", "runs")]
    exchange, counts = exchange_of(lines, 3)
    while exchange.improve(0, len(exchange)):
        pass
    found = exchange.assignment(counts)
    assert found["the"] == found["a"]
    assert found["cat"] == found["dog"]
    assert found["eats"] == found["runs"]
    assert len(set(found.values())) == 3


def test_classes_survive_saving(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ein Haus\ndas Haus über\n", encoding="utf-8")
    found = cluster(tmp_path / "text", classes=2)
    found.save(tmp_path / "classes.gz")
    loaded = WordClasses.load(tmp_path / "classes.gz")
    assert list(loaded.items()) == list(found.items())
    assert next(iter(loaded)) == "Haus"
    assert sorted(functools.reduce(operator.iadd, loaded.members(), [])) == sorted(found)


@pytest.mark.parametrize("line", ["word", "word\tx", "word\t-1", "\t1", "a\t1\t2", "good\t1"])
def test_damaged_files_are_named_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "classes"
    path.write_text(f"good\t0\n{line}\n")
    with pytest.raises(FormatError, match="classes:2: "):
        WordClasses.load(path)


def test_a_text_without_words_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(FormatError, match=r"empty.*no words"):
        cluster(tmp_path / "empty")


@pytest.mark.parametrize("options", [{"classes": 0}, {"iterations": -1}])
def test_senseless_options_are_refused(tmp_path: Path, options: dict[str, int]) -> None:
    (tmp_path / "text").write_text("a b\n")
    with pytest.raises(ArgumentError):
        cluster(tmp_path / "text", **options)  # type: ignore[arg-type]


def test_more_classes_than_words_gives_each_its_own(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b c\nb a\n")
    assert sorted(cluster(tmp_path / "text", classes=50, iterations=0).values()) == [0, 1, 2]


def test_the_special_word_is_passed_over_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a <unk> b\nb a\n<unk>\n")
    with pytest.raises(FormatError, match="<unk>"):
        cluster(path, classes=2)
    plain = tmp_path / "plain"
    plain.write_text("a b\nb a\n\n")
    assert cluster(path, classes=2, skip_special=True) == cluster(plain, classes=2)


def test_a_model_of_classes_is_that_of_the_text_with_classes_for_words(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a b c\nc nowhere a\n\nb b\n")
    numbered = tmp_path / "numbered"
    numbered.write_text("0 1 1\n1 0\n\n1 1\n")
    made = class_model(path, {"a": 0, "b": 1, "c": 1}, order=3)
    assert list(made.ngrams(3)) == list(estimate(numbered, order=3).ngrams(3))
    assert made.order == 3
