"""What an attachment looks like to classifiers that keep or swap its order.

Some atoms hold whatever was translated: the window and the dependencies of the head block's head
(``H:``) and of the sibling's (``S:``), and the production with its source words.  Others are names
that wait for translations, of the head, of the sibling, of both, or of dependents attached so far;
``core/trees/cell_search.h`` completes them during the search, and ``completed`` does so for
examples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demotic.trees.atoms import dependency_atoms
from demotic.trees.bitrees import Bitree, Choice
from demotic.trees.cells import Cells
from demotic.trees.tree import Tree

_WINDOW = 2
_EDGE = "<edge>"


@dataclass(frozen=True)
class Attachment:
    """A sibling about to join a head block."""

    label: str
    """Of the node above both."""
    head: int
    """The token that heads the block."""
    sibling: int
    """The token that heads the sibling."""
    atoms: tuple[str, ...]
    """Those that always hold."""
    of_head: tuple[str, ...]
    """Names that wait for the translation of the head."""
    of_sibling: tuple[str, ...]
    of_both: tuple[str, ...]
    of_head_dependents: tuple[str, ...] = ("tHd",)
    of_sibling_dependents: tuple[str, ...] = ("tSd",)

    @property
    def slots(self) -> tuple[tuple[str, ...], ...]:
        """Names that wait, in the order in which the search completes them."""
        return (
            self.of_head,
            self.of_sibling,
            self.of_both,
            self.of_head_dependents,
            self.of_sibling_dependents,
        )


def attachments(tree: Tree, cells: Cells) -> list[Attachment]:
    """Every attachment of a tree's cells, in their order."""
    dependencies = dependency_atoms(tree)
    window = [_window(tree, token) for token in range(len(tree.words))]
    found = []
    for cell in range(cells.tokens, len(cells)):
        node = int(cells.node[cell])
        head = tree.head[node]
        for number in range(cells.begins[cell], cells.begins[cell + 1]):
            sibling = tree.head[cells.node[cells.sibling[number]]]
            own = [
                f"{prefix}{atom}"
                for prefix, token in (("H:", head), ("S:", sibling))
                for atom in (*window[token], *dependencies[token])
            ]
            side = "R" if cells.right[number] else "L"
            labels = (tree.labels[node], tree.labels[tree.head_child[node]])
            rule = "/".join((*labels, tree.labels[tree.projections[sibling]], side))
            one, other = tree.words[head].lower(), tree.words[sibling].lower()
            lexical = [rule, f"{rule}|H={one}", f"{rule}|S={other}", f"{rule}|H={one}|S={other}"]
            found.append(
                Attachment(
                    labels[0],
                    head,
                    sibling,
                    (*own, *lexical),
                    ("tH", f"{rule}|tH", f"{rule}|H={one}|tH"),
                    ("tS", f"{rule}|tS", f"{rule}|S={other}|tS"),
                    (f"{rule}|tHS", f"{rule}|H={one}|S={other}|tHS"),
                )
            )
    return found


def _window(tree: Tree, token: int) -> list[str]:
    found = []
    for offset in range(-_WINDOW, _WINDOW + 1):
        place = token + offset
        inside = 0 <= place < len(tree.words)
        found.append(f"w{offset:+d}={tree.words[place].lower() if inside else _EDGE}")
        found.append(f"t{offset:+d}={tree.tags[place] if inside else _EDGE}")
    return found


def completed(attachment: Attachment, choice: Choice, translations: Mapping[int, str]) -> list[str]:
    """All atoms of an example; tokens without a translation are not in ``translations``.

    A translation stands behind a tab, so that no name can look like another with its word.
    """
    head = translations.get(attachment.head, "")
    sibling = translations.get(attachment.sibling, "")
    found = [
        *attachment.atoms,
        *(f"{name}\t{head}" for name in attachment.of_head),
        *(f"{name}\t{sibling}" for name in attachment.of_sibling),
        *(f"{name}\t{head}\t{sibling}" for name in attachment.of_both),
    ]
    for names, tokens in (
        (attachment.of_head_dependents, choice.heads),
        (attachment.of_sibling_dependents, choice.siblings),
    ):
        words = {translations[token] for token in tokens if token in translations}
        found += [f"{name}\t{word}" for name in names for word in sorted(words)]
    return found


def translations_of(found: Bitree, target: Sequence[str]) -> dict[int, str]:
    """The translation of each token that a bitree links."""
    return {token: target[link] for token, link in enumerate(found.links) if link >= 0}
