"""The `<fingerprint>` element, and `<fingerprints>`, which holds many with one dictionary."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections import deque
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, BinaryIO

from sdtext.dictionary import Dictionary
from sdtext.errors import FormatError
from sdtext.formats import NAMESPACE
from sdtext.formats.dictionary_xml import (
    dictionary_element,
    dictionary_from,
    system_element,
    system_from,
    text_element,
)
from sdtext.formats.xml import (
    check_version,
    escaped_name,
    events,
    forget,
    line,
    local,
    unescaped_name,
    whole_number,
)
from sdtext.model import (
    FORMAT_VERSION,
    DataSource,
    DictionaryReference,
    Fingerprint,
    Origin,
    Vector,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element
    from lxml.etree._serializer import _IncrementalFileWriter as Writer

_TEXTS = ("fingerprinter", "created", "creator", "program")


def write_fingerprint(
    file: BinaryIO, fingerprint: Fingerprint, dictionary: Dictionary | None = None
) -> None:
    """Write a `<fingerprint>` file, with `dictionary` embedded if given."""
    from lxml import etree

    with etree.xmlfile(file, encoding="utf-8") as out:
        out.write_declaration()
        fingerprint_element(out, fingerprint, dictionary)
    file.write(b"\n")


def write_fingerprints(
    file: BinaryIO, fingerprints: Iterable[Fingerprint], dictionary: Dictionary | None = None
) -> None:
    """Write a `<fingerprints>` file, with `dictionary` embedded once if given."""
    from lxml import etree

    with etree.xmlfile(file, encoding="utf-8") as out:
        out.write_declaration()
        with out.element("fingerprints", version=FORMAT_VERSION, nsmap={None: NAMESPACE}):
            if dictionary:
                out.write("\n")
                dictionary_element(out, dictionary)
            for fingerprint in fingerprints:
                out.write("\n")
                fingerprint_element(out, fingerprint)
    file.write(b"\n")


def fingerprint_element(
    out: Writer, fingerprint: Fingerprint, dictionary: Dictionary | None = None
) -> None:
    """Write the `<fingerprint>` element."""
    attributes = {"version": FORMAT_VERSION}
    if fingerprint.origin.guid:
        attributes["guid"] = fingerprint.origin.guid
    with out.element("fingerprint", attributes, nsmap={None: NAMESPACE}):
        text_element(out, "fingerprinter", fingerprint.kind)
        text_element(out, "created", fingerprint.origin.created)
        system_element(out, fingerprint.origin.system)
        text_element(out, "creator", fingerprint.creator)
        text_element(out, "program", fingerprint.program)
        for reference in fingerprint.dictionaries:
            _reference_element(out, reference)
        if fingerprint.source:
            _source_element(out, fingerprint.source)
        for vector in fingerprint.vectors:
            place = {
                "dictionary": vector.dictionary,
                "bits": str(vector.length),
                "set": str(vector.count),
            }
            text_element(out, "vector", b64encode(vector.packed).decode("ascii"), **place)
        if dictionary:
            out.write("\n")
            dictionary_element(out, dictionary)


def _reference_element(out: Writer, reference: DictionaryReference) -> None:
    attributes = {
        "guid": reference.guid,
        "digest": reference.digest,
        "terms": str(reference.terms),
        "version": reference.version,
    }
    if reference.name:
        attributes["name"] = reference.name
    if reference.directory:
        attributes["directory"] = escaped_name(reference.directory)
    with line(out, "dictionaryReference", **attributes):
        pass


def _source_element(out: Writer, source: DataSource) -> None:
    with line(out, "dataSource"):
        text_element(out, "filename", escaped_name(source.filename))
        if source.dictionary_path or source.dictionary_system:
            with line(out, "dictionarySource"):
                text_element(out, "filename", escaped_name(source.dictionary_path))
                system_element(out, source.dictionary_system)


def read_fingerprints(file: IO[bytes], name: str) -> Iterator[Fingerprint | Dictionary]:
    """What a `<fingerprint>` or `<fingerprints>` file holds, one by one, in its order.

    An embedded dictionary comes as a Dictionary: at the head of a container, behind the
    fingerprint it stands in otherwise. `name` is for messages. Raises FormatError.
    """
    stream = events(file, name)
    for _, root in stream:
        _check_root(root, name)
        if local(root) == "fingerprint":
            whole = list(_fingerprint(root, stream, name))
            deque(stream, 0)  # what stands behind its end is an error
            yield from whole
        else:
            yield from _contained(root, stream, name)
        return
    raise FormatError(f"{name}: is empty")


def _contained(
    root: Element, stream: Iterator[tuple[str, Element]], name: str
) -> Iterator[Fingerprint | Dictionary]:
    """What a `<fingerprints>` that has just begun holds."""
    count = 0
    for event, element in stream:
        tag = local(element)
        if event == "start" and tag == "fingerprint":
            count += 1
            yield from _fingerprint(element, stream, f"{name}: fingerprint {count}")
        elif event == "start" and tag == "dictionary":
            yield dictionary_from(element, stream, name)
        elif event == "end" and element is not root:
            forget(element)


def _check_root(root: Element, name: str) -> None:
    if local(root) not in ("fingerprint", "fingerprints"):
        raise FormatError(f"{name}: is not a fingerprint: it begins with <{root.tag!s}>")
    check_version(root, name)


def _fingerprint(
    root: Element, stream: Iterator[tuple[str, Element]], name: str
) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprint whose element has just begun, and the dictionary in it if there is one."""
    check_version(root, name)
    embedded = []
    for event, element in stream:
        if event == "end" and element is root:
            break
        if event == "start" and element.getparent() is root and local(element) == "dictionary":
            embedded.append(dictionary_from(element, stream, name))
    fingerprint = _assembled(root, name)
    named = {one.digest for one in fingerprint.dictionaries}
    if not named.issuperset(one.digest for one in embedded):
        raise FormatError(f"{name}: is damaged: the dictionary inside is not the one it names")
    forget(root)
    yield fingerprint
    yield from embedded


def _assembled(root: Element, name: str) -> Fingerprint:
    references = tuple(
        _reference(child, name) for child in root if local(child) == "dictionaryReference"
    )
    vectors = tuple(_vector(child, references, name) for child in root if local(child) == "vector")
    if not vectors:
        raise FormatError(f"{name}: is damaged: it has no <vector>")
    texts = dict.fromkeys(_TEXTS, "")
    system = source = None
    for child in root:
        tag = local(child)
        if tag in texts:
            texts[tag] = (child.text or "").strip()
        elif tag == "execution_environment":
            system = system_from(child)
        elif tag == "dataSource":
            source = _source(child)
    return Fingerprint(
        texts["fingerprinter"],
        vectors,
        references,
        Origin(root.get("guid", ""), texts["created"], system),
        source,
        texts["creator"],
        texts["program"],
    )


def _reference(element: Element, name: str) -> DictionaryReference:
    guid, digest = element.get("guid"), element.get("digest")
    if not guid or not digest:
        raise FormatError(f"{name}: is damaged: a <dictionaryReference> lacks its guid or digest")
    return DictionaryReference(
        guid,
        digest,
        whole_number(element.get("terms"), "terms of <dictionaryReference>", name),
        element.get("version", FORMAT_VERSION),
        element.get("name", ""),
        unescaped_name(element.get("directory", "")),
    )


def _vector(element: Element, references: tuple[DictionaryReference, ...], name: str) -> Vector:
    """The checked vector: as long as its dictionary, padding zero, as many bits set as said."""
    length = whole_number(element.get("bits"), "bits of <vector>", name)
    guid = element.get("dictionary", "")
    reference = next((one for one in references if one.guid == guid), None)
    if reference is None:
        raise FormatError(f"{name}: is damaged: a <vector> names a dictionary that is not there")
    try:
        packed = b64decode((element.text or "").strip(), validate=True)
    except (Base64Error, ValueError) as error:
        raise FormatError(f"{name}: is damaged: the base64 of <vector>: {error}") from error
    vector = Vector(packed, length, guid)
    if length != reference.terms or len(packed) != (length + 7) // 8:
        raise FormatError(
            f"{name}: is damaged: <vector> says {length} bits and holds {len(packed)} bytes; its "
            f"dictionary has {reference.terms} terms ({(reference.terms + 7) // 8} bytes)"
        )
    if vector.number >> length:
        raise FormatError(f"{name}: is damaged: padding bits of <vector> are not zero")
    said = whole_number(element.get("set"), "set of <vector>", name)
    if vector.count != said:
        raise FormatError(
            f"{name}: is damaged: <vector> says {said} bits are set and has {vector.count}"
        )
    return vector


def _source(element: Element) -> DataSource:
    filename = dictionary_path = ""
    system = None
    for child in element:
        if local(child) == "filename":
            filename = unescaped_name(child.text or "")
        elif local(child) == "dictionarySource":
            dictionary_path = unescaped_name(child.findtext("{*}filename") or "")
            found = child.find("{*}execution_environment")
            system = None if found is None else system_from(found)
    return DataSource(filename, dictionary_path, system)
