"""The styles of an OpenDocument, as far as they begin and end pages (ISO/IEC 26300-3, 16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from sdtext.parts.readers.office.inherited import Style, inherited

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FORMAT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_FAMILIES = ("paragraph", "table")
_PAGES = {"page", "even-page", "odd-page"}


class Breaks(NamedTuple):
    """Whether a page begins before what has the style, and behind it."""

    before: bool
    after: bool


class OpenStyles:
    """The styles in an XML file.

    Automatic ones have a paragraph's own properties, and may take the rest from a common one,
    which has a name. The common ones may stand in another file: `common` gives its styles.
    """

    def __init__(self, common: Callable[[], OpenStyles] | None = None) -> None:
        self._elsewhere = common
        self._common: dict[str, Style[str]] = {}
        self._automatic: dict[str, Style[str]] = {}
        self._open: Style[str] | None = None
        self._breaks: dict[str, Breaks] = {}
        self.are_common = False

    def begin(self, attrib: Mapping[str, str]) -> None:
        """A style."""
        family = attrib.get(_STYLE + "family", "")
        if family in _FAMILIES:
            self._open = Style(_key(family, attrib.get(_STYLE + "parent-style-name", "")))
            styles = self._common if self.are_common else self._automatic
            styles[_key(family, attrib.get(_STYLE + "name", ""))] = self._open
            self._say("master", attrib.get(_STYLE + "master-page-name"))

    def add(self, attrib: Mapping[str, str]) -> None:
        """Properties of the style."""
        before, after = (attrib.get(f"{_FORMAT}break-{place}") for place in ("before", "after"))
        # To LibreOffice they are one property: a style that says one of them has no other.
        if before or after:
            self._say("before", before or "auto")
            self._say("after", after or "auto")

    def finish(self) -> None:
        """The style's end."""
        self._open = None

    def breaks(self, family: str, name: str) -> Breaks:
        """What the style of that name says."""
        key = _key(family, name)
        if key not in self._breaks:
            self._breaks[key] = _breaks(self._all_of(key))
        return self._breaks[key]

    @cached_property
    def named(self) -> Mapping[str, Mapping[str, str]]:
        """All that the common styles say, by their keys."""
        return self._elsewhere().named if self._elsewhere else inherited(self._common)

    def _all_of(self, key: str) -> Mapping[str, str]:
        own = self._automatic.get(key)
        if own is None:
            return self.named.get(key, {})
        return {**self.named.get(own.parent, {}), **own.says}

    def _say(self, key: str, value: str | None) -> None:
        if self._open and value is not None:
            self._open.says[key] = value


def _key(family: str, name: str) -> str:
    return f"{family} {name}"


def _breaks(says: Mapping[str, str]) -> Breaks:
    # What names the master of its page begins one (16.5, style:master-page-name).
    before = says.get("before") in _PAGES or bool(says.get("master"))
    return Breaks(before, says.get("after") in _PAGES)
