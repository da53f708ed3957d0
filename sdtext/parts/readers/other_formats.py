"""Reader of formats that only kreuzberg reads: the last resort before a file is no text."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.installed_packages import package_version
from sdtext.io.zip_reader import Beginnings
from sdtext.parts.file_signatures import DBASE, OUTLOOK_FOLDER, ZIPPED
from sdtext.parts.readers import Reader
from sdtext.parts.readers.legacy_office import root_names

_HANGUL = ("Hangul Word Processor file (HWP)", "application/x-hwp")
_FOLDER = ("Outlook folder (PST)", "application/vnd.ms-outlook-pst")
_TABLE = ("dBASE table (DBF)", "application/x-dbf")
BINARY_WORKBOOK = (
    "binary Excel workbook (XLSB)",
    "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
)
_IWORK = ("iWork file (Pages, Numbers, Keynote)", "application/x-iwork-pages-sffpages")


@dataclass(frozen=True)
class Other(Reader):
    """The text of an HWP, PST, DBF or iWork file, by the package kreuzberg.

    >>> Other.called
    'file of a rare format'
    """

    called: ClassVar[str] = "file of a rare format"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        return _format_of(content) is not None

    def __call__(self, content: Content) -> Iterator[str]:
        yield kreuzberg_text(content, *(_format_of(content) or ("", "")))

    def libraries(self) -> tuple[tuple[str, str], ...]:
        version = package_version("kreuzberg")
        return (("kreuzberg", version),) if version else ()


def kreuzberg_text(content: Content, kind: str, name: str) -> str:
    """The text of a file of that kind and MIME type by kreuzberg. Raises UnreadableError."""
    try:
        from kreuzberg import ExtractionConfig, KreuzbergError, extract_bytes_sync
    except ImportError as error:
        what = f"is a {kind}, which needs more: pip install 'sdtext[formats]'"
        raise UnreadableError(what, file=content.name) from error
    options = ExtractionConfig(use_cache=False, disable_ocr=True)  # type: ignore[call-arg]  # undeclared
    try:
        return extract_bytes_sync(content.whole(), name, config=options).content
    except (KreuzbergError, RuntimeError, ValueError) as error:
        what = f"is a {kind} that kreuzberg cannot read; it may be damaged"
        raise UnreadableError(what, file=content.name) from error


def _format_of(content: Content) -> tuple[str, str] | None:
    """The name and the MIME type of one of the formats."""
    head = content.head
    if head.startswith(ZIPPED):
        with suppress(UnreadableError):
            names = Beginnings(content, "zip archive").names
            return _IWORK if "Index/Document.iwa" in names else None
    if "FileHeader" in root_names(content):
        return _HANGUL
    if head.startswith(OUTLOOK_FOLDER):
        return _FOLDER
    return _TABLE if DBASE.match(head) else None
