"""The translation memory protocol of amaGama, which Virtaal, Pootle and Weblate speak.

    GET /tmserver/de/en/unit/Hallo%20Welt       [{"source", "target", "quality", "rank"}, ...]
    PUT /tmserver/de/en/unit/Hallo%20Welt       {"source": ..., "target": ...}: a suggestion
    GET /tmserver/languages/

What was translated before comes with its similarity in percent; the decoder's translation comes
last, with a quality that clients show and tell from a match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from demotic.serve.answers import Answer
from demotic.serve.bodies import Fields, count_field, optional_text, text_field
from demotic.serve.refusal import Refusal

if TYPE_CHECKING:
    from demotic.serve.desk import Desk

MACHINE = 75
"""Quality of what was decoded: Virtaal's default threshold."""
_MOST = 5
_MENDED = 95


class TmServer:
    """Answers below /tmserver/."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def answer(self, method: str, raw_path: bytes, fields: Fields) -> Answer:
        """A request by its path as it was sent: the text may hold slashes."""
        parts = raw_path.removeprefix(b"/tmserver/").split(b"/", 3)
        if parts[0] == b"languages" and parts[1:] in ([], [b""]):
            return Answer.json(self._languages())
        if len(parts) < 3 or parts[2] != b"unit":
            raise Refusal(404, "Not found: write /tmserver/SOURCE/TARGET/unit/TEXT")
        source, target = (_plain(each) for each in parts[:2])
        # Clients that cannot write a slash in a path give the text as ?source=
        text = (_plain(parts[3]) if len(parts) == 4 else "") or optional_text(fields, "source")
        asked = fields | {"q": text, "source": source, "target": target}
        if method in ("GET", "HEAD"):
            return Answer.json(await self._candidates(asked))
        await self._desk.suggest(asked | {"s": text_field(fields, "target")})
        return Answer.text("", "text/plain")

    def _languages(self) -> dict[str, list[str]]:
        served = self._desk.loaded.all
        return {
            "sourceLanguages": sorted({each.source for each in served}),
            "targetLanguages": sorted({each.target for each in served}),
        }

    async def _candidates(self, fields: Fields) -> list[dict[str, Any]]:
        text = text_field(fields, "q")
        least = count_field(fields, "min_similarity", most=100)
        most = count_field(fields, "max_candidates", most=50, default=_MOST)
        found = await self._desk.memory(fields | {"most": most})
        candidates = [_candidate(each, text) for each in found["answers"] + found["similar"]]
        if not any(each["quality"] == 100 for each in candidates):
            asked = {name: fields[name] for name in ("q", "source", "target")}
            done = await self._desk.translate(asked)
            told = done["translatedText"]
            if told not in [each["target"] for each in candidates]:
                candidates.append(
                    {"source": text, "target": told, "quality": MACHINE, "rank": float(MACHINE)}
                )
        candidates.sort(key=lambda each: -each["quality"])
        return [each for each in candidates if each["quality"] >= least][:most]


def _candidate(match: dict[str, Any], text: str) -> dict[str, Any]:
    quality = 100 if match["kind"] == "exact" else min(_MENDED, round(100 * match["similarity"]))
    mended = match["kind"] in ("substituted", "mended")
    return {
        "source": text if mended else match["source"],
        "target": match["text"],
        "quality": quality,
        "rank": float(quality),
    }


def _plain(part: bytes) -> str:
    try:
        return unquote_to_bytes(part).decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal(400, "Invalid request: a path that is not UTF-8") from None
