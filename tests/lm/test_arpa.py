"""ARPA files: what toolkits write is read, what is broken is refused at its line."""

from __future__ import annotations

import gzip
import itertools
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import EncodingError, FormatError
from demotic.lm import LanguageModel, arpa
from tests.lm import models
from tests.lm.test_model import JOSHUA, PEER_MODELS, arpa_text, folder_is_shared
from tests.oracles import backoff

PLAIN = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.25
-0.5\t</s>
-0.75\ta\t-0.5
-1\tb\t-0.125

\\2-grams:
-0.25\t<s> a\t-0.5
-0.5\ta b\t-0.0625
-0.125\tb </s>

\\3-grams:
-0.0625\t<s> a b

\\end\\
"""


def load(text: str, folder: Path) -> LanguageModel:
    path = folder / "model.arpa"
    path.write_bytes(text.encode())
    return LanguageModel.load(path)


def scores(lm: LanguageModel) -> list[list[float]]:
    sentences = ("a b", "b a", "a a b b", "zebra a b", "")
    return [[each.log10 for each in lm.full_scores(sentence)] for sentence in sentences]


TOLERATED = {
    "spaces for tabs": PLAIN.replace("\t", "   "),
    "carriage returns": PLAIN.replace("\n", "\r\n"),
    "no newline at the end": PLAIN.rstrip("\n"),
    "blank lines everywhere": PLAIN.replace("\n", "\n\n \t\n"),
    "blanks around lines": PLAIN.replace("\n", " \t\n"),
    "text before the data": "# made by hand\nwhatever ngram 1=7\n" + PLAIN,
    "upper case": PLAIN.replace("\\data\\", "\\DATA\\")
    .replace("-grams:", "-GRAMS:")
    .replace("\\end\\", "\\END\\"),
    "IRSTLM's counts": PLAIN.replace("ngram 1=5", "ngram  1=       5"),
    "back-offs written as 0": PLAIN.replace("</s>\n", "</s>\t0\n").replace("<unk>", "<unk>\t-0.0"),
    "a back-off of 0 at the top": PLAIN.replace("<s> a b", "<s> a b\t0"),
    "plus signs and exponents": PLAIN.replace("-0.0625\t", "-6.25e-2\t"),
    "-inf for log 0": PLAIN.replace("-99\t", "-inf\t"),
    "capital <UNK>": PLAIN.replace("<unk>", "<UNK>"),
    "an order without n-grams": PLAIN.replace("ngram 3=1", "ngram 3=1\nngram 4=0"),
    "an empty section": PLAIN.replace("ngram 3=1", "ngram 3=1\nngram 4=0").replace(
        "\\end\\", "\\4-grams:\n\n\\end\\"
    ),
    "a byte-order mark": "\ufeff" + PLAIN,
}


@pytest.mark.parametrize("text", TOLERATED.values(), ids=TOLERATED.keys())
def test_spelling_does_not_matter(text: str, tmp_path: Path) -> None:
    assert scores(load(text, tmp_path)) == scores(load(PLAIN, tmp_path))


def test_missing_unknown_word_gets_minus_100(tmp_path: Path) -> None:
    text = PLAIN.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4")
    lm = load(text, tmp_path)
    assert lm.full_scores("zebra", bos=False)[0] == (-100.0, 1, True)
    assert lm.counts == (5, 3, 1)


def test_missing_sentence_borders_are_unknown_words(tmp_path: Path) -> None:
    lm = load(
        "\\data\\\nngram 1=2\nngram 2=1\n\n\\1-grams:\n-1 <unk> -0.5\n-2 a -0.25\n\n\\2-grams:\n"
        "-0.125 a a\n\n\\end\\\n",
        tmp_path,
    )
    assert [each.log10 for each in lm.full_scores("a")] == [-2.5, -1.25]


def test_unigram_model_scores_words_alone(tmp_path: Path) -> None:
    lm = load(
        "\\data\\\nngram 1=4\n\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n-2 a\n\n\\end\\\n",
        tmp_path,
    )
    assert lm.order == 1
    assert lm.full_scores("a b") == [(-2.0, 1, False), (-1.0, 1, True), (-0.5, 1, False)]
    assert lm.begin_sentence().length == 0


def broken(old: str, new: str) -> str:
    assert PLAIN.count(old) == 1
    return PLAIN.replace(old, new)


# A text, the line to name, and what to say.
REFUSED: dict[str, tuple[str, int, str]] = {
    "NaN probability": (broken("-0.75\ta", "nan\ta"), 10, "log10 probability is NaN"),
    "NaN back-off": (broken("a b\t-0.0625", "a b\tNaN"), 15, "back-off is NaN"),
    "positive probability": (broken("-0.75\ta", "0.75\ta"), 10, "probability above 1"),
    "infinite back-off": (broken("a b\t-0.0625", "a b\tinf"), 15, "back-off is infinite"),
    "a word for a probability": (broken("-0.75\ta", "x\ta"), 10, "'x' is not a number"),
    "a word for a back-off": (broken("a b\t-0.0625", "a b\tc"), 15, "'c' is not a number"),
    "too few words": (broken("-0.5\ta b\t-0.0625", "-0.5\ta"), 15, "2-gram with 1 word"),
    "too many words": (broken("a b\t-0.0625", "a b\t-0.0625 9"), 15, "more than 2 words"),
    "too few n-grams": (broken("ngram 2=3", "ngram 2=4"), 18, "4 2-grams were announced"),
    "too many n-grams": (broken("ngram 2=3", "ngram 2=2"), 16, "more than the 2 2-grams"),
    "too few at the end": (broken("ngram 3=1", "ngram 3=2"), 21, "2 3-grams were announced"),
    "unigrams missing": (broken("ngram 1=5", "ngram 1=6"), 13, "6 1-grams were announced"),
    "unknown word": (broken("a b\t-0.0625", "a c\t-0.0625"), 15, "'c' is not among the 1-grams"),
    "word twice": (broken("-1\tb\t-0.125", "-1\ta\t-0.125"), 11, "'a' is listed twice"),
    "bigram twice": (broken("b </s>", "a b\t0"), 16, "listed twice"),
    "trigram twice": (
        broken("ngram 3=1", "ngram 3=2").replace("<s> a b", "<s> a b\n-1\t<s> a b"),
        20,
        "listed twice",
    ),
    "section missing": (broken("\\2-grams:", ""), 14, "more than the 5 1-grams"),
    "wrong section": (broken("\\2-grams:", "\\3-grams:"), 13, "expected \\2-grams:"),
    "one section too many": (
        broken("\\end\\", "\\4-grams:\n\\end\\"),
        21,
        "expected \\end\\, found '\\4-grams:'",
    ),
    "end too early": (broken("\\3-grams:", "\\end\\"), 18, "expected \\3-grams:"),
    "no counts": ("\\data\\\n\n\\1-grams:\n", 3, "no counts"),
    "count skipped": (broken("ngram 2=3", "ngram 4=3"), 3, "expected the count of 2-grams"),
    "count unreadable": (broken("ngram 2=3", "ngram 2=many"), 3, "ngram 1=1000"),
    "text after the end": (PLAIN + "\nmore\n", 23, "text after \\end\\"),
    "back-off at the top": (broken("<s> a b", "<s> a b\t-1"), 19, "highest order"),
    "no back-offs at all": (
        broken("<s> a\t-0.5", "<s> a").replace("a b\t-0.0625", "a b"),
        13,
        "none of the 2-grams has a back-off",
    ),
    "iARPA": ("iARPA\n" + PLAIN, 1, "iARPA"),
    "no ARPA": ("a house\nis small\n", 2, "no \\data\\ line"),
    "empty": ("", 0, "no \\data\\ line"),
    "counts only": (PLAIN[: PLAIN.index("\\1-grams")], 5, "ends after its counts"),
    "order 9": (
        "\\data\\\n" + "".join(f"ngram {n}=9\n" for n in range(1, 10)),
        10,
        "models up to order 8",
    ),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_broken_file_is_refused_at_its_line(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as caught:
        load(text, tmp_path)
    assert message in caught.value.message
    assert caught.value.line == (line or None)
    assert caught.value.path == str(tmp_path / "model.arpa")


@pytest.mark.parametrize("lines", range(PLAIN.count("\n")))
def test_truncation_after_any_line_is_refused(lines: int, tmp_path: Path) -> None:
    cut = "".join(PLAIN.splitlines(keepends=True)[:lines])
    if cut.endswith("\\end\\\n"):
        return
    with pytest.raises(FormatError) as caught:
        load(cut, tmp_path)
    assert caught.value.line == (lines or None)


def test_truncation_inside_a_line_is_refused(tmp_path: Path) -> None:
    at = PLAIN.index("\ta b") + 2
    with pytest.raises(FormatError) as caught:
        load(PLAIN[:at], tmp_path)
    assert caught.value.line == 15


def test_bad_bytes_are_refused_at_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.arpa"
    path.write_bytes(PLAIN.replace("b", "ü").encode("latin-1"))
    with pytest.raises(EncodingError) as caught:
        LanguageModel.load(path)
    assert caught.value.line == 11


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.arpa.gz"
    path.write_bytes(gzip.compress(PLAIN.encode())[:-12])
    with pytest.raises(FormatError, match="damaged gzip"):
        LanguageModel.load(path)


@given(st.lists(st.integers(0, len(PLAIN)), max_size=8))
def test_pieces_of_any_size_give_the_same_model(cuts: list[int]) -> None:
    borders = [0, *sorted(cuts), len(PLAIN)]
    builder = _core.LmBuilder()
    reader = _core.ArpaReader(builder)
    for begin, end in itertools.pairwise(borders):
        reader.feed(PLAIN[begin:end].encode())
    reader.finish()
    assert LanguageModel(builder.finish()).score("a b") == -0.25 - 0.0625 - 0.125 - 0.0625


def as_floats(ngrams: backoff.Ngrams) -> dict[tuple[str, ...], tuple[bytes, bytes]]:
    """What the numbers are in single precision, to the bit."""
    return {n: (struct.pack("f", p), struct.pack("f", b + 0.0)) for n, (p, b) in ngrams.items()}


@folder_is_shared
@given(models.ngrams())
def test_written_model_reads_back_exactly(tmp_path: Path, ngrams: backoff.Ngrams) -> None:
    lm = models.load(ngrams, tmp_path)
    for name in ("again.arpa", "again.arpa.gz"):
        lm.save(tmp_path / name)
        assert as_floats(backoff.read_arpa(arpa_text(tmp_path / name))) == as_floats(ngrams)
        LanguageModel.load(tmp_path / name).save(tmp_path / "third.arpa")
        assert (tmp_path / "third.arpa").read_text() == arpa_text(tmp_path / name)


@pytest.mark.parametrize("name", [name for name in PEER_MODELS if name != JOSHUA])
def test_models_of_other_toolkits_survive_writing(name: str, data: Path, tmp_path: Path) -> None:
    LanguageModel.load(data / name).save(tmp_path / "again.arpa")
    again = backoff.read_arpa((tmp_path / "again.arpa").read_text())
    original = {
        words: tuple(-99.0 if value == float("-inf") else value for value in values)
        for words, values in backoff.read_arpa(arpa_text(data / name)).items()
    }
    original.setdefault(("<unk>",), (-100.0, 0.0))
    assert again.keys() == original.keys()
    sequence = list(original)
    np.testing.assert_allclose(
        [again[words] for words in sequence], [original[words] for words in sequence], rtol=1e-6
    )


def test_arpa_passes_from_reader_to_writer_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "in.arpa").write_text(PLAIN)
    with arpa.writing(tmp_path / "out.arpa") as sink:
        arpa.read(tmp_path / "in.arpa", sink)
    assert backoff.read_arpa((tmp_path / "out.arpa").read_text()) == backoff.read_arpa(PLAIN)


BOMB = (
    "\\data\\\nngram 1=3\n"
    + "".join(f"ngram {n}=16777216\n" for n in range(2, 9))
    + "\n\\1-grams:\n-1\t<unk>\t0\n-1\t<s>\t-0.1\n-1\t</s>\t0\n\n\\2-grams:\n-1\t<s> </s>\t0\n"
)


@pytest.mark.parametrize("packed", [False, True])
def test_counts_that_the_file_has_no_room_for_are_refused(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "bomb.arpa"
    path.write_bytes(gzip.compress(BOMB.encode()) if packed else BOMB.encode())
    with pytest.raises(FormatError, match="more n-grams are announced than the file has room for"):
        LanguageModel.load(path)


def test_counts_that_just_fit_are_believed(tmp_path: Path) -> None:
    words = [chr(ord("a") + i) for i in range(20)]
    lines = [f"0 {word}" for word in words]
    text = f"\\data\\\nngram 1={len(words)}\n\\1-grams:\n" + "\n".join(lines) + "\n\\end\\"
    assert load(text, tmp_path).counts[0] == len(words) + 1  # and <unk>


@pytest.mark.memory
def test_a_stream_of_unknown_length_does_not_fill_the_memory(tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "from demotic.errors import FormatError\n"
        "from demotic.lm import LanguageModel\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    LanguageModel.load(sys.argv[1])\n"
        "except FormatError as error:\n"
        "    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, error)\n"
    )
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", script, str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        pipe.write_text(BOMB)
        assert process.stdout is not None
        megabytes, message = process.stdout.read().split(" ", 1)
    assert int(megabytes) < 200
    assert "ends among the 2-grams" in message
