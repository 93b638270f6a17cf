"""Is a bitext in the languages that it is said to be in?  Warnings, never refusals.

    for doubt in doubts(bitext): print(doubt)

Two signs: the script that most letters belong to, and, among languages that share a script, the
small words that every text in them has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from demotic.corpus.language import UNKNOWN, looks_like_code, normalise
from demotic.corpus.pattern import Pattern

if TYPE_CHECKING:
    from demotic.corpus.bitext import Bitext

_LOOKED_AT = 2000  # pairs
_ENOUGH = 50  # letters, or small words
_ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy
da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu
hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw
ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss
st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za
zh zu
"""
_CODES = frozenset(_ISO_639_1.split())
_SCRIPTS = {
    "Cyrillic": "ru uk be bg mk kk ky tg mn", "Greek": "el", "Hebrew": "he yi",
    "Arabic": "ar fa ur ps ug", "Devanagari": "hi mr ne sa", "Bengali": "bn as", "Thai": "th",
    "Lao": "lo", "Khmer": "km", "Myanmar": "my", "Georgian": "ka", "Armenian": "hy",
    "Hangul": "ko", "Han": "zh yue ja", "Tamil": "ta", "Telugu": "te", "Gujarati": "gu",
    "Latin": "en de fr es it pt nl pl cs sk sl hr hu ro sv da no nb nn fi et lv lt is ga cy sq tr "
    "id ms vi sw eu ca gl af",
}  # fmt: skip
_SCRIPT_OF = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
_LETTERS = {
    script: Pattern(rf"\p{{{script}}}" if script != "Han" else r"[\p{Han}\p{Hiragana}\p{Katakana}]")
    for script in _SCRIPTS
}
_SMALL_WORDS = {
    "en": "the of and to is in that with for are this you not be was it a your from an",
    "de": "der die das und ist nicht mit ein eine zu den von auf für wird werden sie dem des im",
    "fr": "le la les de des et est pas un une pour dans que vous sur avec ne ce du au",
    "es": "el la los las de y es no un una para en que por con su del se este al",
    "it": "il la di e è non un una per in che con del della sono questo gli al da si",
    "pt": "o a os as de e é não um uma para em que com do da no na por se",
    "nl": "de het een en van is niet met voor op dat zijn te in aan deze wordt u of om",
    "pl": "i w na z nie jest do się że o to dla przez jak po od są ten ta tego",
    "cs": "a v na je se s z do že pro to od jako nebo při není k o by jsou",
    "sv": "och att är en ett det som på av för med inte till den de har kan om i du",
    "da": "og at er en et det som på af for med ikke til den de har kan om i du",
    "fi": "ja on ei että se hän tämä kun mutta tai ovat myös kanssa oli jos niin joka",
    "hu": "a az és nem egy hogy is van ez meg de volt ki el csak még vagy mint",
    "ro": "și de la nu este un o în cu pe care pentru sau din a fi sunt mai ca",
    "tr": "ve bir bu için ile de da olarak değil daha gibi en çok veya var olan ne",
}
_NAMES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "dutch": "nl", "polish": "pl",
    "russian": "ru", "chinese": "zh", "japanese": "ja", "arabic": "ar", "czech": "cs",
    "swedish": "sv", "turkish": "tr", "hindi": "hi", "korean": "ko", "greek": "el",
}  # fmt: skip


def language_named(name: str) -> str | None:
    """The code of a language given by its name: ``German`` is ``de``."""
    return _NAMES.get(name.strip().lower())


def doubts(bitext: Bitext) -> Iterator[str]:
    """What speaks against the languages of a bitext, in words."""
    for code in (bitext.source_language, bitext.target_language):
        yield from _code_doubts(code)
    source, target = (_base(each) for each in (bitext.source_language, bitext.target_language))
    one = _Side(islice(bitext.source_lines(), _LOOKED_AT))
    other = _Side(islice(bitext.target_lines(), _LOOKED_AT))
    if one.speaks_against(source, target) and other.speaks_against(target, source):
        yield (
            f"source and target seem to be swapped: the source looks like {target}, the target "
            f"like {source}; are --from and --to, and the files, the right way round?"
        )
        return
    for side, text, language in (("source", one, source), ("target", other, target)):
        script = text.script
        expected = _SCRIPT_OF.get(language)
        if script is not None and expected is not None and script != expected:
            yield f"the {side} is said to be {language}, but is written in {script} letters"


def _code_doubts(code: str) -> Iterator[str]:
    if code == UNKNOWN:
        return
    base = _base(code)
    if (named := language_named(code)) is not None:
        yield f"'{code}' is no language code: write {named}"
    elif not looks_like_code(code) or (len(base) == 2 and base not in _CODES):
        yield f"'{code}' is no language code: write two letters such as en, de or zh"


def _base(code: str) -> str:
    return normalise(code).split("-")[0]


class _Side:
    """Letters and words of one side."""

    def __init__(self, lines: Iterable[str]) -> None:
        # Markup and placeholders are in Latin letters whatever the language.
        text = re.sub(r"<[^<>]*>|%\([^()]*\)\w|\{[^{}]*\}|&\w+;", " ", "\n".join(lines))
        counts = Counter({name: len(each.findall(text)) for name, each in _LETTERS.items()})
        best, number = counts.most_common(1)[0]
        enough = number >= _ENOUGH and number > 0.5 * counts.total()
        self.script = best if enough else None
        self.words = Counter(re.findall(r"\w+", text.lower()))

    def speaks_against(self, own: str, other: str) -> bool:
        """Does the text look like the other language, and not like its own?"""
        ours, theirs = _SCRIPT_OF.get(own), _SCRIPT_OF.get(other)
        if ours is None or theirs is None or own == other:
            return False
        if ours != theirs:
            return self.script == theirs
        small = [_SMALL_WORDS.get(language, "").split() for language in (own, other)]
        if not all(small):
            return False
        one, two = (set(words) for words in small)
        mine = sum(self.words[word] for word in one - two)
        its = sum(self.words[word] for word in two - one)
        return its >= _ENOUGH and its > 3 * mine
