"""PAN's text-alignment XML: spans of a text paired with similar spans of a source.

The plagiarism detection tracks of PAN (pan.webis.de) use it for true cases and detections: a
`<document>` for each suspicious text, in it a `<feature>` for each case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from sdtext.errors import FormatError
from sdtext.formats.hardened_xml import (
    CONTROLS,
    DECLARATION,
    closed,
    element,
    events,
    forget,
    opened,
    whole_number,
)
from sdtext.model.reuse_evidence import Passage
from sdtext.wording import brief

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_FOUND = "detected-plagiarism"
_CASES = "plagiarism"  # true ones are called "plagiarism", "artificial-plagiarism" and the like


@dataclass(frozen=True)
class TextRange:
    """The code points `start` to `end`, exclusive, of the text that is called `document`."""

    document: str
    start: int
    end: int


@dataclass(frozen=True)
class ReuseCase:
    """A span of a text and the similar span of a source: a true case or a detection."""

    this: TextRange
    source: TextRange


def pan_of(this: str, source: str, passages: Iterable[Passage]) -> str:
    """PAN's XML of passages: their left side is `this` text, their right side its `source`.

    Passages that do not count are left out; without any the `<document>` is empty.

    >>> print(pan_of("letter.txt", "memo.txt", []), end="")
    <?xml version='1.0' encoding='utf-8'?>
    <document reference="letter.txt"/>
    """
    names = _held(this), _held(source)
    features = "".join(_feature(names[1], passage) for passage in passages if not passage.excluded)
    if not features:
        return DECLARATION + element("document", reference=names[0])
    return DECLARATION + opened("document", reference=names[0]) + features + closed("document")


def _feature(source: str, passage: Passage) -> str:
    left, right = passage.left, passage.right
    return "  " + element(
        "feature",
        name=_FOUND,
        this_offset=str(left.start),
        this_length=str(left.end - left.start),
        source_reference=source,
        source_offset=str(right.start),
        source_length=str(right.end - right.start),
    )


def _held(name: str) -> str:
    """A name for XML, with excluded characters escaped."""
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), name)


def read_pan(file: IO[bytes], name: str) -> list[ReuseCase]:
    """The distinct cases, true ones or detections, in a file in PAN's XML.

    Other features are skipped; namespaces are ignored. `name` is the file's, for messages.
    Raises FormatError.

    >>> import io
    >>> read_pan(io.BytesIO(b'<document reference="letter.txt"/>'), "letter.xml")
    []
    """
    return list(dict.fromkeys(_cases(file, name)))


def _cases(file: IO[bytes], name: str) -> Iterator[ReuseCase]:
    root = None
    for event, item in events(file, name):
        if root is None:
            root, reference = item, _reference(item, name)
        elif event == "end":
            if item.getparent() is root and _is_case(item):
                yield _case(item, reference, name)
            forget(item)


def _is_case(item: Element) -> bool:
    return _local(item) == "feature" and (item.get("name") or "").endswith(_CASES)


def _reference(root: Element, name: str) -> str:
    if _local(root) != "document":
        raise FormatError(
            f"is not in PAN's XML: its first element is <{_local(root):.40}>; "
            "it must be <document>",
            file=name,
        )
    return _named(root, "reference", name)


def _case(feature: Element, reference: str, name: str) -> ReuseCase:
    source = _named(feature, "source_reference", name)
    return ReuseCase(
        _text_range(feature, "this", reference, name), _text_range(feature, "source", source, name)
    )


def _text_range(feature: Element, side: str, document: str, name: str) -> TextRange:
    start, length = (
        whole_number(feature.get(f"{side}_{what}"), f"{side}_{what}", name)
        for what in ("offset", "length")
    )
    if length == 0:
        raise FormatError(f"{side}_length is 0; it must be 1 or more", file=name)
    return TextRange(document, start, start + length)


def _named(item: Element, attribute: str, name: str) -> str:
    """The name of a text in an attribute. Raises FormatError."""
    if value := item.get(attribute):
        return value
    given = brief(item.get(attribute)) if attribute in item.attrib else "missing"
    raise FormatError(
        f"{attribute} of <{_local(item)}> is {given}; it must be the name of a text", file=name
    )


def _local(item: Element) -> str:
    return cast("str", item.tag).rpartition("}")[2]
