"""Engines that read PDF files: each yields the text of a file page by page.

An engine is a function of a `Content` and of settings: pdfminer's layout options, or the languages
for Tesseract. It yields None for a page that it cannot read and, before a page, the headings of the
outline (PDF 1.7, 12.3.3) that lead to it and the text on it that is not seen, if it can tell it
from other text. It raises TextlessError where no engine can find text,
and UnreadableError where this one cannot read the file. It may also crash or hang: it runs in a
separate process.

A PDF file states the letters of a ligature glyph in reading order (ToUnicode: lam, alef). Engines
reverse each run of Arabic text, which the page has from left to right, letter by letter, and so
reverse the letters of the ligature as well: "األرض" in place of "الأرض". The letters of one
glyph have the same place on the page, and Arabic tells their order: only a letter that joins the
next one can stand before another in a ligature, and alef does not.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from io import StringIO
from itertools import accumulate, chain, compress, count, islice
from operator import eq
from typing import TYPE_CHECKING, Any

from sdtext.errors import TextlessError, UnreadableError, counted, printable
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading
from sdtext.parts.readers.external_programs import run, version_of
from sdtext.parts.readers.heading_collector import MAX_TITLE
from sdtext.parts.readers.pdf import ocr

if TYPE_CHECKING:
    from sdtext.parts.readers.pdf.invisible_text import InvisibleText

_LETTERS = "[\u0620-\u08ff]"
ARABIC = re.compile(_LETTERS)
_RUN = re.compile(f"{_LETTERS}{{2,}}")
_SPACE = re.compile(r"\s+")

Glyphs = Callable[[Sequence[int]], Sequence[object]]
"""The place of the glyph of each character, given by its index; None if unknown."""
MAX_ITEMS = 10_000
MAX_DEPTH = 16
_IN_MEMORY = 32 << 20  # bytes


def in_reading_order(text: str, glyphs: Glyphs) -> str:
    r"""`text` with the letters of each ligature in reading order; its length stays the same.

    Letters that could be joined in either order are reversed where the other ligatures of the
    text are.

    >>> in_reading_order("ا" + "أل" + "رض", lambda _: [1, 2, 2, 3, 4])
    'الأرض'
    """
    ligatures = list(_ligatures(text, glyphs))
    verdicts = [_is_reversed(text[start:stop]) for start, stop in ligatures]
    mostly = verdicts.count(True) > verdicts.count(False)
    letters = list(text)
    for (start, stop), verdict in zip(ligatures, verdicts, strict=True):
        if mostly if verdict is None else verdict:
            letters[start:stop] = reversed(letters[start:stop])
    return "".join(letters)


def _ligatures(text: str, glyphs: Glyphs) -> Iterator[tuple[int, int]]:
    """The half-open ranges of Arabic characters that are one glyph each."""
    runs = (range(*match.span()) for match in _RUN.finditer(text))
    letters = [*chain.from_iterable(runs)]
    places = glyphs(letters)
    start = stop = -1
    for at in compress(count(), map(eq, places, islice(places, 1, None))):
        first, last = letters[at], letters[at + 1]
        if places[at] is None or last > first + 1:
            continue
        if last > stop:
            yield from _with_bases(text, start, stop)
            start = first
        stop = last + 1
    yield from _with_bases(text, start, stop)


def _with_bases(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The range, if it has several letters, not only one with its marks."""
    if len(_bases(text[start:stop])) > 1:
        yield start, stop


def _is_reversed(letters: str) -> bool | None:
    """Whether these letters of a ligature are in the wrong order; None if they do not tell."""
    backwards = letters[::-1]
    if letters in _phrases() or backwards in _phrases():
        return backwards in _phrases()
    right, reverse = _joined(letters), _joined(backwards)
    return None if right == reverse else reverse


def _joined(letters: str) -> bool:
    """Whether every letter but the last joins the next; marks do not count."""
    return all(map(_joins_next().fullmatch, _bases(letters)[:-1]))


def _bases(letters: str) -> list[str]:
    """The letters without their marks."""
    return [letter for letter in letters if unicodedata.category(letter) != "Mn"]


@cache
def _joins_next() -> Any:
    import regex  # knows the joining types of Unicode (ArabicShaping.txt)

    return regex.compile(r"[\p{Joining_Type=Dual_Joining}\p{Joining_Type=Join_Causing}]")


@cache
def _phrases() -> frozenset[str]:
    """The words and phrases that Unicode has as one character, such as the name of God."""
    return frozenset(unicodedata.normalize("NFKC", chr(code)) for code in range(0xFDF0, 0xFDFC))


def outline(pdf: Any) -> dict[int, list[Heading]]:
    """The headings that lead to each page of one of pypdfium2's documents, by its number.

    No more than `MAX_ITEMS` are read, and none deeper than `MAX_DEPTH`; pypdfium2 goes round no
    circle twice.
    """
    headings: dict[int, list[Heading]] = {}
    for item in islice(pdf.get_toc(max_depth=MAX_DEPTH), MAX_ITEMS):
        place = item.get_dest()
        page = place.get_index() if place else None
        if page is not None and (title := _title(item)):
            headings.setdefault(page, []).append(Heading(item.level + 1, title))
    return headings


def placed(headings: Iterable[Heading], text: str) -> Iterator[str | Heading]:
    r"""The text of a page in pieces, with each heading before the line that its title begins.

    Titles are looked for in their order; one that is not found stands where the last one was.

    >>> list(placed([Heading(1, "Two")], "One.\nTwo\nwords"))
    ['One.\n', Heading(level=1, title='Two', offset=0), 'Two\nwords']
    """
    place = 0
    for heading in headings:
        line = _line_of(heading.title, text, place)
        if line is not None:
            yield text[place:line]
            place = line
        yield heading
    yield text[place:]


def _line_of(title: str, text: str, start: int) -> int | None:
    """Where the first line begins, from the line at `start` on, that begins with a title.

    No pattern is made of the title: to compile one takes longer than the search.
    """
    first, *rest = title.split() or [""]
    place = text.find(first, start)
    while place >= 0:
        line = text.rfind("\n", 0, place) + 1
        if not text[line:place].strip() and _follow(rest, text, place + len(first)):
            return line
        end = text.find("\n", place)
        place = text.find(first, end + 1) if end >= 0 else -1
    return None


def _follow(words: Iterable[str], text: str, place: int) -> bool:
    """Whether the words stand at the place, with white space before each."""
    for word in words:
        space = _SPACE.match(text, place)
        if not space or not text.startswith(word, space.end()):
            return False
        place = space.end() + len(word)
    return True


def _title(item: Any) -> str:
    try:
        return " ".join(item.get_title()[:MAX_TITLE].split())
    except UnicodeError:  # half a character
        return ""


@dataclass(frozen=True, slots=True)
class Invisible:
    """The text of the next page that its readers do not see."""

    text: str


OCR = ocr.NAME
Pages = Iterator[str | Heading | Invisible | None]


@contextmanager
def _pdfium_opened(content: Content) -> Iterator[Any]:
    """The file, opened by pypdfium2. Raises UnreadableError."""
    import pypdfium2

    with content.seekable() as file:
        # PDFium keeps the last error until the next, and is asked for it where there was none.
        pypdfium2.raw.FPDF_LoadMemDocument(b"", 0, None)
        # From memory PDFium reads without a call to Python for each piece.
        data = file.read(_IN_MEMORY + 1)
        file.seek(0)
        try:
            pdf = pypdfium2.PdfDocument(file if len(data) > _IN_MEMORY else data)
        except pypdfium2.PdfiumError as error:
            if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
                raise _locked(content) from error
            raise UnreadableError(_damaged(content, "pypdfium2", error)) from error
        with closing(pdf):
            yield pdf


def _pdfium(content: Content, _settings: Mapping[str, Any]) -> Pages:
    import pypdfium2

    # Behind it stands ctypes, which files of other formats do without.
    from sdtext.parts.readers.pdf.invisible_text import InvisibleText

    with _pdfium_opened(content) as pdf:
        drawn: set[int] = set()
        invisible = InvisibleText(pdf)
        headings = outline(pdf)
        for place in range(len(pdf)):
            yield from headings.get(place, ())
            yield from _pdfium_page(pdf, place, drawn, invisible)
        if pypdfium2.raw.FPDF_PAGEOBJ_TEXT not in drawn:
            raise _without_text(content, len(pdf), drawn)


def _tesseract(content: Content, settings: Mapping[str, Any]) -> Pages:
    with _pdfium_opened(content) as pdf:
        yield from ocr.recognised(pdf, content, settings["ocr_language"])


def _pdfium_page(
    pdf: Any, place: int, drawn: set[int], invisible: InvisibleText
) -> list[str | Invisible | None]:
    """The text of a page, None if it is broken; adds the kinds of objects to `drawn`."""
    import pypdfium2

    try:
        with closing(pdf[place]) as page:
            is_suspicious = invisible.may_be_on(page)  # while its objects are in the cache
            with closing(page.get_textpage()) as text_page:
                text: str = text_page.get_text_range()
                if text and not text.isspace():
                    drawn.add(pypdfium2.raw.FPDF_PAGEOBJ_TEXT)
                elif pypdfium2.raw.FPDF_PAGEOBJ_TEXT not in drawn:
                    drawn.update(drawing.type for drawing in page.get_objects(max_depth=8))
                return _shown(text, text_page, invisible.objects(page) if is_suspicious else set())
    except pypdfium2.PdfiumError:
        return [None]


def _shown(text: str, text_page: Any, invisible: set[int]) -> list[str | Invisible | None]:
    """The text that is seen in its order, behind that of the invisible objects, if any."""
    places: Sequence[int] = range(len(text))
    has_arabic = not text.isascii() and ARABIC.search(text) is not None
    index = _indexes(text_page, text) if invisible or has_arabic else int
    unseen = ""
    if invisible:
        from sdtext.parts.readers.pdf.invisible_text import text_object

        of, taken = text_object(text_page), [False]
        for place in places:
            address = of(index(place))
            taken.append(taken[-1] if address is None else address in invisible)
        unseen = "".join(compress(text, taken[1:]))
    if unseen.strip():
        places = _places_seen(text, taken[1:])
        text = "".join(text[place] for place in places)
    if has_arabic:
        at = (lambda place: index(places[place])) if unseen.strip() else index
        text = in_reading_order(text, _glyphs(text_page, at))
    return [Invisible(unseen), text] if unseen.strip() else [text]


def _places_seen(text: str, unseen: Sequence[bool]) -> list[int]:
    """The places of the text that is seen, with a white space where its words need one."""
    places: list[int] = []
    for place, (char, is_unseen) in enumerate(zip(text, unseen, strict=True)):
        parts = char.isspace() and places and not text[places[-1]].isspace()
        if not is_unseen or parts:
            places.append(place)
    return places


def _indexes(text_page: Any, text: str) -> Callable[[int], int]:
    """The number that a page has for each character of its text."""
    from pypdfium2 import raw

    units: Sequence[int] = range(len(text) + 1)  # of UTF-16
    if max(text, default="") > "\uffff":
        units = [0, *accumulate(1 + (char > "\uffff") for char in text)]
    # The page may have characters that its text leaves out.
    if raw.FPDFText_CountChars(text_page) == units[-1]:
        return units.__getitem__
    return lambda place: raw.FPDFText_GetCharIndexFromTextIndex(text_page, units[place])


def _glyphs(text_page: Any, index: Callable[[int], int]) -> Glyphs:
    """A function from characters to the origins of their glyphs on the page."""
    from sdtext.parts.readers.pdf.invisible_text import origins

    return lambda places: origins(text_page, list(map(index, places)))


def _without_text(content: Content, pages: int, drawn: set[int]) -> TextlessError:
    import pypdfium2

    what = "nothing but drawings" if drawn else "apparently blank"
    if pypdfium2.raw.FPDF_PAGEOBJ_IMAGE in drawn:
        what = (
            "only images, as in a scan; the reader pdf(ocr=true) reads it if Tesseract is installed"
        )
    return TextlessError(f"holds no text: {counted(pages, 'page')}, {what}", file=content.name)


def _pdfminer(content: Content, layout: Mapping[str, Any]) -> Pages:
    from pdfminer.pdfdocument import PDFEncryptionError
    from pdfminer.pdfpage import PDFPage

    settings = dict(layout)
    if settings.pop("disable_boxes_flow"):
        settings["boxes_flow"] = None
    page_text = _pdfminer_pages(settings)
    with content.seekable() as file:
        try:
            for page in PDFPage.get_pages(file):
                yield page_text(page)
        except PDFEncryptionError as error:
            raise _locked(content) from error
        except (UnreadableError, MemoryError):
            raise
        # Written for whole files, pdfminer meets damage with any error that Python has.
        except Exception as error:
            raise UnreadableError(_damaged(content, "pdfminer.six", error)) from error


def _pdfminer_pages(settings: Mapping[str, Any]) -> Callable[[Any], str | None]:
    """A function from one of pdfminer's pages to its text."""
    from pdfminer.converter import TextConverter
    from pdfminer.layout import LAParams
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager

    resources, layout = PDFResourceManager(), LAParams(**settings)

    def page_text(page: Any) -> str | None:
        written = StringIO()
        device = TextConverter(resources, written, laparams=layout)
        try:
            PDFPageInterpreter(resources, device).process_page(page)
        except MemoryError:
            raise
        except Exception:  # as above
            return None
        return written.getvalue().removesuffix("\f")

    return page_text


def _pdftotext(content: Content, _layout: Mapping[str, Any]) -> Pages:
    with content.seekable() as file:
        ended = run(["pdftotext", "-enc", "UTF-8", "-", "-"], content, given=file)
    message = ended.messages.decode("utf-8", "replace")
    if "password" in message.lower():
        raise _locked(content)
    if ended.code:
        raise UnreadableError(_damaged(content, "pdftotext", message))
    yield from ended.output.decode("utf-8", "replace").removesuffix("\f").split("\f")


def _locked(content: Content) -> TextlessError:
    return TextlessError(
        "is an encrypted PDF file; store a copy without its password", file=content.name
    )


def _damaged(content: Content, engine: str, error: object) -> str:
    message = printable(" ".join(str(error).split()))[:200] or type(error).__name__
    message = re.sub(r"^Failed to load document \(PDFium: (.*?)\.?\)\.?$", r"\1", message)
    return damaged_pdf(content, f"{engine}: {message}")


def damaged_pdf(content: Content, why: str) -> str:
    """The message about a damaged PDF file."""
    return f"{content.name}: is a damaged PDF file ({why}); get a new copy from its source"


_version = cache(version)
_poppler = partial(version_of, "pdftotext", "-v")


@dataclass(frozen=True)
class Engine:
    """One engine: what yields the pages, and the library that does the work.

    `version` gives that of the library, "" where it does not work here; `is_installed` answers
    without starting it.
    """

    pages: Callable[[Content, Mapping[str, Any]], Pages]
    library: str
    version: Callable[[], str]
    is_installed: Callable[[], bool] = lambda: True


ENGINES = {
    "pypdfium2": Engine(_pdfium, "pypdfium2", partial(_version, "pypdfium2")),
    "pdfminer": Engine(_pdfminer, "pdfminer.six", partial(_version, "pdfminer.six")),
    "pdftotext": Engine(_pdftotext, "poppler", _poppler, lambda: bool(shutil.which("pdftotext"))),
    OCR: Engine(_tesseract, OCR, ocr.version, ocr.is_installed),
}
"""By the names that `--pdf-engine` takes, in the order in which they are tried.

The last is for pages without text, and is tried where it is asked for.
"""
