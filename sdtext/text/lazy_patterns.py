"""Regular expressions that are compiled when they are first used: few texts need any."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any


class LazyPattern:
    """A regular expression of `re`, or of the package regex, which knows scripts and categories."""

    finditer: Callable[..., Iterator[re.Match[Any]]]

    def __init__(self, pattern: str | bytes, package: str = "re") -> None:
        self._pattern = pattern
        self._package = package

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled expression, which is an attribute from then on."""
        method = getattr(import_module(self._package).compile(self._pattern), name)
        setattr(self, name, method)
        return method
