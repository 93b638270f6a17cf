"""Names and ids of features: a dictionary, on disk or not, with or without hashing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError, CorruptFileError, DemoticError
from demotic.features import FeatureSpace

NAMES = st.text(max_size=6)


@given(st.lists(NAMES, unique=True), st.lists(NAMES))
def test_names_have_ids_in_order_of_appearance(dense: list[str], sparse: list[str]) -> None:
    space = FeatureSpace(dense, sparse)
    names = list(dict.fromkeys([*dense, *sparse]))
    assert len(space) == len(names)
    assert space.dense == len(dense)
    assert space.names() == names
    assert [space.find(name) for name in names] == list(range(len(names)))
    assert [space.name(i) for i in range(len(space))] == names


def test_many_names_are_all_found_and_no_other() -> None:
    names = [f"feature {i}" for i in range(20_000)]
    space = FeatureSpace(names[:10], names[10:])
    assert all(space.find(name) == i for i, name in enumerate(names))
    assert space.find("feature 20000") is None
    assert "feature 20000" not in space
    assert "feature 19999" in space


def test_an_id_beyond_the_last_has_no_name() -> None:
    with pytest.raises(ArgumentError, match="there is no feature 1"):
        FeatureSpace(["a"]).name(1)


def test_a_dense_feature_is_named_once() -> None:
    with pytest.raises(ArgumentError, match="'a' is named twice"):
        FeatureSpace(["a", "b", "a"])


@given(st.lists(NAMES.filter(lambda n: not n.startswith("hash:")), unique=True), st.lists(NAMES))
def test_hashed_names_have_ids_above_the_dense_ones(dense: list[str], others: list[str]) -> None:
    space = FeatureSpace(dense, others, bits=4)
    assert len(space) == len(dense) + 16
    assert [space.find(name) for name in dense] == list(range(len(dense)))
    for name in others:
        found = space.find(name)
        assert found is not None
        assert (name in dense) == (found < len(dense))
        assert found < len(space)


def test_hashed_places_are_found_by_the_names_they_are_given() -> None:
    space = FeatureSpace(["lm"], bits=3)
    assert [space.name(i) for i in range(9)] == ["lm", *(f"hash:{i}" for i in range(8))]
    assert [space.find(space.name(i)) for i in range(9)] == list(range(9))


@pytest.mark.parametrize("name", ["hash:8", "hash:07", "hash:", "hash:-1", "hash:1x"])
def test_what_is_no_place_is_hashed_as_any_name(name: str) -> None:
    assert FeatureSpace(bits=3).find(name) is not None


def test_hashing_spreads_names() -> None:
    space = FeatureSpace(bits=10)
    places = {space.find(f"pair:{i}_{i + 1}") for i in range(10_000)}
    assert len(places) > 1020


def test_names_that_look_hashed_are_refused_where_they_would_be_mistaken() -> None:
    assert FeatureSpace(["hash:1"]).find("hash:1") == 0
    with pytest.raises(ArgumentError, match="named like a hashed one"):
        FeatureSpace(["hash:1"], bits=4)
    with pytest.raises(ArgumentError, match="at most 2\\^30"):
        FeatureSpace(bits=31)


@pytest.mark.parametrize("bits", [0, 5])
def test_a_saved_space_is_the_same(tmp_path: Path, bits: int) -> None:
    space = FeatureSpace(["lm", "häuser"], [f"s{i}" for i in range(300)], bits=bits)
    space.save(str(tmp_path / "features.bin"))
    loaded = FeatureSpace.load(str(tmp_path / "features.bin"))
    assert (loaded.dense, loaded.bits, len(loaded)) == (2, bits, len(space))
    assert loaded.names() == space.names()
    assert [loaded.find(f"s{i}") for i in range(301)] == [space.find(f"s{i}") for i in range(301)]
    assert loaded.same_as(space)
    assert space.same_as(loaded)


def test_spaces_differ_by_names_order_and_bits() -> None:
    space = FeatureSpace(["a", "bc"])
    assert space.same_as(FeatureSpace([], ["a", "bc"]))
    for other in (["bc", "a"], ["ab", "c"], ["a", "bd"], ["a"]):
        assert not space.same_as(FeatureSpace(other))
    assert not FeatureSpace(["a"], bits=2).same_as(FeatureSpace(["a"], bits=3))


def test_damage_is_found(tmp_path: Path) -> None:
    path = tmp_path / "features.bin"
    FeatureSpace(["lm"], ["x", "y"]).save(str(path))
    whole = path.read_bytes()
    for cut in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(DemoticError):
            FeatureSpace.load(str(path))
    for at in range(64, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :])
        try:
            found = FeatureSpace.load(str(path))
        except CorruptFileError:
            continue
        assert found.names() == ["lm", "x", "y"]  # a byte between sections
