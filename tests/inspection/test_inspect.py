"""Every kind of file is told apart, counted right, and bad ones are named."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.corpus import Bitext
from demotic.errors import (
    ArgumentError,
    CorruptFileError,
    DemoticError,
    FileAccessError,
    FormatError,
)
from demotic.inspection import Kind, detect, inspect

ARPA = (
    "\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.3\n-1\t</s>\n\n"
    "\\2-grams:\n-0.5\t<s> </s>\n\n\\end\\\n"
)
TMX = (
    '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>'
    '<tu><tuv xml:lang="en"><seg>Delete the file?</seg></tuv>'
    '<tuv xml:lang="fr"><seg>Supprimer le fichier ?</seg></tuv></tu>'
    '<tu><tuv xml:lang="en"><seg>Yes</seg></tuv></tu></body></tmx>'
)
XLIFF = (
    '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1">'
    "<source>one two</source><target>eins zwei</target></trans-unit></body></file></xliff>"
)
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Yes"\nmsgstr "Ja"\n\nmsgid "No"\nmsgstr ""\n'
CONTENT = {
    Kind.arpa: ARPA,
    Kind.tmx: TMX,
    Kind.xliff: XLIFF,
    Kind.po: PO,
    Kind.tsv: "one\teins\ntwo three\tzwei drei\n",
    Kind.pharaoh: "0-0 1-2\n\n0-1 3?2\n",
    Kind.text: "one two\nthree\n",
}


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("kind", CONTENT)
def test_content_tells_the_kind(kind: Kind, compress: bool, tmp_path: Path) -> None:
    content = CONTENT[kind].encode()
    (tmp_path / "file").write_bytes(gzip.compress(content) if compress else content)
    assert detect(tmp_path / "file") is kind
    report = inspect(tmp_path / "file")
    assert report.kind == kind.value
    assert report.problems == ()
    assert report.bytes == (tmp_path / "file").stat().st_size


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (ARPA, {"order": 2, "n-grams by order": {"1-grams": 3, "2-grams": 1}}),
        (CONTENT[Kind.pharaoh], {"sentence pairs": 3, "without links": 1, "links": 4}),
        (CONTENT[Kind.pharaoh], {"possible links": 1, "links per pair": 1.333}),
        # linked: {0, 1} of 0-1 and {0, 3} of 0-3; {0, 2} of 0-2 and {1, 2} of 0-2
        (CONTENT[Kind.pharaoh], {"unaligned source words, at least": round(2 / 6, 4)}),
        (CONTENT[Kind.pharaoh], {"unaligned target words, at least": round(2 / 6, 4)}),
        (CONTENT[Kind.tsv], {"lines": 2, "columns": {"2 columns": 2}}),
        (CONTENT[Kind.tsv], {"tokens by column": {"column 1": 3, "column 2": 3}}),
        (TMX, {"pairs": 1, "languages": ["en", "fr"]}),
        (TMX, {"units without a pair": {"without both languages": 1}}),
        (XLIFF, {"pairs": 1, "languages": ["en", "de"]}),
        (PO, {"pairs": 1, "units without a pair": {"untranslated": 1}}),
    ],
)
def test_facts(content: str, facts: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "file").write_text(content)
    found = inspect(tmp_path / "file").facts
    assert {name: found.get(name) for name in facts} == facts


@given(lines=st.lists(st.lists(st.sampled_from(["a", "bc", "ü", "1"]), max_size=30), min_size=1))
def test_text_counts_equal_plain_counting(
    lines: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "counted.txt"
    path.write_text("start here\n" + "".join(" ".join(line) + "\n" for line in lines))
    lines = [["start", "here"], *lines]
    facts = inspect(path).facts
    assert facts["lines"] == len(lines)
    assert facts["tokens"] == sum(map(len, lines))
    assert facts["types"] == len({word for line in lines for word in line})
    assert facts["empty lines"] == lines.count([])
    longest = max(range(len(lines)), key=lambda at: len(lines[at]))
    assert facts["longest line"] == f"{longest + 1:,} ({len(lines[longest])} tokens)"
    bars = Counter(
        next(
            name
            for name, low, high in [
                ("0", 0, 0),
                ("1", 1, 1),
                ("2", 2, 2),
                ("3-5", 3, 5),
                ("6-10", 6, 10),
                ("11-20", 11, 20),
                ("21-40", 21, 40),
            ]
            if low <= len(line) <= high
        )
        for line in lines
    )
    assert facts["lines by tokens"] == bars


def test_flaws_of_text_are_listed_by_line(tmp_path: Path) -> None:
    path = tmp_path / "flawed"
    path.write_bytes(
        b"\xef\xbb\xbfa fine line of text\r\nb\xe4d bytes\nquite fine again, and long enough\n"
        b"nul \0 here\n\x1b[1m bold\nlost \xef\xbf\xbd\nb\xffd again"
    )
    report = inspect(path)
    assert report.kind == "plain text"
    assert report.facts["lines"] == 7
    assert report.problems == (
        "invalid UTF-8 on 2 of the lines: lines 2, 7",
        "NUL bytes on 1 of the lines: line 4",
    )
    assert [remark.partition(":")[0] for remark in report.remarks] == [
        "begins with a byte-order mark",
        "Windows line ends on 1 of the lines",
        "control characters on 1 of the lines",
        "replacement characters (U+FFFD), the mark of earlier damage on 1 of the lines",
    ]


def test_line_numbers_hold_across_chunks(tmp_path: Path) -> None:
    path = tmp_path / "long"
    with path.open("wb") as out:
        for _ in range(30):
            out.write(b"x" * 99_990 + b"\n")
        out.write(b"\xff\n")
    assert inspect(path).problems == ("invalid UTF-8 on 1 of the lines: line 31",)


def test_many_bad_lines_are_counted_and_the_first_named(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"some text \xff\n" * 50)
    (problem,) = inspect(tmp_path / "bad").problems
    assert problem == "invalid UTF-8 on 50 of the lines: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..."


def test_an_empty_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    report = inspect(tmp_path / "empty")
    assert (report.kind, report.problems) == ("plain text", ("is empty",))


def test_uneven_tables_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\nc\nd\te\tf\n")
    report = inspect(tmp_path / "t.tsv")
    assert report.facts["columns"] == {"1 columns": 1, "2 columns": 1, "3 columns": 1}
    assert report.remarks == ("not every line has the same number of columns",)


def test_alignments_from_one_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1-1 2-2\n3-1\n")
    assert inspect(tmp_path / "a").remarks == ("no position is 0; perhaps it counts from 1",)


def test_containers_tell_kind_and_sections(tmp_path: Path) -> None:
    path = tmp_path / "part"
    out = _core.ContainerWriter(str(path), "novel", 3)
    out.begin("chapter")
    out.write(b"once upon a time")
    out.finish()
    report = inspect(path, verify=True)
    assert report.kind == "Demotic binary file of kind 'novel'"
    assert report.facts == {
        "layout version": 3,
        "checksums": "all verified",
        "bytes by section": {"chapter": 16},
    }
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="'chapter' is damaged") as error:
        inspect(path)
    assert error.value.path == str(path)


def test_large_containers_are_only_read_through_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "part"
    out = _core.ContainerWriter(str(path), "novel", 3)
    out.begin("chapter")
    out.write(b"once upon a time")
    out.finish()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    monkeypatch.setattr("demotic.inspection.models._SMALL", 100)
    assert "--verify" in str(inspect(path).facts["checksums"])
    with pytest.raises(CorruptFileError):
        inspect(path, verify=True)


def test_binary_language_models_tell_their_counts(tmp_path: Path) -> None:
    from demotic.lm import LanguageModel

    (tmp_path / "lm.arpa").write_text(ARPA)
    LanguageModel.load(tmp_path / "lm.arpa").save(tmp_path / "lm.bin")
    report = inspect(tmp_path / "lm.bin")
    assert report.kind == "binary language model"
    assert report.facts["order"] == 2
    assert report.facts["n-grams by order"] == {"1-grams": 3, "2-grams": 1}


def test_aligners_and_lexical_tables_tell_their_size(tmp_path: Path) -> None:
    from demotic.align.aligner import Aligner, AlignerOptions
    from demotic.align.lexical import LexicalTable
    from demotic.align.text import Text

    source, target = ["das Haus", "das Buch"], ["the house", "the book"]
    options = AlignerOptions(hmm_iterations=2)
    Aligner.train(source, target, options=options).save(tmp_path / "aligner")
    report = inspect(tmp_path / "aligner", verify=True)
    assert report.kind == "aligner model"
    assert report.facts["words of both languages"] == 7  # with <unk>
    assert report.facts["training"]["hmm_iterations"] == 2  # type: ignore[index, call-overload]
    links = _core.Links()
    links.append([(0, 0), (1, 1)])
    table = LexicalTable.estimate(Text.of(["das Haus"]), Text.of(["the house"]), links)
    table.save(tmp_path / "lexical")
    report = inspect(tmp_path / "lexical")
    assert report.kind == "lexical translation table"
    assert report.facts["word pairs"] == len(table)


def test_arrow_bitext(tmp_path: Path) -> None:
    path = tmp_path / "bitext.arrow"
    pairs = [("one two", "eins zwei"), ("three", "drei")]
    Bitext.from_pairs(pairs, source_language="en", target_language="de").save(path)
    report = inspect(path)
    assert report.kind == "Arrow bitext"
    assert report.facts["pairs"] == 2
    assert report.facts["languages"] == ["en", "de"]
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DemoticError) as error:
        inspect(path)
    assert error.value.path == str(path)


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (ARPA.replace("ngram 2=1", "ngram 2=2"), "2 2-grams were announced", 13),
        (ARPA.replace("-0.5\t", "nan\t"), "is NaN", 11),
        (ARPA[:60], "not a number", 8),
        (TMX[:-20], "broken XML", 1),
        ("0-0\n" * 70_000 + "0-0 1-x\n", "not a link: '1-x'", 70_001),
        (b"\0\1\2\3" * 50, "a binary file of a kind", None),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4, "a binary file of a kind", None),
    ],
)
def test_damaged_files_raise_and_name_the_place(
    content: str | bytes, message: str, line: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=message) as error:
        inspect(path)
    assert error.value.path == str(path)
    assert line is None or error.value.line == line


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="No such file"):
        inspect(tmp_path / "missing")
    with pytest.raises(FormatError, match="a folder that is no model"):
        inspect(tmp_path)
    with pytest.raises(ArgumentError):
        inspect("-")


def test_real_files(data: Path) -> None:
    arpa = inspect(data / "lm-reference" / "lm.o3.arpa.gz")
    assert arpa.facts["order"] == 3
    links = inspect(data / "multi30k" / "tok" / "train.de-en.align.gz")
    assert (links.kind, links.facts["sentence pairs"]) == ("word alignment (Pharaoh)", 29_000)


@pytest.mark.parametrize(
    ("text", "format", "nonterminals", "scores"),
    [
        ("[X] ||| a [X,1] ||| b [1] ||| P=1 Q=2\n[X] ||| a ||| b ||| P=1\n", "cdec",
         {"0": 1, "1": 1}, {"P": 2, "Q": 1}),
        ("a b ||| c ||| 0.5 0.1 ||| 0-0\n\nd ||| e ||| 0.5 0.2\n", "moses-phrase",
         {"0": 2}, {"score 1": 2, "score 2": 2}),
        ("a [X][X] [X] ||| [X][X] b [X] ||| 0.5 ||| 1-0 ||| 1 1\n", "moses-hiero", {"1": 1},
         {"score 1": 1}),
        ("[X] ||| a ||| b ||| 1.0 2.0\n", "unclear", {"0": 1}, {"score 1": 1, "score 2": 1}),
    ],
)  # fmt: skip
def test_text_grammars_say_what_they_are(
    text: str, format: str, nonterminals: dict[str, int], scores: dict[str, int], tmp_path: Path
) -> None:
    path = tmp_path / "grammar"
    path.write_text(text)
    assert detect(path) is Kind.grammar
    report = inspect(path)
    assert report.kind == "text grammar"
    assert report.facts["format"] == format
    assert report.facts["rules by nonterminals"] == nonterminals
    assert report.facts["rules with a score"] == scores
    assert not report.problems
