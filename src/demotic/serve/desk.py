"""What a request asks for, answered: fields in, a record out; it knows nothing of HTTP.

    desk = Desk(loaded, options)
    await desk.translate({"q": "Ein Haus.", "source": "de", "target": "en"})
    # {"translatedText": "A house."}

Requests and answers are those of LibreTranslate, and more; what cannot be done is a ``Refusal``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from demotic.serve.bodies import (
    Fields,
    count_field,
    flag_field,
    optional_text,
    text_field,
    texts_field,
)
from demotic.serve.loaded import AUTO, Loaded, Served
from demotic.serve.options import UNLIMITED, ServeOptions
from demotic.serve.passages import Passage, check_words
from demotic.serve.refusal import Refusal, busy, too_long

if TYPE_CHECKING:
    from demotic.memory import Match
    from demotic.serve.batching import Lists
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

Found = TypeVar("Found")
LONGEST_LINE = 2_000
"""Characters of a sentence to explain, or to look up."""
_SHORT = 40
"""Characters up to which a text's language is told from all texts of the request together."""
_WAITING = 64
"""Explanations and the like that may wait."""


class Desk:
    """Answers for the loaded models."""

    def __init__(self, loaded: Loaded, options: ServeOptions) -> None:
        self.loaded = loaded
        self.options = options
        self._helpers = ThreadPoolExecutor(2, thread_name_prefix="helper")
        self._helping = 0

    def close(self) -> None:
        """Finish what was begun."""
        self._helpers.shutdown(cancel_futures=True)
        self.loaded.close()

    async def helped(self, work: Callable[[], Found]) -> Found:
        """What a thread beside the loop finds."""
        if self._helping >= _WAITING:
            raise busy()
        self._helping += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._helpers, work)
        finally:
            self._helping -= 1

    # -- translating --------------------------------------------------------------------------

    async def translate(self, fields: Fields) -> dict[str, Any]:
        """``POST /translate``."""
        q = texts_field(fields, "q")
        source, target = text_field(fields, "source"), text_field(fields, "target")
        texts = q if isinstance(q, list) else [q]
        self._check_size(texts)
        name = optional_text(fields, "model")
        most = self.options.alternatives_limit
        alternatives = count_field(fields, "alternatives", most=most)
        format = optional_text(fields, "format") or "text"
        if format not in ("text", "html"):
            raise Refusal(400, f"{format[:100]} format is not supported")
        details = flag_field(fields, "details", default=False)
        detected: list[dict[str, Any]] = []
        if source == AUTO:
            detected = await self._told(texts)
            sources = [each["language"] for each in detected]
        else:
            sources = [self.loaded.known(source)] * len(texts)
        target = self.loaded.known(target)
        served = [self._served(each, target, name) for each in sources]
        if format == "html":
            found = [
                _Done(await self.helped(_in_html(text, by)) if by else text)
                for text, by in zip(texts, served, strict=True)
            ]
        else:
            found = await self._translated(texts, served, sources, alternatives, details)
        one = not isinstance(q, list)

        def shaped(values: Sequence[Any]) -> Any:
            return values[0] if one else list(values)

        answer: dict[str, Any] = {"translatedText": shaped([each.text for each in found])}
        if source == AUTO:
            answer["detectedLanguage"] = shaped(detected)
        if alternatives:
            answer["alternatives"] = shaped([each.alternatives for each in found])
        if details:
            answer["model"] = served[0].name if served[0] is not None else None
            answer["segments"] = shaped([each.segments for each in found])
        return answer

    def _check_size(self, texts: Sequence[str]) -> None:
        batch, characters = self.options.batch_limit, self.options.char_limit
        if batch != UNLIMITED and len(texts) > batch:
            raise too_long(len(texts), batch)
        size = sum(map(len, texts))
        if characters != UNLIMITED and size > characters:
            raise too_long(size, characters)

    def _served(self, source: str, target: str, name: str) -> Served | None:
        """The model that was asked for; none where the text is in the language it should be."""
        if name:
            named = self.loaded.named(name)
            if (named.source, named.target) != (source, target) and source != target:
                raise Refusal(
                    400, f"Invalid request: model {name} translates {named.source}-{named.target}"
                )
            return named if source == named.source and target == named.target else None
        return None if source == target else self.loaded.chosen(source, target)

    async def _translated(
        self,
        texts: Sequence[str],
        served: Sequence[Served | None],
        sources: Sequence[str],
        alternatives: int,
        details: bool,
    ) -> list[_Done]:
        passages = [Passage.of(text, source) for text, source in zip(texts, sources, strict=True)]
        found: list[_Done | None] = [None] * len(texts)
        asked: dict[Served, list[int]] = {}
        for number, (passage, by) in enumerate(zip(passages, served, strict=True)):
            if by is None:
                found[number] = _Done(passage.text)
            elif len(passage.sentences) > 1 and (
                known := [] if alternatives else by.model.remembered(passage.text)
            ):
                found[number] = _Done.of_whole(passage.text, known[0], by if details else None)
            else:
                asked.setdefault(by, []).append(number)
        for by, numbers in asked.items():
            sentences = [text for number in numbers for text in passages[number].texts]
            lists = await by.batcher.translate(sentences, alternatives + 1)
            at = 0
            for number in numbers:
                end = at + len(passages[number].sentences)
                found[number] = _Done.of_sentences(
                    passages[number], lists[at:end], alternatives, by if details else None
                )
                at = end
        return [each for each in found if each is not None]

    # -- languages ----------------------------------------------------------------------------

    async def _told(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The language of each text that can be translated, with how sure that is."""

        def tell() -> list[dict[str, Any]]:
            detector = self.loaded.detector()
            together = detector.detect("\n".join(texts))
            found = []
            for text in texts:
                code, share = (detector.detect(text) if len(text) > _SHORT else together)[0]
                found.append({"confidence": share, "language": code})
            return found

        return await self.helped(tell)

    async def detect(self, fields: Fields) -> list[dict[str, Any]]:
        """``POST /detect``."""
        q = texts_field(fields, "q")
        texts = q if isinstance(q, list) else [q]
        self._check_size(texts)

        def tell() -> list[dict[str, Any]]:
            found = self.loaded.detector().detect("\n".join(texts))
            return [{"confidence": share, "language": code} for code, share in found if share]

        return await self.helped(tell)

    def languages(self) -> list[dict[str, Any]]:
        """``GET /languages``."""
        from demotic.serve.languages import language_name

        return [
            {"code": code, "name": language_name(code), "targets": self.loaded.targets(code)}
            for code in self.loaded.languages
        ]

    # -- what was translated before -----------------------------------------------------------

    async def suggest(self, fields: Fields) -> dict[str, Any]:
        """``POST /suggest``: on the disk when it is answered."""
        suggestions = self.loaded.suggestions
        if suggestions is None:
            raise Refusal(403, "Suggestions are disabled on this server.")
        text, translation = text_field(fields, "q"), text_field(fields, "s")
        source = self.loaded.known(text_field(fields, "source"))
        target = self.loaded.known(text_field(fields, "target"))
        self._check_size([text, translation])
        for each in (text, translation):
            if not each.strip():
                raise Refusal(400, "Invalid request: a suggestion needs text on both sides")
            Passage.of(each, source)
        self.loaded.chosen(source, target)
        await self.helped(lambda: suggestions.add(text, translation, source, target))
        return {"success": True}

    async def memory(self, fields: Fields) -> dict[str, Any]:
        """``GET /memory``."""
        text = self._line(fields)
        most = count_field(fields, "most", most=50, default=5)
        served = await self.asked_model(fields, text)

        def look() -> dict[str, Any]:
            answers = served.model.remembered(text)
            similar = served.model.matches(text, most=most) if most else []
            return {
                "answers": [_match(each.memory, served) for each in answers if each.memory][:most],
                "similar": [_match(each, served) for each in similar],
            }

        return await self.helped(look)

    # -- why ----------------------------------------------------------------------------------

    async def explain(self, fields: Fields) -> dict[str, Any]:
        """``POST /explain``."""
        text = self._line(fields)
        remembering = flag_field(fields, "memory", default=True)
        served = await self.asked_model(fields, text)

        def look() -> dict[str, Any]:
            return _explained(served.model if remembering else served.decoder_alone, text)

        return {
            "model": served.name,
            "source": served.source,
            "target": served.target,
            "view": await self.helped(look),
        }

    def _line(self, fields: Fields) -> str:
        text = text_field(fields, "q")
        if len(text) > LONGEST_LINE:
            raise too_long(len(text), LONGEST_LINE)
        return " ".join(text.split("\n"))

    async def asked_model(self, fields: Fields, text: str) -> Served:
        """The model that the fields name, or that translates between their languages."""
        if name := optional_text(fields, "model"):
            return self.loaded.named(name)
        source, target = text_field(fields, "source"), text_field(fields, "target")
        if source == AUTO:
            source = (await self._told([text]))[0]["language"]
        return self.loaded.chosen(self.loaded.known(source), self.loaded.known(target))

    def models(self) -> dict[str, Any]:
        """``GET /models``."""
        from demotic import __version__

        return {"version": __version__, "models": [each.record() for each in self.loaded.all]}


class _Done:
    """A text's translation, other ones, and what it was made of."""

    def __init__(
        self,
        text: str,
        alternatives: Sequence[str] = (),
        segments: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.text = text
        self.alternatives = list(alternatives)
        self.segments = list(segments)

    @classmethod
    def of_whole(cls, text: str, known: Translation, details: Served | None) -> _Done:
        """A text of several sentences that was translated before as one message."""
        segments = [_segment(known, text, 0, details)] if details is not None else []
        return cls(known.text, (), segments)

    @classmethod
    def of_sentences(
        cls, passage: Passage, lists: Lists, alternatives: int, details: Served | None
    ) -> _Done:
        """A text whose sentences were translated; ``details`` is by whom, if they are asked for."""
        text = passage.filled([best[0].text for best in lists])
        others: dict[str, None] = {}
        for rank in range(1, alternatives + 1):
            others[passage.filled([best[min(rank, len(best) - 1)].text for best in lists])] = None
        others.pop(text, None)
        segments = []
        if details is not None:
            segments = [
                _segment(best[0], sentence.text, sentence.at, details)
                for best, sentence in zip(lists, passage.sentences, strict=True)
            ]
        return cls(text, list(others), segments)


def _segment(translation: Translation, source: str, start: int, served: Served) -> dict[str, Any]:
    origin = "decoded"
    if translation.memory is not None:
        origin = "suggested" if served.suggested(translation.memory) else "memory"
    sure = served.model.sure(translation)
    return {
        "text": translation.text,
        "source": source,
        "start": start,
        "end": start + len(source),
        "origin": origin,
        "sure": None if sure is None else round(sure, 4),
        "unknown": translation.unknown,
    }


def _match(match: Match | None, served: Served) -> dict[str, Any]:
    assert match is not None
    record = match.to_record() | {"suggested": served.suggested(match)}
    if match.difference:
        record["difference"] = [asdict(each) | {"same": each.same} for each in match.difference]
    return record


def _explained(model: Model, text: str) -> dict[str, Any]:
    from demotic.explain.view import view

    return view(model, text)


def _in_html(text: str, served: Served) -> Callable[[], str]:
    def fill() -> str:
        import codecs
        from pathlib import Path

        from demotic.documents import fill_in
        from demotic.documents.html import HtmlDocument

        data = codecs.BOM_UTF8 + text.encode()  # whatever a fragment declares
        document = HtmlDocument.read(data, Path("q"))
        for segment in document.segments:
            check_words(segment.source.text)
        filled, _ = fill_in(document, served.model)
        return filled.decode("utf-8-sig")

    return fill
