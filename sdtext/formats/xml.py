"""XML from strangers: read as a stream, with nothing that XML can do to harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats import NAMESPACE
from sdtext.model import FORMAT_VERSION

if TYPE_CHECKING:
    from lxml.etree import _Element as Element
    from lxml.etree._serializer import _IncrementalFileWriter as Writer

_ROOT = re.compile(
    rb"<(?P<doctype>!DOCTYPE\s+)?(?:[\w.-]+:)?(dictionary|fingerprints?|tokenizers)[\s/>\[]"
)
_PROLOG = re.compile(rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*", re.DOTALL)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def root_name(head: bytes) -> str:
    """Which of sdtext's own files begins with the bytes `head`: "" if none.

    >>> root_name(b'<?xml version="1.0"?><dictionary xmlns="urn:sdtext:xml" version="1.0">')
    'dictionary'
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    text = _PROLOG.sub(b"", text, 1)
    # A file with a document type is ours, too: it is refused, with the reason, when it is read.
    found = (_ROOT.search if text.startswith(b"<!DOCTYPE") else _ROOT.match)(text)
    if not found:
        return ""
    known = found["doctype"] or found[2] == b"tokenizers" or NAMESPACE.encode() in head
    return found[2].decode("ascii") if known else ""


def events(file: IO[bytes], name: str) -> Iterator[tuple[str, Element]]:
    """The ("start" or "end", element) of an XML file, in order; `name` is for messages.

    Any document type is refused, so there are no entities; nothing is loaded from elsewhere;
    depth and the size of a text are limited (256 and 10 MB). Raises FormatError.
    """
    from lxml import etree

    parsed = etree.iterparse(
        file,
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for count, (event, element) in enumerate(parsed):
            if count == 0:
                _refuse_doctype(element, name)
            yield event, element
    except etree.XMLSyntaxError as error:
        raise FormatError(f"{name}: is damaged or is not XML: {_plain(error)}") from error


def _refuse_doctype(root: Element, name: str) -> None:
    if root.getroottree().docinfo.doctype:
        raise FormatError(
            f"{name}: has a document type (<!DOCTYPE>), which sdtext's files never have and "
            "which can do harm; get the file anew from where it was made"
        )


def _plain(error: SyntaxError) -> str:
    words = " ".join(str(error.msg).split())
    words = re.sub(r",? (use|try) XML_PARSE_HUGE( option)?", "; no file of sdtext has that", words)
    return words if len(words) < 200 else words[:200] + "…"


def forget(element: Element) -> None:
    """Free what a stream has read: the element's content and its elder siblings."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Element) -> str:
    """The element's name if it is in sdtext's namespace or in none, else ""."""
    namespace, _, name = str(element.tag).rpartition("}")
    return name if namespace in ("", "{" + NAMESPACE) else ""


def check_version(root: Element, name: str) -> None:
    """FormatError where `root` was written by a newer major version of the format."""
    version = root.get("version", FORMAT_VERSION)
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}", version):
        raise FormatError(f"{name}: is damaged: its version is {version[:20]!r}; it must be as 1.0")
    if int(version.partition(".")[0]) > int(FORMAT_VERSION.partition(".")[0]):
        raise FormatError(
            f"{name}: is in version {version} of the format and this sdtext reads "
            f"{FORMAT_VERSION}; update sdtext to read it"
        )


def whole_number(text: str | None, what: str, name: str) -> int:
    """`text` as a number of zero or more; FormatError names `what` and the file `name`."""
    if text is None or not re.fullmatch(r"[0-9]{1,12}", text.strip()):
        shown = "missing" if text is None else repr(text[:40])
        raise FormatError(f"{name}: {what} is {shown}; it must be a whole number")
    return int(text)


@contextmanager
def line(out: Writer, tag: str, **attributes: str) -> Iterator[None]:
    """Write an element that begins on a line of its own."""
    out.write("\n")
    with out.element(tag, attributes):
        yield


def escaped_name(path: str) -> str:
    r"""A file name as XML can hold it: what it cannot hold, and %, in URL notation.

    >>> escaped_name("a\nb 100%.txt")
    'a%0Ab 100%25.txt'
    """
    import os
    from urllib.parse import quote

    escaped = path.replace("%", "%25")
    unheld = re.compile(rf"[\n\t]|{_CONTROLS.pattern}")
    return unheld.sub(lambda match: quote(os.fsencode(match.group()), safe=""), escaped)


def unescaped_name(text: str) -> str:
    r"""The file name that `escaped_name` wrote.

    >>> unescaped_name("a%0Ab 100%25.txt")
    'a\nb 100%.txt'
    """
    import os
    from urllib.parse import unquote_to_bytes

    return os.fsdecode(unquote_to_bytes(text))
