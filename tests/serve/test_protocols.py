"""The translation memory protocol, JSON-RPC, and what the server says of itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from demotic.serve.page_files import page_files
from tests.serve.asking import LINE, Asker, asking
from tests.systems import toys


def unit(asker: Asker, text: str, more: str = "") -> list[dict[str, Any]]:
    reply = asker.get(f"/tmserver/en/fr/unit/{quote(text, safe='')}{more}")
    assert reply.status == 200, reply.body
    found: list[dict[str, Any]] = reply.record
    return found


# -- Virtaal and Pootle -------------------------------------------------------------------------


def test_the_same_message_has_all_of_the_quality(asker: Asker) -> None:
    pair = next(iter(toys.memory(400)))
    first, *others = unit(asker, pair.source)
    assert first["source"] == pair.source
    assert first["quality"] == 100
    assert all(each["quality"] <= 100 for each in others)


def test_similar_messages_come_before_what_is_decoded(asker: Asker) -> None:
    source = next(toys.memory(400).source_lines())
    words = source.split()
    changed = " ".join([*words[:-1], "noun77."])
    found = unit(asker, changed)
    assert [each["quality"] for each in found] == sorted(
        (each["quality"] for each in found), reverse=True
    )
    assert found[0]["source"] == source
    assert {"source": changed, "target": asker.translated(changed)}.items() <= (
        next(each for each in found if each["source"] == changed).items()
    )


def test_it_takes_slashes_percent_signs_and_limits(asker: Asker) -> None:
    for text in ("noun1/noun2 100% a+b", "noun1?x=y#z", "é 中 😀"):
        assert unit(asker, text)[-1]["source"] == text
        assert asker.get(f"/tmserver/en/fr/unit/?source={quote(text, safe='')}").record
    assert unit(asker, LINE, "?min_similarity=99") == []
    assert len(unit(asker, LINE, "?max_candidates=1")) == 1
    assert asker.get("/tmserver/en/fr/unit/%ff").status == 400
    assert asker.get("/tmserver/en/fr/unit/").status == 400
    assert asker.get("/tmserver/en/xx/unit/a").status == 400


def test_units_can_be_put(model: Path) -> None:
    with asking(model) as asker:
        for number, method in enumerate(("PUT", "POST")):
            body = json.dumps({"source": LINE, "target": f"Mis {number}."}).encode()
            path = f"/tmserver/en/fr/unit/{quote(LINE, safe='')}"
            assert asker.ask(method, path, body, "application/json").status == 200
            assert unit(asker, LINE)[0]["target"] == f"Mis {number}."


def test_pootles_pages_get_a_script_where_all_pages_may_ask(toy_model: Path) -> None:
    path = f"/tmserver/en/fr/unit/?source={quote(LINE)}&jsoncallback="
    with asking(toy_model, cors="*", disable_suggestions=True) as asker:
        reply = asker.get(f"{path}jQuery17_5")
        assert reply.headers["content-type"].startswith("text/javascript")
        found = re.fullmatch(rb"/\*\*/jQuery17_5\((.*)\)", reply.body)
        assert found is not None
        assert json.loads(found[1])[0]["source"]
        assert asker.get(f"{path}alert(1);x").status == 400
    with asking(toy_model, disable_suggestions=True) as asker:
        assert asker.get(f"{path}a").status == 403


# -- scripts ------------------------------------------------------------------------------------


def rpc(model: Path, *lines: str | bytes) -> list[Any]:
    given = b"".join((each.encode() if isinstance(each, str) else each) + b"\n" for each in lines)
    done = subprocess.run(
        [sys.executable, "-m", "demotic", "serve", "--stdio", model],
        input=given, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(number: Any, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def test_json_rpc_answers_line_by_line_and_goes_on_after_nonsense(model: Path) -> None:
    with asking(model, disable_suggestions=True) as asker:
        told = asker.translated(LINE)
    found = rpc(
        model,
        call(1, "translate", q=LINE),
        "{nonsense",
        b"\xff\xfe",
        "",
        '"text"',
        "[]",
        call("two", "translate", q=LINE, source="xx"),
        call(3, "no_such"),
        '{"jsonrpc": "2.0", "id": 4, "method": "translate", "params": [1]}',
        call(5, "translate", q="\ud800"),
        '{"jsonrpc": "2.0", "method": "translate", "params": {"q": "nobody hears"}}',
        f"[{call(6, 'translate', q=[LINE, ''])}, {call(7, 'languages')}, 1]",
        call(8, "suggest", q=LINE, s="Dit."),
        call(9, "translate", q=LINE),
        call(10, "explain", q="The noun1 verb2 a noun5."),
        call(11, "models"),
        call(12, "translate", q="x" * (5 << 20)),
        call(13, "detect", q=LINE),
        call("\ud800", "languages"),
        call(float("inf"), "languages"),
        '{"id": [[]], "method": "languages"}',
        call(1.5, "languages"),
    )
    assert found[0] == {"jsonrpc": "2.0", "id": 1, "result": {"translatedText": told}}
    codes = [each["error"]["code"] for each in found[1:8]]
    assert codes == [-32700, -32700, -32600, -32600, -32000, -32601, -32602]
    assert found[5]["id"] == "two"
    assert found[5]["error"]["data"] == {"status": 400}
    assert found[8]["error"]["message"].endswith("lone surrogate at 0")
    batch = found[9]
    assert batch[0]["result"]["translatedText"] == [told, ""]
    assert [each.get("id") for each in batch] == [6, 7, None]
    assert [each["id"] for each in found[10:13]] == [8, 9, 10]
    assert found[11]["result"]["translatedText"] == "Dit."
    assert found[12]["result"]["view"]["text"]
    assert found[13]["result"]["models"][0]["name"] == "en-fr"
    assert found[14]["error"]["code"] == -32600
    assert found[15]["result"][0]["language"] == "en"
    assert [each["error"]["code"] for each in found[16:19]] == [-32600] * 3
    assert found[19]["id"] == 1.5


def test_it_ends_when_it_is_told_to_while_it_waits(toy_model: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "demotic", "serve", "--stdio", "--no-suggestions", toy_model],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(call(1, "translate", q="noun1").encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.terminate()
    assert process.wait(timeout=60) == 143
    _, said = process.communicate()
    assert said == b""


# -- about itself -------------------------------------------------------------------------------


def test_languages_models_and_settings(asker: Asker) -> None:
    assert asker.get("/languages").record == [
        {"code": "en", "name": "English", "targets": ["fr"]},
        {"code": "fr", "name": "French", "targets": []},
    ]
    models = asker.get("/models").record["models"]
    assert [(each["name"], each["system"]) for each in models] == [
        ("toy", "hiero"), ("toy-phrase", "phrase"),
    ]  # fmt: skip
    assert models[0]["source"] == {"code": "en", "name": "English", "rtl": False}
    assert models[0]["memory"] is True
    assert models[0]["pairs"] > 300
    settings = asker.get("/frontend/settings").record
    assert settings["charLimit"] == asker.options.char_limit
    assert ".po" in settings["supportedFilesFormat"]
    assert settings["language"]["target"] == {"code": "fr", "name": "French"}
    assert asker.get("/health").record == {"status": "ok"}


def test_two_models_of_one_name_get_names_of_their_own(toy_model: Path) -> None:
    with asking(toy_model, toy_model, disable_suggestions=True) as asker:
        assert [each.name for each in asker.loaded.all] == ["toy", "toy-2"]


def test_explanations_have_every_word(asker: Asker) -> None:
    reply = asker.post("/explain", q=LINE, source="en", target="fr").record
    assert (reply["model"], reply["source"], reply["target"]) == ("toy", "en", "fr")
    assert reply["view"]["text"] == asker.translated(LINE)
    known = next(toys.memory(400).source_lines())
    by_memory = asker.post("/explain", q=known, model="toy").record["view"]
    decoded = asker.post("/explain", q=known, model="toy", memory=False).record["view"]
    assert by_memory["memory"]
    assert not decoded["memory"]
    assert decoded["steps"]
    assert asker.post("/explain", q="a " * 2000, source="en", target="fr").status == 400
    assert asker.post("/explain", q="a", source="fr", target="en").status == 400


def test_the_memory_shows_what_differs(asker: Asker) -> None:
    source = next(toys.memory(400).source_lines())
    words = source.split()
    changed = " ".join([*words[:-1], "noun77."])
    found = asker.get(f"/memory?q={quote(changed)}&source=en&target=fr&most=3").record
    assert found["answers"] == []
    [first, *_] = found["similar"]
    assert first["source"] == source
    assert first["suggested"] is False
    differing = [each for each in first["difference"] if not each["same"]]
    assert [each["given"] for each in differing] == [["noun77"]]
    [answer, *_] = asker.post("/memory", q=source, model="toy").record["answers"]
    assert (answer["kind"], answer["source"]) == ("exact", source)


def test_figures_are_in_the_format_of_prometheus(asker: Asker) -> None:
    known = next(toys.memory(400).source_lines())

    def value(name: str) -> float:
        text = asker.get("/metrics").body.decode()
        found = [line for line in text.splitlines() if line.startswith(f"{name} ")]
        return float(found[0].rpartition(" ")[2]) if found else 0.0

    hits = 'demotic_memory_hits_total{model="toy",kind="exact"}'
    sentences = 'demotic_sentences_total{model="toy"}'
    refused = 'demotic_requests_total{endpoint="/translate",status="400"}'
    before = [value(each) for each in (hits, sentences, refused)]
    asker.translated([known, LINE, LINE])
    asker.post("/translate", q="a", source="xx", target="fr")
    assert [value(each) for each in (hits, sentences, refused)] == [
        before[0] + 1, before[1] + 3, before[2] + 1,
    ]  # fmt: skip
    reply = asker.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    line = re.compile(r'(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)')
    text = reply.body.decode()
    assert all(line.fullmatch(each) for each in text.splitlines())
    buckets = re.findall(r'request_seconds_bucket\{endpoint="/translate",le="[^"]+"\} (\d+)', text)
    assert [int(each) for each in buckets] == sorted(int(each) for each in buckets)
    assert value('demotic_request_seconds_count{endpoint="/translate"}') == int(buckets[-1])
    assert value("process_resident_memory_bytes") > 1e6


def example(schema: dict[str, Any]) -> Any:
    """Something that a schema of a request allows."""
    return schema.get("example", schema.get("enum", ["noun1"])[0])


def test_the_specification_names_what_there_is(asker: Asker) -> None:
    found = asker.get("/spec").record
    assert found["openapi"].startswith("3.")
    for path, methods in found["paths"].items():
        plain = re.sub(r"\{\w+\}", "x", path)
        for method in methods:
            reply = asker.ask(method.upper(), plain)
            assert reply.status != 405
            assert (
                reply.record != {"error": "Not found"}
                if "json" in (reply.headers["content-type"])
                else True
            )
    for path, methods in found["paths"].items():
        for operation in methods.values() if "requestBody" in methods.get("post", {}) else ():
            content = operation["requestBody"]["content"]
            if "application/json" not in content:
                continue
            schema = content["application/json"]["schema"]
            fields = {name: example(schema["properties"][name]) for name in schema["required"]}
            reply = asker.post(path, **fields)
            assert reply.status == (403 if path == "/suggest" else 200), (path, reply.body)
            if reply.status == 200 and isinstance(reply.record, dict):
                answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
                assert set(reply.record) <= set(answer["properties"])
    page = asker.get("/docs")
    text = page.body.decode()
    assert "<script" not in text
    assert not re.search(r"""(src|href)\s*=""", text)
    assert "/translate_file" in text


def test_files_of_the_page_are_served_under_a_strict_policy(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>x</p>")
    (tmp_path / "page.js").write_text("1")
    (tmp_path / "notes.py").write_text("secret")
    (tmp_path / "folder").mkdir()
    found = page_files(tmp_path)
    assert sorted(found) == ["index.html", "page.js"]
    for answer in found.values():
        headers = dict(answer.headers)
        policy = headers[b"content-security-policy"].decode()
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers[b"x-content-type-options"] == b"nosniff"


def test_pages_of_other_addresses_are_let_in_where_they_may(toy_model: Path) -> None:
    with asking(toy_model, cors="*", disable_suggestions=True) as asker:
        body = json.dumps({"q": "noun1", "source": "en", "target": "fr"}).encode()
        reply = asker.ask(
            "POST", "/translate", body, "application/json", origin="https://cat.example"
        )
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
        reply = asker.ask("OPTIONS", "/translate", origin="https://cat.example")
        assert reply.status == 204
        assert "POST" in reply.headers["access-control-allow-methods"]


@pytest.mark.parametrize("path", ["/", "/page/index.html"])
def test_a_missing_page_is_said_to_be_missing(asker: Asker, path: str) -> None:
    assert asker.get(path).status in (200, 404)
