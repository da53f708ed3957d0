"""XML writer: one element a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO

from sdtext.errors import CONTROLLING
from sdtext.formats import NAMESPACE
from sdtext.formats.hardened_xml_reader import CONTROLS

DECLARATION = "<?xml version='1.0' encoding='utf-8'?>\n"
_MARKUP = re.compile(f'[&<>"{CONTROLLING}]')
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def write_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write `lines` as an XML file in UTF-8."""
    file.write(DECLARATION.encode("ascii"))
    file.writelines(line.encode("utf-8") for line in lines)


def opened(tag: str, *, is_root: bool = False, **attributes: str) -> str:
    """A start tag; that of a file's first element names the namespace."""
    named = {"xmlns": NAMESPACE, **attributes} if is_root else attributes
    return f"<{tag}{_spelled(named)}>\n"


def closed(tag: str) -> str:
    """An end tag."""
    return f"</{tag}>\n"


def element(tag: str, text: str = "", **attributes: str) -> str:
    r"""An element with a text.

    >>> element("library", name="a<b", version="1")
    '<library name="a&lt;b" version="1"/>\n'
    """
    if not text:
        return f"<{tag}{_spelled(attributes)}/>\n"
    return f"<{tag}{_spelled(attributes)}>{escaped(text)}</{tag}>\n"


def given(tag: str, text: str) -> str:
    """The element, if there is a text."""
    return f"<{tag}>{escaped(text)}</{tag}>\n" if text else ""


def passed_on(unknown: Iterable[str]) -> str:
    """Elements of later versions, unchanged, a line each."""
    return "".join(f"{item}\n" for item in unknown)


def escaped(text: str) -> str:
    r"""Escape `text` for XML, and what would control a terminal that the file is printed on.

    Raises ValueError for characters that XML excludes.

    >>> escaped("a<b\n\x9b31m")
    'a&lt;b&#10;&#155;31m'
    """
    if CONTROLS.search(text):
        raise ValueError(f"XML cannot hold {text!r:.100}")
    if not _MARKUP.search(text):
        return text
    return _MARKUP.sub(lambda match: _ESCAPES.get(match[0]) or f"&#{ord(match[0])};", text)


def _spelled(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{escaped(value)}"' for name, value in attributes.items())
