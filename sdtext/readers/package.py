"""The parts of an office package (OPC, ISO/IEC 29500-2): a zip archive of XML files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import join, normpath, splitext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdtext.readers.archive import Archive


class Target:
    """What every target of `parsed` has; each adds `taken` and the events it wants."""

    def doctype(self, *_: str | None) -> None:
        """A document type; it is refused before anything in it is read."""
        raise _DoctypeError

    def close(self) -> None:
        """The end of the part."""


def parsed(archive: Archive, part: str, target: Any) -> Iterator[Any]:
    """What `target`, a `Target`, has taken from a part, block by block. Raises UnreadableError.

    No tree is built, so that memory does not grow with the part.
    """
    from lxml import etree

    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for block in archive.blocks(part):
            parser.feed(block)
            yield target.taken()
        parser.close()
    except etree.XMLSyntaxError as error:
        raise archive.damaged(f"{part}: {error.msg}") from error
    except _DoctypeError as error:
        raise archive.damaged(f"{part}: has a document type, which can do harm") from error
    yield target.taken()


def related(archive: Archive, source: str, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """The kind and name of each part of those kinds that the part `source` refers to.

    A kind is the last word of a relationship's type, which its two forms have in common; the
    package itself is the source "".
    """
    folder, _, name = source.rpartition("/")
    found = {}
    for each in _attributes(archive, join(folder, "_rels", name + ".rels")):
        kind = each.get("Type", "").rpartition("/")[2]
        part = normpath(join("/" + folder, each.get("Target", ""))).lstrip("/")
        if kind in kinds and part in archive.names and each.get("TargetMode") != "External":
            found[kind, part] = True
    return list(found)


def types(archive: Archive, part: str) -> Iterator[str]:
    """What the package says that a part is: for the part itself and for its extension."""
    names = ("/" + part, splitext(part)[1][1:])
    for each in _attributes(archive, "[Content_Types].xml"):
        if each.get("PartName", each.get("Extension")) in names:
            yield each.get("ContentType", "")


def _attributes(archive: Archive, part: str) -> Iterator[Mapping[str, str]]:
    """The attributes of each element of a part; none if there is no such part."""
    if part in archive.names:
        for each in parsed(archive, part, _Attributes()):
            yield from each


class _DoctypeError(Exception):
    """A document type, which no part of a package may have."""


class _Attributes(Target):
    """The attributes of the elements of a part."""

    def __init__(self) -> None:
        self._seen: list[Mapping[str, str]] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:  # noqa: ARG002 (lxml's form)
        """A start tag."""
        self._seen.append(attrib)

    def taken(self) -> list[Mapping[str, str]]:
        """What was seen since the last call."""
        seen, self._seen = self._seen, []
        return seen
