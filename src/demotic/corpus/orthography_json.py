"""An orthography as JSON text, and back with every field checked."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from demotic.corpus.casing import Casing
from demotic.corpus.compounds import CompoundOptions, Compounds
from demotic.corpus.mark_pairs import STYLES
from demotic.corpus.orthography import VERSION, Orthography
from demotic.corpus.orthography_config import FALLBACKS, OrthographyConfig
from demotic.errors import FormatError

_FORMATS = range(1, VERSION + 1)  # the first knew neither names nor markup


def write(orthography: Orthography) -> str:
    """Keys and words sorted, so that equal orthographies are equal bytes."""
    record: dict[str, Any] = {
        "format": orthography.version,
        "language": orthography.language,
        "config": asdict(orthography.config),
        "forms": dict(orthography.casing.forms),
        "small": sorted(orthography.casing.small),
        "counts": dict(orthography.compounds.counts) if orthography.compounds else None,
    }
    if orthography.version >= 2:
        record["capitals"] = orthography.casing.capitals
        record["quotes"] = dict(orthography.quotes)
        record["segmented"] = orthography.segmented
    return json.dumps(record, ensure_ascii=False, sort_keys=True, indent=0) + "\n"


def read(text: str) -> Orthography:
    """The orthography that :func:`write` was given; a FormatError for anything else."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(str(error)) from None
    if not isinstance(record, dict):
        raise _damaged("not an object")
    version = record.get("format")
    if type(version) is not int or version not in _FORMATS:
        raise _damaged(f"format {version!r}, expected {_FORMATS[0]} to {_FORMATS[-1]}")
    language = record.get("language")
    if not isinstance(language, str):
        raise _damaged("no language")
    config = _config(record.get("config"))
    forms, small = record.get("forms"), record.get("small")
    if not isinstance(forms, dict) or not all(isinstance(form, str) for form in forms.values()):
        raise _damaged("forms must map words to words")
    if not isinstance(small, list) or not all(isinstance(word, str) for word in small):
        raise _damaged("small must be a list of words")
    capitals, segmented = record.get("capitals", True), record.get("segmented", False)
    if type(capitals) is not bool or type(segmented) is not bool:
        raise _damaged("capitals and segmented must be true or false")
    quotes = record.get("quotes", {})
    if not isinstance(quotes, dict) or not all(
        kind in ("double", "single") and style in STYLES for kind, style in quotes.items()
    ):
        raise _damaged("quotes must be pairs of quotation marks")
    casing = Casing(config.casing, forms, frozenset(small), capitals=capitals, markup=version >= 2)
    compounds = _compounds(record.get("counts"), config)
    return Orthography(language, config, casing, compounds, version, quotes, segmented)


def _config(record: object) -> OrthographyConfig:
    if not isinstance(record, dict):
        raise _damaged("no config")
    fields = dict(record)
    options = fields.pop("compound_options", None)
    protect = fields.pop("protect", None)
    if not isinstance(protect, list) or not all(isinstance(kind, str) for kind in protect):
        raise _damaged("protect must be a list of kinds")
    # Models of earlier versions do not say.
    fallback = fields.pop("fallback", [*FALLBACKS])
    if not isinstance(fallback, list) or not all(isinstance(way, str) for way in fallback):
        raise _damaged("fallback must be a list of ways")
    if set(fields) != {"tokeniser", "casing", "compounds", "segment"} or not all(
        isinstance(value, str) for value in fields.values()
    ):
        raise _damaged("unexpected fields in config")
    return OrthographyConfig(
        **fields,
        protect=tuple(protect),
        fallback=tuple(fallback),
        compound_options=_options(options) if options else None,
    )


def _options(record: object) -> CompoundOptions:
    if not isinstance(record, dict) or set(record) != {
        "min_part",
        "min_count",
        "max_parts",
        "fillers",
    }:
        raise _damaged("unexpected fields in compound_options")
    numbers = {name: record[name] for name in ("min_part", "min_count", "max_parts")}
    fillers = record["fillers"]
    if not all(type(number) is int and 1 <= number <= 1000 for number in numbers.values()):
        raise _damaged("compound_options must be small positive numbers")
    if not isinstance(fillers, list) or not all(isinstance(each, str) and each for each in fillers):
        raise _damaged("fillers must be a list of letters")
    return CompoundOptions(**numbers, fillers=tuple(fillers))


def _compounds(counts: object, config: OrthographyConfig) -> Compounds | None:
    if (counts is not None) != (config.compounds == "on") or (
        counts is not None and config.compound_options is None
    ):
        raise _damaged("counts and compounds do not agree")
    if counts is None or config.compound_options is None:
        return None
    if not isinstance(counts, dict) or not all(
        type(count) is int and count > 0 for count in counts.values()
    ):
        raise _damaged("counts must map words to positive numbers")
    return Compounds(config.compound_options, counts)


def _damaged(reason: str) -> FormatError:
    return FormatError(
        f"not a saved orthography: {reason}", remedy="restore the file or train the model again"
    )
