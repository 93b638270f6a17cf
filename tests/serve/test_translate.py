"""``/translate`` as LibreTranslate has it, and what is beyond."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

import demotic
from tests.serve.asking import LINE, Asker, asking, multipart
from tests.systems import toys


def test_all_kinds_of_bodies_are_answered_alike(asker: Asker, toy_model: Path) -> None:
    expected = {"translatedText": demotic.load(toy_model).translate(LINE).text}
    fields = {"q": LINE, "source": "en", "target": "fr"}
    body, kind = multipart(fields, {})
    for reply in (
        asker.post("/translate", **fields),
        asker.form("/translate", **fields),
        asker.form("/translate", **fields, format="text", api_key="", alternatives="0"),
        asker.ask("POST", "/translate", body, kind),
        asker.ask("POST", f"/translate?{urlencode(fields)}"),
        asker.ask("POST", "/translate", json.dumps(fields).encode(), "application/json; charset=x"),
    ):
        assert (reply.status, reply.record) == (200, expected)
        assert reply.headers["content-type"] == "application/json"


def test_a_list_is_answered_by_a_list_in_its_order(asker: Asker, toy_model: Path) -> None:
    lines = toys.lines(40, seed=3)
    model = demotic.load(toy_model)
    expected = [each.text for each in model.translate_lines(lines)]
    assert asker.translated(lines) == expected
    assert asker.translated(["", LINE, ""])[::2] == ["", ""]


def test_many_requests_at_once_get_each_its_own_answer(asker: Asker, toy_model: Path) -> None:
    lines = toys.lines(60, seed=5)
    expected = [each.text for each in demotic.load(toy_model).translate_lines(lines)]

    async def all_at_once() -> list[str]:
        bodies = [
            json.dumps({"q": line, "source": "en", "target": "fr"}).encode() for line in lines
        ]
        replies = await asyncio.gather(
            *(asker.asked("POST", "/translate", body, "application/json") for body in bodies)
        )
        return [reply.record["translatedText"] for reply in replies]

    assert asyncio.run(all_at_once()) == expected


def test_sentences_and_lines_of_a_text_stay_where_they_are(asker: Asker) -> None:
    one, other = toys.lines(2, seed=8)
    first, second = asker.translated(one), asker.translated(other)
    text = f"  {one}\n\n\t{other}  {one}\r\n"
    assert asker.translated(text) == f"  {first}\n\n\t{second}  {first}\r\n"
    assert asker.translated(" \n ") == " \n "


def test_alternatives_differ_from_the_translation_and_each_other(asker: Asker) -> None:
    fields = {"q": LINE, "source": "en", "target": "fr", "alternatives": 3}
    one = asker.post("/translate", **fields).record
    told = [one["translatedText"], *one["alternatives"]]
    assert len(set(told)) == len(told) >= 2
    two = asker.post("/translate", **{**fields, "q": [LINE, f"{LINE} {LINE}"]}).record
    assert two["alternatives"][0] == one["alternatives"]
    assert all(isinstance(each, list) for each in two["alternatives"])


def test_html_keeps_its_tags(asker: Asker) -> None:
    q = f'<p title="x">{LINE}</p>\n<script>var noun1 = "<p>";</script><!-- noun2 -->'
    found = asker.translated(q, format="html")
    assert found == q.replace(LINE, asker.translated(LINE))
    assert asker.translated(f"<b>{LINE}</b> &amp; é", format="html").startswith("<b>")
    assert asker.translated("<meta charset=utf-16>é", format="html") == "<meta charset=utf-16>é"


def test_the_language_is_found_out(asker: Asker) -> None:
    reply = asker.post("/translate", q=LINE, source="auto", target="fr")
    assert reply.record["translatedText"] == asker.translated(LINE)
    detected = reply.record["detectedLanguage"]
    assert detected["language"] == "en"
    assert 50 < detected["confidence"] <= 100
    batch = asker.post("/translate", q=[LINE, LINE], source="auto", target="fr").record
    assert batch["detectedLanguage"] == [detected, detected]


def test_a_text_in_the_language_it_should_be_in_stays_as_it_is(asker: Asker) -> None:
    french = "Le nom1 agir2 donc la nom3."
    reply = asker.post("/translate", q=french, source="auto", target="fr").record
    assert reply["translatedText"] == french
    assert reply["detectedLanguage"]["language"] == "fr"
    assert asker.translated("anything", source="fr", target="fr") == "anything"


def test_the_named_model_answers(asker: Asker, phrase_model: Path) -> None:
    lines = toys.lines(20, seed=11)
    expected = [each.text for each in demotic.load(phrase_model).translate_lines(lines)]
    assert asker.translated(lines, model="toy-phrase") == expected
    assert asker.translated(lines, model="toy") == asker.translated(lines)
    refused = asker.post("/translate", q="x", source="en", target="fr", model="none")
    assert refused.status == 400
    assert "toy-phrase" in refused.error


def test_details_say_where_sentences_stand_and_come_from(asker: Asker) -> None:
    text = f"😀 {LINE}  {toys.lines(1, seed=4)[0]}"
    reply = asker.post("/translate", q=text, source="en", target="fr", details=True).record
    assert reply["model"] == "toy"
    for segment in reply["segments"]:
        assert text[segment["start"] : segment["end"]] == segment["source"]
        assert segment["text"] in reply["translatedText"]
        assert segment["origin"] == "decoded"
    assert len(reply["segments"]) >= 2
    known = next(toys.memory(400).source_lines())
    reply = asker.post("/translate", q=[known], source="en", target="fr", details=True).record
    assert [[each["origin"] for each in text] for text in reply["segments"]] == [["memory"]]


def test_regions_of_languages_are_no_other_languages(asker: Asker) -> None:
    assert asker.translated(LINE, source="en-GB", target="fr_FR") == asker.translated(LINE)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"source": "en", "target": "fr"}, "missing q"),
        ({"q": "", "source": "en", "target": "fr"}, "missing q"),
        ({"q": [], "source": "en", "target": "fr"}, "missing q"),
        ({"q": "a", "target": "fr"}, "missing source"),
        ({"q": "a", "source": "en"}, "missing target"),
        ({"q": "a", "source": "xx", "target": "fr"}, "xx is not supported"),
        ({"q": "a", "source": "en", "target": "de"}, "de is not supported"),
        ({"q": "a", "source": "fr", "target": "en"}, "English (en) is not available as a target"),
        ({"q": "a", "source": "en", "target": "fr", "format": "pdf"}, "pdf format"),
        ({"q": 5, "source": "en", "target": "fr"}, "q parameter is not a text"),
        ({"q": ["a", 5], "source": "en", "target": "fr"}, "not a list of texts"),
        ({"q": {"a": 1}, "source": "en", "target": "fr"}, "q parameter is not a text"),
        ({"q": "a", "source": ["en"], "target": "fr"}, "source parameter is not a text"),
        ({"q": "a", "source": "en", "target": "fr", "alternatives": "x"}, "not a number"),
        ({"q": "a", "source": "en", "target": "fr", "alternatives": True}, "not a number"),
        ({"q": "a", "source": "en", "target": "fr", "alternatives": 99}, "must be <= 20"),
        ({"q": "a", "source": "en", "target": "fr", "details": 3}, "not true or false"),
        ({"q": ["a"] * 1001, "source": "en", "target": "fr"}, "(1001) exceeds text limit (1000)"),
        ({"q": "a " * 30000, "source": "en", "target": "fr"}, "(60000) exceeds text limit"),
    ],
)
def test_what_is_wrong_is_said(asker: Asker, fields: dict[str, object], said: str) -> None:
    reply = asker.post("/translate", **fields)
    assert reply.status == 400
    assert said in reply.error


def test_limits_can_be_lifted(toy_model: Path) -> None:
    with asking(toy_model, disable_suggestions=True, char_limit=-1, batch_limit=-1) as asker:
        assert len(asker.translated(["noun1"] * 1200)) == 1200
        assert asker.translated("noun1\n" * 12000).count("\n") == 12000


def test_what_is_longer_than_a_sentence_is_cut_at_a_space(asker: Asker) -> None:
    words = "noun1 " * 1000
    assert len(asker.translated(words).split()) >= 1000
