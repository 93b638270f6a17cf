"""Names of languages in English, and the direction in which they are written."""

from __future__ import annotations

from demotic.corpus.language import normalise

_LISTED = """
af Afrikaans|ar Arabic|az Azerbaijani|be Belarusian|bg Bulgarian|bn Bengali|br Breton|bs Bosnian
ca Catalan|cs Czech|cy Welsh|da Danish|de German|el Greek|en English|eo Esperanto|es Spanish
et Estonian|eu Basque|fa Persian|fi Finnish|fo Faroese|fr French|fy Western Frisian|ga Irish
gd Scottish Gaelic|gl Galician|gu Gujarati|ha Hausa|he Hebrew|hi Hindi|hr Croatian
hsb Upper Sorbian|dsb Lower Sorbian|hu Hungarian|hy Armenian|id Indonesian|ig Igbo|is Icelandic
it Italian|ja Japanese|ka Georgian|kk Kazakh|km Khmer|kn Kannada|ko Korean|ku Kurdish|ky Kyrgyz
la Latin|lb Luxembourgish|lo Lao|lt Lithuanian|lv Latvian|mi Maori|mk Macedonian|ml Malayalam
mn Mongolian|mr Marathi|ms Malay|mt Maltese|my Burmese|nb Norwegian Bokmål|ne Nepali|nl Dutch
nn Norwegian Nynorsk|no Norwegian|oc Occitan|or Odia|pa Punjabi|pl Polish|ps Pashto|pt Portuguese
pt-br Portuguese (Brazil)|rm Romansh|ro Romanian|ru Russian|rw Kinyarwanda|sa Sanskrit|sc Sardinian
sd Sindhi|se Northern Sami|si Sinhala|sk Slovak|sl Slovenian|so Somali|sq Albanian|sr Serbian
sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai|tl Tagalog|tr Turkish|tt Tatar|ug Uyghur
uk Ukrainian|ur Urdu|uz Uzbek|vi Vietnamese|wo Wolof|xh Xhosa|yi Yiddish|yo Yoruba|zh Chinese
zh-cn Chinese (China)|zh-hans Chinese (simplified)|zh-hant Chinese (traditional)
zh-tw Chinese (Taiwan)|zu Zulu
"""
_NAMES = {
    code: name
    for entry in _LISTED.replace("\n", "|").split("|")
    if entry
    for code, _, name in [entry.partition(" ")]
}
_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "sd", "syr", "ug", "ur", "yi"})


def canonical(code: str) -> str:
    """A code in the spelling that programs expect: ``pt-BR``, ``zh-Hans``."""
    first, *rest = normalise(code).split("-")
    return "-".join([first, *(each.upper() if len(each) == 2 else each.title() for each in rest)])


def language_name(code: str) -> str:
    """``German`` for ``de``; the code itself for one that is not listed."""
    code = normalise(code)
    if code in _NAMES:
        return _NAMES[code]
    base, _, region = code.partition("-")
    return f"{_NAMES[base]} ({region.upper()})" if base in _NAMES else code


def right_to_left(code: str) -> bool:
    """Is the language written from right to left?"""
    parts = normalise(code).split("-")
    return "latn" not in parts and (parts[0] in _RIGHT_TO_LEFT or "arab" in parts)
