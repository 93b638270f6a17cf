"""``demotic explain``: a tree, JSON, a page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import demotic

TEXT = "The adj1 noun2 verb3 %d noun4."


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from demotic.cli import main; main()", "explain"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_the_tree_names_rules_scores_and_sentences(toy_model: Path) -> None:
    done = run(toy_model, TEXT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{TEXT}\n→ {demotic.load(toy_model).translate(TEXT).text}\n")
    assert "TargetGivenSource" in done.stdout
    assert re.search(r"seen in \d+ sentences?( or more)?\n.*  toy\.tsv:\d+", done.stdout)


def test_json_explains_every_word(toy_model: Path) -> None:
    record = json.loads(run(toy_model, TEXT, "--format", "json").stdout)
    assert [word["word"] for word in record["words"]] == record["tokens"]
    for position, word in enumerate(record["words"]):
        step = record["steps"][word["step"]]
        assert position in step["words"]
        if step["kind"] == "rule":
            assert step["evidence"]


def test_the_page_is_complete_in_itself(toy_model: Path, tmp_path: Path) -> None:
    done = run(toy_model, TEXT, "--format", "html", "--output", tmp_path / "why.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "why.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "toy.tsv" in page
    assert re.findall(r"https?://\S+", page.replace("http://www.w3.org/2000/svg", "")) == []
    assert "import " not in page
    assert "src=" not in page


def test_text_cannot_leave_the_data_of_the_page(toy_model: Path) -> None:
    page = run(toy_model, "noun1 </script><script>x</script> & noun2", "--format", "html").stdout
    assert page.count("<script") == page.count("</script>") == 2
    assert "&lt;script&gt;" in page
    assert "\\u003cscript" in page


def test_several_sentences_are_explained_together(toy_model: Path) -> None:
    texts = [TEXT, "The noun3 verb4 the noun1."]
    records = json.loads(run(toy_model, *texts, "--format", "json").stdout)
    assert [each["source"] for each in records] == texts
    tree = run(toy_model, *texts).stdout
    assert all(text in tree for text in texts)
    [data] = re.findall(
        r'id="data">(.*)</script>', run(toy_model, *texts, "--format", "html").stdout
    )
    assert json.loads(data) == records


def test_a_blank_text_has_nothing_to_explain(toy_model: Path) -> None:
    assert run(toy_model, "", "--format", "tree").returncode == 0
    assert json.loads(run(toy_model, " ", "--format", "json").stdout)["words"] == []


def test_a_model_is_not_overwritten_by_what_it_says(toy_model: Path, tmp_path: Path) -> None:
    demotic.load(toy_model).save(tmp_path / "toy.demotic")
    before = (tmp_path / "toy.demotic").read_bytes()
    for output in (tmp_path / "toy.demotic", tmp_path / "none" / "why.html"):
        assert run(tmp_path / "toy.demotic", TEXT, "--output", output).returncode == 2
    assert (tmp_path / "toy.demotic").read_bytes() == before
