"""sdtext: find which documents share content, and where, by fingerprints that can be shared.

The names below are the public ones; all else may change. They are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sdtext._version import __version__

if TYPE_CHECKING:
    from sdtext.artefacts import embedded_dictionary, load, save
    from sdtext.chain import Chain
    from sdtext.comparison import Comparison, compare, score
    from sdtext.corpus import Amount, Run, create_dictionary, fingerprint
    from sdtext.dictionary import Dictionary
    from sdtext.documents import Reading, read
    from sdtext.errors import (
        FormatError,
        MismatchError,
        OptionError,
        OutputError,
        SdtextError,
        UnreadableError,
    )
    from sdtext.model import Document, Fingerprint
    from sdtext.recipe import load_recipe

_HOMES = {
    "Amount": "corpus",
    "Chain": "chain",
    "Comparison": "comparison",
    "Dictionary": "dictionary",
    "Document": "model",
    "Fingerprint": "model",
    "FormatError": "errors",
    "MismatchError": "errors",
    "OptionError": "errors",
    "OutputError": "errors",
    "Reading": "documents",
    "Run": "corpus",
    "SdtextError": "errors",
    "UnreadableError": "errors",
    "compare": "comparison",
    "create_dictionary": "corpus",
    "embedded_dictionary": "artefacts",
    "fingerprint": "corpus",
    "load": "artefacts",
    "load_recipe": "recipe",
    "read": "documents",
    "save": "artefacts",
    "score": "comparison",
}

__all__ = [
    "Amount",
    "Chain",
    "Comparison",
    "Dictionary",
    "Document",
    "Fingerprint",
    "FormatError",
    "MismatchError",
    "OptionError",
    "OutputError",
    "Reading",
    "Run",
    "SdtextError",
    "UnreadableError",
    "__version__",
    "compare",
    "create_dictionary",
    "embedded_dictionary",
    "fingerprint",
    "load",
    "load_recipe",
    "read",
    "save",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sdtext' has no attribute {name!r}")
    return getattr(import_module(f"sdtext.{_HOMES[name]}"), name)
