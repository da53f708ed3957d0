"""The terms of a dictionary in the form that sdtext writes, read without an XML parser.

A dictionary is a short description and a line for each of many thousand terms. Where these lines
have the form that sdtext writes, they are cut out of the file and read at once; the XML parser
reads what is left. Anything else goes to the parser as it is.
"""

from __future__ import annotations

import re
from array import array
from itertools import islice
from operator import lt
from typing import NamedTuple

from sdtext.formats.xml_writer import DECLARATION

_BEGIN = DECLARATION.encode()
_TERMS = re.compile(rb'<terms count="[0-9]{1,9}">\n')
_END = b"</terms>\n"
_PIECE = 1 << 20  # bytes
_LINE = re.compile(
    r'^<term df="([0-9]{1,9})">([^<>&\x00-\x1f\ufffe\uffff]*+'
    r"(?:&(?:amp|lt|gt|quot);[^<>&\x00-\x1f\ufffe\uffff]*+)*+)</term>\n",
    re.MULTILINE,
)
_TAG = re.compile(rb"<([^\s>/]*)")
# What a term stands behind. Behind other elements, and in a comment, it may be part of these.
_KNOWN = frozenset(
    (
        b" dictionary created execution_environment os_sysname os_release host arch parent"
        b" hashdigest documents rarest trimmed tokenizers tokenizer parameter value library"
        b" seen totals document calibration edit size unrelated related independent"
    ).split(b" ")
)


class TermLines(NamedTuple):
    """The terms of a dictionary, and the XML of it without them."""

    terms: list[str]
    counts: array[int]
    rest: bytes


def cut_term_lines(xml: bytes) -> TermLines | None:
    """Cut the terms out of a dictionary; None unless it has the form that sdtext writes."""
    begin = _TERMS.search(xml)
    end = xml.find(_END)
    if not begin or end < begin.end() or not xml.startswith(_BEGIN):
        return None
    if not _KNOWN.issuperset(_TAG.findall(xml, len(_BEGIN), begin.start())):
        return None
    cut = TermLines([""], array("L"), xml[: begin.end()] + xml[end:])
    start = begin.end()
    while start < end:
        stop = min(end, xml.find(b"\n", start + _PIECE) + 1 or end)
        if not _take_lines(cut, xml[start:stop]):
            return None
        start = stop
    del cut.terms[0]
    return cut


def _take_lines(cut: TermLines, piece: bytes) -> bool:
    """Add some lines; False if one has another form or is out of order."""
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        return False
    lines: list[tuple[str, str]] = _LINE.findall(text)
    if len(lines) != text.count("\n") or not text.endswith("\n"):
        return False
    last = len(cut.terms) - 1
    cut.terms.extend(_unescaped(term) for _, term in lines)
    cut.counts.extend(int(count) for count, _ in lines)
    return all(map(lt, islice(cut.terms, last, None), islice(cut.terms, last + 1, None)))


def _unescaped(term: str) -> str:
    if "&" not in term:
        return term
    plain = term.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    return plain.replace("&amp;", "&")
