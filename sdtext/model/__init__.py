"""Values that all of sdtext exchanges. All are frozen."""

from sdtext.model.fingerprints import (
    FORMAT_VERSION,
    ByteRun,
    DataSource,
    DictionaryReference,
    DictionarySource,
    Fingerprint,
    Origin,
    Place,
    System,
    TokenDigest,
    Vector,
)
from sdtext.model.matches import Match, SharedTerm, Similarity
from sdtext.model.problems import Problem
from sdtext.model.recipes import Option, PartSpec, RecipeSpec
from sdtext.model.reuse_evidence import (
    Coverage,
    Edit,
    Evidence,
    Examined,
    Metadata,
    Part,
    Passage,
    Shared,
    WordCounts,
)
from sdtext.model.texts import Heading, OffsetMap, QuotationMark, Span, Tokens

__all__ = [
    "FORMAT_VERSION",
    "ByteRun",
    "Coverage",
    "DataSource",
    "DictionaryReference",
    "DictionarySource",
    "Edit",
    "Evidence",
    "Examined",
    "Fingerprint",
    "Heading",
    "Match",
    "Metadata",
    "OffsetMap",
    "Option",
    "Origin",
    "Part",
    "PartSpec",
    "Passage",
    "Place",
    "Problem",
    "QuotationMark",
    "RecipeSpec",
    "Shared",
    "SharedTerm",
    "Similarity",
    "Span",
    "System",
    "TokenDigest",
    "Tokens",
    "Vector",
    "WordCounts",
]
