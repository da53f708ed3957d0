"""Reader of PDF files with a choice of engines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.hidden_text import DROP, KEEP, HiddenText, check_hidden
from sdtext.parts.readers.pdf.ocr import LANGUAGES
from sdtext.parts.readers.pdf.pdf_engines import ENGINES, OCR, Invisible, damaged_pdf, placed
from sdtext.text.line_joins import with_hyphens

_AUTO = "auto"
_SEEING = ("pypdfium2", OCR)  # engines that tell hidden text from other text
_MARGINS = ("line_overlap", "char_margin", "line_margin", "word_margin")
_LAYOUT = (*_MARGINS, "boxes_flow", "disable_boxes_flow", "detect_vertical", "all_texts")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?[\s\x00]*%PDF-")
# Readers take the header anywhere in the first 1,024 bytes (PDF 1.7, annex H, note 13).
_LATER = re.compile(rb"%PDF-[12]\.\d")
_OBJECT = re.compile(rb"\d+ \d+ obj\b")


@dataclass(frozen=True)
class Pdf(Reader):
    """The text of a PDF file, its pages separated by form feeds.

    `engine` is pypdfium2, pdfminer or pdftotext (of poppler, if installed); auto tries them in this
    order until one finds text. Words hyphenated at line ends are joined (`hyphens="join"`) or left
    unchanged ("keep"). With `ocr`, the pages of a file without text are rendered and recognized by
    Tesseract in the languages `ocr_language`, as Tesseract names them ("eng+deu"). All other
    options are those of pdfminer's layout analysis and apply to that engine only. Headings are
    those of the outline, each at the beginning of its page. Text that is not seen stands at the end
    of its page, or is left out with `hidden="drop"`. Only pypdfium2 provides the two.

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
        engines = (_AUTO, *ENGINES)
        if self.engine not in engines:
            raise OptionError.of("pdf", "engine", self.engine, f"one of {', '.join(engines)}")
        if self.hyphens not in ("join", "keep"):
            raise OptionError.of("pdf", "hyphens", self.hyphens, "join or keep")
        if not LANGUAGES.fullmatch(self.ocr_language):
            wanted = "languages as Tesseract calls them, such as eng or eng+deu"
            raise OptionError.of("pdf", "ocr_language", self.ocr_language, wanted)
        check_hidden("pdf", self.hidden)
        self._check_layout()

    def _check_layout(self) -> None:
        given = [name for name in _LAYOUT if getattr(self, name) != getattr(Pdf, name)]
        if given and self.engine != "pdfminer":
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
        """Whether words divided at line ends are joined."""
        return self.hyphens == "join"

    def alternatives(self) -> tuple[Pdf, ...]:
        """The reader with each of the engines to try, in order."""
        plain: tuple[Pdf, ...] = (self,)
        if self.engine == _AUTO:
            installed = (
                name for name, engine in ENGINES.items() if name != OCR and engine.is_installed()
            )
            plain = tuple(replace(self, engine=name) for name in installed)
        if not self.ocr or self.engine == OCR:
            return plain
        last = Pdf(OCR, self.hyphens, ocr=True, ocr_language=self.ocr_language, hidden=self.hidden)
        return (*plain, last)

    @property
    def sees_pictures(self) -> bool:
        """Whether it recognises text in pictures."""
        return self.engine == OCR

    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The library that does the work, with its version."""
        engine = ENGINES[self.alternatives()[0].engine]
        return ((engine.library, engine.version()),)

    @staticmethod
    def _settings(engine: str) -> tuple[str, ...]:
        return ("ocr_language",) if engine == OCR else _LAYOUT

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        engine = self.alternatives()[0].engine
        if not ENGINES[engine].version():
            remedy = "install it to read scans" if engine == OCR else "name another engine"
            raise UnreadableError(f"{engine} is not installed; {remedy}", file=content.name)
        settings = {name: getattr(self, name) for name in self._settings(engine)}
        hidden = HiddenText(self.hidden)
        pages = _Pages(engine, hidden, joins_words=self.paginated)
        for piece in ENGINES[engine].pages(content, settings):
            yield from pages.text(piece)
        yield from pages.problems(content)
        if self.hidden == DROP and engine not in _SEEING:
            what = f"{engine} does not tell hidden text from other text; none was left out"
            yield Problem("warning", "hidden-text", f"{content.name}: {what}", what=what)


class _Pages:
    """The text of the pages that an engine reads, and what is wrong with it."""

    def __init__(self, engine: str, hidden: HiddenText, *, joins_words: bool) -> None:
        self._engine = engine
        self._hidden = hidden
        self._joins_words = joins_words
        self._headings: list[Heading] = []
        self._pages = self._broken = 0
        self._is_blank = True

    def text(self, piece: str | Heading | Invisible | None) -> Iterator[str | Heading]:
        """The text of a page; headings and hidden text wait for the page that comes next."""
        if isinstance(piece, Heading):
            self._headings.append(piece)
        elif isinstance(piece, Invisible):
            self._hidden.add(piece.text)
        else:
            self._pages += 1
            self._broken += piece is None
            text = with_hyphens(piece or "", soft=self._joins_words)
            if unseen := self._hidden.taken():
                text += unseen if not text or text.endswith("\n") else f"\n{unseen}"
            self._is_blank = self._is_blank and not text.strip()
            yield from placed(self._headings, "" if piece is None else text + "\f")
            self._headings.clear()

    def problems(self, content: Content) -> Iterator[Problem]:
        """The problems of the file. Raises UnreadableError where no page gave text."""
        name, engine = content.name, self._engine
        if self._broken == self._pages:
            what = "none of its pages can be read" if self._pages else "it has no pages"
            raise UnreadableError(damaged_pdf(content, f"{engine}: {what}"))
        if self._broken:
            message = (
                f"{name}: {self._broken:,} of {self._pages:,} pages cannot be read by {engine}"
            )
            yield Problem("warning", "partly-read", message)
        hidden = tuple(self._hidden.problems(name))
        if hidden and self._is_blank:
            raise TextlessError("holds no text but hidden text, which is left out", file=name)
        yield from hidden
