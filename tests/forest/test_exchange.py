"""JSON and DOT: round trips, and refusals that name the place."""

from __future__ import annotations

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import FormatError
from demotic.forest import Forest, ForestBuilder, read_json, write_json
from tests.forest.toys import Pair, pair, pairs, small_pairs


def same(a: Forest, b: Forest) -> bool:
    arrays = ("in_off", "tail_off", "tails", "rule", "score", "loss", "label", "span", "context")
    arrays += ("context_off", "dense", "dense_id", "edge_feature_off", "edge_feature_id")
    arrays += ("edge_feature_value", "source", "target", "rule_origin", "rule_feature_value")
    a_core, b_core = a.core.compact(), b.core.compact()
    return (
        all(np.array_equal(getattr(a_core, n), getattr(b_core, n)) for n in arrays)
        and all(getattr(a_core, n) == getattr(b_core, n) for n in ("words", "labels"))
        and a.features == b.features
    )


@given(pairs)
def test_json_round_trip_keeps_every_bit(case: Pair) -> None:
    again = Forest.from_json(case.forest.to_json())
    assert again.to_json() == case.forest.to_json()
    assert again.score.tobytes() == case.forest.score.tobytes()
    assert again.loss.tobytes() == case.forest.loss.tobytes()
    assert again.dense.tobytes() == case.forest.dense.tobytes()
    assert again.tails.tobytes() == case.forest.tails.tobytes()


@given(small_pairs)
def test_json_keeps_contexts(case: Pair) -> None:
    refined = case.forest.refine(2)
    again = Forest.from_json(refined.to_json())
    assert again.expected_ngrams(3) == refined.expected_ngrams(3)


def test_json_files_and_odd_words(tmp_path: Path) -> None:
    builder = ForestBuilder()
    root = builder.add_node('S"\\', 0, 1)
    odd = ['"', "\\", "|||", "[X]", "naïve", "語", "\u2028", ""]
    builder.add_edge(root, [], builder.add_rule("S", ["<s>"], odd))
    forest = builder.finalize(root)
    for name in ("f.json", "f.json.gz"):
        write_json(forest, tmp_path / name)
        assert same(read_json(tmp_path / name), forest)
    assert forest.viterbi().tokens == tuple(odd)
    assert 'label="S\\"\\\\ 0-1"' in forest.to_dot()


def test_json_is_as_documented() -> None:
    data = json.loads(pair(3).forest.to_json())
    assert set(data) == {"version", "features", "dense", "rules", "nodes", "edges"}
    heads = [edge[0] for edge in data["edges"]]
    assert heads == sorted(heads)
    assert heads[-1] == len(data["nodes"]) - 1


VALID: dict[str, Any] = {
    "version": 1,
    "features": ["f"],
    "rules": [["X", ["u"], ["w"], {"f": 1.0}, None], ["S", [0], [0], {}, 4]],
    "nodes": [["X", 0, 1], ["S", 0, 1]],
    "edges": [[0, [], 0, -1.0, 0.0, {}], [1, [0], 1, -2.0, 0.5, {"f": 2}]],
}


def test_the_smallest_json_is_read() -> None:
    assert Forest.from_json(json.dumps(VALID)).viterbi().score == -3.0


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], 2, "version: expected 1"),
        (["features"], ["f", "f"], "features: feature 'f' is named twice"),
        (["features"], None, "features: expected a list"),
        (["nodes"], [], "nodes: a forest needs at least one node"),
        (["nodes", 0], ["X", 0], r"nodes\[0\]: expected a list of 3 values"),
        (["nodes", 0, 1], -1, r"nodes\[0\]\[1\]: -1 is out of range"),
        (["nodes", 0, 1], 3, "node 0: its span ends before it begins"),
        (["rules", 0, 2], ["w", 0, 0], "rule 0: the target side"),
        (["rules", 0, 2], ["w", 0.5], r"rules\[0\]\[2\]\[1\]: expected a whole number"),
        (["rules", 0, 3], {"f": 1e999}, "Infinity|not a finite number"),
        (["rules", 0, 4], -3, r"rules\[0\]\[4\]: -3 is out of range"),
        (["rules", 1, 0], 7, r"rules\[1\]\[0\]: expected a string"),
        (["edges", 1, 0], 2, r"edges\[1\]\[0\]: 2 is out of range \(0 to 1\)"),
        (["edges", 1, 1], [9], r"edges\[1\]\[1\]\[0\]: 9 is out of range"),
        (["edges", 1, 1], [True], r"edges\[1\]\[1\]\[0\]: expected a whole number"),
        (["edges", 1, 1], [1], "a cycle: node 1"),
        (["edges", 1, 1], [], "edge 1: 0 tails for a rule with 1 nonterminals"),
        (["edges", 1, 2], 5, r"edges\[1\]\[2\]: 5 is out of range"),
        (["edges", 1, 3], "x", r"edges\[1\]\[3\]: expected a number"),
        (["edges", 1, 3], 10**400, r"edges\[1\]\[3\]: not a finite number"),
        (["edges", 1, 5], {"f": 1e300}, "edge 1: the value of feature 'f' is not finite"),
        (["edges"], [], "the root, node 1"),
        (["edges"], {}, "edges: expected a list"),
    ],
)
def test_bad_json_is_refused_with_its_place(path: list[Any], value: Any, message: str) -> None:
    data = copy.deepcopy(VALID)
    at: Any = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(FormatError, match=message):
        Forest.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"version": 1,\n "features": [}', "line 2: not JSON"),
        ('{"version": NaN}', "NaN is not a finite number"),
        (b"\xff\xfe\xfa", "not UTF-8"),
        ("[" * 100_000, "not JSON"),
        ('{"version": 1, "features": ["\\ud800"]}', "surrogate"),
    ],
)
def test_what_is_not_json_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Forest.from_json(text)


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{\n}", "utf-8")
    with pytest.raises(FormatError, match=r"bad\.json: version"):
        read_json(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(st.sampled_from(list(VALID)), json_values)
def test_any_json_is_read_or_refused(key: str, value: Any) -> None:
    with contextlib.suppress(FormatError):
        Forest.from_json(json.dumps(VALID | {key: value}))


def test_dot_names_every_node_edge_and_tail() -> None:
    forest = pair(6).forest
    dot = forest.to_dot(highlight=forest.viterbi())
    assert dot.startswith("digraph forest {")
    assert sum(line.startswith("  n") and " [label=" in line for line in dot.splitlines()) >= (
        forest.nodes
    )
    assert dot.count("shape=box") == forest.edges
    assert dot.count("shape=box") - dot.count("shape=box, label") == 0
    chosen = set(forest.viterbi().edges.tolist())
    red = [line for line in dot.splitlines() if "shape=box" in line and "color=red" in line]
    assert len(red) == len(chosen)
