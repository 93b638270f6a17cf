"""Forests as Graphviz graphs: ``dot -Tsvg forest.dot -o forest.svg`` draws them."""

from __future__ import annotations

from demotic.forest.derivation import ForestDerivation
from demotic.forest.forest import Forest


def to_dot(forest: Forest, *, highlight: ForestDerivation | None = None) -> str:
    """Nodes as ellipses, edges as boxes with their rule and score; one derivation in colour."""
    chosen = set() if highlight is None else {int(edge) for edge in highlight.edges}
    lines = ["digraph forest {", "  rankdir=BT;", "  node [fontname=Helvetica, fontsize=10];"]
    for node in range(forest.nodes):
        begin, end = forest.spans[node]
        name = f"{forest.labels[forest.node_label[node]]} {begin}-{end}"
        border = ", peripheries=2" if node == forest.nodes - 1 else ""
        lines.append(f"  n{node} [label={_quoted(name)}{border}];")
    for edge in range(forest.edges):
        rule = str(forest.rule(int(forest.edge_rule[edge])))
        colour = ", color=red" if edge in chosen else ""
        label = _quoted(f"{rule}\n{forest.score[edge]:.4g}")
        lines.append(f"  e{edge} [shape=box, label={label}{colour}];")
        style = f" [{colour[2:]}]" if colour else ""
        lines.append(f"  e{edge} -> n{forest.head[edge]}{style};")
        for slot, tail in enumerate(forest.tails_of(edge)):
            lines.append(f'  n{tail} -> e{edge} [label="{slot + 1}"{colour}];')
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
