"""Protected spans come out intact, exactly once each."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from demotic.corpus import (
    Encoded,
    Orthography,
    OrthographyConfig,
    encode_pair,
    protected_class,
)
from demotic.corpus.protect import _NAMED, KINDS, SpanFinder, _matches, _may_name
from demotic.errors import ArgumentError
from tests.corpus.texts import SPANS, tricky_text

PLAIN = Orthography("en", OrthographyConfig(casing="none"))


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in SpanFinder()(text)]


@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("frame", ["{}", "see {} now", "({})", "the {}, here.", '"{}"', "x: {}; y"])
def test_spans_are_found_whole(span: str, frame: str) -> None:
    assert found(frame.replace("{}", span)) == [span]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("100% sure", ["100"]),
        ("100%ig, 50 % so", ["100", "50"]),
        ("mp3 x86_64 10kg B2B utf-8", ["x86_64", "8"]),
        ("and/or he/she", []),
        ("a < b > c", []),
        ("AT&T; R&D", ["&T;"]),
        ("$5.50 and $1,200", ["5.50", "1,200"]),
        ("see http://a.org/b. Then", ["http://a.org/b"]),
        ("5月20日", ["5", "20"]),
        ("١٢٣ and ३४", ["١٢٣", "३४"]),
        ("%s%d%%", ["%s", "%d", "%%"]),
        ("%<x%> %qD %.*s %lu", ["%<", "%>", "%qD", "%.*s", "%lu"]),
        ("%{count} #{x} {% if y %}", ["%{count}", "#{x}", "{% if y %}"]),
        ("%PATH% %1 %2$d", ["%PATH%", "%1", "%2$d"]),
        ("请写jane@a.org或https://a.org，好", ["jane@a.org", "https://a.org"]),
        ("{n, number} {n, plural, one {a}}", ["{n, number}", "{n, plural, one {a}}"]),
        ("{n, plural, one {a} and {n, plural,}", ["{a}"]),
        ("see end.Then x.y, e.g. i.e. z.B. and/or.", []),
        ("Café.com größe_max naïve", []),
        ("打开index.html文件", ["index.html"]),
        ("McDonald BahnCard USA NaN", []),
        ("1_000 _x_ a__ --", []),
        ("5-10, 1/2, v1.2.3, 192.168.0.1", ["5-10", "1/2", "v1.2.3", "192.168.0.1"]),
    ],
)
def test_look_alikes_are_told_apart(text: str, spans: list[str]) -> None:
    assert found(text) == spans


@pytest.mark.parametrize(
    "name",
    [
        "index.html", "config.yaml", "docs/api/index.html", "my-file.tar.gz", "README.md",
        "example.com", "www-1.example.org:8080", "docs.example.com/a/b",
        "wagtail.admin.panels", "os.path", "self.get_user()", "django.db.models.Model",
        "snake_case", "MAX_SIZE", "__init__", "x86_64", "get_user()",
        "camelCase", "getElementById()", "iPhone",
        "--option", "--long-option=some/value.x", "2.0rc1", "v1.5-beta2",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "frame", ["{}", "see {} now", "({})", "the {}, here.", '"{}"', "<b>{}</b>"]
)
def test_names_are_found_whole(name: str, frame: str) -> None:
    tags = ["<b>", "</b>"] if frame.startswith("<") else []
    assert found(frame.replace("{}", name)) == [*tags[:1], name, *tags[1:]]


@pytest.mark.parametrize("escape", ["\\n", "\\t", '\\"', "\\x1b", "\\u00e9"])
def test_escapes_leave_the_words_beside_them_alone(escape: str) -> None:
    encoded = PLAIN.encode(f"Tab{escape}here")
    assert encoded.tokens == ("Tab", "￭⟦escape1⟧￭", "here")


def test_a_name_that_one_side_lacks_is_a_word() -> None:
    source, target = encode_pair(PLAIN, PLAIN, "visit example.com", "besuche beispiel.de")
    assert source.tokens == ("visit", "example", "￭.￭", "com")
    assert target.tokens == ("besuche", "beispiel", "￭.￭", "de")


def test_arguments_of_messages_pair_by_name_and_kind() -> None:
    texts = (
        "{n, plural, one {a file} other {files}}",
        "{n,plural, one {eine Datei} other {Dateien}}",
    )
    source, target = encode_pair(PLAIN, PLAIN, *texts)
    assert source.tokens == target.tokens == ("⟦icu1⟧",)
    assert PLAIN.decode(target.tokens, target) == texts[1]


def test_first_kinds_are_what_earlier_models_protect() -> None:
    kinds = ("url", "mail", "tag", "var", "entity", "path", "num")
    old = Orthography("en", OrthographyConfig(casing="none", protect=kinds), version=1)
    assert str(old.encode("see <b>index.html</b>")) == "see ⟦tag1⟧ ￭index ￭.￭ html ￭⟦tag2⟧"


def test_only_chosen_kinds_are_protected() -> None:
    only = Orthography("en", OrthographyConfig(casing="none", protect=("var",)))
    assert str(only.encode("%s <b> 5")) == "⟦var1⟧ &lt;￭ b ￭&gt; 5"
    with pytest.raises(ArgumentError):
        OrthographyConfig(protect=("nothing",))


# Spans of which none is part of another, so that counting them in a text is exact.
APART = [
    "https://example.org/q?x=y",
    "jane@example.org",
    "<b>",
    "</b>",
    '<a href="u v">',
    "%s",
    "%(name)s",
    "{{ v }}",
    "{name}",
    "&amp;",
    "/usr/lib",
    "1,234.56",
    "77",
    "8.5",
]
CLASSES = ["⟦num1⟧", "⟦num2⟧", "⟦num9⟧", "⟦var1⟧", "⟦var0⟧", "⟦tag1⟧", "￭⟦num1⟧￭", "⟦num2⟧￭"]
WORDS = ["word", "￭,", "(￭", "￭-￭", "￭'s", "x￭", "￭y", "北京", "▁a"]


@settings(max_examples=400)
@given(data=st.data())
def test_any_hypothesis_carries_each_span_exactly_once(data: st.DataObject) -> None:
    spans = data.draw(st.lists(st.sampled_from(APART), unique=True, max_size=8))
    words = data.draw(st.lists(st.sampled_from(["the", "file,", "(in"]), max_size=6))
    text = " ".join(data.draw(st.permutations([*spans, *words])))
    source = PLAIN.encode(text)
    assert Counter(span.text for span in source.spans) == Counter(spans)
    pool = [*source.tokens, *CLASSES, *WORDS]
    hypothesis = data.draw(st.lists(st.sampled_from(pool), max_size=25))
    links = st.tuples(st.integers(-1, 30), st.integers(-1, 30))
    alignment = data.draw(st.none() | st.lists(links, max_size=10))
    result = PLAIN.decode(hypothesis, source, alignment=alignment)
    for span in APART:
        assert result.count(span) == spans.count(span), result
    assert "⟦" not in result
    numbers = [found for found in SpanFinder(("num",))(result)]
    texts = [result[each.start : each.end] for each in numbers]
    for number in ("1,234.56", "77", "8.5"):
        if number in spans:
            assert any(number in text for text in texts)


@given(order=st.permutations(range(6)))
def test_a_permutation_keeps_every_token(order: list[int]) -> None:
    text = "%s and <b> 12 {x} 34"
    source = PLAIN.encode(text)
    hypothesis = [source.tokens[place] for place in order]
    assert sorted(PLAIN.decode(hypothesis, source).split()) == sorted(text.split())


def test_numbers_never_run_together() -> None:
    source = PLAIN.encode("12 34")
    assert PLAIN.decode(["⟦num1⟧", "￭⟦num2⟧"], source) == "12 34"
    assert PLAIN.decode(["⟦num2⟧￭", "x"], source) == "12 34 x"


@pytest.mark.parametrize(
    ("hypothesis", "alignment", "text"),
    [
        (["a", "b", "c"], None, "a b c %s"),  # the same relative place: the end
        (["a", "b", "c"], [(2, 0)], "%s a b c"),
        (["a", "b", "c"], [(1, 0), (0, 2)], "a %s b c"),  # after its left neighbour
        (["a", "￭,", "b"], [(2, 1)], "%s a, b"),  # never into what is glued together
        ([], None, "%s"),
    ],
)
def test_a_lost_span_is_put_at_a_sensible_place(
    hypothesis: list[str], alignment: list[tuple[int, int]] | None, text: str
) -> None:
    source = PLAIN.encode("x y %s")
    assert PLAIN.decode(hypothesis, source, alignment=alignment) == text


def test_repeated_spans_are_counted_apart() -> None:
    source = PLAIN.encode("%s or %s")
    assert source.tokens == ("⟦var1⟧", "or", "⟦var2⟧")
    assert PLAIN.decode(["⟦var2⟧", "⟦var2⟧", "⟦var2⟧"], source).count("%s") == 2


def test_class_tokens_are_recognised_with_their_marks() -> None:
    encoded = PLAIN.encode("(%s) 5%")
    assert [protected_class(token) for token in encoded.tokens] == [
        None,
        "⟦var1⟧",
        None,
        "⟦num1⟧",
        None,
    ]
    assert protected_class("⟦x") is None


def test_without_a_source_class_tokens_are_written_as_they_are() -> None:
    assert PLAIN.decode(["⟦num1⟧", "￭%"]) == "⟦num1⟧%"
    assert PLAIN.decode(["⟦num1⟧", "￭%"], Encoded(())) == "%"


@given(st.text(alphabet="aZ9_.- éü1b", max_size=8))
@example("aB")
@example("a.")
@example("x.1b")
def test_what_is_looked_for_first_tells_what_the_pattern_of_names_tells(text: str) -> None:
    assert _may_name(text) == (_NAMED.search(text) is not None)


_SOME = r"""a 7 12 % %d %s %(a)s -5 - / /usr x /x \n C:\x a.7z a.py --x http://a.org, j@a.org $1 &
    &amp; x_y aB 1.2rc1 1,5 10: 漢 $ %1 # #7 .. . @ " ' ( ) x=/y"""
_CHUNKS = st.sampled_from([*_SOME.split(), "12\u00a0000", "12", "\u2009000"])


@settings(max_examples=500)
@given(text=st.lists(_CHUNKS, max_size=8).map(" ".join) | tricky_text)
def test_chunks_hold_the_spans_of_the_whole(text: str) -> None:
    finder = SpanFinder(kind for kind in KINDS if kind != "icu")
    spans = finder(text)
    pattern = finder._pattern(text)
    assert spans == ([] if pattern is None else _matches(pattern, text))
    assert finder(text) == spans  # looked up
