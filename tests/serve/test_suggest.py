"""Corrections: kept on the disk, answered from at once, learned from."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import demotic
from tests.serve.asking import LINE, asking, serving
from tests.systems import toys

SAID = "Voilà autre chose."


def suggestion(q: str = LINE, s: str = SAID) -> dict[str, Any]:
    return {"q": q, "s": s, "source": "en", "target": "fr"}


def kept(model: Path) -> list[dict[str, Any]]:
    path = model.with_name(f"{model.name}.suggestions.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_suggestion_is_the_next_answer_of_all_models_of_the_pair(
    model: Path, phrase_model: Path
) -> None:
    with asking(model, phrase_model) as asker:
        for name in ("en-fr", "toy-phrase"):
            assert asker.translated(LINE, model=name) != SAID
        assert asker.post("/suggest", **suggestion()).record == {"success": True}
        for name in ("en-fr", "toy-phrase"):
            assert asker.translated(LINE, model=name) == SAID
            [segment] = asker.post(
                "/translate", q=LINE, source="en", target="fr", model=name, details=True
            ).record["segments"]
            assert segment["origin"] == "suggested"
    [record] = kept(model)
    assert {name: record[name] for name in suggestion()} == suggestion()


def test_it_is_found_again_in_other_spaces_with_another_mark_and_other_numbers(model: Path) -> None:
    with asking(model) as asker:
        asker.form("/suggest", **suggestion("Delete  the noun1 3 times?", "Supprimer 3 fois ?"))
        assert asker.translated("Delete the noun1 3 times?") == "Supprimer 3 fois ?"
        assert asker.translated("Delete the noun1 14 times?") == "Supprimer 14 fois ?"
        assert asker.translated("Delete the noun1 3 times!") == "Supprimer 3 fois\u00a0!"
        assert asker.translated("Now: delete the noun1 3 times?") != "Supprimer 3 fois ?"


def test_the_last_one_counts_also_after_a_restart(model: Path) -> None:
    with asking(model) as asker:
        for said in ("Un.", "Deux.", "Trois."):
            asker.post("/suggest", **suggestion(s=said))
            assert asker.translated(LINE) == said
        alternatives = asker.post(
            "/translate", q=LINE, source="en", target="fr", alternatives=3
        ).record["alternatives"]
        assert alternatives
        assert not {"Un.", "Deux."} & set(alternatives)
    with asking(model) as asker:
        assert asker.translated(LINE) == "Trois."
    assert [each["s"] for each in kept(model)] == ["Un.", "Deux.", "Trois."]


def test_a_text_of_several_sentences_is_one_suggestion(model: Path) -> None:
    text = f"{LINE} {LINE}\n\n{LINE}"
    with asking(model) as asker:
        asker.post("/suggest", **suggestion(text))
        assert asker.translated(text) == SAID
        assert asker.translated([LINE, text])[1] == SAID


def test_documents_and_html_use_it(model: Path) -> None:
    with asking(model) as asker:
        asker.post("/suggest", **suggestion())
        assert asker.translated(f"<p>{LINE}</p>", format="html") == f"<p>{SAID}</p>"


def test_a_torn_last_line_is_passed_over_and_written_behind(model: Path) -> None:
    path = model.with_name(f"{model.name}.suggestions.jsonl")
    whole = json.dumps({"time": "2026", **suggestion("noun1", "premier")})
    path.write_text(f'{whole}\n{{"q": "noun2", "s": "sec', encoding="utf-8")
    with asking(model) as asker:
        assert asker.translated("noun1") == "premier"
        asker.post("/suggest", **suggestion("noun3", "troisième"))
    with asking(model) as asker:
        assert asker.translated("noun1") == "premier"
        assert asker.translated("noun3") == "troisième"
    assert path.read_text(encoding="utf-8").startswith(whole)


def test_another_file_can_be_named_for_all_pairs(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    with asking(model, suggestions=path) as asker:
        asker.post("/suggest", **suggestion())
        [match] = asker.post("/memory", q=LINE, source="en", target="fr").record["answers"]
        assert (match["text"], match["kind"], match["suggested"]) == (SAID, "exact", True)
        assert match["file"] == str(path)
    assert json.loads(path.read_text(encoding="utf-8"))["s"] == SAID
    assert not model.with_name(f"{model.name}.suggestions.jsonl").exists()


def test_it_can_be_disabled(model: Path) -> None:
    with asking(model, disable_suggestions=True) as asker:
        reply = asker.post("/suggest", **suggestion())
        assert (reply.status, reply.error) == (403, "Suggestions are disabled on this server.")
        assert asker.get("/frontend/settings").record["suggestions"] is False


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q": ""}, "missing q"),
        ({"s": ""}, "missing s"),
        ({"s": "  \n"}, "text on both sides"),
        ({"source": "xx"}, "xx is not supported"),
        ({"source": "fr", "target": "en"}, "not available"),
        ({"s": ["a"]}, "s parameter is not a text"),
        ({"s": "a\ud800"}, "lone surrogate"),
    ],
)
def test_what_cannot_be_kept_is_refused(model: Path, change: dict[str, Any], said: str) -> None:
    with asking(model) as asker:
        reply = asker.post("/suggest", **(suggestion() | change))
        assert reply.status == 400
        assert said in reply.error
    assert not model.with_name(f"{model.name}.suggestions.jsonl").exists()


def test_a_disk_that_refuses_is_reported_and_nothing_is_remembered(model: Path) -> None:
    path = model.with_name(f"{model.name}.suggestions.jsonl")
    with asking(model) as asker:
        before = asker.translated(LINE)
        path.mkdir()
        reply = asker.post("/suggest", **suggestion())
        assert reply.status == 500
        assert reply.error
        assert asker.translated(LINE) == before


def test_many_at_once_are_all_kept(model: Path) -> None:
    with asking(model) as asker:

        async def send() -> None:
            for begin in range(0, 60, 20):
                bodies = [
                    json.dumps(suggestion(f"noun{i} of {i}", f"dit {i}")).encode()
                    for i in range(begin, begin + 20)
                ]
                replies = await asyncio.gather(
                    *(asker.asked("POST", "/suggest", b, "application/json") for b in bodies)
                )
                assert {each.status for each in replies} == {200}

        asyncio.run(send())
        assert asker.translated("noun7 of 7") == "dit 7"
    assert len(kept(model)) == 60


def test_what_was_answered_survives_a_kill(model: Path) -> None:
    with serving(model) as server:
        for number in range(5):
            reply = server.post("/suggest", **suggestion(f"noun{number} of old", f"dit {number}"))
            assert reply.record == {"success": True}
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    with asking(model) as asker:
        for number in range(5):
            assert asker.translated(f"noun{number} of old") == f"dit {number}"


def test_training_learns_from_it(model: Path, tmp_path: Path) -> None:
    pairs = list(toys.memory(120))
    known = pairs[3].source
    with asking(model) as asker:
        for said in ("Non.", "Dit autrement."):
            asker.post("/suggest", **suggestion(known, said))
        asker.post("/suggest", **suggestion("a brand new noun1", "tout neuf"))
    text = tmp_path / "text.tsv"
    text.write_text("".join(f"{p.source}\t{p.target}\n" for p in pairs), encoding="utf-8")
    out = tmp_path / "again"
    path = Path(f"{out}.suggestions.jsonl")
    path.write_bytes(model.with_name(f"{model.name}.suggestions.jsonl").read_bytes())
    order = [
        sys.executable, "-m", "demotic", "train", "--bitext", text, "--from", "en", "--to", "fr",
        "--out", out, "--work", tmp_path / "work", "--set", "tune.mira.iterations=1",
        "--set", "lm.order=2", "--force",
    ]  # fmt: skip
    plain = subprocess.run([*order, "--no-suggestions"], capture_output=True, text=True, check=True)
    assert "suggestions" not in plain.stderr
    assert demotic.load(out).translate(known).text == pairs[3].target
    done = subprocess.run([*order, "--resume"], capture_output=True, text=True, check=True)
    assert f"{path}: 2 suggestions of users" in done.stderr
    again = demotic.load(out)
    assert again.translate(known).text == "Dit autrement."
    assert again.translate("a brand new noun1").text == "tout neuf"
    found = {pair.target for pair in again.training_corpus if pair.source == known}
    assert found <= {"Dit autrement."}
