"""What classifiers see of an attachment, with and without translations."""

from __future__ import annotations

from hypothesis import given

from demotic.trees import Tree, binarise, penn
from demotic.trees.bitrees import bitree, choices
from demotic.trees.permutations import attachments, completed, translations_of
from tests.trees.forests import trees

LINE = "(S (NP (DT the) (JJ Red) (NN house)) (VP (VBZ falls)))"


def red_house() -> Tree:
    (tree,) = penn.parse([LINE])
    return tree


def test_an_adjective_that_goes_behind_its_noun_is_an_example_of_swapping() -> None:
    tree = red_house()
    target = ["la", "maison", "rouge", "tombe"]
    links = [[(0, 2.0)], [(2, 2.0)], [(1, 2.0)], [(3, 2.0)]]
    found = bitree(tree, links, len(target))
    seen = attachments(tree, found.cells)
    words = translations_of(found, target)
    assert words == {0: "la", 1: "rouge", 2: "maison", 3: "tombe"}
    examples = {
        (seen[c.attachment].head, seen[c.attachment].sibling): (c, seen[c.attachment])
        for c in choices(found)
    }
    choice, adjective = examples[2, 1]
    assert (choice.label, adjective.label) == (1, "NP")
    atoms = completed(adjective, choice, words)
    assert {
        "NP/NN/JJ/L", "NP/NN/JJ/L|H=house|S=red", "H:w+0=house", "S:w+1=house", "S:t-1=DT",
        "H:D:P=S", "tH\tmaison", "tS\trouge", "NP/NN/JJ/L|tHS\tmaison\trouge",
    } <= set(atoms)  # fmt: skip
    assert not any(atom.startswith("tHd") for atom in atoms)
    choice, article = examples[2, 0]
    assert choice.label == 0
    assert "tHd\trouge" in completed(article, choice, words)


def test_edges_of_the_sentence_and_words_without_translation_are_seen() -> None:
    tree = red_house()
    found = bitree(tree, [[], [(1, 1.0)], [(0, 1.0)], []], 2)
    (choice,) = choices(found)
    adjective = attachments(tree, found.cells)[choice.attachment]
    atoms = completed(adjective, choice, {1: "rouge"})
    assert "S:w-2=<edge>" in atoms
    assert "tH\t" in atoms


@given(trees())
def test_every_attachment_is_described_once(tree: Tree) -> None:
    cells = binarise(tree)
    seen = attachments(tree, cells)
    assert len(seen) == len(cells.block)
    for each in seen:
        assert tree.head_of(each.sibling) == each.head
        assert len(set(each.atoms)) == len(each.atoms)
