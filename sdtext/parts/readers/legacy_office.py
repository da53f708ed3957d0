"""Readers of old Office files (before 2007), by the programs antiword and LibreOffice.

Their container is a compound file (MS-CFB), a file system in a file, which olefile reads.
LibreOffice converts a file to its later format, which is then read.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from struct import unpack_from
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar

from sdtext.errors import TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.file_signatures import COMPOUND
from sdtext.parts.readers import Block, ParagraphReader, Reader, partly_read
from sdtext.parts.readers.external_programs import failure, run, unpacked, version_of
from sdtext.text.encoding import paired
from sdtext.wording import reason

_AUTO, _ANTIWORD, _LIBREOFFICE = "auto", "antiword", "libreoffice"
_PROGRAMS = {_ANTIWORD: ("antiword",), _LIBREOFFICE: ("soffice", "libreoffice")}
_LOCKED = "is encrypted with a password; save it without one"
_OTHERS = {
    "EncryptedPackage": _LOCKED,
    "EncryptedSummary": _LOCKED,
    "VisioDocument": "is a Visio drawing, which is not supported; save it as PDF",
    "Quill": "is a Publisher file, which is not supported; save it as PDF",
}
# antiword: no wrapping; hidden text as of DOCX files
_ANTIWORD_WORDS = ("-m", "UTF-8.txt", "-w", "0", "-s")
_PICTURE = "[pic]"
_NARROW = 25  # characters of a line of a table at the least; most have above a hundred
_NOTES = "\n-----------------------\n"
_COUNTS = 0x54  # of characters in headers and comments (MS-DOC 2.5.4)
_SEPARATORS = 20  # characters of headers that part notes from the text, or are empty
_LABEL = re.compile(r"^\[\d{1,5}\] ", re.MULTILINE)
_LIBREOFFICE_WORDS = ("--headless", "--norestore", "--nologo", "--nolockcheck")
# A profile in which no macro runs, no link to another file is followed, and the network is a
# door that is shut: a proxy where nobody listens.
_PROFILE = """
Office.Common/Security/Scripting DisableMacrosExecution true
Office.Common/Security/Scripting MacroSecurityLevel 3
Office.Common/Security/Scripting DisableActiveContent true
Office.Common/Security/Scripting BlockUntrustedRefererLinks true
Office.Writer/Content/Update Link 0
Office.Calc/Content/Update Link 2
Inet/Settings ooInetProxyType 2
Inet/Settings ooInetHTTPProxyName 127.0.0.1
Inet/Settings ooInetHTTPProxyPort 9
Inet/Settings ooInetHTTPSProxyName 127.0.0.1
Inet/Settings ooInetHTTPSProxyPort 9
"""
_SETTING = (
    '<item oor:path="/org.openoffice.{}"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop>'
    "</item>"
)
_SETTINGS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    + "".join(_SETTING.format(*line.split()) for line in _PROFILE.strip().split("\n"))
    + "</oor:items>"
)
_SHUT = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


def program(name: str) -> str:
    """The path of the program antiword or libreoffice; "" if it is not installed."""
    return next(filter(None, map(shutil.which, _PROGRAMS[name])), "")


class _OldOfficeFile(ParagraphReader):
    """A kind of old Office files, by its `streams`; LibreOffice converts them to `new` ones."""

    streams: ClassVar[tuple[str, ...]]
    new: ClassVar[str]
    """Their ending, and the name of their reader."""
    needs: ClassVar[str] = "LibreOffice"

    @classmethod
    def recognises(cls, content: Content) -> bool:
        """Whether it is a compound file with one of the streams, and not locked as a whole."""
        names = root_names(content)
        return not names.isdisjoint(cls.streams) and "EncryptedSummary" not in names

    def libraries(self) -> tuple[tuple[str, str], ...]:
        path = program(_LIBREOFFICE)
        return (("LibreOffice", version_of(path, "--version") if path else ""),)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        what = f"{self.called} ({type(self).__name__.upper()})"
        if not program(_LIBREOFFICE):
            why = f"is an {what}; install {self.needs} to read it, or save it as {self.new.upper()}"
            raise UnreadableError(why, file=content.name)
        from sdtext.parts.readers import office_open_xml

        reader: Reader = getattr(office_open_xml, self.new.title())()
        try:
            with TemporaryDirectory(prefix="sdtext-", ignore_cleanup_errors=True) as name:
                yield from reader(_converted(content, what, self.new, Path(name)))
        except OSError as error:
            raise UnreadableError(reason(error), file=content.name) from error


@dataclass(frozen=True)
class Doc(_OldOfficeFile):
    """The text of an old Word file (DOC), a line for each paragraph, by an external program.

    `engine` is antiword or libreoffice; auto uses the first that is installed, and the other if
    that finds no text. LibreOffice converts the file to DOCX, which is then read.

    >>> Doc(engine="antiword").alternatives()
    (Doc(engine='antiword'),)
    """

    engine: Annotated[str, (_AUTO, *_PROGRAMS)] = _AUTO
    called: ClassVar[str] = "old Word file"
    streams: ClassVar[tuple[str, ...]] = ("WordDocument",)
    new: ClassVar[str] = "docx"
    needs: ClassVar[str] = "antiword or LibreOffice"

    def alternatives(self) -> tuple[Doc, ...]:
        """The reader with each of the programs to try, in order."""
        if self.engine != _AUTO:
            return (self,)
        return tuple(replace(self, engine=name) for name in _PROGRAMS if program(name)) or (self,)

    def libraries(self) -> tuple[tuple[str, str], ...]:
        if self.alternatives()[0].engine != _ANTIWORD:
            return super().libraries()
        path = program(_ANTIWORD)
        return ((_ANTIWORD, version_of(path) if path else ""),)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        if self.alternatives()[0].engine == _ANTIWORD and program(_ANTIWORD):
            with unpacked(content) as path:
                ended = run([program(_ANTIWORD), *_ANTIWORD_WORDS, str(path)], content)
            if b"ncrypted" in ended.stderr:
                raise TextlessError(_LOCKED, file=content.name)
            if ended.returncode:
                why = failure(ended.stderr, ended.returncode)
                what = f"antiword cannot read this old Word file ({why}); install"
                raise UnreadableError(f"{what} LibreOffice, or save it as DOCX", file=content.name)
            yield from _unread(content)
            try:  # antiword writes characters beyond U+FFFF as two halves
                yield cleaned(paired(ended.stdout.decode("utf-8", "surrogatepass")))
            except UnicodeDecodeError:
                yield cleaned(ended.stdout.decode("utf-8", "replace"))
        else:
            yield from super().__call__(content)


@dataclass(frozen=True)
class Xls(_OldOfficeFile):
    """The text of an old Excel workbook (XLS), which LibreOffice converts to XLSX.

    >>> Xls.called
    'old Excel workbook'
    """

    called: ClassVar[str] = "old Excel workbook"
    streams: ClassVar[tuple[str, ...]] = ("Workbook", "Book")
    new: ClassVar[str] = "xlsx"


@dataclass(frozen=True)
class Ppt(_OldOfficeFile):
    """The text of an old PowerPoint file (PPT), which LibreOffice converts to PPTX.

    >>> Ppt.called
    'old PowerPoint file'
    """

    called: ClassVar[str] = "old PowerPoint file"
    streams: ClassVar[tuple[str, ...]] = ("PowerPoint Document",)
    new: ClassVar[str] = "pptx"


@dataclass(frozen=True)
class Compound(Reader):
    """No text: a message states the kind of any other old Office file, also of a locked one.

    >>> Compound.called
    'file of the old Office form'
    """

    called: ClassVar[str] = "file of the old Office form"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        return content.head.startswith(COMPOUND)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        names = root_names(content)
        if not names:
            what = "is a damaged Office file of the old kind; get a new copy from its source"
            raise UnreadableError(what, file=content.name)
        known = (what for name, what in _OTHERS.items() if name in names)
        what = next(known, f"is a {self.called} without any text that sdtext recognises")
        raise UnreadableError(what, file=content.name)
        yield  # an iterator, as all readers give


def _unread(content: Content) -> Iterator[Problem]:
    """The warning that antiword does not read headers and comments, if the file has any."""
    from olefile import OleFileIO

    with content.seekable() as file, suppress(Exception), OleFileIO(file) as compound:
        head = compound.openstream("WordDocument").read(_COUNTS + 12)
        headers, _, comments = unpack_from("<3i", head, _COUNTS)
        if headers > _SEPARATORS:
            what = "headers and footers left out; engine=libreoffice reads them"
            yield partly_read(content, what)
        if comments > 0:
            yield partly_read(content, "comments left out")


def _converted(content: Content, what: str, ending: str, folder: Path) -> Content:
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, "utf-8")
    # A copy, since the program leaves a file beside the one that it opens.
    source, result = folder / "source", folder / f"source.{ending}"
    with source.open("wb") as file:
        file.writelines(content.blocks())
    place = f"-env:UserInstallation={profile.as_uri()}"
    words = ["--convert-to", ending, "--outdir", str(folder), str(source)]
    variables = {**_SHUT, "HOME": str(folder), "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    command = [program(_LIBREOFFICE), place, *_LIBREOFFICE_WORDS, *words]
    ended = run(command, content, variables=variables)
    if not result.is_file():
        lines = ended.stderr.splitlines(keepends=True)
        telling = b"".join(line for line in lines if not line.startswith(b"Warning:"))
        why = failure(telling, ended.returncode)
        what = f"LibreOffice cannot read this {what} ({why}): it is damaged or locked"
        raise UnreadableError(f"{what}; save it as {ending.upper()}", file=content.name)
    return Content(result, content.max_bytes, content.name)


def cleaned(written: str) -> str:
    r"""The output of antiword, without table borders and the markers of notes and pictures.

    >>> note = "\n\n-----------------------\n[1] Why\n"
    >>> cleaned("A bee.[1] So [2].\n|One        |a bee      |\n|Two        |c          |" + note)
    'A bee. So [2].\nOne\na bee\nTwo\nc\n\nWhy\n'
    """
    body, _, notes = written.partition(_NOTES)
    place = 0
    for number in range(1, len(_LABEL.findall(notes)) + 1):  # marks of notes are in order
        mark = f"[{number}]"
        if (place := body.find(mark, place)) < 0:
            break
        body = body[:place] + body[place + len(mark) :]
    groups = groupby(  # lines of tables: cells padded with blanks, from margin to margin
        body.split("\n"),
        lambda line: len(line) >= _NARROW and line[0] == line[-1] == "|" and " |" in line,
    )
    lines = (line for framed, group in groups for line in (_cells(group) if framed else group))
    shown = "\n".join(line for line in lines if line.strip() != _PICTURE)
    return f"{shown}\n{_LABEL.sub('', notes)}" if notes else shown


def _cells(lines: Iterable[str]) -> list[str]:
    """The cells of a table, row by row; cells that continue on the next line are joined."""
    rows: list[list[str]] = []
    before: list[str] = []
    for line in lines:
        cells = line[1:-1].split("|")
        if _goes_on(before, cells):
            pairs = zip(rows[-1], cells, strict=True)
            rows[-1] = [f"{first} {second.strip()}".strip() for first, second in pairs]
        else:
            rows.append([cell.strip() for cell in cells])
        before = cells
    return [cell for row in rows for cell in row if cell]


def _goes_on(before: list[str], cells: list[str]) -> bool:
    """Whether the next word of each continued cell did not fit into the line before."""
    if len(before) != len(cells):
        return False
    return all(
        cell.strip() and len(cell.rstrip()) + 1 + len(following.split()[0]) >= len(cell)
        for cell, following in zip(before, cells, strict=True)
        if following.strip()
    )


def root_names(content: Content) -> frozenset[str]:
    """The names of the top-level entries of a compound file; none of another or a damaged one.

    Embedded objects, such as a workbook in a letter, are at deeper levels.
    """
    if not content.head.startswith(COMPOUND):
        return frozenset()
    from olefile import OleFileIO

    with content.seekable() as file:
        try:
            with OleFileIO(file) as compound:
                return frozenset(entry.name for entry in compound.root.kids)
        except MemoryError:
            raise
        except Exception:  # olefile meets damage with many errors
            return frozenset()
