"""XML files: read with limits, written with one element a line, numbers in one form."""

from __future__ import annotations

import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from math import inf, isfinite
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Self, TypeAlias, cast

from sdtext.errors import FormatError
from sdtext.formats import EVIDENCE, NAMESPACE
from sdtext.io.decompressed_content import BlockFile
from sdtext.model import FORMAT_VERSION, Origin
from sdtext.wording import CONTROLLING, brief, printable

if TYPE_CHECKING:
    from lxml.etree import _Element

    Element: TypeAlias = _Element
    Events: TypeAlias = Iterator[tuple[str, Element]]

_ROOT = re.compile(
    rb"<(?P<doctype>!DOCTYPE\s+)?(?:[\w.-]+:)?"
    rb"(dictionary|fingerprints?|tokenizers|outputConfiguration|evidence)[\s/>\[]"
)
_PROLOG = re.compile(rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*", re.DOTALL)
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML excludes."""

_BYTE, _HALF = "%[0-9A-Fa-f]{2}", "%u[dD][89a-fA-F][0-9A-Fa-f]{2}"
_ESCAPE = re.compile(f"{_BYTE}|{_HALF}")
_ESCAPES = re.compile(f"(?:{_BYTE})+|{_HALF}")

SAFE: Any = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
"""Options of a parser of lxml that loads and expands nothing."""
_BLOCK = 1 << 15
_LARGEST = 256 << 20  # bytes of one element of which nothing is known before its end
_FULLEST = 8_000_000  # elements and attributes in such a one: each takes 100 to 250 bytes
DECLARATION = "<?xml version='1.0' encoding='utf-8'?>\n"
_MARKUP = re.compile(f'[&<>"{CONTROLLING}]')
_WRITTEN_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
# Digits are limited because Python refuses to convert thousands of them.
_SHORT_NUMBER = re.compile(r"[0-9]{1,15}")
_WHOLE = re.compile(r"-?[0-9]{1,400}")
_FRACTION = re.compile(r"-?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:e[+-]?[0-9]{1,3})?")
_MOST_DIGITS = 15  # of a count or an offset
_LONGEST = 200  # characters of a message of the parser

KEY_COLUMNS = ("number", "file", "document")
"""The columns of a key: which number stands for which document, in fingerprints without names."""
_KEY = re.compile(rb"(?:\xef\xbb\xbf)?" + ",".join(KEY_COLUMNS).encode() + rb"\r?\n1,")


def kind_of_own_file(head: bytes) -> str:
    r"""Which of sdtext's own files begins with the bytes `head`: "" if none.

    >>> kind_of_own_file(b'<?xml version="1.0"?><dictionary xmlns="urn:sdtext:xml" version="1.0">')
    'dictionary'
    >>> kind_of_own_file(b"number,file,document\n1,prints.xml,a.txt\n")
    'key'
    """
    if _KEY.match(head):
        return "key"
    text = head.removeprefix(b"\xef\xbb\xbf")
    text = _PROLOG.sub(b"", text, 1)
    # A file with a document type is ours, too: it is refused, with the reason, when it is read.
    match = (_ROOT.search if text.startswith(b"<!DOCTYPE") else _ROOT.match)(text)
    if not match:
        return ""
    namespace = EVIDENCE if match[2] == b"evidence" else NAMESPACE
    known = match["doctype"] or match[2] == b"tokenizers" or namespace.encode() in head
    return match[2].decode("ascii") if known else ""


def events(
    file: IO[bytes], name: str, tags: Sequence[str] | None = None, crowded: str = ""
) -> Events:
    """The ("start" or "end", element) of an XML file, in order; `name` is for messages.

    `tags` are the names of the elements of interest, all without it. One called `crowded` comes as
    ("some", element) in between: all of its children but the last are whole, and may be deleted.
    Any document type is refused, so there are no entities; nothing is loaded from elsewhere; depth
    and the size of a text are limited (256 and 10 MB), and so is what stands between two events
    (256 MB with 8 million elements and attributes). Raises FormatError.
    """
    from lxml import etree

    since = held = 0  # bytes, and elements and attributes or what may be such, between events

    def blocks() -> Iterator[bytes]:
        nonlocal since, held
        while block := file.read(_BLOCK):
            since += len(block)
            held += block.count(b"<") + block.count(b"=")
            if since > _LARGEST or held > _FULLEST:
                what = f"one element holds over {_FULLEST:,} others or {_LARGEST >> 20} MB"
                raise damaged(f"{what}; no file of sdtext has that", name)
            yield block

    wanted = None if tags is None else [f"{{*}}{tag}" for tag in tags]
    parser = etree.XMLPullParser(("start", "end"), tag=wanted, **SAFE)
    is_first, crowd = True, None
    for block in chain(blocks(), [b""]):
        error = None
        try:
            parser.feed(block) if block else parser.close()
        except etree.XMLSyntaxError as caught:  # behind the events of what came before
            error = caught
        for event, element in parser.read_events():
            if is_first and element.getroottree().docinfo.doctype:
                raise damaged("it has a document type (<!DOCTYPE>), which can do harm", name)
            is_first, since, held = False, 0, 0
            if element is crowd:
                crowd = None
            elif crowd is None and str(element.tag).rpartition("}")[2] == crowded:
                crowd = element
            yield event, element
        if error:
            raise damaged(f"it is not XML: {_words_of(error)}", name) from error
        if crowd is not None:
            first = next(iter(crowd), None)
            yield "some", crowd
            is_kept = next(iter(crowd), None) is first
            since, held = since * is_kept, held * is_kept


def _words_of(error: SyntaxError) -> str:
    """What the parser says, without the option that it recommends, which is not safe."""
    words = printable(" ".join(str(error.msg).split()))
    return re.sub(r",? (use|try) XML_PARSE_HUGE( option)?", "", words)[:_LONGEST]


def damaged(what: str, name: str) -> FormatError:
    """The error for a damaged file of sdtext: what is wrong with it, and what to do."""
    return FormatError(f"is damaged: {what}; get a new copy from where it was made", file=name)


def check_digest(stated: str, digest: str, name: str) -> None:
    """Raise FormatError unless a file states the digest of its content, or none, as old ones do."""
    if stated and stated.strip() != digest:
        raise damaged("its content does not match its digest", name)


def content_digest(origin: Origin, lines: str) -> str:
    """The SHA-256 of a GUID and the lines of an element, in hexadecimal."""
    from hashlib import sha256  # behind it stands OpenSSL, which readers of documents do without

    return sha256(f"{origin.guid}\n{lines}".encode()).hexdigest()


def joined(begin: bytes, file: IO[bytes]) -> IO[bytes]:
    """A file of some bytes that have been read and the rest of the file."""
    rest = iter(partial(file.read, _BLOCK), b"")
    return cast("IO[bytes]", BlockFile(chain([begin], rest)))


def forget(element: Element) -> None:
    """Free what a stream has read: the element's content and its elder siblings."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Element, namespace: str = NAMESPACE) -> str:
    """The element's name if it is in sdtext's namespace or in none, else ""."""
    return _local(cast("str", element.tag), namespace)


@lru_cache(1024)
def _local(tag: str, wanted: str) -> str:
    namespace, _, name = tag.rpartition("}")
    return name if namespace in ("", "{" + wanted) else ""


def check_version(version: str | None, name: str) -> None:
    """Raise FormatError for a newer major version of the format; None is this one."""
    if version is None or version == FORMAT_VERSION:
        return
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}", version):
        raise damaged(f"its version is {version[:20]!r}; it must be a number such as 1.0", name)
    if int(version.partition(".")[0]) > int(FORMAT_VERSION.partition(".")[0]):
        what = f"is in version {version} of the format and this sdtext reads {FORMAT_VERSION}"
        raise FormatError(f"{what}; update sdtext to read it", file=name)


def root_in(
    stream: Events, name: str, what: str, *tags: str, namespace: str = NAMESPACE
) -> Element:
    """The root of a file, one of `tags` in a version that is known; else the file is not `what`."""
    _, root = next(stream, ("", None))
    if root is None or root.getparent() is not None or local(root, namespace) not in tags:
        raise FormatError(f"is not {what}", file=name)
    check_version(root.get("version"), name)
    return root


def unknown_in(element: Element, known: Collection[str]) -> tuple[str, ...]:
    """The children of `element` that are not called by one of the names `known`, as XML.

    They are of later versions, and are written again unchanged.
    """
    from lxml import etree

    return tuple(
        etree.tostring(child, encoding="unicode", with_tail=False)
        for child in element
        if local(child) not in known
    )


@dataclass(frozen=True, slots=True)
class Item:
    """An element of the file called `name`, read field by field; each method raises FormatError."""

    element: Element
    name: str
    namespace: str = NAMESPACE

    @property
    def tag(self) -> str:
        """Its name, "" if it is of another namespace."""
        return local(self.element, self.namespace)

    @property
    def text(self) -> str:
        """Its text, "" if it has none."""
        return self.element.text or ""

    def children(self) -> defaultdict[str, list[Self]]:
        """Its children by their names, in order."""
        children: defaultdict[str, list[Self]] = defaultdict(list)
        for child in self.element:
            item = type(self)(child, self.name, self.namespace)
            children[item.tag].append(item)
        return children

    def get(self, attribute: str, otherwise: str = "") -> str:
        """An attribute."""
        return self.element.get(attribute, otherwise)

    def number(self, attribute: str, otherwise: int | None = None, most: float = inf) -> int:
        """An attribute as a whole number from zero to `most`."""
        text = self.element.get(attribute)
        if text is None and otherwise is not None:
            return otherwise
        if text and _SHORT_NUMBER.fullmatch(text):  # fast path, without a name for messages
            number = int(text)
        else:
            number = whole_number(text, f"{attribute} of <{self.tag}>", self.name)
        if number > most:
            raise self.wrong(attribute, number, f"{most} or less")
        return number

    def decimal(self, attribute: str) -> float:
        """An attribute as a number with a sign and a fraction."""
        text = self.get(attribute)
        if (number := number_or_none(text)) is None:
            raise self.wrong(attribute, text, "a number")
        return float(number)

    def numbers(self, text: str, most: int = -1) -> tuple[int, ...]:
        """Its text, or that of an attribute, as whole numbers between blanks, at most so many."""
        words = text.split(maxsplit=most)
        if len(words) > most >= 0:
            raise self.damage(f"has more than {most} numbers")
        what = f"a number of <{self.tag}>"
        return tuple(whole_number(word, what, self.name) for word in words)

    def base64(self) -> bytes:
        """Its text as bytes."""
        try:
            return b64decode(self.text.strip(), validate=True)
        except ValueError as error:
            raise damaged(f"the base64 of <{self.tag}>: {error}", self.name) from error

    def damage(self, what: str) -> FormatError:
        """The error that says what is wrong with this element."""
        return damaged(f"a <{self.tag}> {what}", self.name)

    def wrong(self, attribute: str, given: object, wanted: str) -> FormatError:
        """The error about an attribute."""
        return self.damage(f"has {brief(given)} for {attribute}; it must be {wanted}")


def last_texts(children: Mapping[str, Sequence[Item]]) -> dict[str, str]:
    """The text of the last child of each name."""
    return {tag: items[-1].text for tag, items in children.items() if items}


def escaped_name(path: str) -> str:
    r"""A file name for XML: excluded characters and % are percent-encoded.

    >>> escaped_name("a\nb 100%.txt")
    'a%0Ab 100%25.txt'
    """
    import os
    from urllib.parse import quote

    if path.isprintable() and "%" not in path:
        return path
    escaped = path.replace("%", "%25")
    unheld = re.compile(rf"[\n\t\r]|{CONTROLS.pattern}")
    return unheld.sub(lambda match: quote(os.fsencode(match.group()), safe=""), escaped)


def escaped_text(text: str) -> str:
    r"""A text for XML: excluded characters are percent-encoded.

    `%` is encoded where it would be read as an escape; lone surrogates become %uD800 to %uDFFF.

    >>> escaped_text("5 % of\n\x01 and 100%25 \ud800")
    '5 % of\n%01 and 100%2525 %uD800'
    """
    if text.isprintable() and "%" not in text:
        return text
    escaped = _ESCAPE.sub(lambda match: "%25" + match[0][1:], text)

    def spelled(match: re.Match[str]) -> str:
        if "\ud800" <= match[0] <= "\udfff":
            return f"%u{ord(match[0]):04X}"
        return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8"))

    return CONTROLS.sub(spelled, escaped)


def unescaped_text(text: str) -> str:
    r"""The inverse of `escaped_text`; anything that is no escape is unchanged.

    >>> unescaped_text("5 % of\n%01 and 100%2525 %uD800") == "5 % of\n\x01 and 100%25 \ud800"
    True
    """

    def meant(match: re.Match[str]) -> str:
        if match[0].startswith("%u"):
            return chr(int(match[0].removeprefix("%u"), 16))
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")

    return _ESCAPES.sub(meant, text) if "%" in text else text


def unescaped_name(text: str) -> str:
    r"""The inverse of `escaped_name`.

    >>> unescaped_name("a%0Ab 100%25.txt")
    'a\nb 100%.txt'
    """
    import os
    from urllib.parse import unquote_to_bytes

    if "%" not in text:
        return text
    return os.fsdecode(unquote_to_bytes(text))


def write_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write `lines` as an XML file in UTF-8."""
    file.write(DECLARATION.encode("ascii"))
    file.writelines(map(str.encode, lines))


def opened(tag: str, *, is_root: bool = False, **attributes: object) -> str:
    """A start tag without attributes that are None; that of a first element has the namespace."""
    named = {"xmlns": NAMESPACE, **attributes} if is_root else attributes
    return f"<{tag}{_written_attributes(named)}>\n"


def closed(tag: str) -> str:
    """An end tag."""
    return f"</{tag}>\n"


def element(tag: str, text: str = "", **attributes: object) -> str:
    r"""An element with a text, without attributes that are None.

    >>> element("library", name="a<b", version=1)
    '<library name="a&lt;b" version="1"/>\n'
    """
    begin = f"<{tag}{_written_attributes(attributes)}"
    return f"{begin}>{escaped(text)}</{tag}>\n" if text else f"{begin}/>\n"


def given(tag: str, text: str) -> str:
    """The element, if there is a text."""
    return element(tag, text) if text else ""


def passed_on(unknown: Iterable[str]) -> str:
    """Elements of later versions, unchanged, a line each."""
    return "".join(f"{item}\n" for item in unknown)


def escaped(text: str) -> str:
    r"""Escape `text` for XML, and what would control a terminal that the file is printed on.

    Raises ValueError for characters that XML excludes.

    >>> escaped("a<b\n\x9b31m")
    'a&lt;b&#10;&#155;31m'
    """
    if not needs_escape(text):
        return text
    if CONTROLS.search(text):
        raise ValueError(f"XML cannot hold {text!r:.100}")
    return _MARKUP.sub(lambda match: _WRITTEN_ESCAPES.get(match[0]) or f"&#{ord(match[0])};", text)


def needs_escape(text: str) -> bool:
    """Whether a text has characters that XML holds escaped or not at all."""
    return bool(_MARKUP.search(text) or CONTROLS.search(text))


def _written_attributes(attributes: Mapping[str, object]) -> str:
    return "".join(
        f' {name}="{escaped(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )


def whole_number(text: str | None, what: str, name: str) -> int:
    """`text` as a number of zero or more; FormatError names `what` and the file `name`.

    >>> whole_number("12", "<documents>", "bees.xml")
    12
    """
    if text is not None and text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    given = "missing" if text is None else brief(text)
    raise FormatError(f"{what} is {given}; it must be a whole number", file=name)


def number_or_none(text: str) -> int | float | None:
    """The finite number that is written in `text`, None if there is none.

    >>> number_or_none("3"), number_or_none("0.5"), number_or_none("1.2.3"), number_or_none("1e999")
    (3, 0.5, None, None)
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text) if _FRACTION.fullmatch(text) else inf
    return number if isfinite(number) else None
