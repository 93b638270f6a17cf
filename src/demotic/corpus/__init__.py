"""Text: bitext from files, cleaning, splitting; sentences to tokens and back."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.corpus.bitext import Bitext as Bitext
    from demotic.corpus.cleaning import Cleaning as Cleaning
    from demotic.corpus.cleaning import CleaningReport as CleaningReport
    from demotic.corpus.cleaning import clean as clean
    from demotic.corpus.compounds import CompoundOptions as CompoundOptions
    from demotic.corpus.encoded import Encoded as Encoded
    from demotic.corpus.formats import detect_format as detect_format
    from demotic.corpus.formats import read_bitext as read_bitext
    from demotic.corpus.marks import protected_class as protected_class
    from demotic.corpus.orthography import Orthography as Orthography
    from demotic.corpus.orthography import encode_pair as encode_pair
    from demotic.corpus.orthography import encode_pairs as encode_pairs
    from demotic.corpus.orthography_config import OrthographyConfig as OrthographyConfig
    from demotic.corpus.pair import Pair as Pair
    from demotic.corpus.protect import Span as Span
    from demotic.corpus.sentences import split_sentences as split_sentences
    from demotic.corpus.splitting import Split as Split
    from demotic.corpus.splitting import SplitReport as SplitReport
    from demotic.corpus.splitting import split as split
    from demotic.corpus.stored_pairs import StoredPairs as StoredPairs
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
