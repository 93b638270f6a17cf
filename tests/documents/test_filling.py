"""Documents filled in by a model, from the command line and from Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import demotic
from demotic.documents import fill_in, open_document
from demotic.systems.model import Model
from tests.systems import toys

COMMAND = [sys.executable, "-c", "from demotic.cli import main; main()", "translate"]
XLIFF = """<xliff version="1.2"><file source-language="en"><body>
<trans-unit id="1"><source>{}</source></trans-unit>
</body></file></xliff>
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def model(toy_model: Path) -> Model:
    return demotic.load(toy_model)


def filled_unit(model: Model, source: str) -> str:
    document = open_document(
        "a.xlf", data=XLIFF.format(source).encode(), source_language="en", target_language="fr"
    )
    data, _ = fill_in(document, model)
    return open_document("a.xlf", data=data).segments[0].target


def test_a_catalogue_is_filled_from_the_command_line(toy_model: Path, tmp_path: Path) -> None:
    sources = toys.lines(12, 9)
    entries = [f'msgid "{source}"\nmsgstr ""\n' for source in sources]
    (tmp_path / "a.po").write_text("\n".join(entries))
    out, report = tmp_path / "out.po", tmp_path / "report.json"
    done = run(toy_model, tmp_path / "a.po", "-o", out, "--report", report)
    assert done.returncode == 0, done.stderr
    assert "12 segments (po): 12 translated" in done.stderr
    model = demotic.load(toy_model)
    segments = open_document(out).segments
    assert [each.target for each in segments] == [model.translate(s).text for s in sources]
    assert {each.state for each in segments} == {"draft"}
    record = json.loads(report.read_text())
    assert record["counts"] == {"translated": 12}
    assert sorted(record["first_to_look_at"]) == list(range(12))


def test_paragraphs_are_translated_sentence_by_sentence(model: Model) -> None:
    one, two = toys.lines(2, 9)
    translated = [model.translate(each).text for each in (one, two)]
    assert filled_unit(model, f"{one} {two}\n  {one}") == (
        f"{translated[0]} {translated[1]}\n  {translated[0]}"
    )


def test_markup_follows_its_words(toy_model: Path, model: Model) -> None:
    source = "The noun1 verb4 the <g id='1'>noun2</g>."
    data = XLIFF.format(source).encode()
    document = open_document("a.xlf", data=data, source_language="en", target_language="fr")
    out = fill_in(document, model)[0].decode()
    target = out[out.index("<target") : out.index("</target>")]
    assert target.count("<g id='1'>nom2</g>") == 1


def test_lines_of_text_are_still_lines(toy_model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.po").write_text('msgid "The noun1 verb4 the noun2."\nmsgstr ""\n')
    done = run(toy_model, tmp_path / "a.po", "--as", "text", "--quiet")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "nom2" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--as", "nonsense"], "there is no format"),
        (["--nbest", "2"], "not for documents"),
        (["--report", "r.txt"], "neither in .html nor in .json"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    toy_model: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    (tmp_path / "a.po").write_text('msgid "a"\nmsgstr ""\n')
    done = run(toy_model, tmp_path / "a.po", *arguments)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_a_broken_document_leaves_the_old_output(toy_model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.po").write_text('msgid "a"\nmsgstr ""\nnonsense\n')
    (tmp_path / "out.po").write_text("precious")
    done = run(toy_model, tmp_path / "a.po", "-o", tmp_path / "out.po")
    assert done.returncode == 1
    assert "a.po:3: not what a PO file holds" in done.stderr
    assert (tmp_path / "out.po").read_text() == "precious"


def test_the_page_shows_what_was_filled_and_runs_nothing(model: Model, tmp_path: Path) -> None:
    data = b'msgid "The noun1 verb4 <script>x</script>"\nmsgstr ""\n'
    document = open_document("a.po", data=data)
    page = fill_in(document, model)[1].html("a.po")
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_what_the_memory_has_is_said_to_come_from_it(model: Model) -> None:
    pair = next(iter(toys.memory(400)))
    unseen = toys.lines(1, 9)[0]
    data = f'msgid "{pair.source}"\nmsgstr ""\n\nmsgid "{unseen}"\nmsgstr ""\n'.encode()
    filled, report = fill_in(open_document("a.po", data=data), model)
    assert report.counts == {"from memory": 1, "translated": 1}
    assert open_document("a.po", data=filled).segments[0].target == pair.target
    assert report.first_to_look_at() == [1, 0]
