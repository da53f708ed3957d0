"""sdtext: find which documents share content, and where, by fingerprints that can be shared.

The names below are the public ones; all else may change. They are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sdtext._version import __version__

if TYPE_CHECKING:
    from sdtext.analysis.chain import Chain
    from sdtext.doctor import examine
    from sdtext.errors import (
        FormatError,
        MismatchError,
        OptionError,
        OutputError,
        SdtextError,
        TextlessError,
        UnreadableError,
    )
    from sdtext.fingerprinting.build_dictionary import Amount, Run, create_dictionary
    from sdtext.fingerprinting.compare import score
    from sdtext.fingerprinting.compare_folder import Comparison, compare
    from sdtext.fingerprinting.disclosure import PROFILES, Disclosure, Provenance, load_disclosure
    from sdtext.fingerprinting.fingerprint_documents import fingerprint
    from sdtext.fingerprinting.load_and_save import embedded_dictionaries, load, save
    from sdtext.kernels.windows.window_pairs import window_pairs
    from sdtext.model import Document, Evidence, Fingerprint, PartSpec, Passage
    from sdtext.model.dictionary import Dictionary
    from sdtext.parts.fingerprints.digest import Digest
    from sdtext.parts.recipe import load_recipe
    from sdtext.reading.options import Reading
    from sdtext.reading.source import read
    from sdtext.reuse import ReuseQuestion, find_reuse
    from sdtext.search import Found, Hits, OpenCollection, Pair, Pairs, open  # noqa: A004 (as `gzip.open`)

_HOMES = {
    "Amount": "corpus",
    "Chain": "chain",
    "Comparison": "comparison",
    "Dictionary": "dictionary",
    "Digest": "fingerprints.digest",
    "Disclosure": "disclosure",
    "Document": "model",
    "Evidence": "model",
    "Fingerprint": "model",
    "FormatError": "errors",
    "Found": "search",
    "Hits": "search",
    "MismatchError": "errors",
    "OpenCollection": "search",
    "OptionError": "errors",
    "OutputError": "errors",
    "PROFILES": "disclosure",
    "Pair": "search",
    "Pairs": "search",
    "PartSpec": "model",
    "Passage": "model",
    "Provenance": "disclosure",
    "Reading": "reading",
    "ReuseQuestion": "reuse",
    "Run": "corpus",
    "SdtextError": "errors",
    "TextlessError": "errors",
    "UnreadableError": "errors",
    "compare": "comparison",
    "create_dictionary": "corpus",
    "embedded_dictionaries": "artefacts",
    "examine": "diagnosis",
    "find_reuse": "reuse",
    "fingerprint": "fingerprinting",
    "load": "artefacts",
    "load_disclosure": "disclosure",
    "load_recipe": "recipe",
    "open": "search",
    "read": "documents",
    "save": "artefacts",
    "score": "comparer",
    "window_pairs": "kernels.window_pairs",
}

__all__ = [
    "PROFILES",
    "Amount",
    "Chain",
    "Comparison",
    "Dictionary",
    "Digest",
    "Disclosure",
    "Document",
    "Evidence",
    "Fingerprint",
    "FormatError",
    "Found",
    "Hits",
    "MismatchError",
    "OpenCollection",
    "OptionError",
    "OutputError",
    "Pair",
    "Pairs",
    "PartSpec",
    "Passage",
    "Provenance",
    "Reading",
    "ReuseQuestion",
    "Run",
    "SdtextError",
    "TextlessError",
    "UnreadableError",
    "__version__",
    "compare",
    "create_dictionary",
    "embedded_dictionaries",
    "examine",
    "find_reuse",
    "fingerprint",
    "load",
    "load_disclosure",
    "load_recipe",
    "open",
    "read",
    "save",
    "score",
    "window_pairs",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sdtext' has no attribute {name!r}")
    return getattr(import_module(f"sdtext.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
