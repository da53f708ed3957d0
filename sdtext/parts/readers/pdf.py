"""Reader of PDF files with a choice of engines, each of which reads a file page by page.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from io import StringIO
from itertools import accumulate, compress, islice
from math import inf, sqrt
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.installed_packages import package_version
from sdtext.io.zip_reader import damage
from sdtext.model import Heading, Problem
from sdtext.parts.readers import MAX_TITLE, Reader, partly_read
from sdtext.parts.readers.external_programs import failure, run, version_of
from sdtext.parts.readers.hidden_text import DROP, KEEP, HiddenText
from sdtext.parts.readers.pdf_right_to_left import has_right_to_left, in_logical_order
from sdtext.parts.readers.truncated_pdf import completed, is_truncated
from sdtext.text.line_joins import with_hyphens
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.parts.readers.pdf_invisible_text import Unseen

MAX_ITEMS = 10_000
MAX_DEPTH = 16
_IN_MEMORY = 32 << 20  # bytes
_TRUNCATED = "truncated"  # the note of a content whether it is
_AUTO, _PDFIUM, _PDFMINER, _PDFTOTEXT = "auto", "pypdfium2", "pdfminer", "pdftotext"
OCR = "tesseract"
_MARGINS = ("line_overlap", "char_margin", "line_margin", "word_margin")
_LAYOUT = (*_MARGINS, "boxes_flow", "disable_boxes_flow", "detect_vertical", "all_texts")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?[\s\x00]*%PDF-")
# Readers take the header anywhere in the first 1,024 bytes (PDF 1.7, annex H, note 13).
_LATER = re.compile(rb"%PDF-[12]\.\d")
_OBJECT = re.compile(rb"\d+ \d+ obj\b")
# As Tesseract names them, joined by +.
_LANGUAGES = re.compile(r"[A-Za-z][\w/]*(?:\+[A-Za-z][\w/]*)*", re.ASCII)
_DOTS = 300  # an inch, as the makers of Tesseract advise
_POINTS = 72  # an inch, in which PDF measures
_MOST_DOTS = 40_000_000  # of a page: above that it is drawn smaller
# One thread: more of them take more time in all, and each file has a process of its own.
_ALONE = {"OMP_THREAD_LIMIT": "1"}


@dataclass(frozen=True)
class Pdf(Reader):
    """The text of a PDF file, its pages separated by form feeds.

    `engine` is pypdfium2, pdfminer or pdftotext (of poppler, if installed); auto tries them in this
    order until one finds text. Words hyphenated at line ends are joined (`hyphens="join"`) or left
    unchanged ("keep"). With `ocr`, the pages of a file without text are rendered and recognized by
    Tesseract in the languages `ocr_language`, as Tesseract names them ("eng+deu"). All other
    options are those of pdfminer's layout analysis and apply to that engine only. Headings are
    those of the outline, each at the beginning of its page. Values of forms and texts written on a
    page stand at its end, notes are left out. Text that is not seen stands at the end of its page,
    or is left out with `hidden="drop"`. Only pypdfium2 provides these.

    >>> Pdf(engine="pdfminer", line_margin=0.3).alternatives()[0].line_margin
    0.3
    """

    engine: str = _AUTO
    hyphens: str = "join"
    line_overlap: float = 0.5
    char_margin: float = 2.0
    line_margin: float = 0.5
    word_margin: float = 0.1
    boxes_flow: float = 0.5
    disable_boxes_flow: bool = False
    detect_vertical: bool = False
    all_texts: bool = False
    ocr: bool = False
    ocr_language: str = "eng"
    hidden: str = KEEP

    called: ClassVar[str] = "PDF file"
    normal_form: ClassVar[str] = "NFKC"
    isolated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        OptionError.unless_in((_AUTO, *ENGINES), "pdf", "engine", self.engine)
        OptionError.unless_in(("join", "keep"), "pdf", "hyphens", self.hyphens)
        if not _LANGUAGES.fullmatch(self.ocr_language):
            wanted = "languages as Tesseract calls them, such as eng or eng+deu"
            raise OptionError.of("pdf", "ocr_language", self.ocr_language, wanted)
        super().__post_init__()
        given = [name for name in _LAYOUT if getattr(self, name) != getattr(Pdf, name)]
        if given and self.engine != _PDFMINER:
            raise OptionError(f"pdf: {given[0]} is for the engine pdfminer, not {self.engine}")
        for name in _MARGINS:
            if not 0 <= getattr(self, name) < inf:
                raise OptionError.of("pdf", name, getattr(self, name), "0 or more")
        if not -1 <= self.boxes_flow <= 1:
            raise OptionError.of("pdf", "boxes_flow", self.boxes_flow, "-1 to 1")

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as a PDF file does, perhaps behind a few other bytes."""
        head = content.head[:1024]
        if _BEGIN.match(head):
            return True
        return _LATER.search(head) is not None and _OBJECT.search(content.head) is not None

    @property
    def paginated(self) -> bool:
        return self.hyphens == "join"

    def alternatives(self) -> tuple[Pdf, ...]:
        """The reader with each of the engines to try, in order."""
        plain: tuple[Pdf, ...] = (self,)
        if self.engine == _AUTO:
            names = (_PDFIUM, _PDFMINER, *([_PDFTOTEXT] if shutil.which(_PDFTOTEXT) else []))
            plain = tuple(replace(self, engine=name) for name in names)
        if not self.ocr or self.engine == OCR:
            return plain
        last = Pdf(OCR, self.hyphens, ocr=True, ocr_language=self.ocr_language, hidden=self.hidden)
        return (*plain, last)

    @property
    def sees_pictures(self) -> bool:
        return self.engine == OCR

    def libraries(self) -> tuple[tuple[str, str], ...]:
        engine = ENGINES[self.alternatives()[0].engine]
        return ((engine.library, engine.version()),)

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        name = self.alternatives()[0].engine
        engine = ENGINES[name]
        if not engine.version():
            remedy = "install it to read scans" if name == OCR else "name another engine"
            raise UnreadableError(f"{name} is not installed; {remedy}", file=content.name)
        options = ("ocr_language",) if name == OCR else _LAYOUT
        settings = {option: getattr(self, option) for option in options}
        hidden = HiddenText(self.hidden)
        headings: list[Heading] = []
        pages = broken = 0
        is_blank = True
        for piece in engine.pages(content, settings):
            if isinstance(piece, Heading):
                headings.append(piece)
                continue
            if isinstance(piece, Invisible):
                hidden.add(piece.text)
                continue
            if isinstance(piece, Problem):
                yield piece
                continue
            pages += 1
            broken += piece is None
            text = with_hyphens(piece or "", soft=self.paginated)
            if unseen := hidden.take():
                text += unseen if not text or text.endswith("\n") else f"\n{unseen}"
            is_blank = is_blank and not text.strip()
            yield from placed(headings, "" if piece is None else text + "\f")
            headings.clear()
        if broken == pages:
            what = "none of its pages can be read" if pages else "it has no pages"
            raise _damaged(content, name, what)
        if broken:
            yield partly_read(content, f"{broken:,} of {pages:,} pages cannot be read by {name}")
        problems = tuple(hidden.problems(content.name))
        if problems and is_blank:
            what = "holds no text but hidden text, which is left out"
            raise TextlessError(what, file=content.name)
        yield from problems
        if self.hidden == DROP and name not in (_PDFIUM, OCR):
            what = f"{name} does not tell hidden text from other text; none was left out"
            yield Problem("warning", "hidden-text", f"{content.name}: {what}", what=what)


_LINE = re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)
_WORD = re.compile(r"\S+|\s+")
# Where views of destinations have their left side and height: XYZ, FitH, FitR, FitBH (PDF 1.7,
# table 151); behind their numbers stands a zero.
_PLACES = {1: (0, 1), 3: (-1, 0), 5: (0, 3), 7: (-1, 0)}
_INDENT = 36  # points that a heading may begin left of its destination: in no other column


@dataclass(frozen=True, slots=True)
class Invisible:
    """The text of the next page that its readers do not see."""

    text: str


Page = list[str | Heading | Invisible | None]
Pages = Iterator[str | Heading | Invisible | Problem | None]


@contextmanager
def pdfium_opened(content: Content) -> Iterator[Any]:
    """The file as one of pypdfium2's documents. Raises UnreadableError."""
    import pypdfium2

    with content.seekable() as file:
        # PDFium keeps the last error until the next, and is asked for it where there was none.
        pypdfium2.raw.FPDF_LoadMemDocument(b"", 0, None)
        # From memory PDFium reads without a call to Python for each piece.
        data = file.read(_IN_MEMORY + 1)
        content.notes[_TRUNCATED] = is_truncated(file)
        whole = completed(data) if content.notes[_TRUNCATED] else data
        try:
            pdf = pypdfium2.PdfDocument(file if len(data) > _IN_MEMORY else whole)
        except pypdfium2.PdfiumError as error:
            if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
                raise _locked(content) from error
            raise _damaged(content, _PDFIUM, error) from error
        with closing(pdf):
            yield pdf


def _pdfium(content: Content, _settings: Mapping[str, Any]) -> Pages:
    import pypdfium2

    with pdfium_opened(content) as pdf:
        with suppress(pypdfium2.PdfiumError):
            pdf.init_forms()
        if pdf.get_formtype() == pypdfium2.raw.FORMTYPE_XFA_FULL:
            yield partly_read(content, "the values of its form, of the kind XFA, are left out")
        drawn: set[int] = set()
        notes = 0
        bookmarks = outline(pdf)
        for place in range(len(pdf)):
            pieces, number = _pdfium_page(pdf, place, drawn, bookmarks.get(place, ()))
            notes += number
            yield from pieces
        if content.notes[_TRUNCATED]:
            what = "is truncated; the pages that are left are read; get a whole copy"
            yield partly_read(content, what)
        left_out = f"{counted(notes, 'note')} on its pages"
        if notes:
            yield partly_read(content, f"{left_out} left out")
        if pypdfium2.raw.FPDF_PAGEOBJ_TEXT not in drawn:
            what = "nothing but drawings" if drawn else "apparently blank"
            if pypdfium2.raw.FPDF_PAGEOBJ_IMAGE in drawn:
                what = "only images, as in a scan; ocr reads it if Tesseract is installed"
            what = f"nothing but {left_out}" if notes and not drawn else what
            what = "as the file is truncated" if content.notes[_TRUNCATED] else what
            pages = counted(len(pdf), "page")
            raise TextlessError(f"holds no text: {pages}, {what}", file=content.name)


def _pdfium_page(
    pdf: Any, place: int, drawn: set[int], bookmarks: Sequence[Bookmark]
) -> tuple[Page, int]:
    """The headings and the text of a page, None if it is broken, and the number of its notes.

    Adds the types of its objects to `drawn`. Values of fields and texts that are written on the
    page follow its own text.

    The offset of a heading is that of the line on the page that its bookmark leads to.
    """
    import pypdfium2

    # Behind these stands ctypes, which files of other formats do without.
    from sdtext.parts.readers.pdf_annotations import annotations_on
    from sdtext.parts.readers.pdf_invisible_text import unseen_on
    from sdtext.parts.readers.pdf_paragraphs import with_paragraphs

    headings = [heading for heading, _, _ in bookmarks]

    try:
        with closing(pdf[place]) as page:
            on_page = annotations_on(page, pdf.formenv)
            with closing(page.get_textpage()) as text_page:
                text: str = text_page.get_text_range()
                if text and not text.isspace():
                    drawn.add(pypdfium2.raw.FPDF_PAGEOBJ_TEXT)
                elif pypdfium2.raw.FPDF_PAGEOBJ_TEXT not in drawn:
                    drawn.update(drawing.type for drawing in page.get_objects(max_depth=8))
                unseen = unseen_on(page, on_page.covers)
                hidden, shown, number_of = _shown(text, page, text_page, unseen)
                headings = _at_lines(bookmarks, shown, text_page, number_of)
                shown = with_paragraphs(shown, text_page, number_of)
                unseen_texts = [hidden] if hidden else []
                if on_page.shown or on_page.hidden:
                    drawn.add(pypdfium2.raw.FPDF_PAGEOBJ_TEXT)
                    unseen_texts += on_page.hidden
                    lines = [shown.rstrip("\r\n"), *on_page.shown]
                    shown = "\n".join(filter(None, lines)) + "\n"
                return [*headings, *map(Invisible, unseen_texts), shown], on_page.notes
    except pypdfium2.PdfiumError:
        return [*headings, None], 0


def _at_lines(
    bookmarks: Sequence[Bookmark], text: str, text_page: Any, number_of: Callable[[int], int]
) -> list[Heading]:
    """The headings of bookmarks, each at the highest line that is not above its height, if any.

    Lines of columns that are left of it count only if there are no others; of lines side by side
    that which begins nearest to it is the heading.
    """
    lines = list[tuple[float, int, float, float]]()
    if any(height > 0 for _, _, height in bookmarks):
        for line in _LINE.finditer(text):
            left, bottom, _, top = text_page.get_charbox(number_of(line.start()))
            lines.append((top, -line.start(), bottom, left))
    headings = []
    for heading, left, height in bookmarks:
        below = [line for line in lines if height > 0 and line[2] < height]
        beside = [line for line in below if line[3] > left - _INDENT]
        highest = max(beside or below, default=(0, 0, 0, 0))
        if left > 0:
            row = [line for line in beside if line[0] > highest[2]]
            highest = min(row, key=lambda line: abs(line[3] - left), default=highest)
        headings.append(replace(heading, offset=-highest[1]))
    return headings


def _shown(
    text: str, page: Any, text_page: Any, invisible: Unseen
) -> tuple[str, str, Callable[[int], int]]:
    """The text of the invisible objects, and that of the others.

    The function gives the number that the page has for each character of the latter.
    """
    from ctypes import byref, c_double

    from pypdfium2 import raw

    from sdtext.parts.readers.pdf_invisible_text import Box, blanks_on, text_object

    places: Sequence[int] = range(len(text))
    number_of, unseen = _numbers(text_page, text), ""
    if invisible.objects or invisible.parts:
        of, taken = text_object(text_page), [False]
        for word in _WORD.finditer(text):
            states: list[int | None] = []  # whether each is seen, perhaps unseen, unseen; or small
            for place in range(*word.span()):
                number = number_of(place)
                address = of(number)
                is_blank = invisible.parts.get(address or 0)
                if address is None or (is_blank and not text[place].isalnum()):
                    states.append(None)  # goes with what is before it
                elif is_blank:
                    box = Box(*text_page.get_charbox(number))
                    states.append(is_blank(box, 0) and 1 + is_blank(box))
                else:
                    states.append(2 * (address in invisible.objects))
            for state in states:
                taken.append(taken[-1] if state is None else state > 0 and 2 in states)
        unseen = "".join(compress(text, taken[1:]))
    if unseen.strip():
        places = []  # of what is seen, and of a white space where its words need one
        for place, (char, is_unseen) in enumerate(zip(text, taken[1:], strict=True)):
            parts = char.isspace() and places and not text[places[-1]].isspace()
            if not is_unseen or parts:
                places.append(place)
        text = "".join(text[place] for place in places)
    if has_right_to_left(text):
        numbers = [number_of(place) for place in places]
        points, rights = [], []  # the origins and the right edges; 0 where they are unknown
        for number in numbers:
            x, y, box = c_double(), c_double(), raw.FS_RECTF()
            raw.FPDFText_GetCharOrigin(text_page, number, byref(x), byref(y))
            raw.FPDFText_GetLooseCharBox(text_page, number, byref(box))
            points.append((x.value, y.value))
            rights.append(box.right)
        text, order = in_logical_order(
            text,
            points,
            rights,
            lambda place: raw.FPDFText_GetFontSize(text_page, numbers[place]),
            blanks_on(page, set(map(text_object(text_page), numbers))),
        )
        places = [places[place] for place in order]
    return unseen if unseen.strip() else "", text, lambda place: number_of(places[place])


def _numbers(text_page: Any, text: str) -> Callable[[int], int]:
    """The number that a page has for each character of its text."""
    from pypdfium2 import raw

    units: Sequence[int] = range(len(text) + 1)  # of UTF-16
    if not text.isascii() and max(text) > "\uffff":
        units = [0, *accumulate(1 + (char > "\uffff") for char in text)]
    # The page may have characters that its text leaves out.
    if raw.FPDFText_CountChars(text_page) == units[-1]:
        return units.__getitem__
    return lambda place: raw.FPDFText_GetCharIndexFromTextIndex(text_page, units[place])


def _tesseract(content: Content, settings: Mapping[str, Any]) -> Pages:
    import pypdfium2

    with pdfium_opened(content) as pdf:
        for place in range(len(pdf)):
            with TemporaryFile() as picture:
                try:
                    _draw(pdf, place, picture)
                except pypdfium2.PdfiumError:
                    yield None
                else:
                    yield _recognised(picture, content, settings["ocr_language"])


def _draw(pdf: Any, place: int, picture: BinaryIO) -> None:
    with closing(pdf[place]) as page:
        number = page.get_width() * page.get_height() * (_DOTS / _POINTS) ** 2
        scale = _DOTS / _POINTS * min(1, sqrt(_MOST_DOTS / max(number, 1)))
        with closing(page.render(scale=scale, grayscale=True)) as bitmap:
            picture.write(b"P5 %d %d 255\n" % (bitmap.width, bitmap.height))
            starts = range(0, bitmap.height * bitmap.stride, bitmap.stride)
            dots = memoryview(bitmap.buffer).cast("B")
            picture.writelines(dots[start : start + bitmap.width] for start in starts)
    picture.flush()


def _recognised(picture: BinaryIO, content: Content, language: str) -> str:
    words = [OCR, "stdin", "stdout", "-l", language, "--dpi", str(_DOTS)]
    ended = run(words, content, given=picture, variables=_ALONE)
    if b"Failed loading language" in ended.stderr:
        _, *names = run([OCR, "--list-langs"], content).stdout.decode(errors="replace").split("\n")
        # osd detects the direction of pages.
        known = ", ".join(name for name in names if _LANGUAGES.fullmatch(name) and name != "osd")
        what = f"Tesseract has no data for {language}, only for {known}; install it, or name"
        raise UnreadableError(f"{what} another ocr_language", file=content.name)
    if ended.returncode:
        why = failure(ended.stderr, ended.returncode)
        raise UnreadableError(f"Tesseract cannot read its pages: {why}", file=content.name)
    return ended.stdout.decode("utf-8", "replace").removesuffix("\f")


def _pdfminer(content: Content, layout: Mapping[str, Any]) -> Pages:
    from pdfminer.converter import TextConverter
    from pdfminer.layout import LAParams
    from pdfminer.pdfdocument import PDFEncryptionError
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage

    settings = dict(layout)
    if settings.pop("disable_boxes_flow"):
        settings["boxes_flow"] = None
    resources = PDFResourceManager()

    def page_text(page: Any) -> str | None:
        written = StringIO()
        device = TextConverter(resources, written, laparams=LAParams(**settings))
        try:
            PDFPageInterpreter(resources, device).process_page(page)
        except MemoryError:
            raise
        # Written for whole files, pdfminer meets damage with any error that Python has.
        except Exception:
            return None
        return written.getvalue().removesuffix("\f")

    with content.seekable() as file:
        try:
            yield from map(page_text, PDFPage.get_pages(file))
        except PDFEncryptionError as error:
            raise _locked(content) from error
        except (UnreadableError, MemoryError):
            raise
        except Exception as error:  # as above
            raise _damaged(content, "pdfminer.six", error) from error


def _pdftotext(content: Content, _layout: Mapping[str, Any]) -> Pages:
    with content.seekable() as file:
        ended = run([_PDFTOTEXT, "-enc", "UTF-8", "-", "-"], content, given=file)
    message = ended.stderr.decode("utf-8", "replace")
    if "password" in message.lower():
        raise _locked(content)
    if ended.returncode:
        raise _damaged(content, _PDFTOTEXT, message)
    yield from ended.stdout.decode("utf-8", "replace").removesuffix("\f").split("\f")


def _locked(content: Content) -> TextlessError:
    return TextlessError(
        "is an encrypted PDF file; store a copy without its password", file=content.name
    )


def _damaged(content: Content, engine: str, error: object) -> UnreadableError:
    why = re.sub(r"^Failed to load document \(PDFium: (.*?)\.?\)\.?$", r"\1", str(error).strip())
    return damage(content, Pdf.called, f"{engine}: {why or type(error).__name__}")


@dataclass(frozen=True)
class Engine:
    """One engine: what yields the pages, and the library that does the work.

    `version` gives that of the library, "" where it does not work here.
    """

    pages: Callable[[Content, Mapping[str, Any]], Pages]
    library: str
    version: Callable[[], str]


_version = cache(package_version)
ENGINES = {
    _PDFIUM: Engine(_pdfium, "pypdfium2", partial(_version, "pypdfium2")),
    _PDFMINER: Engine(_pdfminer, "pdfminer.six", partial(_version, "pdfminer.six")),
    _PDFTOTEXT: Engine(_pdftotext, "poppler", partial(version_of, _PDFTOTEXT, "-v")),
    OCR: Engine(_tesseract, OCR, partial(version_of, OCR, "--version")),
}
"""In the order in which they are tried. The last reads pictures, where it is asked for."""


Bookmark = tuple[Heading, float, float]
"""A heading of an outline, and the left side and height on the page that it leads to, in points;
0 for none."""


def outline(pdf: Any) -> dict[int, list[Bookmark]]:
    """The headings that lead to each page of one of pypdfium2's documents, by its number.

    No more than `MAX_ITEMS` are read, and none deeper than `MAX_DEPTH`; pypdfium2 goes round no
    circle twice.
    """
    bookmarks: dict[int, list[Bookmark]] = {}
    for item in islice(pdf.get_toc(max_depth=MAX_DEPTH), MAX_ITEMS):
        target = item.get_dest()
        page = target.get_index() if target else None
        try:
            title = " ".join(item.get_title()[:MAX_TITLE].split())
        except UnicodeError:  # half a character
            continue
        if page is not None and title:
            mode, numbers = target.get_view()
            left, height = ([*numbers, 0, 0, 0, 0][place] for place in _PLACES.get(mode, (-1, -1)))
            bookmarks.setdefault(page, []).append((Heading(item.level + 1, title), left, height))
    return bookmarks


def placed(headings: Iterable[Heading], text: str) -> Iterator[str | Heading]:
    r"""The text of a page in pieces, with each heading before its line.

    That is the line at its offset, or the one before if that begins with its title. Without an
    offset, the title is looked for behind the heading before; if it is not found, it stands there.

    >>> list(placed([Heading(1, "Two")], "One.\nTwo\nwords"))
    ['One.\n', Heading(level=1, title='Two', offset=0), 'Two\nwords']
    """
    place = 0
    for heading in headings:
        start = max(place, heading.offset)
        before = text.rfind("\n", 0, max(0, start - 1)) + 1 if start > place else place
        words = r"\s+".join(map(re.escape, heading.title.split()))
        match = re.compile(rf"(?m)^[^\S\n]*{words}").search(text, max(place, before))
        line = match.start() if match else -1
        if heading.offset and not 0 <= line <= start:
            line = start
        if line >= 0:
            yield text[place:line]
            place = line
        yield replace(heading, offset=0)
    yield text[place:]
