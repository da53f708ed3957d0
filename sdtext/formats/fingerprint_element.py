"""What a `<fingerprint>` element says, checked."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats.dictionary_xml import system_from
from sdtext.formats.hardened_xml import kept, local, unescaped_name, unknown_in, whole_number
from sdtext.model import (
    FORMAT_VERSION,
    ByteRun,
    DataSource,
    DictionaryReference,
    DictionarySource,
    Fingerprint,
    Origin,
    Place,
    System,
    TokenDigest,
    Vector,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TEXTS = ("fingerprinter", "created", "creator", "program")


@dataclass
class _Found:
    """What was read of a `<fingerprint>`."""

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    system: System | None = None
    source: DataSource | None = None
    references: list[DictionaryReference] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)
    digests: list[TokenDigest] = field(default_factory=list)
    libraries: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def fingerprint_from(root: Element, name: str) -> Fingerprint:
    """The fingerprint that an element describes; `name` is for messages. Raises FormatError."""
    found = _Found(name)
    for child in root:
        tag = local(child)
        if tag in _TEXTS:
            found.texts[tag] = child.text or ""
        elif tag != "dictionary":
            _TAKERS.get(tag, _take_unknown)(found, child)
    if not found.vectors:
        raise FormatError(f"{name}: is damaged: it has no <vector>")
    return Fingerprint(
        found.texts.get("fingerprinter", "").strip(),
        tuple(found.vectors),
        tuple(found.references),
        Origin(root.get("guid", ""), found.texts.get("created", "").strip(), found.system),
        found.source,
        found.texts.get("creator", ""),
        found.texts.get("program", ""),
        tuple(found.digests),
        tuple(found.libraries),
        tuple(found.unknown),
    )


def _take_unknown(found: _Found, child: Element) -> None:
    found.unknown.append(kept(child))


def _take_system(found: _Found, child: Element) -> None:
    found.system = system_from(child)


def _take_library(found: _Found, child: Element) -> None:
    found.libraries.append((child.get("name", ""), child.get("version", "")))


def _take_reference(found: _Found, child: Element) -> None:
    guid, digest = child.get("guid"), child.get("digest")
    if not guid or not digest:
        raise FormatError(
            f"{found.name}: is damaged: a <dictionaryReference> lacks its guid or digest"
        )
    reference = DictionaryReference(
        guid,
        digest,
        whole_number(child.get("terms"), "terms of <dictionaryReference>", found.name),
        child.get("version", FORMAT_VERSION),
        child.get("name", ""),
        unescaped_name(child.get("directory", "")),
    )
    found.references.append(reference)


def _take_vector(found: _Found, child: Element) -> None:
    """Add the checked vector: as long as its dictionary, padding zero, as many bits set as said."""
    name = found.name
    length = whole_number(child.get("bits"), "bits of <vector>", name)
    terms = _named_dictionary(found, child).terms
    packed = _base64(child, name)
    vector = Vector(
        packed,
        length,
        child.get("dictionary", ""),
        _place(child, name),
        child.get("language", ""),
    )
    if length != terms or len(packed) != (length + 7) // 8:
        raise FormatError(
            f"{name}: is damaged: <vector> says {length} bits and holds {len(packed)} bytes; its "
            f"dictionary has {terms} terms ({(terms + 7) // 8} bytes)"
        )
    if vector.number >> length:
        raise FormatError(f"{name}: is damaged: padding bits of <vector> are not zero")
    said = whole_number(child.get("set"), "set of <vector>", name)
    if vector.count != said:
        raise FormatError(
            f"{name}: is damaged: <vector> says {said} bits are set and has {vector.count}"
        )
    found.vectors.append(vector)


def _named_dictionary(found: _Found, child: Element) -> DictionaryReference:
    guid = child.get("dictionary", "")
    for reference in found.references:
        if reference.guid == guid:
            return reference
    raise FormatError(
        f"{found.name}: is damaged: a <{local(child)}> names a dictionary that is not there"
    )


def _base64(element: Element, name: str) -> bytes:
    try:
        return b64decode((element.text or "").strip(), validate=True)
    except (Base64Error, ValueError) as error:
        raise FormatError(
            f"{name}: is damaged: the base64 of <{local(element)}>: {error}"
        ) from error


def _place(element: Element, name: str) -> Place | None:
    if element.get("first") is None:
        return None
    tag = local(element)
    keys = ("first", "tokens", "offset", "length")
    return Place(*(whole_number(element.get(key), f"{key} of <{tag}>", name) for key in keys))


def _take_digest(found: _Found, child: Element) -> None:
    name = found.name
    number = {
        key: whole_number(child.get(key), f"{key} of <digest>", name)
        for key in ("first", "tokens", "width", "level")
    }
    compression = child.get("compression", "")
    if compression != "zlib" or number["width"] not in (2, 4):
        raise FormatError(
            f"{name}: has a digest in {compression[:20]!r} with a width of {number['width']}; this "
            "sdtext reads zlib with 2 or 4"
        )
    parts = {local(part): part for part in child}
    if "places" not in parts:
        raise FormatError(f"{name}: is damaged: a <digest> has no <places>")
    unknown = parts.get("unknown")
    words = 0
    if unknown is not None:
        words = whole_number(unknown.get("words"), "words of <unknown>", name)
    digest = TokenDigest(
        _base64(parts["places"], name),
        b"" if unknown is None else _base64(unknown, name),
        _named_dictionary(found, child).guid,
        unknown_words=words,
        **number,
    )
    found.digests.append(digest)


def _take_source(found: _Found, child: Element) -> None:
    texts = dict.fromkeys(("filename", "volume", "image_filename"), "")
    runs: list[ByteRun] = []
    homes: list[DictionarySource] = []
    for item in child:
        tag = local(item)
        if tag in texts:
            texts[tag] = item.text or ""
        elif tag == "byte_runs":
            runs += [_byte_run(run, found.name) for run in item if local(run) == "byte_run"]
        elif tag == "dictionarySource":
            homes.append(_home(item, found))
    found.source = DataSource(
        unescaped_name(texts["filename"]),
        texts["volume"],
        unescaped_name(texts["image_filename"]),
        tuple(runs),
        tuple(homes),
        unknown_in(child, (*texts, "byte_runs", "dictionarySource")),
    )


def _byte_run(run: Element, name: str) -> ByteRun:
    return ByteRun(
        whole_number(run.get("img_offset"), "img_offset of <byte_run>", name),
        whole_number(run.get("len"), "len of <byte_run>", name),
    )


def _home(item: Element, found: _Found) -> DictionarySource:
    """Where a dictionary was found; the first one's home where nothing else is said."""
    texts = {local(child): child for child in item}
    system = texts.get("execution_environment")
    filename = texts.get("filename")
    return DictionarySource(
        item.get("dictionary") or (found.references[0].guid if found.references else ""),
        "" if filename is None else unescaped_name(filename.text or ""),
        None if system is None else system_from(system),
        unknown_in(item, ("filename", "execution_environment")),
    )


_TAKERS: dict[str, Callable[[_Found, Element], None]] = {
    "execution_environment": _take_system,
    "library": _take_library,
    "dictionaryReference": _take_reference,
    "dataSource": _take_source,
    "vector": _take_vector,
    "digest": _take_digest,
}
