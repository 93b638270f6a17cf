"""Rounds of all systems alternate; each figure's median is taken."""

from __future__ import annotations

from demotic.experiments.timing import medians


def test_medians_of_alternating_rounds() -> None:
    order = []
    values = iter([5.0, 1.0, 9.0, 2.0, 7.0, 3.0])

    def system(name: str) -> dict[str, float]:
        order.append(name)
        return {"total": next(values), "words": 4.0}

    found = medians({name: lambda name=name: system(name) for name in "ab"}, repeats=3)  # type: ignore[misc]
    assert "".join(order) == "ababab"
    assert found == {"a": {"total": 7.0, "words": 4.0}, "b": {"total": 2.0, "words": 4.0}}
