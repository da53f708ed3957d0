"""Styles of an OpenDocument file: where pages begin, and how text appears."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from sdtext.parts.readers.hidden_text import (
    WHITE,
    Appearance,
    Color,
    hex_color,
    is_indistinct,
    points_of,
)
from sdtext.parts.readers.office.ooxml_text import Style, inherited

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FORMAT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_FILL = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}fill"
# LibreOffice's own: 0% of what has a colour is not seen.
_OPACITY = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}opacity"
_FAMILIES = ("paragraph", "table", "text", "section")
_PAGES = {"page", "even-page", "odd-page"}
_AUTOMATIC = "automatic"  # colour that the program chooses
_NO_GROUND = ("", "transparent", "none")


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
        self._appearances: dict[tuple[Appearance, str], Appearance] = {}
        self._are_pages_white = True
        self.are_common = False

    def begin(self, attrib: Mapping[str, str]) -> None:
        """A style; that of all paragraphs has no name."""
        family, name = attrib.get(_STYLE + "family", ""), attrib.get(_STYLE + "name", "")
        if family in _FAMILIES and (name or family == "paragraph"):
            self._open = Style(_key(family, attrib.get(_STYLE + "parent-style-name", "")))
            styles = self._common if self.are_common else self._automatic
            styles[_key(family, name)] = self._open
            self._say("master", attrib.get(_STYLE + "master-page-name"))

    def add(self, attrib: Mapping[str, str]) -> None:
        """Properties of the style."""
        before, after = (attrib.get(f"{_FORMAT}break-{place}") for place in ("before", "after"))
        # To LibreOffice they are one property: a style that says one of them has no other.
        if before or after:
            self._say("before", before or "auto")
            self._say("after", after or "auto")
        self.fill(attrib)

    def fill(self, attrib: Mapping[str, str]) -> None:
        """Properties of the ground of paragraphs, sections, or text."""
        self._say("ground", attrib.get(_FORMAT + "background-color"))
        if _FILL in attrib:
            self._say("has_pattern", str(_is_pattern(attrib)))

    def fill_with_image(self, attrib: Mapping[str, str]) -> None:
        """A picture as the ground, or none; also of pages."""
        if attrib and self._open is not None:
            self._say("has_pattern", str(True))
        elif attrib:
            self._are_pages_white = False

    def fill_pages(self, attrib: Mapping[str, str]) -> None:
        """The properties of pages."""
        ground = attrib.get(_FORMAT + "background-color", "")
        color = WHITE if ground in _NO_GROUND else hex_color(ground)
        is_white = color is not None and is_indistinct(color, WHITE)
        self._are_pages_white &= is_white and not _is_pattern(attrib)

    def add_text(self, attrib: Mapping[str, str]) -> None:
        """Properties of the text that has the style."""
        self.fill(attrib)
        self._say("display", attrib.get(_TEXT + "display"))
        self._say("size", attrib.get(_FORMAT + "font-size"))
        if attrib.get(_STYLE + "use-window-font-color") == "true":
            self._say("color", _AUTOMATIC)
        elif color := attrib.get(_FORMAT + "color"):
            self._say("color", color)
            self._say("opacity", attrib.get(_OPACITY, "100%"))

    def finish(self) -> None:
        """The style's end."""
        self._open = None

    def breaks(self, family: str, name: str) -> Breaks:
        """The breaks of the style of that name."""
        key = _key(family, name)
        if key not in self._breaks:
            self._breaks[key] = _breaks(self._all_of(key))
        return self._breaks[key]

    def appearance(self, around: Appearance, family: str, name: str) -> Appearance:
        """How text of the style appears within text, a section or a page that appears as given."""
        key = around, _key(family, name)
        if key not in self._appearances:
            self._appearances[key] = _appearance(around, self._all_of(key[1]))
        return self._appearances[key]

    @property
    def page_ground(self) -> Color | None:
        """The ground of all pages; None if it is not white throughout."""
        elsewhere = self._elsewhere().page_ground if self._elsewhere else WHITE
        return elsewhere if self._are_pages_white else None

    @cached_property
    def named(self) -> Mapping[str, Mapping[str, str]]:
        """The properties of the common styles, by their keys."""
        return self._elsewhere().named if self._elsewhere else inherited(self._common)

    def _all_of(self, key: str) -> Mapping[str, str]:
        own = self._automatic.get(key)
        if own is None:
            return self._named(key)
        return {**self._named(own.parent), **own.says}

    def _named(self, key: str) -> Mapping[str, str]:
        family = key.partition(" ")[0]
        return self.named.get(key) or self.named.get(_key(family, ""), {})

    def _say(self, key: str, value: str | None) -> None:
        if self._open and value is not None:
            self._open.says[key] = value


def _key(family: str, name: str) -> str:
    return f"{family} {name}"


def _breaks(says: Mapping[str, str]) -> Breaks:
    # What names the master of its page begins one (16.5, style:master-page-name).
    before = says.get("before") in _PAGES or bool(says.get("master"))
    return Breaks(before, says.get("after") in _PAGES)


def _is_pattern(attrib: Mapping[str, str]) -> bool:
    return attrib.get(_FILL, "solid") not in ("solid", "none")


def _appearance(around: Appearance, says: Mapping[str, str]) -> Appearance:
    if "display" in says:
        around = around._replace(is_hidden=says["display"] == "none")
    if "color" in says:
        color = hex_color(says["color"])
        is_clear = color is not None and says.get("opacity") == "0%"
        around = around._replace(color=color, is_clear=is_clear)
    if says.get("has_pattern") == str(True):
        around = around._replace(ground=None)
    elif says.get("ground", "") not in _NO_GROUND:
        around = around._replace(ground=hex_color(says["ground"]))
    points = points_of(says.get("size", ""))
    return around if points is None else around._replace(points=points)
