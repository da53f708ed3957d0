"""The reader of RTF files (Rich Text Format 1.9.1), by striprtf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import ClassVar

from sdtext.io.content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.office.titled import MAX_TITLE
from sdtext.parts.readers.rtf.rtf_source import BODY, BOX, CUT, END, LEVELS, MARGIN, NOTE, Source
from sdtext.text.encoding import paired

_KIND = "RTF file"
_STORY = re.compile(f"([{BODY}{BOX}{NOTE}{MARGIN}{END}])")
_LINE_END = re.compile(f"[\n{CUT}]")
_LEVEL = re.compile(f"([{LEVELS}])+")
_CUT = re.compile(f"\n?[{LEVELS}]?[{CUT}{END}]+")
_version = cache(version)


@dataclass(frozen=True)
class Rtf(Reader):
    r"""The text of an RTF file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then notes, then
    headers and footers, each once. Inserted text is read; deleted text, comments, the codes of
    fields, the numbers of lists and pictures are not.

    >>> from sdtext.io.content import Content
    >>> place = folder / "bees.rtf"
    >>> place.write_bytes(rb"{\rtf1\ansi Bees {\b dance}.\par\u8211? caf\'e9}")
    48
    >>> "".join(Rtf()(Content(place)))
    'Bees dance.\n– café\n'
    """

    called: ClassVar[str] = _KIND
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as an RTF file does."""
        return content.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf")

    @staticmethod
    def libraries() -> tuple[tuple[str, str], ...]:
        """The library that does the work, with its version."""
        return (("striprtf", _version("striprtf")),)

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        from striprtf.striprtf import rtf_to_text

        source = Source(content.name)
        prepared = source.prepared(content.whole())
        text = rtf_to_text(prepared, source.codec, errors="replace")  # type: ignore[no-untyped-call]
        yield from _lines(_in_order(text))
        if not source.ended:
            message = f"{content.name}: is a damaged {_KIND}: it is truncated"
            yield Problem("warning", "partly-read", message)


def _in_order(text: str) -> str:
    """Boxes behind their paragraphs, notes behind the body, then each margin once."""
    told: dict[str, list[str]] = {BODY: [], BOX: [], NOTE: [], MARGIN: []}
    body, boxes, open_stories = told[BODY], told[BOX], [BODY]
    for piece in _STORY.split(text):
        if piece in told:
            open_stories.append(piece)
            continue
        told[open_stories[-1]].append(piece)
        if piece == END:
            open_stories.pop()
        elif boxes and open_stories == [BODY] and (found := _LINE_END.search(piece)):
            body[-1:] = [piece[: found.end()], *boxes, piece[found.end() :]]
            boxes.clear()
    margins = dict.fromkeys("".join(told[MARGIN]).split(END))
    return END.join("".join(each) for each in (body, boxes, told[NOTE], margins))


def _lines(text: str) -> Iterator[str | Heading]:
    """Each line, right behind a heading if it is one; a cut ends what has begun."""
    whole = _CUT.sub("\n", _LEVEL.sub(r"\1", f"\n{text}{END}"))
    for marked in whole[1:].split("\n")[:-1]:
        line = paired(_LEVEL.sub("", marked))
        level = LEVELS.index(found[1]) + 1 if (found := _LEVEL.search(marked)) else 0
        if 0 < level < len(LEVELS) and line.strip() and len(line) <= MAX_TITLE:
            yield Heading(level, " ".join(line.split()))
        yield line + "\n"
