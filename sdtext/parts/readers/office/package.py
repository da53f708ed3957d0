"""The parts of an office package (OPC, ISO/IEC 29500-2): a zip archive of XML files."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath, splitext
from typing import TYPE_CHECKING, Any, NamedTuple

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import MIMETYPE, Archive, Beginnings, NamedEntries
from sdtext.parts.file_signatures import ZIPPED

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TYPES = "[Content_Types].xml"


class Target:
    """The members of every target of `parsed`; each adds `taken` and its events."""

    def doctype(self, *_: str | None) -> None:
        """A document type; it is refused before anything in it is read."""
        raise _DoctypeError

    def close(self) -> None:
        """The end of the part."""


class Relation(NamedTuple):
    """A relationship: `kind` is the last word of the type, equal in both its forms."""

    id: str
    kind: str
    part: str


@dataclass(frozen=True)
class Kind:
    """A kind of office document: how its files are `called`, and how they are known.

    `default_main` names the main part where the package names none; `main_type` is a pattern of
    the types that this part may have.
    """

    called: str
    default_main: str
    main_type: str

    def recognises(self, content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold such a document.

        The archive's directory decides, or the beginning of its list of content types; the rest is
        parsed in the sandboxed process only. A damaged archive counts if it begins like such a
        document, so that the error names its kind.
        """
        if not content.head.startswith(ZIPPED):
            return False
        try:
            archive = Beginnings(content, self.called)
            return self.default_main in archive.names or self._listed(archive)
        except UnreadableError:
            # The header of an entry has 30 bytes, then comes its name.
            part = re.escape(dirname(self.default_main)).encode() + rb"/(?:_rels/)?\w+\.(?:xml|bin)"
            return re.search(ZIPPED + rb".{26}" + part, content.head, re.DOTALL) is not None

    def main(self, archive: Archive) -> str:
        """The name of the main part. Raises UnreadableError if there is none."""
        for _, part in related(archive, "", ("officeDocument",)):
            if any(re.fullmatch(self.main_type, each) for each in types(archive, part)):
                return part
        if self.default_main not in archive.names:
            raise archive.damaged("it has no main part")
        return self.default_main

    def _listed(self, archive: NamedEntries) -> bool:
        blocks = archive.blocks(_TYPES) if _TYPES in archive.names else iter([b""])
        return re.search(self.main_type, next(blocks, b"").decode("latin-1")) is not None


def parsed(archive: Archive, part: str, target: Any) -> Iterator[Any]:
    """Parse a part with `target` and yield what it has taken, by blocks. Raises UnreadableError."""
    return fed(archive.blocks(part), target, lambda why: archive.damaged(f"{part}: {why}"))


def fed(
    blocks: Iterable[bytes], target: Any, damaged: Callable[[str], UnreadableError]
) -> Iterator[Any]:
    """Parse an XML file with `target` and yield what it has taken, by blocks.

    No tree is built, so that memory does not grow with the file. If it cannot be parsed, the error
    that `damaged` returns for the reason is raised.
    """
    from lxml import etree

    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for block in blocks:
            parser.feed(block)
            yield target.taken()
        parser.close()
    except etree.XMLSyntaxError as error:
        raise damaged(str(error.msg)) from error
    except _DoctypeError as error:
        raise damaged("has a document type, which can do harm") from error
    yield target.taken()


def tree(archive: Archive, part: str) -> Element:
    """The tree of a part that is short. Raises UnreadableError."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(b"".join(archive.blocks(part)), parser)
    except etree.XMLSyntaxError as error:
        raise archive.damaged(f"{part}: {error.msg}") from error
    if root.getroottree().docinfo.doctype:
        raise archive.damaged(f"{part}: has a document type, which can do harm")
    return root


def related(archive: Archive, source: str, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """The kind and name of each part of those kinds that the part `source` refers to."""
    matching = relations(archive, source, kinds)
    return list(dict.fromkeys((each.kind, each.part) for each in matching))


def relations(archive: Archive, source: str, kinds: Container[str] = ()) -> Iterator[Relation]:
    """The relationships of the part `source` within the package, or of the package ("").

    Those of `kinds`; all if none is given.
    """
    folder, _, name = source.rpartition("/")
    for _, each in elements(archive, join(folder, "_rels", name + ".rels")):
        kind = each.get("Type", "").rpartition("/")[2]
        if (kinds and kind not in kinds) or each.get("TargetMode") == "External":
            continue
        part = normpath(join("/" + folder, each.get("Target", ""))).lstrip("/")
        if part in archive.names:
            yield Relation(each.get("Id", ""), kind, part)


def link(attrib: Mapping[str, str]) -> str:
    """The id of the relation that an element names, "" if it names none."""
    # What is called id without a name space is another thing.
    return next((attrib[key] for key in attrib if key.endswith("}id")), "")


def types(archive: Archive, part: str) -> Iterator[str]:
    """The content types of a part: its own and that of its extension."""
    names = ("/" + part, splitext(part)[1][1:])
    for _, each in elements(archive, _TYPES):
        if each.get("PartName", each.get("Extension")) in names:
            yield each.get("ContentType", "")


def mimetype(archive: NamedEntries) -> str:
    """The content of the entry `mimetype`, as in ODF and EPUB packages; "" if none."""
    blocks = archive.blocks(MIMETYPE) if MIMETYPE in archive.names else iter([b""])
    return next(blocks, b"")[:200].decode("latin-1").strip()


def elements(archive: Archive, part: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Tag and attributes of each element of a part; none if there is no such part."""
    if part in archive.names:
        for each in parsed(archive, part, _Elements()):
            yield from each


class _DoctypeError(Exception):
    """A document type declaration, which no part of a package may have."""


class _Elements(Target):
    """Parser target that collects the elements of a part."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, Mapping[str, str]]] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        self._seen.append((tag, attrib))

    def taken(self) -> list[tuple[str, Mapping[str, str]]]:
        """The elements since the last call."""
        seen, self._seen = self._seen, []
        return seen
