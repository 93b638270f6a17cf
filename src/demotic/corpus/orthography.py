"""Orthography: raw text in, raw text out, for one language; a model saves one for each side.

    >>> english = Orthography.learn(["The cat sat.", "Where is the cat?"], "en")
    >>> encoded = english.encode("The cat costs $5.20!")
    >>> encoded.tokens
    ('the', 'cat', 'costs', '$￭', '⟦num1⟧', '￭!')
    >>> english.decode(encoded.tokens, encoded)
    'The cat costs $5.20!'

Encoding normalises, protects spans, tokenises, takes sentence case off and splits compounds;
decoding undoes these in the reverse order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from demotic.corpus import language as languages
from demotic.corpus import segment as segmenting
from demotic.corpus.accelerators import with_mark, without_mark
from demotic.corpus.casing import Casing, capitalised, unseen
from demotic.corpus.compounds import CompoundOptions, Compounds
from demotic.corpus.counts import Counts, counted
from demotic.corpus.encoded import Encoded
from demotic.corpus.layout import (
    ORDINALS,
    PLAIN,
    gap_numbers,
    gap_places,
    label_of,
    taken,
)
from demotic.corpus.mark_pairs import MARK_TOKENS, Pair, enclosing, pairs
from demotic.corpus.marks import bare, escape, joint_filler, protected_class, unescape
from demotic.corpus.moses import MosesTokeniser
from demotic.corpus.normalise import UNSPACED_LANGUAGES, narrow, normalise, unsegmented
from demotic.corpus.ordinary import Ordinary
from demotic.corpus.orthography_config import OrthographyConfig
from demotic.corpus.protect import (
    Found,
    Span,
    SpanFinder,
    number_spans,
    pair_spans,
)
from demotic.corpus.repair import foreign_clitics, meant_numbers, paired_marks
from demotic.corpus.tokenise import Tokeniser, chunk_starts, join, seams
from demotic.corpus.walls import meant_lines, walls
from demotic.corpus.writing import Written, home_of, loud, recased, settle, whole
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.corpus.fallback import Fallback
    from demotic.engine import Engine

VERSION = 3
"""Of how text becomes tokens; a model keeps to the one that it was trained with."""


def without_region(code: str) -> str:
    """``zh`` for ``zh_CN``: rules belong to languages."""
    return languages.normalise(code).split("-")[0]


def _begins(source: Encoded, at: int) -> bool:
    """Does a line that begins with this token begin like a sentence?"""
    letter = bare(source.tokens[at])[:1]
    return source.style == "sentence" or (
        source.style == "unknown" and letter.isalpha() and letter.lower() == letter.upper()
    )


@dataclass(frozen=True)
class Orthography:
    """Text to tokens and back; make one with :meth:`learn` or :meth:`from_json`."""

    language: str
    config: OrthographyConfig
    casing: Casing = field(default_factory=Casing)
    compounds: Compounds | None = None
    version: int = VERSION
    quotes: Mapping[str, str] = field(default_factory=dict)
    """The usual pairs of quotation marks, ``double`` and ``single``."""
    segmented: bool = False
    """Did the text have spaces between words of a script that is written without?  They mean
    nothing then."""
    _tokeniser: Tokeniser | MosesTokeniser | None = field(init=False, compare=False, repr=False)
    _find: SpanFinder = field(init=False, compare=False, repr=False)
    _base: str = field(init=False, compare=False, repr=False)
    _ordinary: Ordinary | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        tokeniser: Tokeniser | MosesTokeniser | None = None
        language = without_region(self.language)
        if self.config.tokeniser == "reversible":
            method = segmenting.resolve(self.config.segment, language)
            tokeniser = Tokeniser(language, segmenting.segmenter(method), version=self.version)
        elif self.config.tokeniser == "moses":
            tokeniser = MosesTokeniser(language)
        object.__setattr__(self, "_base", language)
        object.__setattr__(self, "_tokeniser", tokeniser)
        find = SpanFinder(self.config.protect)
        object.__setattr__(self, "_find", find)
        ordinary = Ordinary(tokeniser, find) if isinstance(tokeniser, Tokeniser) else None
        object.__setattr__(self, "_ordinary", ordinary)

    # -- learning ------------------------------------------------------------------------------

    @classmethod
    def learn(
        cls,
        lines: Iterable[str],
        language: str,
        *,
        config: OrthographyConfig | None = None,
        engine: Engine | None = None,
        progress: Progress = SILENT,
    ) -> Orthography:
        """Casing and compounds from a text, in one streaming pass."""
        config = config or OrthographyConfig()
        base = without_region(language)
        config = replace(config, segment=segmenting.resolve(config.segment, base))
        plain = cls(language, replace(config, compounds="off"))
        if config.casing == "none" and config.compounds == "off" and config.tokeniser == "none":
            return plain
        counts = counted(plain, lines, engine, progress)
        words = counts.words
        learned = replace(
            plain,
            casing=Casing.learn(counts.cases, config.casing),
            quotes=counts.quotes.usual(),
            segmented=counts.spaces.segmented and config.tokeniser == "reversible",
        )
        if learned.segmented:
            progress.say(f"{language}: the spaces between its words are taken for segmentation")
        if config.compounds == "off":
            return learned
        options = config.compound_options or CompoundOptions.for_language(base)
        splitter = Compounds.learn(words, options)
        if config.compounds == "auto" and not splitter.usual(words, base):
            return learned
        progress.say(f"{language}: compounds split, {splitter.share(words):.1%} of the words")
        config = replace(config, compounds="on", compound_options=options)
        return replace(learned, config=config, compounds=splitter)

    def count(self, line: str, counts: Counts) -> None:
        """Learn from one line."""
        text = self._normal(self._without_marks(taken(line, labels=self._marked)[1])[0])
        found = self._found(text)
        tokens = self._tokens(text, found, number_spans(text, found))
        counts.cases.add(tokens)
        counts.quotes.add(tokens)
        counts.spaces.add(text)
        counts.words.update(bare(token).lower() for token in tokens if token[-1:].isalpha())

    # -- text to tokens ------------------------------------------------------------------------

    def encode(self, text: str) -> Encoded:
        """One sentence to translate, every span protected."""
        if self._ordinary is not None and (tokens := self._ordinary.tokens(text)):
            return self._of_tokens(tokens)
        layout, text = taken(text, labels=self._marked, ordinals=self._ordinals)
        text, at, mark = self._without_marks(text)
        before = len(text[:at].split()) if mark else 0
        joined = mark and at and not text[at - 1].isspace()
        text = self._normal(text)
        found = self._found(text)
        encoded = self._encode(text, found, number_spans(text, found) if found else ())
        if layout is PLAIN and not mark:
            return encoded
        starts = self._starts(encoded.tokens)
        numbers = gap_numbers(text, ((each.start, each.end) for each in found))
        if sum(number is not None for number in numbers) == len(starts):
            gaps = tuple(
                (starts[number], gap)
                for each, gap in layout.gaps
                if (number := numbers[each]) is not None
            )
            chunk = before - 1 if joined else before
            home = [0, *starts][min(chunk, len(starts))] if mark else -1
        else:
            gaps, home = (), -1
        lines = tuple(meant_lines(encoded.tokens, encoded.spans, gaps))
        layout = replace(layout, gaps=gaps, lines=lines, mark=mark, home=home)
        return replace(encoded, layout=layout)

    def _normal(self, text: str) -> str:
        text = normalise(text)
        if self.version >= 2:
            text = narrow(text, kana=self.version >= 3)
        return unsegmented(text) if self.segmented else text

    @property
    def _marked(self) -> bool:
        """Are labels of lists and accelerators taken off?"""
        return self.version >= 2 and self.config.tokeniser == "reversible"

    @property
    def _ordinals(self) -> bool:
        return self._base in ORDINALS

    def _without_marks(self, text: str) -> tuple[str, int, str]:
        return without_mark(text) if self._marked else (text, -1, "")

    def _starts(self, tokens: Sequence[str]) -> list[int]:
        """Tokens after a space, where tokens tell."""
        if self.config.tokeniser == "none":
            return list(range(1, len(tokens)))
        if isinstance(self._tokeniser, Tokeniser):
            return chunk_starts(tokens, mixed=self._tokeniser.mixed)
        return []

    def enclosed(self, encoded: Encoded) -> list[tuple[int, int]]:
        """What marks enclose, with the marks: tokens (first, end)."""
        return [
            (pair.first, pair.last + 1)
            for pair in pairs(encoded.tokens, enclosing(encoded.spans))
            if pair.last > pair.first + 1
        ]

    def walls(self, encoded: Encoded) -> list[int]:
        """The tokens that nothing moves across: those behind a sentence, a paragraph, a break."""
        return walls(encoded) if self.config.tokeniser != "none" else []

    def encode_lines(self, lines: Iterable[str]) -> Iterator[Encoded]:
        """Many sentences, one at a time: the corpus may be larger than memory."""
        return map(self.encode, lines)

    def _found(self, text: str) -> list[Found]:
        found = self._find(text)
        if self.config.tokeniser != "none":
            return found
        # Tokens are given: a span must be whole tokens.
        return [
            each
            for each in found
            if (each.start == 0 or text[each.start - 1].isspace())
            and (each.end == len(text) or text[each.end].isspace())
        ]

    def _encode(self, text: str, found: Sequence[Found], spans: Sequence[Span | None]) -> Encoded:
        tokens = self._tokens(text, found, spans)
        return self._of_tokens(tokens, tuple(span for span in spans if span) if spans else ())

    def _of_tokens(self, tokens: list[str], spans: tuple[Span, ...] = ()) -> Encoded:
        """The tokens of a text in their usual case, compounds split."""
        tokens, style = self.casing.encode(tokens)
        if self.compounds is not None:
            tokens = self.compounds.encode(tokens, self.casing.form)
        return Encoded(tuple(tokens), spans, style)

    def _tokens(
        self, text: str, found: Sequence[Found] = (), spans: Sequence[Span | None] = ()
    ) -> list[str]:
        placed = [
            (each.start, each.end, span) for each, span in zip(found, spans, strict=True) if span
        ]
        if self._tokeniser is not None:
            return self._tokeniser.tokens(text, placed)
        tokens: list[str] = []
        at = 0
        for start, end, span in placed:
            tokens += [escape(token) for token in text[at:start].split()]
            tokens.append(span.token)
            at = end
        return tokens + [escape(token) for token in text[at:].split()]

    # -- tokens to text ------------------------------------------------------------------------

    def decode(
        self,
        tokens: Sequence[str],
        source: Encoded | None = None,
        *,
        alignment: Iterable[tuple[int, int]] | None = None,
    ) -> str:
        """Text from tokens of this language, the translation of ``source`` (or ``source`` itself).

        Each of the source's protected spans is written exactly once: a missing one is put where
        ``alignment`` (source position, target position) or its relative place suggests.  The
        source's style, such as ALL CAPITALS, is taken over.  Without a source, class tokens are
        written as they are.
        """
        if source is not None and (written := self._ordinary_text(tokens, source)) is not None:
            return written
        return self._written_text(tokens, source, list(alignment or ()))

    def _ordinary_text(self, tokens: Sequence[str], source: Encoded) -> str | None:
        """The text where neither side has anything that needs care."""
        layout, mode = source.layout, self.casing.mode
        if (
            self._ordinary is None
            or source.spans
            or source.cases
            or layout.mark
            or layout.gaps
            or mode == "lower"
            or source.style == "capitals"
            or self.casing.all_small
            or not MARK_TOKENS.isdisjoint(source.tokens)
        ):
            return None
        capitals = mode != "none" and source.style != "small" and self.casing.capitals
        text = self._ordinary.text(tokens, capitals=capitals)
        if text is None or layout is PLAIN:
            return text
        return f"{layout.before}{text}{layout.after}"

    def _written_text(
        self, tokens: Sequence[str], source: Encoded | None, links: Sequence[tuple[int, int]]
    ) -> str:
        """The text where marks, spans, cases or gaps have to find their places."""
        enclosed: list[Pair] = []
        if source is None:
            written = [
                Written(token, Span(name, name) if (name := protected_class(token)) else None, at)
                for at, token in enumerate(tokens)
            ]
            source = Encoded((), style="sentence")
        else:
            mended = links and isinstance(self._tokeniser, Tokeniser)
            if mended:
                tokens = foreign_clitics(tokens, source.tokens, self._base)
                tokens = meant_numbers(tokens, source.tokens, links)
            written = settle(tokens, source.tokens, source.spans, links)
            if mended:
                enclosed = pairs(source.tokens, enclosing(source.spans))
                written = paired_marks(
                    written,
                    source,
                    enclosed,
                    links,
                    self.quotes,
                    eastern=self._base in UNSPACED_LANGUAGES,
                )
        if self.compounds is not None:
            written = whole(written)
        else:  # the source's, passed through
            written = [each for each in written if joint_filler(each.token) is None]
        silent = {
            protected_class(source.tokens[at])
            for pair in enclosed
            for at in (pair.first, pair.last)
        }
        words = self.casing.decode(
            [
                self._plain(each.token) if each.span is None else self._span_word(each.span, silent)
                for each in written
            ],
            source.style,
        )
        if links and self.casing.all_small:
            words = [word and word.lower() for word in words]
        elif source.cases:
            words = recased(words, written, dict(source.cases), links)
        words = [
            loud(each.span.text, self._found(each.span.text))
            if word and each.span and each.span.words and word == each.span.text.upper()
            else word
            for word, each in zip(words, written, strict=True)
        ]
        layout = source.layout
        if layout.mark:
            words = with_mark(words, home_of(written, layout.home, links), layout.mark)
        text = self._text(written, words, source, links)
        return f"{layout.before}{text}{layout.after}"

    def _span_word(self, span: Span, silent: Collection[str | None]) -> str | None:
        """A span as casing sees it: None, or nothing if no reader sees it, or its words."""
        if span.words:
            return span.text
        return "" if self.casing.markup and (unseen(span.token) or span.token in silent) else None

    def _text(
        self,
        written: Sequence[Written],
        words: Sequence[str | None],
        source: Encoded,
        links: Sequence[tuple[int, int]],
    ) -> str:
        """The words, with spans, spaces and wide gaps where they belong."""
        if isinstance(self._tokeniser, MosesTokeniser):
            spans = [each.span for each in written if each.span and not each.span.words]
            names = [each.span.token if each.span else "" for each in written]
            return self._tokeniser.join(
                [word or name for word, name in zip(words, names, strict=True)], spans
            )
        texts = [
            word or "" if each.span is None or each.span.words else each.span.text
            for word, each in zip(words, written, strict=True)
        ]
        tokens = [each.token for each in written]
        gaps: dict[int, str] = {}
        if source.layout.gaps:
            places = {each.at: place for place, each in enumerate(written) if each.at >= 0}
            kept = [(origin, places[target]) for origin, target in links if target in places]
            if not links and len(tokens) == len(source.tokens):  # the source itself
                kept = [(place, place) for place in range(len(tokens))]
            starts = self._starts(tokens)
            placed = gap_places(
                source.layout.gaps,
                kept,
                starts,
                len(source.tokens),
                len(tokens),
                seams=seams(tokens, starts) if isinstance(self._tokeniser, Tokeniser) else starts,
            )
            gaps = {place: gap for place, (_, gap) in placed.items()}
            if self.casing.capitals and self.casing.mode != "none":
                for place, (at, _) in placed.items():
                    if at in source.layout.lines and _begins(source, at):
                        texts[place] = capitalised(texts[place])
        if self._tokeniser is None:
            return "".join(
                (gaps.get(place, " ") if place else "") + text for place, text in enumerate(texts)
            )
        assert isinstance(self._tokeniser, Tokeniser)
        fragile = [each.span is not None and each.span.fragile for each in written]
        return join(tokens, texts, fragile, gaps, mixed=self._tokeniser.mixed)

    def _plain(self, token: str) -> str:
        if isinstance(self._tokeniser, MosesTokeniser):
            return self._tokeniser.unescape(token)
        word = bare(token)
        return unescape(word) if "&" in word else word

    def fallback(
        self, known: Callable[[str], object], stranded: Callable[[Sequence[str]], Sequence[int]]
    ) -> Fallback:
        """What to do about words that a model cannot translate where they stand."""
        from demotic.corpus.fallback import Fallback

        return Fallback(
            without_region(self.language),
            self.casing,
            known,
            stranded,
            self.compounds,
            ways=self.config.fallback,
            forms=self.config.tokeniser != "none",
        )

    # -- saving --------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Everything, as JSON text; the same orthography gives the same bytes."""
        from demotic.corpus.orthography_json import write

        return write(self)

    @classmethod
    def from_json(cls, text: str) -> Orthography:
        """What :meth:`to_json` wrote."""
        from demotic.corpus.orthography_json import read

        return read(text)


def encode_pair(
    source: Orthography, target: Orthography, source_text: str, target_text: str
) -> tuple[Encoded, Encoded]:
    """A training pair: spans that stand on both sides get the same class token.

    >>> plain = Orthography("en", OrthographyConfig(casing="none"))
    >>> [str(side) for side in encode_pair(plain, plain, "%s of 7 in 3", "7 (%s) in three")]
    ['⟦var1⟧ of ⟦num1⟧ in 3', '⟦num1⟧ (￭ ⟦var1⟧ ￭) in three']
    """
    source_text, target_text = source_text.strip(), target_text.strip()
    if source._marked and target._marked:
        label = label_of(source_text, ordinals=source._ordinals)
        if label and label == label_of(target_text):
            source_text = source_text[len(label) :]
            target_text = target_text[len(label) :]
    source_text = source._normal(source._without_marks(source_text)[0])
    target_text = target._normal(target._without_marks(target_text)[0])
    source_found, target_found = source._found(source_text), target._found(target_text)
    ours: Sequence[Span | None] = ()
    theirs: Sequence[Span | None] = ()
    if source_found or target_found:
        ours, theirs = pair_spans(source_text, source_found, target_text, target_found)
    return (
        source._encode(source_text, source_found, ours),
        target._encode(target_text, target_found, theirs),
    )


def encode_pairs(
    source: Orthography, target: Orthography, pairs: Iterable[tuple[str, str]]
) -> Iterator[tuple[Encoded, Encoded]]:
    """Many training pairs, one at a time."""
    for source_text, target_text in pairs:
        yield encode_pair(source, target, source_text, target_text)
