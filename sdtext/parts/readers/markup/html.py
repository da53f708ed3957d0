"""Reader of HTML pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import Block, TitledText
from sdtext.parts.readers.hidden_text import KEEP, HiddenText, check_hidden
from sdtext.parts.readers.markup.hidden_elements import HiddenElements
from sdtext.text.encoding import Encoding, decoded, find_encoding

_BEGIN = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_DECLARED = re.compile(
    rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE
)
_HIDDEN = frozenset({"head", "script", "style", "template", "noscript", "svg", "math", "object"})
_BREAKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li
    listing main menu nav ol option p plaintext pre search section summary table tbody td tfoot
    th thead tr ul xmp
    """.split()  # noqa: SIM905 (a list of names, not of strings)
)
# What browsers take these names for, since pages mean it (WHATWG Encoding Standard).
_MEANT_AS_WINDOWS = {"iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"}
_OTHER_SPACES = "\n\t\r\f"
_SPACES = re.compile("  +")
_TITLES = {f"h{level}": level for level in range(1, 7)}
_QUOTATION = "blockquote"
_SPECIAL = _HIDDEN | _BREAKS | _TITLES.keys()


@dataclass(frozen=True)
class Html(Reader):
    r"""The text that a page shows: one line for each block (paragraph, cell, list item).

    Scripts, styles and the page's head are left out; white space is folded as a browser does.
    Headings are those that the page marks as such (h1 to h6), quotations likewise (blockquote).
    Text that a browser does not show (`display: none`, white on white, size 0, and the like) is
    reported. It follows the block it stands in; with `hidden="drop"` it is left out.

    >>> from sdtext.io.decompressed_content import Content
    >>> place = folder / "page.html"
    >>> place.write_text("<html><h1>Bees</h1><p>They  <b>dance</b>.<script>no()</script>")
    62
    >>> list(Html()(Content(place)))
    [Heading(level=1, title='Bees', offset=0), 'Bees\nThey dance.', '\n']
    """

    encoding: str = ""
    hidden: str = KEEP
    called: ClassVar[str] = "HTML page"
    line_paragraphs: ClassVar[bool] = True
    # A page can be built so that its parser takes time by the square of its length.
    isolated_above: ClassVar[int] = 1 << 18

    def __post_init__(self) -> None:
        check_hidden("html", self.hidden)

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as a page does."""
        head = content.head
        plain = head.replace(b"\x00", b"") if b"\x00" in head else head
        return _BEGIN.match(plain.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe")) is not None

    def encoding_of(self, content: Content) -> Encoding:
        """The encoding by which `content` is read."""
        if self.encoding:
            return Encoding(self.encoding)
        match = _DECLARED.search(content.head)
        declared = match[1].decode("ascii").lower() if match else ""
        declared = "cp1252" if declared in _MEANT_AS_WINDOWS else declared
        return find_encoding(content, declared)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        hidden = HiddenText(self.hidden)
        page = _limited(content, decoded(content, encoding.name, encoding.errors))
        yield from page_text(page, content, hidden)
        yield from hidden.problems(content.name)


def page_text(
    page: Iterable[str], content: Content, hidden: HiddenText | None = None
) -> Iterator[Block]:
    """The text of a page given in blocks. Raises UnreadableError, which names `content`.

    Hidden text is noted in `hidden`.
    """
    from lxml import etree

    target: Any = _PageText(hidden or HiddenText())
    # The text is fed as UTF-8, whatever the page declares. Nothing is loaded from outside,
    # and the depth of a page costs nothing, since no tree is built.
    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True, huge_tree=True)
    try:
        for block in page:
            parser.feed(block.encode("utf-8"))
            yield from target.taken()
        parser.close()
    except etree.LxmlError as error:
        raise UnreadableError("is not a readable HTML page", file=content.name) from error
    yield from target.taken()


def _limited(content: Content, blocks: Iterable[str]) -> Iterator[str]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > content.max_bytes:
            raise UnreadableError(
                f"is a page of more than {content.max_bytes} bytes; "
                "raise the limit with Reading(max_bytes=…) if you trust it",
                file=content.name,
            )
        yield block


class _PageText:
    """Parser target that collects a page into lines; white space is folded line by line."""

    def __init__(self, hidden: HiddenText) -> None:
        self._text = TitledText()
        self._elements = HiddenElements()
        self._hidden_text = hidden
        self._in_style = self._concealed = False
        self._hidden = 0
        self._preformatted = 0
        self._quotations = 0
        self._line: list[str] = []
        self._last = "\n"

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if tag in _BREAKS and not self._concealed:
            self._break()
        elements = self._elements
        if self._concealed or tag in elements.tags or not elements.attributes.isdisjoint(attrib):
            elements.start(tag, attrib)
            self._concealed = elements.inside
        if tag not in _SPECIAL:
            return
        self._in_style = tag == "style"
        if tag in _HIDDEN:
            self._flush()
            self._hidden += 1
        self._preformatted += tag == "pre"
        if tag == _QUOTATION:
            self._quote(1)
        if tag in _TITLES:
            self._text.begin_title(_TITLES[tag])

    def end(self, tag: str) -> None:
        """An end tag."""
        if self._concealed:
            self._elements.end(tag)
            self._concealed = self._elements.inside
        if tag in _BREAKS and not self._concealed:
            self._break()
        if tag not in _SPECIAL:
            return
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        self._preformatted = max(0, self._preformatted - (tag == "pre"))
        if tag == _QUOTATION:
            self._quote(-1)
        if tag in _TITLES:
            self._text.end_title()

    def _quote(self, step: int) -> None:
        """A quotation begins (1) or ends (-1); those within one are part of it."""
        before, self._quotations = self._quotations, max(0, self._quotations + step)
        if before != self._quotations and 0 in (before, self._quotations):
            self._text.mark_quotation(opens=step > 0)

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._concealed and not self._hidden:
            self._hidden_text.add(data)
        elif not self._hidden:
            self._line.append(data)
        elif self._in_style:
            self._elements.rules(data)

    def close(self) -> None:
        """The end of the page."""
        self._break()

    def taken(self) -> list[Block]:
        """The text collected since the last call."""
        self._flush()
        return self._text.taken()

    def _break(self) -> None:
        self._flush()
        if self._last != "\n":
            self._add("\n")
        if hidden := self._hidden_text.taken():
            self._add(hidden + "\n")

    def _flush(self) -> None:
        """The line so far."""
        if not self._line:
            return
        text = "".join(self._line)
        self._line.clear()
        if not self._preformatted:
            text = _folded(text)
            if self._last.isspace():
                text = text.lstrip(" ")
        self._add(text)

    def _add(self, text: str) -> None:
        if text:
            self._text.add(text)
            self._last = text[-1]


def _folded(text: str) -> str:
    """`text` with a blank for each run of white space, by few searches where it has none."""
    for space in _OTHER_SPACES:
        if space in text:
            text = text.replace(space, " ")
    return _SPACES.sub(" ", text) if "  " in text else text
