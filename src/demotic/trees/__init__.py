"""Source trees: Penn brackets and CoNLL-U in and out, heads, binarisation, trees over two texts.

from demotic.trees import dependency_atoms, read_trees

for tree in read_trees("train.trees.gz"):          # the form is found out from the text
    tree.words, tree.tags, [tree.head_of(k) for k in range(len(tree.words))]
    dependency_atoms(tree)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.trees.atoms import dependency_atoms as dependency_atoms
    from demotic.trees.bitrees import Bitree as Bitree
    from demotic.trees.bitrees import bitree as bitree
    from demotic.trees.bitrees import candidates_of as candidates_of
    from demotic.trees.bitrees import choices as choices
    from demotic.trees.bitrees import core_cells as core_cells
    from demotic.trees.cells import Cells as Cells
    from demotic.trees.cells import binarise as binarise
    from demotic.trees.conllu import dependency_tree as dependency_tree
    from demotic.trees.heads import HeadRules as HeadRules
    from demotic.trees.reading import check_yields as check_yields
    from demotic.trees.reading import read_trees as read_trees
    from demotic.trees.reading import write_trees as write_trees
    from demotic.trees.tree import Tree as Tree
    from demotic.trees.tree import flat_tree as flat_tree
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
