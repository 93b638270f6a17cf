"""What tokenising has to know of single languages: abbreviations, clitics, fillers of compounds.

The lists are short on purpose.  Joiner marks make every split reversible, so that a missing
abbreviation costs a little quality and never a wrong text.
"""

from __future__ import annotations

# Words that keep their full stop, unless they end the line.
ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "cs": "apod atd č čl hl ing mgr mudr např odst resp str sv tj tzn tzv vs",
        "da": "bl ca dr eks etc evt fx hr inkl jf kl kr maks min mht nr osv pct pga stk vedr",
        "de": """a abb abs abschn allg art aufl b bd bearb bez bsp bspw bzgl bzw ca co d dipl dr
              ebd eigtl einschl entspr etc evtl fa fr ggf h hr hrsg i inkl jh kap lt max min
              mind mio mrd nr o prof resp rd s sog st std str tel u usw v vgl z zzgl""",
        "en": """adj adm asst bros capt cf cmdr co col corp dept dr ed est etc fig figs gen gov hon
              inc jr lt ltd maj mr mrs ms messrs mt no nos op pp prof rep rev sen sgt sr st univ vol
              vs""",
        "es": """admón apdo art arts av avda cap cía da dña dr dra dres ej etc excmo fig gral ilmo
              lic núm pág págs prof sr sra sras sres srta tel ud uds vd vds vol""",
        "fi": "esim jne ks mm mrd n nk noin ns nyk os par prof puh s synt tms tri v vrt",
        "fr": "adj apr art av bd cap cf ch chap dr éd env etc ex fig hab inc max me min mm n no p "
        "pp prof réf sq st suiv tél vol vs",
        "it": "arch art avv cap cav cfr dott ecc es fig geom gen ing min no nr on pag prof sig tel "
        "vol",
        "nb": "bl ca dr evt fr hr inkl iflg jf kap kl kr maks mfl mm mrd nr osv pga pkt st tlf",
        "nl": "bijv blz bv ca dhr dr drs enz etc evt fig gem hfdst incl ing ir jhr max mej mevr "
        "min mr mw nl nr pag prof resp st tel vgl vlg zgn",
        "pl": "al art dr godz hab im in inż itd itp lek mgr min mjr np nr pkt płk prof red str ul "
        "św tel tj tzn tzw wg woj",
        "pt": "art arts av cap dr dra etc ex exmo fig núm pág prof profa sr sra sto vol",
        "ro": "art bd cca dl dna dr ec etc fig ing lt nr pag prof str sf tel vol",
        "ru": "акад г гг гл грн др им инж коп млн млрд напр обл пер пл пос проф р рис руб с св см "
        "ст стр табл тел тыс ул",
        "sv": "bl ca dr dvs enl etc ev fr hr inkl jfr kap kl kr m max milj min mm mrd nr obs osv "
        "prof resp s st tel t",
    }.items()
}
ABBREVIATIONS["no"] = ABBREVIATIONS["nn"] = ABBREVIATIONS["nb"]

_APOSTROPHE = "['’]"
# Elided words that lean on what follows: l'eau, dell'arte, qu'il.
ELISION: dict[str, str] = {
    "fr": rf"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu){_APOSTROPHE}",
    "it": rf"\p{{L}}+{_APOSTROPHE}",
    "ca": rf"[dlmnst]{_APOSTROPHE}",
    "oc": rf"[dlmnst]{_APOSTROPHE}",
    "ga": rf"[bdm]{_APOSTROPHE}",
}
# Endings that lean on what stands before: dog's, don't, we'll.
ENCLITICS: dict[str, str] = {
    "en": rf"n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|m|d|re|ve|ll)",
}

# Letters that may link the parts of a compound (Koehn & Knight 2003, §2.2, for German).
FILLERS: dict[str, tuple[str, ...]] = {
    "de": ("s", "es", "n", "en", "e", "er", "nen"),
    "nl": ("s", "en", "e", "n"),
    "sv": ("s", "e", "o", "u"),
    "da": ("s", "e"),
    "nb": ("s", "e"),
    "nn": ("s", "e"),
    "no": ("s", "e"),
    "fi": (),
    "et": (),
    "hu": (),
    "is": ("s", "a", "ar", "na", "u"),
}
