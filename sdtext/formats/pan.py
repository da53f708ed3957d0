"""PAN's text-alignment XML: spans of a text paired with similar spans of a source.

The plagiarism detection tracks of PAN (pan.webis.de) use it for true cases and detections: a
`<document>` for each suspicious text, in it a `<feature>` for each case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, cast

from sdtext.errors import FormatError
from sdtext.formats import hardened_xml as xml
from sdtext.model.reuse_evidence import Passage

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
    this, source = (
        xml.CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), name)
        for name in (this, source)
    )
    features = ""
    for passage in passages:
        if not passage.excluded:
            features += "  " + xml.element(
                "feature",
                name=_FOUND,
                this_offset=passage.left.start,
                this_length=passage.left.end - passage.left.start,
                source_reference=source,
                source_offset=passage.right.start,
                source_length=passage.right.end - passage.right.start,
            )
    if not features:
        return xml.DECLARATION + xml.element("document", reference=this)
    return (
        xml.DECLARATION + xml.opened("document", reference=this) + features + xml.closed("document")
    )


def read_pan(file: IO[bytes], name: str) -> list[ReuseCase]:
    """The distinct cases, true ones or detections, in a file in PAN's XML.

    Other features are skipped; namespaces are ignored. `name` is the file's, for messages.
    Raises FormatError.

    >>> import io
    >>> read_pan(io.BytesIO(b'<document reference="letter.txt"/>'), "letter.xml")
    []
    """
    cases, root = dict[ReuseCase, None](), None
    for event, item in xml.events(file, name):
        if root is None:
            root, tag = item, _local(item)
            if tag != "document":
                what = f"its first element is <{tag:.40}>; it must be <document>"
                raise FormatError(f"is not in PAN's XML: {what}", file=name)
            reference = _named(root, "reference", name)
        elif event == "end":
            is_case = _local(item) == "feature" and item.get("name", "").endswith(_CASES)
            if item.getparent() is root and is_case:
                source = _named(item, "source_reference", name)
                own = _text_range(item, "this", reference, name)
                cases[ReuseCase(own, _text_range(item, "source", source, name))] = None
            xml.forget(item)
    return list(cases)


def _text_range(feature: xml.Element, side: str, document: str, name: str) -> TextRange:
    start, length = (
        xml.whole_number(feature.get(f"{side}_{what}"), f"{side}_{what}", name)
        for what in ("offset", "length")
    )
    if length == 0:
        raise FormatError(f"{side}_length is 0; it must be 1 or more", file=name)
    return TextRange(document, start, start + length)


def _named(item: xml.Element, attribute: str, name: str) -> str:
    """The name of a text in an attribute. Raises FormatError."""
    if value := item.get(attribute):
        return value
    raise FormatError(f"<{_local(item)}> has no {attribute}, the name of a text", file=name)


def _local(item: xml.Element) -> str:
    return cast("str", item.tag).rpartition("}")[2]
