"""Kneser-Ney estimation equals the textbook and lmplz, in memory and on disk, on any threads."""

from __future__ import annotations

import contextlib
import gzip
import math
import resource
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.lm import LanguageModel
from demotic.lm.estimation import Estimate, estimate
from demotic.progress import Advance, Progress
from tests.oracles.kneser_ney import KneserNey

Scores = dict[tuple[str, ...], tuple[float, float]]
ON_DISK = 1  # bytes: nothing fits into memory
ROOMY = 1 << 30

words = st.sampled_from(["a", "b", "c", "d", "e", "ü", "the-longest-word"])
line = st.lists(words, max_size=8).map(" ".join)
texts = st.lists(line, min_size=1, max_size=12).filter(lambda lines: any(lines))
repeated_texts = st.builds(lambda lines, times: lines * times, texts, st.integers(1, 4))


def estimate_lines(lines: list[str], **options: object) -> Estimate:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return estimate(path, **options)  # type: ignore[arg-type]


def scores(model: Estimate) -> Scores:
    return {w: (p, b) for n in range(1, model.order + 1) for w, p, b in model.ngrams(n)}


def sequence(model: Estimate) -> list[object]:
    """Everything in the model, in order, to the last bit."""
    return [model.counts, *(row for n in range(1, model.order + 1) for row in model.ngrams(n))]


def read_arpa(path: Path) -> Scores:
    out: Scores = {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for text in stream:
            fields = text.rstrip("\n").split("\t")
            if len(fields) > 1:
                backoff = float(fields[2]) if len(fields) > 2 else 0.0
                out[tuple(fields[1].split(" "))] = (float(fields[0]), backoff)
    return out


def assert_equal(found: Scores, wanted: Scores, tolerance: float) -> None:
    assert found.keys() == wanted.keys()
    for ngram, (prob, backoff) in wanted.items():
        assert abs(found[ngram][0] - prob) <= tolerance, ngram
        assert abs(found[ngram][1] - backoff) <= tolerance, ngram


def oracle_scores(oracle: KneserNey) -> Scores:
    return {g: (oracle.probs[g], oracle.backoffs[g]) for g in oracle.probs}


@settings(max_examples=120)
@given(repeated_texts, st.integers(1, 5), st.sampled_from([ROOMY, ON_DISK]))
def test_estimate_equals_the_definition(lines: list[str], order: int, memory: int) -> None:
    model = estimate_lines(lines, order=order, memory=memory)
    oracle = KneserNey(lines, order)
    assert_equal(scores(model), oracle_scores(oracle), 1e-5)
    for found, wanted in zip(model.discounts, oracle.discounts, strict=True):
        assert (found.one, found.two, found.three) == pytest.approx(wanted[1:], abs=1e-6)


@settings(max_examples=80)
@given(
    repeated_texts,
    st.integers(1, 4),
    st.lists(st.integers(0, 3), max_size=4).map(sorted),
    st.sampled_from([None, 1, 2, 4]),
    st.sampled_from([ROOMY, ON_DISK]),
)
def test_pruned_estimate_equals_the_definition(
    lines: list[str], order: int, prune: list[int], limit: int | None, memory: int
) -> None:
    prune = prune[:order]
    model = estimate_lines(lines, order=order, prune=prune, vocab_limit=limit, memory=memory)
    seen = " ".join(lines).split()
    # Ties go to the word that came first; dict keeps that order and sorted() is stable.
    ranking = sorted(dict.fromkeys(seen), key=lambda word: -seen.count(word))
    oracle = KneserNey(lines, order, prune, None if limit is None else set(ranking[:limit]))
    assert_equal(scores(model), oracle_scores(oracle), 1e-5)


@settings(max_examples=50)
@given(
    repeated_texts,
    st.integers(1, 8),
    st.sampled_from([(), (0, 1), (1,)]),
    st.sampled_from([1, 100, 1000, 5000]),
    st.integers(1, 4),
)
def test_memory_and_threads_do_not_change_a_bit(
    lines: list[str], order: int, prune: tuple[int, ...], memory: int, threads: int
) -> None:
    prune = prune[:order]
    usual = estimate_lines(lines, order=order, prune=prune)
    tight = estimate_lines(lines, order=order, prune=prune, memory=memory, threads=threads)
    assert sequence(tight) == sequence(usual)
    assert tight.discounts == usual.discounts


@settings(max_examples=40)
@given(texts, st.integers(1, 4), st.sampled_from([(), (0, 1), (0, 0, 1)]))
def test_probabilities_of_every_context_sum_to_one(
    lines: list[str], order: int, prune: tuple[int, ...]
) -> None:
    found = scores(estimate_lines(lines, order=order, prune=prune[:order]))
    vocabulary = [g[0] for g in found if len(g) == 1 and g != ("<s>",)]

    def prob(context: tuple[str, ...], word: str) -> float:
        if (*context, word) in found:
            return 10 ** found[(*context, word)][0]
        backoff = found[context][1] if context in found else 0.0
        return 10**backoff * prob(context[1:], word)

    contexts = [g for g in found if len(g) < order and g[-1] not in ("</s>", "<unk>")]
    for context in [(), *contexts]:
        assert math.fsum(prob(context, w) for w in vocabulary) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("memory", [ROOMY, 1 << 18])
def test_estimate_equals_lmplz(data: Path, order: int, memory: int) -> None:
    reference = data / "lm-reference"
    model = estimate(reference / "text.en.gz", order=order, memory=memory)
    assert_equal(scores(model), read_arpa(reference / f"lm.o{order}.arpa.gz"), 1e-4)


@pytest.mark.parametrize("order", [1, 4, 6, 8])
def test_real_text_gives_the_same_bits_on_disk_and_in_memory(data: Path, order: int) -> None:
    text = data / "lm-reference" / "text.en.gz"
    usual = sequence(estimate(text, order=order))
    assert sequence(estimate(text, order=order, memory=1 << 17, threads=3)) == usual


def test_keys_of_three_limbs_work(tmp_path: Path) -> None:
    """More than 2^21 words leave room for two to a limb: order 5 and 6 take three limbs."""
    path = tmp_path / "text"
    with path.open("w") as out:
        for begin in range(0, 1 << 21, 1024):
            out.write(" ".join(f"{i:x}" for i in range(begin, begin + 1024)) + " end\n")
    with_memory = estimate(path, order=5, prune=(0, 1))
    on_disk = estimate(path, order=5, prune=(0, 1), memory=1 << 26)
    assert with_memory.counts == on_disk.counts == ((1 << 21) + 4, 1, 0, 0, 0)
    assert list(with_memory.ngrams(2)) == list(on_disk.ngrams(2))
    assert next(iter(on_disk.ngrams(2)))[0] == ("end", "</s>")


def test_one_word_works() -> None:
    model = estimate_lines(["a"], order=3)
    assert model.counts == (4, 2, 1)
    assert all(d.fallback for d in model.discounts)


def test_a_line_of_5000_words_works() -> None:
    text = [" ".join(f"w{i % 37}" for i in range(5000))]
    assert_equal(scores(estimate_lines(text, order=2)), oracle_scores(KneserNey(text, 2)), 1e-5)


def test_several_files_count_as_one(tmp_path: Path) -> None:
    for name, content in [("1", "a b\n"), ("2", "b c"), ("both", "a b\nb c\n")]:
        (tmp_path / name).write_text(content)
    parts = estimate([tmp_path / "1", tmp_path / "2"], order=2)
    assert sequence(parts) == sequence(estimate(tmp_path / "both", order=2))


def test_tabs_and_runs_of_spaces_separate_words() -> None:
    assert sequence(estimate_lines([" a\tb  c "])) == sequence(estimate_lines(["a b c"]))


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_text_without_words_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "empty").write_text(content)
    with pytest.raises(FormatError, match=r"empty.*no words"):
        estimate(tmp_path / "empty")


@pytest.mark.parametrize("special", ["<s>", "</s>", "<unk>"])
def test_special_words_are_an_error_or_skipped(tmp_path: Path, special: str) -> None:
    path = tmp_path / "text"
    path.write_text(f"a b\na {special} b\n")
    with pytest.raises(FormatError, match=r"text:2: .*special word.*skip_special"):
        estimate(path)
    skipped = estimate(path, order=2, skip_special=True)
    assert sequence(skipped) == sequence(estimate_lines(["a b", "a b"], order=2))


def test_without_fallback_too_little_text_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"discounts.*fallback"):
        estimate_lines(["a b c"], order=2, discount_fallback=False)


@pytest.mark.parametrize(
    "options",
    [
        {"order": 0},
        {"order": 9},
        {"memory": 0},
        {"prune": (1, 0)},
        {"prune": (-1,)},
        {"prune": (0, 0, 0), "order": 2},
        {"vocab_limit": 0},
    ],
)
def test_senseless_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        estimate_lines(["a b"], **options)


def test_a_missing_temporary_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="nowhere"):
        estimate_lines(["a b"], memory=ON_DISK, temp=tmp_path / "nowhere")


def test_no_temporary_file_is_left(tmp_path: Path) -> None:
    model = estimate_lines(["a b c", "a b d"], memory=ON_DISK, temp=tmp_path)
    assert model.counts[0] == 7
    assert list(tmp_path.iterdir()) == []


@contextlib.contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Writing more than this fails, as it does on a full disk."""
    usual = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, usual)


def test_a_full_disk_while_sorting_is_a_clear_error(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("".join(f"a{i} b{i} c{i}\n" for i in range(3000)))
    with (
        files_limited_to(4096),
        pytest.raises(FileAccessError, match=r"temporary file in .*space"),
    ):
        estimate(text, memory=ON_DISK, temp=tmp_path)
    assert list(tmp_path.iterdir()) == [text]


@pytest.mark.parametrize("name", ["lm.arpa", "lm.bin"])
def test_a_full_disk_while_saving_leaves_the_earlier_file(tmp_path: Path, name: str) -> None:
    model = estimate_lines([f"a{i} b{i} c{i}" for i in range(3000)])
    (tmp_path / name).write_text("earlier")
    with files_limited_to(4096), pytest.raises(FileAccessError, match=name):
        model.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == [tmp_path / name]
    assert (tmp_path / name).read_text() == "earlier"


def test_saved_bytes_do_not_depend_on_memory_or_threads(data: Path, tmp_path: Path) -> None:
    text = data / "lm-reference" / "text.en.gz"
    usual = estimate(text, order=4)
    other = estimate(text, order=4, memory=1 << 18, threads=2)
    for name in ["lm.arpa", "lm.arpa.gz", "lm.bin"]:
        usual.save(tmp_path / f"usual-{name}")
        other.save(tmp_path / f"other-{name}")
        content = (tmp_path / f"usual-{name}").read_bytes()
        assert len(content) > 1000
        assert (tmp_path / f"other-{name}").read_bytes() == content


def test_every_way_out_gives_the_same_model(tmp_path: Path) -> None:
    model = estimate_lines(["a b c", "a b d", "d a b"], order=3)
    wanted = model.model().score("a b d x")
    for name in ["lm.arpa", "lm.arpa.gz", "lm.bin"]:
        model.save(tmp_path / name)
        assert LanguageModel.load(tmp_path / name).score("a b d x") == wanted
    assert_equal(read_arpa(tmp_path / "lm.arpa.gz"), scores(model), 1e-6)


def test_ngrams_of_another_order_are_refused() -> None:
    with pytest.raises(ArgumentError, match="orders 1 to 2"):
        list(estimate_lines(["a"], order=2).ngrams(3))


def test_an_interrupt_stops_the_work(tmp_path: Path) -> None:
    """Progress is told of slices, and what it raises comes out, with nothing left behind."""

    class Stop(Progress):
        @contextlib.contextmanager
        def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
            def advance(amount: int) -> None:
                if title == "estimating":
                    raise KeyboardInterrupt

            yield advance

    text = tmp_path / "text"
    text.write_text("a b c\n")
    with pytest.raises(KeyboardInterrupt):
        estimate(text, temp=tmp_path, memory=ON_DISK, progress=Stop())
    assert list(tmp_path.iterdir()) == [text]
