"""Quotations: text in quotation marks, and quoted lines."""

import re
from collections.abc import Iterator, Sequence
from heapq import merge

from sdtext.model import Span
from sdtext.parts.units import outermost
from sdtext.parts.units.pages_chapters_paragraphs import Paragraph
from sdtext.text.document import Document

MOST = 3000
"""The most characters between two marks: where there are more, one of them stands alone."""

# The marks that close what each of these opens. Of 《 》 and 〈 〉 there is none: they mark titles.
_CLOSING = {
    "“": "”",
    "„": "“”",  # German, Czech; Polish, Dutch, Hungarian
    "”": "”",  # Swedish, Finnish
    "«": "»",
    "»": "«»",  # German and Danish books; Finnish
    "「": "」",
    "『": "』",
    "﹁": "﹂",
    "﹃": "﹄",
    "〝": "〞〟",
    "＂": "＂",
    '"': '"',
    "‹": "›",
    "›": "‹›",
    "‘": "’",
    "‚": "‘’",
}
_MARKS = re.compile(f"[{''.join({*_CLOSING, *''.join(_CLOSING.values())})}]")
_QUOTED_LINES = re.compile(
    r"(?<![^\n\r\f])[ \t]{0,3}>[^\n\r\f]*+(?:(?:\r\n|\n|\r)[ \t]{0,3}>[^\n\r\f]*+)*+"
)
# Some programs turn the apostrophe of these words as if it opened.
_APOSTROPHE = re.compile(
    r"‘(?:tis|twas|twere|twill|em|til|till|cause|bout|round|n|\d0s)\b", re.IGNORECASE
)
_OPENS_ANYWHERE, _CLOSES_ANYWHERE = frozenset("「『﹁﹃〝"), frozenset("」』﹂﹄〞〟")
_WIDE = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u2e80", "\uffdc"))
_DEEPEST = 8  # quotations in one another


def quotes_in(document: Document) -> Sequence[Span]:
    r"""The quotations of a document with their marks, in order, without nested ones.

    A quotation is the text between two marks that form a pair in some language, within a paragraph
    and at most `MOST` characters. Where no mark closes it in its paragraph, and the next one begins
    with the same mark, it goes on there. Quotations that the format marks are among them. Signs of
    inches and seconds and unpaired marks are ignored, and so are straight single marks, which
    mostly are apostrophes. Consecutive lines that begin with ">", as in mails and Markdown, are a
    quotation, too.

    >>> text = "It’s “the people’s choice”, said «Le Monde»; a 12-inch disc.\n> So be it."
    >>> [text[span.start : span.end] for span in quotes_in(Document(text, text))]
    ['“the people’s choice”', '«Le Monde»', '> So be it.']
    """
    text = document.text
    lines = (match.span() for match in _QUOTED_LINES.finditer(text))
    marked = ((span.start, span.end) for span in document.quotations)
    return outermost(text, merge(lines, marked, _in_paragraphs(document)))


def _in_paragraphs(document: Document) -> Iterator[tuple[int, int]]:
    """Quotations in quotation marks, in order."""
    text = document.text
    if not _MARKS.search(text):
        return
    begun = -1  # where a quotation began that no mark has closed yet
    waiting = list[tuple[int, int]]()  # the quotations since then
    for paragraph in Paragraph().each(document):
        opened = list[int]()
        goes_on = begun >= 0 and text[paragraph.start] == text[begun]
        waiting += [
            (begun if goes_on and start == paragraph.start else start, end)
            for start, end in _quoted(text, paragraph, opened)
        ]
        is_open = bool(opened) and paragraph.end - opened[0] <= MOST
        if not (goes_on and is_open and opened[0] == paragraph.start):
            begun = opened[0] if is_open else -1
        if begun < 0:
            yield from sorted(waiting)
            waiting.clear()
    yield from sorted(waiting)


def _quoted(text: str, paragraph: Span, opened: list[int]) -> Iterator[tuple[int, int]]:
    """Quotations in a paragraph, from each opening mark to the one that closes it.

    `opened` has the marks that none closes, in the end.
    """
    for sign in _MARKS.finditer(text, paragraph.start, paragraph.end):
        place = sign.start()
        while opened and place - opened[0] > MOST:
            del opened[0]
        ways = range(len(opened) - 1, -1, -1) if _can_close(text, place) else ()
        pairs = (
            row
            for row in ways
            if text[place] in _CLOSING[text[opened[row]]] and place > opened[row] + 1
        )
        partner = next(pairs, -1)
        if partner >= 0:
            yield opened[partner], place + 1
            del opened[partner:]
        elif text[place] in _CLOSING and _can_open(text, place):
            opened.append(place)
            del opened[:-_DEEPEST]


def _can_open(text: str, place: int) -> bool:
    """Whether it can open: no letter or digit before it, and no white space after it."""
    mark = text[place]
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    if mark in _OPENS_ANYWHERE:
        return True
    if not behind or (behind.isspace() and mark not in "«‹"):  # as in French
        return False
    if mark == "‘" and _APOSTROPHE.match(text, place):
        return False
    return not (before.isalnum() and not _is_wide(before))


def _can_close(text: str, place: int) -> bool:
    """Whether it can close: no white space before it, and no letter after it."""
    mark = text[place]
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    if mark in _CLOSES_ANYWHERE:
        return True
    if before.isspace() and mark not in "»›":
        return False
    return not (behind.isalpha() and not _is_wide(behind))


def _is_wide(sign: str) -> bool:
    """Whether it belongs to a script that has no white space at a mark."""
    return any(first <= sign <= last for first, last in _WIDE)
