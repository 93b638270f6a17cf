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

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from demotic.corpus import compounds as compounding
from demotic.corpus import language as languages
from demotic.corpus import segment as segmenting
from demotic.corpus.casing import CaseCounts, Casing, Style
from demotic.corpus.compounds import CompoundOptions, Compounds
from demotic.corpus.marks import bare, escape, joint_filler, protected_class, unescape
from demotic.corpus.moses import MosesTokeniser
from demotic.corpus.normalise import normalise
from demotic.corpus.orthography_config import OrthographyConfig
from demotic.corpus.protect import (
    Found,
    Span,
    SpanFinder,
    number_spans,
    pair_spans,
    settle,
)
from demotic.corpus.tokenise import Tokeniser, join
from demotic.progress import SILENT, Progress

_SLICE = 10_000


def without_region(code: str) -> str:
    """``zh`` for ``zh_CN``: rules belong to languages."""
    return languages.normalise(code).split("-")[0]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sentence as a model sees it, and what is needed to write its translation."""

    tokens: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    style: Style = "unknown"

    def __str__(self) -> str:
        return " ".join(self.tokens)


@dataclass(frozen=True)
class Orthography:
    """Text to tokens and back; make one with :meth:`learn` or :meth:`from_json`."""

    language: str
    config: OrthographyConfig
    casing: Casing = field(default_factory=Casing)
    compounds: Compounds | None = None
    _tokeniser: Tokeniser | MosesTokeniser | None = field(init=False, compare=False, repr=False)
    _find: SpanFinder = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        tokeniser: Tokeniser | MosesTokeniser | None = None
        language = without_region(self.language)
        if self.config.tokeniser == "reversible":
            method = segmenting.resolve(self.config.segment, language)
            tokeniser = Tokeniser(language, segmenting.segmenter(method))
        elif self.config.tokeniser == "moses":
            tokeniser = MosesTokeniser(language)
        object.__setattr__(self, "_tokeniser", tokeniser)
        object.__setattr__(self, "_find", SpanFinder(self.config.protect))

    # -- learning ------------------------------------------------------------------------------

    @classmethod
    def learn(
        cls,
        lines: Iterable[str],
        language: str,
        *,
        config: OrthographyConfig | None = None,
        progress: Progress = SILENT,
    ) -> Orthography:
        """Casing and compounds from a text, in one streaming pass."""
        config = config or OrthographyConfig()
        base = without_region(language)
        config = replace(config, segment=segmenting.resolve(config.segment, base))
        plain = cls(language, replace(config, compounds="off"))
        if config.casing == "none" and config.compounds == "off":
            return plain
        cases, words = plain._count(lines, progress)
        casing = Casing.learn(cases, config.casing)
        if config.compounds == "off":
            return cls(language, config, casing)
        options = config.compound_options or CompoundOptions.for_language(base)
        splitter = Compounds.learn(words, options)
        if config.compounds == "auto" and not splitter.usual(words, base):
            return cls(language, replace(config, compounds="off"), casing)
        progress.say(f"{language}: compounds split, {splitter.share(words):.1%} of the words")
        config = replace(config, compounds="on", compound_options=options)
        return cls(language, config, casing, splitter)

    def _count(self, lines: Iterable[str], progress: Progress) -> tuple[CaseCounts, Counter[str]]:
        cases = CaseCounts()
        words: Counter[str] = Counter()
        with progress.step(f"learning to write {self.language}", unit="lines") as advance:
            for number, line in enumerate(lines, 1):
                tokens = self._tokens(normalise(line))
                cases.add(tokens)
                words.update(bare(token).lower() for token in tokens if token[-1:].isalpha())
                if number % _SLICE == 0:
                    advance(_SLICE)
        return cases, words

    # -- text to tokens ------------------------------------------------------------------------

    def encode(self, text: str) -> Encoded:
        """One sentence to translate, every span protected."""
        text = normalise(text)
        found = self._found(text)
        return self._encode(text, found, number_spans(text, found) if found else ())

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
        tokens, style = self.casing.encode(self._tokens(text, found, spans))
        if self.compounds is not None:
            tokens = self.compounds.encode(tokens, self.casing.form)
        if not spans:
            return Encoded(tuple(tokens), (), style)
        return Encoded(tuple(tokens), tuple(span for span in spans if span), style)

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
        if source is None:
            marked = list(tokens)
            spans = [Span(name, name) for token in tokens if (name := protected_class(token))]
            style: Style = "sentence"
        else:
            settled = settle(tokens, source.tokens, source.spans, alignment)
            marked = [token for token, _ in settled]
            spans = [span for _, span in settled if span]
            style = source.style
        if self.compounds is not None:
            marked = compounding.rejoin(marked)
        else:  # the source's, passed through
            marked = [token for token in marked if joint_filler(token) is None]
        waiting = iter(spans)
        placed = [next(waiting) if protected_class(token) else None for token in marked]
        plain = [None if protected_class(token) else self._plain(token) for token in marked]
        words = self.casing.decode(plain, style)
        if isinstance(self._tokeniser, MosesTokeniser):
            names = [span.token if span else "" for span in placed]
            return self._tokeniser.join(
                [word or name for word, name in zip(words, names, strict=True)], spans
            )
        texts = [
            span.text if span else word or "" for word, span in zip(words, placed, strict=True)
        ]
        if self._tokeniser is None:
            return " ".join(texts)
        return join(marked, texts, [span is not None and span.fragile for span in placed])

    def _plain(self, token: str) -> str:
        if isinstance(self._tokeniser, MosesTokeniser):
            return self._tokeniser.unescape(token)
        return unescape(bare(token))

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
    source_text, target_text = normalise(source_text), normalise(target_text)
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
