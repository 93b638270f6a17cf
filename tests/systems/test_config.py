"""Configurations: every setting is known, of the right kind, and survives a round trip."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest

from demotic.decode import BlockSearch, HieroSearch, PhraseSearch, UndirectedSearch
from demotic.errors import ArgumentError, FormatError
from demotic.grammar import BlockExtraction, EventOptions
from demotic.systems import configured
from demotic.systems.records import from_record, known, merged, read_toml, to_record

DOCS = Path(__file__).parents[2] / "docs"


@dataclass(frozen=True, kw_only=True)
class Inner:
    order: int = 5
    rate: float = 0.5
    limits: tuple[int, ...] = ()
    file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: str = "x"
    kind: Literal["one", "two"] = "one"
    longest: int | None = 100
    quick: bool = False
    inner: Inner = field(default_factory=Inner)
    slow: Inner = field(default_factory=lambda: Inner(order=7, rate=0.25))


def test_defaults_fill_what_is_not_mentioned() -> None:
    made = from_record(Outer, {"inner": {"order": 3}})
    assert made == Outer(inner=Inner(order=3))


def test_a_section_keeps_the_defaults_that_its_field_has() -> None:
    made = from_record(Outer, {"slow": {"rate": 1}})
    assert made.slow == Inner(order=7, rate=1.0)


def test_a_record_survives_json() -> None:
    config = Outer(kind="two", longest=None, inner=Inner(limits=(0, 1), file=Path("a")))
    text = json.dumps(to_record(config), default=str)
    assert from_record(Outer, json.loads(text)) == config


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"nam": "y"}, "unknown setting 'nam'"),
        ({"inner": {"ordre": 3}}, r"unknown setting 'inner\.ordre'"),
        ({"inner": {"order": "3"}}, "a whole number"),
        ({"inner": {"order": True}}, "a whole number"),
        ({"inner": 3}, "a section"),
        ({"inner": {"limits": 3}}, "a list"),
        ({"inner": {"limits": ["a"]}}, "a whole number"),
        ({"kind": "three"}, "one of one, two"),
        ({"quick": 1}, "true or false"),
        ({"longest": "no"}, "a whole number"),
    ],
)
def test_wrong_settings_are_named(record: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        from_record(Outer, record)
    assert error.match(message)


def test_whole_numbers_are_numbers_and_false_lifts_a_limit() -> None:
    made = from_record(Outer, {"longest": False, "inner": {"rate": 1}})
    assert made.longest is None
    assert type(made.inner.rate) is float


def test_merging_goes_section_by_section() -> None:
    base = {"a": 1, "inner": {"order": 3, "rate": 0.1}}
    assert merged(base, {"inner": {"order": 4}, "b": 2}) == {
        "a": 1,
        "b": 2,
        "inner": {"order": 4, "rate": 0.1},
    }


def test_toml_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("a = \n")
    with pytest.raises(FormatError, match=r"bad\.toml: not TOML"):
        read_toml(path)


def test_only_settings_that_a_configuration_has_are_kept() -> None:
    record = {"inner": {"order": 4, "colour": 1}, "magic": True, "quick": True}
    assert known(Outer, record) == {"inner": {"order": 4}, "quick": True}


def test_the_settings_that_the_handbook_shows_are_the_defaults() -> None:
    text = (DOCS / "translator.md").read_text()
    (shown,) = re.findall(r"```toml\n(out = .*?)```", text, flags=re.DOTALL)
    record = tomllib.loads(shown)
    del record["out"], record["corpus"], record["engine"]["temp"]
    assert configured("hiero", record) == configured("hiero", None)


@pytest.mark.parametrize("system", ["umt", "blocks"])
def test_a_preset_is_the_same_whichever_way_it_is_named(system: str) -> None:
    config = import_module(f"demotic.systems.{system}").Config
    for preset in config.PRESETS:
        assert config(preset=preset) == from_record(config, {"preset": preset})


def test_presets_differ_and_what_is_given_goes_before_them() -> None:
    config = import_module("demotic.systems.umt").Config
    literal = config(preset="literal")
    assert literal != config(preset="paper", search=literal.search)
    assert not literal.search.lookahead
    assert literal.learn.drl.update == "full_path"
    assert config(preset="literal", search=config().search).search.lookahead
    wide = from_record(config, {"preset": "literal", "search": {"beam": 4}})
    assert wide == config(preset="literal", search=replace(literal.search, beam=4))


@pytest.mark.parametrize("system", ["umt", "blocks"])
def test_an_unknown_preset_is_refused_with_those_there_are(system: str) -> None:
    config = import_module(f"demotic.systems.{system}").Config
    for make in (lambda: config(preset="papr"), lambda: from_record(config, {"preset": "papr"})):
        with pytest.raises(ArgumentError, match="there is no preset 'papr'") as error:
            make()
        assert all(name in error.value.remedy for name in config.PRESETS)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (HieroSearch, {"init": "later"}), (HieroSearch, {"pops": 0}), (HieroSearch, {"glue": ""}),
        (PhraseSearch, {"method": "beam"}), (PhraseSearch, {"stack": 0}),
        (BlockSearch, {"beam": -1}), (BlockSearch, {"reorder": "back"}),
        (BlockSearch, {"smoothing": -1.0}), (BlockSearch, {"min_left": -1}),
        (UndirectedSearch, {"cff": "on"}), (UndirectedSearch, {"beam": 0}),
        (BlockExtraction, {"method": "guess"}), (EventOptions, {"rare": "keep"}),
    ],
)  # fmt: skip
def test_options_check_themselves(kind: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        kind(**options)


@pytest.mark.parametrize(
    ("system", "setting"),
    [
        ("phrase", {"extract": {"max_phrase": 0}}),
        ("phrase", {"tune": {"list_size": 0}}),
        ("hiero", {"extract": {"min_hole": 0}}),
        ("hiero", {"extract": {"min_sentences": 4}}),
        ("hiero", {"lm": {"order": 0}}),
        ("hiero", {"dev_size": 0}),
        ("umt", {"learn": {"drl": {"rate": 2.0}}}),
        ("umt", {"learn": {"drl": {"temperature": 0}}}),
        ("umt", {"learn": {"rates": [0.1, -1.0]}}),
        ("umt", {"choice": {"kappa": [7.0]}}),
        ("umt", {"choice": {"beam": [1, 0]}}),
        ("umt", {"choice": {"cff": ["on"]}}),
        ("blocks", {"search": {"beam": -1}}),
        (
            "blocks",
            {"extract": {"method": "projection"}, "align": {"file": "links"}, "tokenised": True},
        ),
        ("hiero", {"engine": {"memory": 1}}),
        ("blocks", {"learn": {"list_size": 0}}),
        ("blocks", {"learn": {"lm_folds": 1}}),
        ("blocks", {"learn": {"floats": {"passes": -1}}}),
        ("blocks", {"learn": {"joint": {"sample": 0}}}),
        ("blocks", {"learn": {"joint": {"eta_float": -1.0}}}),
    ],
)
def test_numbers_that_cannot_work_are_refused_before_the_work(
    system: str, setting: dict[str, Any]
) -> None:
    config = import_module(f"demotic.systems.{system}").Config
    with pytest.raises(ArgumentError):
        from_record(config, setting)


def test_tokens_that_are_given_stay_as_they_are() -> None:
    config: Any = configured("hiero", {"tokenised": True, "source": {"compounds": "on"}})
    for side in (config.source, config.target):
        assert (side.tokeniser, side.casing, side.protect) == ("none", "none", ())
    assert config.source.compounds == "on"


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_are_numbers_that_the_core_can_hold(seed: int) -> None:
    with pytest.raises(ArgumentError, match="a seed of"):
        configured("hiero", {"seed": seed})
    for fits in (0, 2**63 - 1):
        assert configured("hiero", {"seed": fits}).seed == fits
