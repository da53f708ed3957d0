"""The styles of a Word file: which are headings, and which begin a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from sdtext.io.zip_archive import Archive
from sdtext.parts.readers.office.inherited import Style, inherited
from sdtext.parts.readers.office.package import related, told
from sdtext.parts.readers.office.story import attribute

# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_TOLD = ("style", "name", "basedOn", "outlineLvl", "pageBreakBefore")
_TAGS = [space + name for space in WORD for name in _TOLD]
_OFF = {"0", "false", "off"}


class WordStyles:
    """What each style says; they are read when one is asked for.

    Most documents use few of the hundreds of styles that their file lists, many use none.
    """

    def __init__(self, archive: Archive, main: str) -> None:
        self._archive = archive
        self._main = main

    def level(self, style: str) -> int:
        """The level of the style in the outline, 0 if none."""
        return self._styles.get(style, {}).get("level", 0)

    def begins_page(self, style: str) -> bool:
        """Whether each paragraph of the style is the first of a page."""
        return bool(self._styles.get(style, {}).get("page", False))

    @cached_property
    def _styles(self) -> Mapping[str, Mapping[str, int]]:
        styles: dict[str, Style[int]] = {}
        for _, part in related(self._archive, self._main, ("styles",)):
            _add_styles(styles, self._archive, part)
        return inherited(styles)


def level_of(value: str) -> int:
    """The level of a heading, from 1; the file counts from 0, and 9 stands for none.

    >>> level_of("0"), level_of("9")
    (1, 0)
    """
    return int(value) + 1 if value in tuple("012345678") else 0


def is_on(attrib: Mapping[str, str]) -> bool:
    """Whether a property that is there is on, as it is unless it says otherwise.

    >>> is_on({}), is_on({"val": "false"})
    (True, False)
    """
    return attribute(attrib, "val") not in _OFF


def _add_styles(styles: dict[str, Style[int]], archive: Archive, part: str) -> None:
    """Add the styles in a part by their ids, with what each says itself."""
    style = Style[int]()
    for tag, attrib in told(archive, part, _TAGS):
        name, value = tag.rpartition("}")[2], attribute(attrib, "val")
        if name == "style":
            style = styles[attribute(attrib, "styleId")] = Style[int]()
        elif name == "name" and (found := _HEADING.fullmatch(value)):
            style.says["level"] = int(found[1])
        elif name == "basedOn":
            style.parent = value
        elif name == "outlineLvl":
            style.says["level"] = level_of(value)
        elif name == "pageBreakBefore":
            style.says["page"] = is_on(attrib)
