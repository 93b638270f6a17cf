"""The features of a model: every name once, every name a number.

    space = FeatureSpace(["LanguageModel", "WordPenalty"], ["pair:maison_house"])
    space.find("WordPenalty"), space.name(2), len(space)      # 1, "pair:maison_house", 3
    FeatureSpace(dense, bits=20)       # sparse names are hashed to 2^20 ids and not kept

Whatever belongs to one model shares one space: tables, decoders, forests, learners.  A space never
changes.  Sums over features come as a :class:`SparseVector`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic._core import FeatureSpace as FeatureSpace
    from demotic.features.sparse import SparseVector as SparseVector
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
