"""Reader of the XML that programs for text recognition write: ALTO, and PAGE (PcGts)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sdtext.errors import UnreadableError
from sdtext.formats.hardened_xml import SAFE
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader, partly_read
from sdtext.parts.readers.xml_packages import refuse_doctype

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:<[?!][^>]*+>\s*+)*+<(?:[\w.-]+:)?(?:alto|PcGts)\b")
_SOFT_HYPHEN = "\xad"
_NOT = "¬"  # the hyphen at a line end, in transcriptions


@dataclass(frozen=True)
class RecognisedPages(Reader):
    r"""The text of an ALTO or PAGE file: lines of a page, with a blank line between blocks.

    A line is read once, from its own text or its words; of several readings, the first. Words that
    are divided at line ends are joined.

    >>> place = folder / "page.xml"
    >>> word = '<String CONTENT="bees"/>'
    >>> page = f"<Page><TextBlock><TextLine>{word}{word}</TextLine></TextBlock></Page>"
    >>> _ = place.write_text(f"<alto><Layout>{page}</Layout></alto>")
    >>> list(RecognisedPages()(Content(place)))
    ['bees bees\n\n', '\x0c']
    """

    called: ClassVar[str] = "ALTO or PAGE file"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the outermost element is that of ALTO or PAGE."""
        return _ROOT.match(content.head) is not None

    @property
    def paginated(self) -> bool:
        return True

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        from lxml import etree

        parser = etree.XMLParser(recover=True, **SAFE)
        root: Element | None = etree.fromstring(content.whole(), parser)
        pages = [] if root is None else list(root.iter("{*}Page"))
        why = f"is a damaged {self.called}"
        if not pages:
            raise UnreadableError(f"{why}; get a new copy from its source", file=content.name)
        refuse_doctype(pages[0], lambda what: UnreadableError(what, file=content.name))
        for page in pages:
            gap = "" if page.find(".//{*}SP") is not None else " "
            for block in page.iter("{*}TextBlock", "{*}TextRegion"):
                lines = [_line(line, gap) for line in block.iterchildren("{*}TextLine")]
                yield ("\n".join(filter(None, lines)) or _best(block)) + "\n\n"
            yield "\f"
        if parser.error_log:
            yield partly_read(content, f"{why}, read as far as known")


def _line(line: Element, gap: str) -> str:
    text = _best(line) or " ".join(filter(None, map(_best, line.iterchildren("{*}Word"))))
    if not text:
        pieces = line.iterchildren("{*}String", "{*}SP")
        text = gap.join(each.get("CONTENT", " ") for each in pieces)
        parts = [each.get("SUBS_TYPE") for each in line.iterchildren("{*}String")]
        if parts[-1:] == ["HypPart1"] or line.find("{*}HYP") is not None:
            return text.rstrip("-") + _SOFT_HYPHEN
    return text.removesuffix(_NOT) + _SOFT_HYPHEN * text.endswith(_NOT)


def _best(element: Element) -> str:
    """The first of the readings of a word, line or block of PAGE; "" if there is none."""
    readings = element.findall("{*}TextEquiv")
    best = min(readings, key=lambda each: each.get("index", "").zfill(9), default=None)
    return (best.findtext("{*}Unicode") or "").strip() if best is not None else ""
