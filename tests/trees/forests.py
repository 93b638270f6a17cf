"""Random trees for tests."""

from __future__ import annotations

from hypothesis import strategies as st

from demotic.trees import Tree
from demotic.trees.tree import TOP, TreeBuilder


@st.composite
def trees(draw: st.DrawFn, most: int = 6) -> Tree:
    """A tree over up to ``most`` words, with any heads; unary nodes are among its nodes."""
    build = TreeBuilder()
    roots: list[int] = []
    for token in range(draw(st.integers(1, most))):
        roots.append(build.leaf(f"w{token}", draw(st.sampled_from("ABC"))))
        while draw(st.booleans()):
            below = roots[-draw(st.integers(1, min(4, len(roots)))) :]
            del roots[-len(below) :]
            head = draw(st.sampled_from(below))
            roots.append(build.node(draw(st.sampled_from(["X", "Y"])), below, head))
    build.node(TOP, roots, draw(st.sampled_from(roots)))
    return build.tree()
