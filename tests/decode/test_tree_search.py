"""A transducer's search space as a forest: the same translations at the same costs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.decode import TreeSearch, transduce
from demotic.decode.tree_search import Candidate, Language, TreeWeights
from demotic.errors import ArgumentError
from demotic.lm import LanguageModel, estimate
from demotic.trees import binarise
from tests.oracles.tree_orders import all_trees, cheapest
from tests.trees.forests import trees
from tests.trees.test_cell_search import Problem, costs, nested, problems

NAMES = ["<none>", "eins", "zwei", "drei"]


@given(problems())
@settings(max_examples=50, deadline=None)
def test_the_best_of_the_forest_is_the_best_tree(problem: Problem) -> None:
    tree, leaves, keep, swap = problem
    found = transduce(tree, leaves, keep=keep, swap=swap, options=TreeSearch(threshold=0.0))
    least, _ = cheapest(binarise(tree), leaves, costs(keep), costs(swap))
    assert found.cost == pytest.approx(least)
    best = found.forest(NAMES).kbest(5, unique=True)
    assert -best[0].score == pytest.approx(least)
    assert [d.score for d in best] == sorted((d.score for d in best), reverse=True)
    written = {d.tokens: -d.score for d in best}
    own = tuple(NAMES[target] for _, target in found.words)
    assert written.get(own, least) == pytest.approx(least)
    assert len(found.steps) == len(tree.words) - 1


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    lines = ["der eins zwei", "eins drei der zwei", "drei zwei", "zwei eins der drei", "eins zwei"]
    path = tmp_path_factory.mktemp("lm") / "text"
    path.write_text("\n".join(lines * 3) + "\n")
    return estimate(path, order=3).model()


@given(problems(), st.lists(st.booleans(), min_size=8, max_size=8))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_with_a_language_model_and_words_put_in_the_cheapest_is_found(
    language: LanguageModel, problem: Problem, put_in: list[bool]
) -> None:
    """As scoring every translation of every tree finds it, to the last of its features."""
    tree, given_, keep, swap = problem
    weights = TreeWeights(1.0, 0.7, 0.4, 1.2, 0.9)
    leaves = [
        [Candidate(t, cost, inserting=0.25 if t and more else 0.0) for t, cost in leaf]
        + [Candidate(t, cost, ("der",), (), 0.5) for t, cost in leaf if t and more]
        for leaf, more in zip(given_, put_in, strict=False)
    ]
    cells = binarise(tree)
    found = transduce(
        tree, leaves, keep=keep, swap=swap, options=TreeSearch(threshold=0.0, beam=10**6),
        weights=weights, language=Language.of(language, leaves, NAMES),
    )  # fmt: skip
    written = [
        [
            (each.cost + 1.2 * each.inserting - 0.4 * len(each.words(NAMES)),
             tuple(each.words(NAMES)))
            for each in leaf
        ]
        for leaf in leaves
    ]  # fmt: skip
    orders = [[0.7 * cost for cost in costs(h)] for h in (keep, swap)]
    everything = [
        (cost - 0.9 * language.score(" ".join(words)), words)
        for cost, words in all_trees(cells, written, *orders)
    ]
    least, _ = min(everything)
    assert found.cost == pytest.approx(least, abs=1e-4)
    best = found.forest(NAMES).kbest(1)[0]
    assert -best.score == pytest.approx(least, abs=1e-4)
    assert best.features["LanguageModel"] == pytest.approx(
        language.score(" ".join(best.tokens)), abs=1e-4
    )
    assert best.features.get("WordPenalty", 0.0) == len(best.tokens)
    narrow = transduce(
        tree, leaves, keep=keep, swap=swap, options=TreeSearch(beam=2), weights=weights,
        language=Language.of(language, leaves, NAMES),
    )  # fmt: skip
    assert narrow.cost >= least - 1e-4


def test_orders_are_those_of_the_steps() -> None:
    tree = nested()
    leaves = [[(k, 0.0)] for k in (1, 2, 3, 0)]
    found = transduce(tree, leaves, keep=[9.0, 9.0, -9.0], swap=[-9.0, -9.0, 9.0])
    assert found.words == ((2, 3), (0, 1), (1, 2))
    assert found.steps[-1][1]
    (best,) = found.forest(NAMES).kbest(1)
    assert best.tokens == ("drei", "eins", "zwei")


@given(trees(5))
@settings(max_examples=30, deadline=None)
def test_one_order_of_attachments_is_among_all(tree) -> None:  # type: ignore[no-untyped-def]
    leaves = [[(1, 0.25), (2, 0.5)] for _ in tree.words]
    one = TreeSearch(right_first=True)
    count = len(binarise(tree, right_first=True).block)
    found = transduce(tree, leaves, keep=[1.0] * count, swap=[0.0] * count, options=one)
    assert [token for token, _ in found.words] == list(range(len(tree.words)))


@pytest.mark.parametrize(
    "wrong", [{"beam": 0}, {"threshold": 2.0}, {"threshold": float("nan")}, {"erased": "x"}]
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        TreeSearch(**wrong)  # type: ignore[arg-type]
