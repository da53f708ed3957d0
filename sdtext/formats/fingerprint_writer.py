"""The `<fingerprint>` element and the container `<fingerprints>`, written."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import BinaryIO

from sdtext.formats.dictionary_xml import dictionary_lines, system_lines
from sdtext.formats.hardened_xml import escaped_name
from sdtext.formats.xml_writer import (
    closed,
    element,
    escaped,
    given,
    opened,
    passed_on,
    write_lines,
)
from sdtext.model import (
    FORMAT_VERSION,
    DataSource,
    DictionaryReference,
    DictionarySource,
    Fingerprint,
    System,
    TokenDigest,
    Vector,
)
from sdtext.model.dictionary import Dictionary

_REPEATED = 64  # what all fingerprints of a container say alike is spelled once


def write_fingerprint(
    file: BinaryIO, fingerprint: Fingerprint, dictionaries: Sequence[Dictionary] = ()
) -> None:
    """Write a `<fingerprint>` file, with `dictionaries` embedded."""
    write_lines(file, _lines(fingerprint, dictionaries, is_root=True))


def write_fingerprints(
    file: BinaryIO, fingerprints: Iterable[Fingerprint], dictionaries: Sequence[Dictionary] = ()
) -> None:
    """Write a `<fingerprints>` file, with `dictionaries` embedded once."""
    write_lines(file, _container_lines(fingerprints, dictionaries))


def _container_lines(
    fingerprints: Iterable[Fingerprint], dictionaries: Sequence[Dictionary]
) -> Iterator[str]:
    yield opened("fingerprints", is_root=True, version=FORMAT_VERSION)
    for dictionary in dictionaries:
        yield from dictionary_lines(dictionary)
    for fingerprint in fingerprints:
        yield "".join(_lines(fingerprint))
    yield closed("fingerprints")


def _lines(
    fingerprint: Fingerprint, dictionaries: Sequence[Dictionary] = (), *, is_root: bool = False
) -> Iterator[str]:
    guid = {"guid": fingerprint.origin.guid} if fingerprint.origin.guid else {}
    yield opened("fingerprint", is_root=is_root, version=FORMAT_VERSION, **guid)
    yield element("fingerprinter", fingerprint.kind)
    yield given("created", fingerprint.origin.created)
    yield _system(fingerprint.origin.system)
    yield given("creator", fingerprint.creator)
    yield given("program", fingerprint.program)
    for name, version in fingerprint.libraries:
        yield element("library", name=name, version=version)
    yield _references(fingerprint.dictionaries)
    if fingerprint.source:
        yield from _source(fingerprint.source)
    yield from map(_vector, fingerprint.vectors)
    for digest in fingerprint.digests:
        yield from _digest(digest)
    yield passed_on(fingerprint.unknown)
    for dictionary in dictionaries:
        yield from dictionary_lines(dictionary)
    yield closed("fingerprint")


@lru_cache(_REPEATED)
def _system(system: System | None) -> str:
    return "".join(system_lines(system))


@lru_cache(_REPEATED)
def _references(references: tuple[DictionaryReference, ...]) -> str:
    return "".join(map(_reference, references))


def _reference(reference: DictionaryReference) -> str:
    named = {
        "guid": reference.guid,
        "digest": reference.digest,
        "terms": str(reference.terms),
        "version": reference.version,
    }
    if reference.name:
        named["name"] = reference.name
    if reference.directory:
        named["directory"] = escaped_name(reference.directory)
    return element("dictionaryReference", **named)


def _source(source: DataSource) -> Iterator[str]:
    yield f"<dataSource>\n<filename>{escaped(escaped_name(source.filename))}</filename>\n"
    yield given("volume", source.volume)
    yield given("image_filename", escaped_name(source.image))
    if source.byte_runs:
        yield opened("byte_runs")
        for run in source.byte_runs:
            yield element("byte_run", img_offset=str(run.img_offset), len=str(run.length))
        yield closed("byte_runs")
    yield _homes(source.dictionaries)
    yield passed_on(source.unknown)
    yield "</dataSource>\n"


@lru_cache(_REPEATED)
def _homes(homes: tuple[DictionarySource, ...]) -> str:
    return "".join(line for home in homes for line in _home(home))


def _home(home: DictionarySource) -> Iterator[str]:
    yield opened("dictionarySource", dictionary=home.dictionary)
    yield given("filename", escaped_name(home.filename))
    yield from system_lines(home.system)
    yield passed_on(home.unknown)
    yield closed("dictionarySource")


def _vector(vector: Vector) -> str:
    place = vector.place
    where = (
        f' first="{place.first}" tokens="{place.tokens}" offset="{place.offset}" '
        f'length="{place.length}"'
        if place
        else ""
    )
    language = f' language="{escaped(vector.language)}"' if vector.language else ""
    return (
        f'<vector dictionary="{escaped(vector.dictionary)}" bits="{vector.length}"{language} '
        f'set="{vector.count}"{where}>{_base64(vector.packed)}</vector>\n'
    )


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")


def _digest(digest: TokenDigest) -> Iterator[str]:
    yield opened(
        "digest",
        dictionary=digest.dictionary,
        first=str(digest.first),
        tokens=str(digest.tokens),
        width=str(digest.width),
        compression="zlib",
        level=str(digest.level),
    )
    yield element("places", _base64(digest.packed))
    if digest.unknown_words:
        words = str(digest.unknown_words)
        yield element("unknown", _base64(digest.unknown), words=words)
    yield closed("digest")
