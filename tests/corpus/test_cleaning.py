"""Cleaning: every rule, their order, the report, and equality with a plain loop."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Bitext, Cleaning, clean
from demotic.errors import ArgumentError

Texts = list[tuple[str, str]]


def cleaned(pairs: Texts, rules: Cleaning | None = None, **languages: str) -> Texts:
    bitext, _ = clean(Bitext.from_pairs(pairs, **languages), rules)  # type: ignore[arg-type]
    return [(pair.source, pair.target) for pair in bitext]


def reason(source: str, target: str, rules: Cleaning | None = None, language: str = "en") -> str:
    bitext = Bitext.from_pairs([(source, target)], source_language=language, target_language="en")
    kept, report = clean(bitext, rules)
    reasons = [name for name, drop in report.dropped.items() if drop.count]
    assert len(reasons) == 1 - len(kept)
    return reasons[0] if reasons else ""


def test_rules_in_their_default_setting() -> None:
    words = " ".join(["w"] * 100)
    assert reason("a", "b") == ""
    assert reason("same", "same") == ""
    assert reason("12", "12") == ""
    assert reason("", "b") == reason("a", " ") == reason("a", "\u00a0") == "empty"
    assert reason("a\ufffd", "b") == reason("a", "b\x93") == "garbled"
    assert reason(words, words) == ""
    assert reason(words + " w", words) == reason(words, words + " w") == "too long"
    assert reason("x" * 2001, "x") == "too long"
    assert reason("a", "1 2 3 4 5 6 7 8 9") == ""
    assert reason("a", "1 2 3 4 5 6 7 8 9 10") == "length ratio"
    assert reason("w " * 5000, "y") == "too long"


def test_rules_that_are_asked_for() -> None:
    assert reason("same", "same", Cleaning(drop_identical=True)) == "identical"
    letters = Cleaning(drop_without_letters=True)
    assert reason("12 %", "12 %", letters) == "no letters"
    assert reason("<b></b>", "<b>x</b>", letters) == "no letters"
    assert reason("<b>é</b>", "字", letters) == ""


def test_rules_can_be_switched_off() -> None:
    off = Cleaning(
        tidy_whitespace=False,
        drop_empty=False,
        drop_garbled=False,
        max_words=None,
        max_characters=None,
        max_ratio=None,
        drop_duplicates=False,
    )
    pairs = [("", " a  b "), ("", " a  b "), ("w " * 9000, "\ufffd")]
    assert cleaned(pairs, off) == pairs


def test_scripts_without_spaces_count_characters_as_words() -> None:
    chinese = "我们今天去公园散步看花"
    assert reason(chinese, "we go to the park today to see the flowers", language="zh") == ""
    assert reason(chinese, "we go to the park today to see the flowers", language="und") == ""
    assert reason(chinese * 10, "we go", language="zh-CN") == "too long"


def test_white_space_is_tidied_but_no_break_spaces_stay() -> None:
    assert cleaned([(" a \t b\x00\ufeff", "«\u00a0c\u00a0»\u2028d")]) == [
        ("a b", "«\u00a0c\u00a0» d")
    ]


def test_duplicates_are_found_after_tidying_and_the_first_stays() -> None:
    bitext = Bitext.from_pairs([("a b", "c"), ("a  b", "c "), ("a b", "d"), ("a b", "c")])
    kept, report = clean(bitext)
    assert [pair.unit for pair in kept] == ["1", "3"]
    assert report.dropped["duplicate"].count == 2


def test_duplicates_far_apart_are_found() -> None:
    pairs = [(str(number % 20_000), "x") for number in range(50_000)]
    assert cleaned(pairs) == pairs[:20_000]


def test_pairs_keep_their_ids() -> None:
    bitext = Bitext.from_pairs([(" a ", "b"), ("", "x"), ("c", "d")])
    kept, _ = clean(bitext)
    ids = [pair.id for pair in bitext]
    assert [pair.id for pair in kept] == [ids[0], ids[2]]


def test_report_counts_and_names_examples() -> None:
    pairs = [("", "x")] * 5 + [("a", "b")] * 2
    _, report = clean(Bitext.from_pairs(pairs, file="memory.tmx"))
    assert (report.read, report.kept) == (7, 1)
    assert report.dropped["empty"].examples == ["memory.tmx:1", "memory.tmx:2", "memory.tmx:3"]
    record = json.loads(report.to_json())
    assert record["dropped"]["duplicate"] == {"count": 1, "examples": ["memory.tmx:7"]}
    assert record["read"] == record["kept"] + sum(d["count"] for d in record["dropped"].values())
    lines = str(report).split("\n")
    assert lines[1].split() == ["read", "7"]
    assert lines[2].split()[:4] == ["empty", "5", "71.43%", "memory.tmx:1,"]
    assert lines[-1].split() == ["kept", "1", "14.29%"]


def test_cleaning_may_leave_nothing() -> None:
    kept, report = clean(Bitext.from_pairs([("", "")]))
    assert (len(kept), report.kept, list(kept)) == (0, 0, [])
    assert len(clean(kept)[0]) == 0


def test_senseless_rules_are_refused() -> None:
    with pytest.raises(ArgumentError, match="max_words is 0"):
        Cleaning(max_words=0)
    with pytest.raises(ArgumentError, match="max_ratio is nan"):
        Cleaning(max_ratio=float("nan"))


SENTENCE = st.lists(st.sampled_from(["a", "b", "12", "字", "", " ", "\t", "\ufffd"]), max_size=8)


@given(st.lists(st.tuples(SENTENCE.map(" ".join), SENTENCE.map("".join))))
def test_cleaning_equals_a_plain_loop(pairs: Texts) -> None:
    expected: Texts = []
    for source, target in pairs:
        pair = " ".join(source.split()), " ".join(target.split())
        lengths = sorted(len(text.split(" ")) for text in pair)
        if (
            all(pair)
            and "\ufffd" not in "".join(pair)
            and lengths[1] <= 4
            and lengths[1] <= 2 * lengths[0]
            and pair not in expected
        ):
            expected.append(pair)
    rules = Cleaning(max_words=4, max_ratio=2)
    assert cleaned(pairs, rules, source_language="en", target_language="de") == expected
