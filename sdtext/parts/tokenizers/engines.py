"""Which packages a tokenizer works with, and what is said where they are missing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from sdtext.errors import OptionError

BIGRAM = "bigram"
"""The engine that needs no package."""


def check_engine(part: str, engine: str, engines: Mapping[str, Mapping[str, str]]) -> None:
    """OptionError unless `engine` is one of the `engines` and its packages are installed.

    An engine is its packages, as pip calls them, each with the module that it brings.

    >>> check_engine("thai", "bigram", {"newmm": {"pythainlp": "pythainlp"}, "bigram": {}})
    """
    if engine not in engines:
        raise OptionError.of(part, "engine", engine, f"one of {', '.join(engines)}")
    missing = [name for name, module in engines[engine].items() if not find_spec(module)]
    if missing:
        raise OptionError(
            f"{part}: the engine {engine} needs {' and '.join(missing)}; "
            f"pip install 'sdtext[{part}]' brings it, or name the engine {BIGRAM}, "
            "which needs nothing but gives other words"
        )
