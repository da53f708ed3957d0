"""Text of old Word files by the program antiword, without its layout."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from itertools import count, groupby

from sdtext.errors import TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.external_programs import run, unpacked, version_of
from sdtext.text.encoding import paired

NAME = "antiword"
_WORDS = ("-m", "UTF-8.txt", "-w", "0", "-s")  # no wrapping; hidden text as of DOCX files
_PICTURE = "[pic]"
_NARROW = 25  # characters of a line of a table at the least; most have above a hundred
_NOTES = "\n-----------------------\n"
_MARK = re.compile(r"\[(\d{1,5})\]")
_LABEL = re.compile(r"^\[\d{1,5}\] ", re.MULTILINE)
_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")


def is_installed() -> bool:
    """Whether the program is installed."""
    return shutil.which(NAME) is not None


def version() -> str:
    """The version, "" if the program does not work."""
    return version_of(NAME)


def text(content: Content) -> Iterator[str]:
    """The text of an old Word file, a line for each paragraph. Raises UnreadableError."""
    with unpacked(content) as path:
        ended = run([NAME, *_WORDS, str(path)], content)
    if b"ncrypted" in ended.messages:
        raise TextlessError("is encrypted with a password; save it without one", file=content.name)
    if ended.code:
        raise UnreadableError(
            f"{NAME} cannot read this old Word file ({ended.why()}): it may be "
            "damaged; install LibreOffice, which reads more of them, or save it as DOCX",
            file=content.name,
        )
    yield cleaned(_decoded(ended.output))


def cleaned(written: str) -> str:
    r"""The output of antiword, without table borders and the markers of notes and pictures.

    >>> note = "\n\n-----------------------\n[1] Why\n"
    >>> cleaned("A bee.[1] So [2].\n|One        |a bee      |\n|Two        |c          |" + note)
    'A bee. So [2].\nOne\na bee\nTwo\nc\n\nWhy\n'
    """
    body, _, notes = written.partition(_NOTES)
    marked = _without_marks(body, len(_LABEL.findall(notes)))
    groups = groupby(marked.split("\n"), _is_framed)
    lines = (line for framed, group in groups for line in (_cells(group) if framed else group))
    shown = "\n".join(line for line in lines if line.strip() != _PICTURE)
    return f"{shown}\n{_LABEL.sub('', notes)}" if notes else shown


def _decoded(output: bytes) -> str:
    """The text, though antiword writes characters beyond U+FFFF as two halves."""
    strict = "surrogatepass" if _HALF.search(output) else "replace"
    try:
        return paired(output.decode("utf-8", strict))
    except UnicodeDecodeError:
        return output.decode("utf-8", "replace")


def _without_marks(body: str, notes: int) -> str:
    """The body without the marks of so many notes, which are in order."""
    numbers = count(1)
    wanted = next(numbers)

    def kept(mark: re.Match[str]) -> str:
        nonlocal wanted
        if int(mark[1]) != wanted or wanted > notes:
            return mark[0]
        wanted = next(numbers)
        return ""

    return _MARK.sub(kept, body)


def _is_framed(line: str) -> bool:
    """Whether a line belongs to a table: cells padded with blanks, from margin to margin."""
    return len(line) >= _NARROW and line[0] == line[-1] == "|" and " |" in line


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
