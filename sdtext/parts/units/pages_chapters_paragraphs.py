"""Units that the layout of a document marks: the whole, pages, chapters and paragraphs.

Where the format marks no headings, they are recognised by what they look like. The first of these
that a text has:

1. Markdown headings (`# Title`, or a title above a line of `=` or `-`) in files that are named
   `.md` or `.markdown`
2. lines such as `CHAPTER I`, `Chapter 12: Bees`, `Kapitel 3`, `第一章 蜂` and `الفصل الأول`
3. in plain text, titles above a line of `=` or `-` that is about as long
4. Roman numerals in order, each alone on its line or before a title in capitals

The rules are conservative: a sentence that begins with "Chapter 5" is no heading. Such a line
begins a paragraph, and ends one if it has a title. Lines of a table of contents and repeated
headings of pages are left out.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import chain, pairwise

from sdtext.errors import OptionError
from sdtext.model import Heading, Span
from sdtext.parts.units import spans_from
from sdtext.text.document import Document
from sdtext.text.line_joins import HAN_AND_KANA

LINE_ENDS = "\n\r\f\x85\u2028\u2029"
LINE = re.compile(f"[^{LINE_ENDS}]+")
_BLANKS = " \t\u00a0\u3000"
_LONGEST = 120  # characters of a line that is a heading
_LOOKED_AT = 400  # characters before a line and behind it: does it begin or end a paragraph?
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")

_CHAPTER = (
    "chapter|kapitel|chapitre|capítulo|capitulo|capitolo|capitol|hoofdstuk|kapitola|"
    "rozdział|bölüm|fejezet|luku|глава|розділ|κεφάλαιο"
)
_BOOK = (
    "book|part|volume|letter|sermon|lecture|canto|act|teil|buch|band|akt|partie|livre|tome|acte|"
    "lettre|parte|libro|tomo|carta|deel|boek|часть|книга|том|частина"
)
_SPELLED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|first|second|third|fourth|fifth|sixth|seventh|"
    "eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|"
    "eighteenth|nineteenth|twentieth|last|premier|première|primero|primera|primo|prima|"
    "eins|первая|первый"
)
_NUMBER = rf"(?:the )?(?:\d{{1,3}}|[IVXLC]{{1,7}}|{_SPELLED})"
_END = r"\s{0,3}[.:)\]—–-]{0,2}\s*$"
_TITLE = r"(?:\s{0,3}[.:,)—–-]{1,3}\s{0,3}|\s{1,4})(?P<title>\S.*)"
_NUMBERED = re.compile(
    rf"\s*[*_]{{0,2}}(?P<word>(?P<chapter>{_CHAPTER})|{_BOOK})\s{{0,4}}(?<=[\s.])"
    rf"(?:(?P<number>{_NUMBER})(?:{_END}|{_TITLE}$)|(?P<other>(?(chapter)\S{{1,14}}|(?!)))\s*$)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"\s*[*_]{0,2}[ABCFHKLPRTVГКРТЧΚ第ا]")  # what these three can begin with
_CHINESE = re.compile(
    r"\s*(?P<word>)第\s?(?P<number>[\d0-9〇零一二三四五六七八九十百千两兩]{1,6})\s?[章回卷部篇讲講話话]"
    r"(?:\s*$|(?:\s{0,4}[:：、.—-]\s{0,3}|\s{1,4})(?P<title>\S.*)$)"
)
_ARABIC = re.compile(
    r"\s*(?P<word>الفصل|الباب|الجزء|القسم|المقالة)\s{1,3}"
    r"(?P<number>\d{1,3}|ال\w{2,9}(?: عشرة?| و?ال\w{2,9})?)(?!\w)"
    r"(?:\s*[.:：—–-]?\s*$|(?:\s{0,3}[:：.—–-]\s{0,3}|\s{1,3})(?P<title>\S.*)$)"
)
_ENTRY = re.compile(r"[.·…\s]{2,}\d{1,4}$")  # of a table of contents, with its page
_ROMAN = re.compile(r"\s*(?P<number>[IVXLC]{1,7})(?:\.?\s*$|[.:]\s{1,4}(?P<title>\S.*)$)")
_HASHES = re.compile(
    r"^ {0,3}(?P<level>#{1,6})[ \t]{1,9}(?P<title>[^#\s].{0,200}?)[ \t]{0,9}#{0,9}[ \t\r]{0,9}$",
    re.MULTILINE,
)
_UNDERLINED = re.compile(
    r"^ {0,3}(?P<title>\S.{0,118}\S)[ \t\r]{0,3}\n {0,3}(?P<level>={3,120}|-{3,120})[ \t\r]{0,9}$",
    re.MULTILINE,
)
_FENCED = re.compile(  # the metadata at the head, and blocks of code
    r"\A---\n.*?^---$|^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL
)

_LEAST_IN_ORDER = 3  # Roman numerals
_LEAST_BETWEEN = 300  # characters between Roman numerals
_MUCH_SHORTER = 5  # times
_PAGE_END = re.compile("\f")
# Unicode's ends of lines (its newline guidelines); a vertical tab breaks a line in a paragraph.
# Each pattern begins with a set of characters, which Python's engine finds quickly.
_LINE_END = re.compile("[\n\r\x85\u2028\u2029\f][\n\r\x85\u2028\u2029\f]*+")
_ONE_END = re.compile("(?:\r\n|[\n\r\x85\u2028])")
_SHARE_OF_BLANK = 10  # preformatted text has a blank line for so many lines, or more
_WRAPPED = 120  # characters of the longest lines that programs wrap
_NARROWEST = 16  # columns; narrower ones hold words in place of sentences
_SENTENCE_ENDS = ".!?…؟۔।。！？”»」』"
_SENTENCE = re.compile(f"[^{_SENTENCE_ENDS}]*+[{_SENTENCE_ENDS}]++")
_LONGEST_WORD = 30  # characters between blanks, in Chinese and Japanese
_BY_CHANCE = 2  # lines of wrapped text that end with a sentence
_NEAR = 8  # lines, which are in the same column
_FULL = 0.8  # of the width of wrapped lines, since some programs break lines early
# Chinese, Japanese and Korean letters, by Unicode's East Asian Width.
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]+"
)
# Thai and the like are wrapped at blanks by programs that do not know their words.
_HAN_OR_KANA = re.compile(f"[{HAN_AND_KANA}]")
_PARAGRAPH_END = re.compile(
    "[\n\r\x85\u2028\u2029\f]"
    "(?:(?<=[\u2029\f])"
    "|(?:(?<=\r)\n)?+(?:[^\\S\n\r\x85\u2028\u2029\f]*+(?>\r\n|[\n\r\x85\u2028]))++)"
)


def headings_in(document: Document) -> Sequence[Heading]:
    r"""The headings in the text of a document, in order.

    >>> text = "By A.\n\nCHAPTER I\n\nIt begins.\n\nChapter 2: The end\n\nIt ends.\n"
    >>> [(heading.title, heading.offset) for heading in headings_in(Document.of(text))]
    [('CHAPTER I', 7), ('Chapter 2: The end', 30)]
    """
    text = document.text
    is_markdown = document.source.casefold().endswith(_MARKDOWN)
    return (
        (_markdown(text) if is_markdown else None)
        or _numbered(document)
        or (_underlined(text) if not document.line_paragraphs else None)
        or _in_roman_order(document)
    )


_Labelled = tuple[Heading, tuple[str, str]]  # with its word and number: repetitions have the same


def _numbered(document: Document) -> list[Heading]:
    lines: list[_Labelled] = []
    for line in LINE.finditer(document.text):
        words = line[0]
        if len(words.strip()) > _LONGEST or not _BEGINS.match(words):
            continue
        match = _NUMBERED.match(words) or _CHINESE.match(words) or _ARABIC.match(words)
        title = (match["title"] or "") if match else ""
        if title and match:
            # Only Chinese has no word beside the number; its titles have no small letters.
            is_sentence = title[0].islower() if match["word"] else title[-1] in "。！？；，、："
            if is_sentence or title[-1] in ",;،؛-" or _ENTRY.search(title):
                continue
        if match and _stands_alone(document, line, ends=bool(title)):
            number = match["number"] or match["other"]
            label = match["word"].casefold(), number.casefold().strip(".:")
            lines.append((_heading_of(line), label))
    return _joined(document.text, _without_repetitions(lines, len(document.text)))


def _heading_of(line: re.Match[str]) -> Heading:
    title = " ".join(line[0].split()).strip("*_ ")
    return Heading(1, title, line.start() + len(line[0]) - len(line[0].lstrip()))


def _stands_alone(document: Document, line: re.Match[str], *, ends: bool) -> bool:
    """Whether a line begins a paragraph, and ends one if it has to."""
    if document.line_paragraphs:
        return True
    text = document.text
    before = text[max(0, line.start() - _LOOKED_AT) : line.start()]
    behind = text[line.end() : line.end() + _LOOKED_AT]
    return _is_blank_line(before[::-1]) and (not ends or _is_blank_line(behind))


def _is_blank_line(text: str) -> bool:
    """Whether there is nothing, or a blank line or the end of a page next, behind a line end."""
    gap = text[: len(text) - len(text.lstrip(_BLANKS + LINE_ENDS))]
    ends = gap.replace("\r\n", "\n").replace("\n\r", "\n")
    return len(gap) == len(text) or "\f" in gap or sum(ends.count(end) for end in LINE_ENDS) > 1


def _without_repetitions(lines: Sequence[_Labelled], length: int) -> list[Heading]:
    """The headings, but those of a table of contents and of every page.

    A heading is an entry of a table of contents if a later one with its word and number has much
    more text. So is the next heading if it has a later one at all, or much less text than most.
    Of several in a row with one word and number, the first stays.
    """
    places = [*(heading.offset for heading, _ in lines), length]
    sizes = [end - start for start, end in pairwise(places)]
    middle = sorted(sizes)[len(sizes) // 2] if sizes else 0
    largest: dict[tuple[str, str], int] = {}
    later = []  # for each line, the largest size of a later one of the same label, or 0
    for (_, label), size in zip(reversed(lines), reversed(sizes), strict=True):
        later.append(largest.get(label, 0))
        largest[label] = max(later[-1], size)
    kept: list[_Labelled] = []
    is_entry = False
    for line, size, larger in zip(lines, sizes, reversed(later), strict=True):
        is_next = is_entry and (larger > 0 or size * _MUCH_SHORTER < middle)
        is_entry = is_next or size * _MUCH_SHORTER < larger
        if not is_entry and not (kept and kept[-1][1] == line[1]):
            kept.append(line)
    return [heading for heading, _ in kept]


def _joined(text: str, headings: Sequence[Heading]) -> list[Heading]:
    """The headings; of several with nothing between them, the first place and the last title."""
    joined: list[Heading] = []
    title = ""
    for heading in headings:
        between = text[joined[-1].offset : heading.offset] if joined else text
        if joined and " ".join(between.split()) == title:
            title = f"{title} {heading.title}"
            joined[-1] = replace(joined[-1], title=heading.title)
        else:
            title = heading.title
            joined.append(heading)
    return joined


def _markdown(text: str) -> list[Heading]:
    """Headings in Markdown, but those in fenced blocks and in the metadata at its head."""
    plain = _FENCED.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)
    headings = [_titled(match, len(match["level"])) for match in _HASHES.finditer(plain)]
    return sorted([*headings, *_underlined(plain)], key=lambda heading: heading.offset)


def _underlined(text: str) -> list[Heading]:
    """Titles of one line above a line of `=` or `-` that is about as long."""
    headings = []
    for match in _UNDERLINED.finditer(text):
        title, line = match["title"], match["level"]
        is_text = any(sign.isalpha() for sign in title) and "  " not in title and "|" not in title
        is_as_long = abs(len(line) - len(title)) <= max(2, len(title) // 4)
        before = text[max(0, match.start() - _LOOKED_AT) : match.start()]
        if is_text and is_as_long and _is_blank_line(before[::-1]):
            headings.append(_titled(match, 1 if line[0] == "=" else 2))
    return headings


def _titled(match: re.Match[str], level: int) -> Heading:
    return Heading(level, " ".join(match["title"].split()), match.start("title"))


def _in_roman_order(document: Document) -> list[Heading]:
    """Roman numerals that count up from I, with text between them."""
    headings: list[Heading] = []
    last = 0
    for line in LINE.finditer(document.text):
        match = _ROMAN.match(line[0]) if len(line[0]) <= _LONGEST else None
        if not match or not _stands_alone(document, line, ends=True):
            continue
        title, number = match["title"], _value(match["number"])
        if title is not None and (not title.isupper() or _ENTRY.search(title)):
            continue
        if number == 1 and last < _LEAST_IN_ORDER:
            headings, last = [_heading_of(line)], 1
        elif last < number <= last + 2:
            headings.append(_heading_of(line))
            last = number
    is_far = all(
        after.offset - before.offset >= _LEAST_BETWEEN for before, after in pairwise(headings)
    )
    return headings if len(headings) >= _LEAST_IN_ORDER and is_far else []


def _value(numeral: str) -> int:
    """The number of a Roman numeral.

    >>> _value("XIV")
    14
    """
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[letter] for letter in numeral]
    return sum(-value if value < after else value for value, after in pairwise([*values, 0]))


@dataclass(frozen=True)
class Whole:
    r"""The whole document as one unit.

    >>> Whole()(Document(" All of it.\n", " All of it.\n"))
    [Span(start=1, end=11, title='')]
    """

    def __call__(self, document: Document) -> list[Span]:
        return [*spans_from(document.text, [(0, "")])]


@dataclass(frozen=True)
class Page:
    r"""Pages (slides, sheets), which end at form feeds. Their titles are their numbers, from 1.

    An empty page gives no unit, but counts for the numbers. A text without form feeds is one page
    without a title.

    >>> Page()(Document("one\f\fthree", "one  three"))
    [Span(start=0, end=3, title='1'), Span(start=5, end=10, title='3')]
    """

    def __call__(self, document: Document) -> list[Span]:
        starts = [0, *(match.end() for match in _PAGE_END.finditer(document.text))]
        titles = map(str, range(1, len(starts) + 1)) if len(starts) > 1 else [""]
        return [*spans_from(document.text, zip(starts, titles, strict=True))]


@dataclass(frozen=True)
class Chapter:
    r"""Chapters, from a heading of this `level` or above it to the next one; 1 is the highest.

    Headings are those that the format marks; where it marks none, those in the text: of Markdown,
    underlined ones, and lines such as "CHAPTER I".

    Without `level` it is the highest level with two or more headings, since a single heading is
    the title of the document; if there is none, the highest level. The text before the first
    heading is a chapter without a title, and so is a document without headings. Of several
    headings with no text between them, the last gives the title.

    >>> text = "By A. One\nIt begins.\nTwo\nIt ends."
    >>> headings = (Heading(1, "One", 6), Heading(1, "Two", 21))
    >>> for span in Chapter()(Document(text, text, headings=headings)):
    ...     print(span.title, "|", text[span.start : span.end].replace("\n", " "))
     | By A.
    One | One It begins.
    Two | Two It ends.
    """

    level: int = 0

    def __post_init__(self) -> None:
        if self.level < 0:
            raise OptionError.of("chapter", "level", self.level, "1 or more, or 0 to choose one")

    def __call__(self, document: Document) -> list[Span]:
        headings = document.headings or headings_in(document)
        levels = sorted(heading.level for heading in headings)
        repeated = [level for level, following in pairwise(levels) if level == following]
        level = self.level or next(iter(repeated or levels), 0)
        last = len(document.text)
        beginnings = [
            (min(max(heading.offset, 0), last), heading.title)
            for heading in headings
            if heading.level <= level
        ]
        beginnings.sort(key=lambda beginning: beginning[0])
        return [*spans_from(document.text, [(0, ""), *beginnings])]


@dataclass(frozen=True)
class Paragraph:
    r"""Paragraphs: lines, if the format has one paragraph per line, else separated by blank lines.

    In plain text a paragraph also ends with a line in which the next word would have had room: no
    program would have wrapped it there. Where two lines of three are such, or end with a sentence,
    all lines are paragraphs; where nearly all are single sentences, that says nothing. The end of a
    page ends a paragraph, too, because the footer of a page and the header of the next interrupt
    one that continues. A web page of preformatted text is plain text.

    >>> text = "A paragraph\nof two lines.\n \nAnother."
    >>> [text[span.start : span.end] for span in Paragraph()(Document(text, text))]
    ['A paragraph\nof two lines.', 'Another.']
    """

    def __call__(self, document: Document) -> list[Span]:
        return list(self.each(document))

    def each(self, document: Document) -> Iterator[Span]:
        """The paragraphs one by one."""
        text, reader = document.text, document.metadata.get("reader")
        by_line = document.line_paragraphs
        if reader == "html":  # blank lines are those of preformatted text, of which it may be made
            by_line = _SHARE_OF_BLANK * text.count("\n\n") <= text.count("\n")
        ending = _LINE_END if by_line else _PARAGRAPH_END
        ends: Iterable[int] = (match.end() for match in ending.finditer(text))
        if not by_line and reader != "pdf":
            ends = merge(ends, _begins_after_short_lines(text))
        return spans_from(text, ((end, "") for end in chain([0], ends)))


def _begins_after_short_lines(text: str) -> Sequence[int]:
    """Where paragraphs of plain text begin that no blank line separates from the one before.

    A small letter begins none, as some lines are wrapped by hand; where all lines are paragraphs,
    only none behind a line without room that ends no sentence.
    """
    # Programs count characters or columns. Tables and addresses may be wider than wrapped lines.
    sizes = [[size(words) for words, _, _ in _lines(text)] for size in (len, _width)]
    widths = [sorted(column)[9 * len(column) // 10] for column in sizes if column]
    if not widths or widths[1] < _NARROWEST:
        return ()
    starts, short, lines, ended, single = array("q"), array("q"), 0, 0, 0
    for row, ((words, _, end), (next_words, start, _)) in enumerate(pairwise(_lines(text))):
        if not _ONE_END.fullmatch(text, end, start):
            continue
        lines += 1
        single += _SENTENCE.fullmatch(words) is not None
        near = slice(max(0, row - _NEAR), row + _NEAR + 1)
        needed = _with_next_word(words, next_words)
        is_short = len(words) > _WRAPPED or all(
            size(needed) < _FULL * min(width, max(column[near]))
            for size, width, column in zip((len, _width), widths, sizes, strict=True)
        )
        is_end, is_small = words[-1] in _SENTENCE_ENDS, next_words.lstrip()[0].islower()
        if is_short or is_end or not is_small:
            starts.append(start)
        if is_short and not is_small:
            short.append(start)
        ended += is_end and not (is_short or is_small)
    if 10 * single > 9 * lines:
        return ()
    found = len(short) + ended
    return starts if found > _BY_CHANCE and 3 * found >= 2 * lines else short


def _lines(text: str) -> Iterator[tuple[str, int, int]]:
    """The lines that are not blank, without blanks at their ends, each with its place."""
    for line in LINE.finditer(text):
        if words := line[0].rstrip():
            yield words, *line.span()


def _with_next_word(line: str, following: str) -> str:
    """A line with the first word of the next one."""
    word = following.split(None, 1)[0]
    if _HAN_OR_KANA.search(word, 0, 3):
        word = word[: _LONGEST_WORD if line[-1].isascii() else 3]
    return f"{line} {word}"


def _width(text: str) -> int:
    """The width of a line in columns of a fixed font: two for a Chinese or Japanese character."""
    return len(text) + (0 if text.isascii() else sum(map(len, _WIDE.findall(text))))
