"""The reader of Word files (DOCX)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdtext.io.content import Content
from sdtext.io.zip_archive import Archive, opened
from sdtext.parts.readers import Reader
from sdtext.parts.readers.office.docx_story import WordStory
from sdtext.parts.readers.office.docx_styles import WordStyles
from sdtext.parts.readers.office.package import Kind, parsed, related
from sdtext.parts.readers.office.titled import Block

_KIND = Kind(
    "Word file",
    "word/document.xml",
    r"application/vnd\.(openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.-]*\bmain\+xml",
)
_FURTHER = ("footnotes", "endnotes", "header", "footer")


@dataclass(frozen=True)
class Docx(Reader):
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then footnotes,
    endnotes, headers and footers, each once, in the order in which the file lists them. Inserted
    text is read, deleted text, comments and the codes of fields are not. Headings are the
    paragraphs that have a level in the outline, mostly by their style. Pages begin at the breaks
    that the file asks for, and where Word began them when it saved the file.

    >>> from sdtext.io.content import Content
    >>> blocks = list(Docx()(Content("tests/samples/documents/letter.docx")))
    >>> "".join(block for block in blocks if isinstance(block, str)).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    called: ClassVar[str] = _KIND.called
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a Word document."""
        return _KIND.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block]:
        with opened(content, self.called) as archive:
            main = _KIND.main(archive)
            for part in dict.fromkeys([main, *_further_parts(archive, main)]):
                styles = WordStyles(archive, main) if part == main else None
                for blocks in parsed(archive, part, WordStory(styles)):
                    yield from blocks


def _further_parts(archive: Archive, main: str) -> list[str]:
    """The notes, headers and footers, kind by kind."""
    found = sorted(related(archive, main, _FURTHER), key=lambda each: _FURTHER.index(each[0]))
    return [part for _, part in found]
