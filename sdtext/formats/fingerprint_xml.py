"""The `<fingerprint>` element and the container `<fingerprints>`: written, and read as a stream.

A fast reader takes containers in the form that sdtext writes. Most fingerprints of a container
differ only in GUID, time, file name and vector. The rest of the XML is the frame. The XML parser
reads the first fingerprint with a frame; a later one with the same frame, byte for byte, is a copy
of it with other values. Values are used without parsing only if they cannot contain markup.
Everything else goes to the parser.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode
from binascii import Error as Base64Error
from binascii import b2a_base64
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from itertools import count
from typing import IO, BinaryIO, NamedTuple

from sdtext.errors import FormatError
from sdtext.formats import NAMESPACE
from sdtext.formats import hardened_xml as xml
from sdtext.formats.dictionary_xml import (
    TAGS,
    dictionary_from,
    dictionary_lines,
    system_from,
    system_xml,
)
from sdtext.formats.hardened_xml import Item
from sdtext.model import (
    FORMAT_VERSION,
    ByteRun,
    DataSource,
    DictionaryReference,
    DictionarySource,
    Fingerprint,
    Origin,
    Place,
    SentenceCodes,
    Sketch,
    TokenDigest,
    Vector,
)
from sdtext.model.dictionary import Dictionary

_REPEATED = 64  # texts repeated in all fingerprints of a container are escaped once


# Vectors and digests, too: a fingerprint can be very long, and each event frees the limits anew.
_TAGS = ("fingerprint", "fingerprints", "vector", "digest", *TAGS)
_BEGIN = (
    f'{xml.DECLARATION}<fingerprints xmlns="{NAMESPACE}" version="{FORMAT_VERSION}">\n'.encode()
)
_END = b"</fingerprints>\n"
_FIRST = b"\n<fingerprint "
_CLOSE = b"</fingerprint>\n"
_DIGEST = b'<hashdigest type="SHA256">'
_BLOCK = 1 << 20
_LONGEST = 1 << 20  # bytes of a fingerprint; longer ones gain nothing here
_WIDEST = 1 << 10  # bytes of a code
_MOST_SLOW = 64  # fingerprints that are unlike those before; then the parser reads all
_MARKED_UP = re.compile(rb"[<>&\x00-\x1f]")
_GUID = re.compile(rb"[0-9a-f-]{36}")
_TIME = re.compile(rb"[0-9TZ:.+-]{1,40}")


def write_fingerprint(
    file: BinaryIO, fingerprint: Fingerprint, dictionaries: Sequence[Dictionary] = ()
) -> None:
    """Write a `<fingerprint>` file, with `dictionaries` embedded."""
    xml.write_lines(file, _lines(fingerprint, dictionaries, is_root=True))


def write_fingerprints(
    file: BinaryIO, fingerprints: Iterable[Fingerprint], dictionaries: Sequence[Dictionary] = ()
) -> None:
    """Write a `<fingerprints>` file, with `dictionaries` embedded once."""

    def lines() -> Iterator[str]:
        yield xml.opened("fingerprints", is_root=True, version=FORMAT_VERSION)
        for dictionary in dictionaries:
            yield from dictionary_lines(dictionary)
        for fingerprint in fingerprints:
            yield "".join(_lines(fingerprint))
        yield xml.closed("fingerprints")

    xml.write_lines(file, lines())


def _lines(
    fingerprint: Fingerprint, dictionaries: Sequence[Dictionary] = (), *, is_root: bool = False
) -> Iterator[str]:
    guid = fingerprint.origin.guid or None
    yield xml.opened("fingerprint", is_root=is_root, version=FORMAT_VERSION, guid=guid)
    known = _known(fingerprint)
    covered = "".join(_content(known))
    yield covered if known is fingerprint else "".join(_content(fingerprint))
    yield xml.element("hashdigest", xml.content_digest(known.origin, covered), type="SHA256")
    yield xml.passed_on(fingerprint.unknown)
    for dictionary in dictionaries:
        yield from dictionary_lines(dictionary)
    yield xml.closed("fingerprint")


def _known(fingerprint: Fingerprint) -> Fingerprint:
    """The fingerprint without elements of later versions, which its digest does not cover."""
    system, source = fingerprint.origin.system, fingerprint.source
    homes = source.dictionaries if source else ()
    items = [fingerprint, system, source, *homes, *[home.system for home in homes]]
    if not any(item and item.unknown for item in items):
        return fingerprint
    if source:
        homes = tuple(
            replace(home, unknown=(), system=home.system and replace(home.system, unknown=()))
            for home in homes
        )
        source = replace(source, unknown=(), dictionaries=homes)
    origin = replace(fingerprint.origin, system=system and replace(system, unknown=()))
    return replace(fingerprint, unknown=(), origin=origin, source=source)


def _content(fingerprint: Fingerprint) -> Iterator[str]:
    """The lines that the digest covers, after the GUID."""
    origin = fingerprint.origin
    yield xml.element("fingerprinter", fingerprint.kind, sdtext=fingerprint.sdtext_version or None)
    yield xml.given("created", origin.created)
    yield system_xml(origin.system)
    yield xml.given("creator", fingerprint.creator)
    yield xml.given("program", fingerprint.program)
    for name, version in fingerprint.libraries:
        yield xml.element("library", name=name, version=version)
    yield _references(fingerprint.dictionaries)
    if fingerprint.source:
        yield from _source_lines(fingerprint.source)
    yield from map(_vector_line, fingerprint.vectors)
    for digest in fingerprint.digests:
        yield xml.opened(
            "digest",
            dictionary=digest.dictionary,
            first=digest.first,
            tokens=digest.tokens,
            width=digest.width,
            compression="zlib",
            level=digest.level,
        )
        yield xml.element("places", _encoded(digest.packed))
        if digest.unknown_words:
            yield xml.element("unknown", _encoded(digest.unknown), words=digest.unknown_words)
        yield xml.closed("digest")
    if codes := fingerprint.codes:
        numbers = {"sentences": len(codes), "width": codes.width, "short": codes.short}
        yield xml.element("codes", _encoded(codes.rows), recipe=codes.recipe, **numbers)
    if sketch := fingerprint.sketch:
        stated = {"recipe": sketch.recipe, "positions": sketch.positions}
        yield xml.element("sketch", _encoded(sketch.packed), **stated)


@lru_cache(_REPEATED)
def _references(references: tuple[DictionaryReference, ...]) -> str:
    return "".join(
        xml.element(
            "dictionaryReference",
            guid=item.guid,
            digest=item.digest,
            terms=item.terms,
            version=item.version,
            name=item.name or None,
            directory=xml.escaped_name(item.directory) or None,
        )
        for item in references
    )


def _source_lines(source: DataSource) -> Iterator[str]:
    yield f"<dataSource>\n<filename>{xml.escaped(xml.escaped_name(source.filename))}</filename>\n"
    yield xml.given("volume", source.volume)
    yield xml.given("image_filename", xml.escaped_name(source.image))
    if source.byte_runs:
        yield xml.opened("byte_runs")
        for run in source.byte_runs:
            yield xml.element("byte_run", img_offset=run.img_offset, len=run.length)
        yield xml.closed("byte_runs")
    yield _homes(source.dictionaries)
    yield xml.passed_on(source.unknown)
    yield "</dataSource>\n"


@lru_cache(_REPEATED)
def _homes(homes: tuple[DictionarySource, ...]) -> str:
    lines = []
    for home in homes:
        lines += [
            xml.opened("dictionarySource", dictionary=home.dictionary),
            xml.given("filename", xml.escaped_name(home.filename)),
            system_xml(home.system),
            xml.passed_on(home.unknown),
            xml.closed("dictionarySource"),
        ]
    return "".join(lines)


def _vector_line(vector: Vector) -> str:
    place = vector.place
    where = (
        f' first="{place.first}" tokens="{place.tokens}" offset="{place.offset}" '
        f'length="{place.length}"'
        if place
        else ""
    )
    language = f' language="{xml.escaped(vector.language)}"' if vector.language else ""
    return (
        f'<vector dictionary="{xml.escaped(vector.dictionary)}" bits="{vector.length}"{language} '
        f'set="{vector.count}"{where}>{_encoded(vector.packed)}</vector>\n'
    )


def _encoded(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")


_KNOWN = {
    *("fingerprinter", "created", "execution_environment", "creator", "program", "hashdigest"),
    *("library", "dictionaryReference", "dataSource", "vector", "digest", "codes", "sketch"),
    "dictionary",
}


def fingerprint_from(root: xml.Element, name: str) -> Fingerprint:
    """The fingerprint that an element describes; `name` is for messages. Raises FormatError."""
    item = Item(root, name)
    children = item.children()
    texts = xml.last_texts(children)
    references = {each.guid: each for each in map(_reference_from, children["dictionaryReference"])}
    vectors = tuple(_vector_from(child, references) for child in children["vector"])
    codes = [*map(_codes_from, children["codes"][-1:])]
    sketches = [*map(_sketch_from, children["sketch"][-1:])]
    if not (vectors or codes or sketches):
        raise xml.damaged("it has no <vector>", name)
    system, source = children["execution_environment"], children["dataSource"]
    fingerprint = Fingerprint(
        texts.get("fingerprinter", "").strip(),
        vectors,
        tuple(references.values()),
        Origin(
            item.get("guid"),
            texts.get("created", "").strip(),
            system_from(system[-1]) if system else None,
        ),
        _source_from(source[-1], next(iter(references), "")) if source else None,
        texts.get("creator", ""),
        texts.get("program", ""),
        tuple(_digest_from(child, references) for child in children["digest"]),
        tuple((child.get("name"), child.get("version")) for child in children["library"]),
        xml.unknown_in(root, _KNOWN),
        "".join(child.get("sdtext") for child in children["fingerprinter"][-1:]),
        codes[0] if codes else None,
        sketches[0] if sketches else None,
    )
    if "hashdigest" in texts:
        digest = xml.content_digest(fingerprint.origin, "".join(_content(_known(fingerprint))))
        xml.check_digest(texts["hashdigest"] or "none", digest, name)
    return fingerprint


_References = Mapping[str, DictionaryReference]


def _reference_from(item: Item) -> DictionaryReference:
    guid, digest = item.get("guid"), item.get("digest")
    if not guid or not digest:
        raise item.damage("lacks its guid or digest")
    return DictionaryReference(
        guid,
        digest,
        item.number("terms"),
        item.get("version", FORMAT_VERSION),
        item.get("name"),
        xml.unescaped_name(item.get("directory")),
    )


def _vector_from(item: Item, references: _References) -> Vector:
    """A vector, after checking its length, its padding bits and its number of set bits."""
    length, packed, guid = item.number("bits"), item.base64(), _dictionary_of(item, references)
    place = None
    if "first" in item.element.attrib:
        place = Place(*map(item.number, ("first", "tokens", "offset", "length")))
    vector = Vector(packed, length, guid, place, item.get("language"))
    terms, declared = references[guid].terms, item.number("set")
    if length != terms or len(packed) != (length + 7) // 8:
        raise item.damage(
            f"says {length} bits and holds {len(packed)} bytes; its dictionary has {terms} terms"
        )
    if length % 8 and packed[-1] >> length % 8:
        raise item.damage("has padding bits that are not zero")
    if vector.count != declared:
        raise item.damage(f"says {declared} bits are set and has {vector.count}")
    return vector


def _dictionary_of(item: Item, references: _References) -> str:
    """The GUID of the dictionary of a vector or a digest, which must be among the references."""
    guid = item.get("dictionary")
    if guid not in references:
        raise item.damage("names a dictionary that is not there")
    return guid


def _digest_from(item: Item, references: _References) -> TokenDigest:
    first, tokens, width, level = map(item.number, ("first", "tokens", "width", "level"))
    compression = item.get("compression")
    if compression != "zlib" or width not in (2, 4):
        what = f"has a digest in {compression[:20]!r} with a width of {width}"
        raise FormatError(f"{what}; this sdtext reads zlib with 2 or 4", file=item.name)
    children = item.children()
    if not children["places"]:
        raise item.damage("has no <places>")
    unknown = children["unknown"][-1:]
    return TokenDigest(
        children["places"][-1].base64(),
        b"".join(part.base64() for part in unknown),
        _dictionary_of(item, references),
        first,
        tokens,
        sum(part.number("words") for part in unknown),
        width,
        level,
    )


def _codes_from(item: xml.Item) -> SentenceCodes:
    """Sentence codes, after checking their number and their places."""
    width, number = item.number("width", most=_WIDEST), item.number("sentences")
    codes = SentenceCodes(item.get("recipe"), item.base64(), width, item.number("short"))
    if not width or len(codes.rows) != number * (8 + width):
        raise item.damage(f"says {number} sentences and holds {len(codes.rows)} bytes")
    places = [
        struct.unpack_from("<II", codes.rows, at) for at in range(0, len(codes.rows), 8 + width)
    ]
    if any(end < start for start, end in places) or places != sorted(places):
        raise item.damage("has sentences that are not in order")
    return codes


def _sketch_from(item: xml.Item) -> Sketch:
    """A sketch, after checking its bytes and its number of positions."""
    from sdtext.kernels.bottom_k import unpacked  # of arrays, which many files do not need

    sketch = Sketch(item.get("recipe"), item.base64(), item.number("positions"))
    try:
        positions = len(unpacked(sketch.packed)) - 1
    except ValueError as error:
        raise item.damage("has bytes that are no sketch") from error
    if positions != sketch.positions:
        raise item.damage(f"says {sketch.positions} positions and holds {positions}")
    return sketch


_KNOWN_IN_SOURCE = ("filename", "volume", "image_filename", "byte_runs", "dictionarySource")


def _source_from(item: Item, first: str) -> DataSource:
    """The source; `first` is the GUID of the dictionary whose home names none."""
    children = item.children()
    texts = xml.last_texts(children)
    runs = [run for each in children["byte_runs"] for run in each.children()["byte_run"]]
    homes = []
    for home in children["dictionarySource"]:
        inside = home.children()
        systems = [*map(system_from, inside["execution_environment"][-1:])]
        homes.append(
            DictionarySource(
                home.get("dictionary") or first,
                xml.unescaped_name(xml.last_texts(inside).get("filename", "")),
                systems[0] if systems else None,
                xml.unknown_in(home.element, ("filename", "execution_environment")),
            )
        )
    return DataSource(
        xml.unescaped_name(texts.get("filename", "")),
        texts.get("volume", ""),
        xml.unescaped_name(texts.get("image_filename", "")),
        tuple(ByteRun(run.number("img_offset"), run.number("len")) for run in runs),
        tuple(homes),
        xml.unknown_in(item.element, _KNOWN_IN_SOURCE),
    )


def read_fingerprints(
    file: IO[bytes], name: str, first: int = 1
) -> Iterator[Fingerprint | Dictionary]:
    """Yield the content of a `<fingerprint>` or `<fingerprints>` file in order.

    An embedded dictionary comes as a Dictionary: at the head of a container, behind the
    fingerprint it stands in otherwise. `name` and the number of the `first` fingerprint are for
    messages. Raises FormatError.
    """
    stream = xml.events(file, name, _TAGS, crowded="terms")
    root = xml.root_in(stream, name, "a fingerprint", "fingerprint", "fingerprints")
    if xml.local(root) == "fingerprint":
        whole = list(_fingerprint(root, stream, name))
        deque(stream, 0)  # what stands behind its end is an error
        yield from whole
        return
    numbers = count(first)
    for event, item in stream:
        tag = xml.local(item)
        if event != "start" or item.getparent() is not root:
            continue
        if tag == "fingerprint":
            yield from _fingerprint(item, stream, f"{name}: fingerprint {next(numbers)}")
        elif tag == "dictionary":
            yield dictionary_from(item, stream, name)
        xml.forget(item)


def _fingerprint(
    root: xml.Element, stream: xml.Events, name: str
) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprint whose element has just begun, and the dictionaries in it."""
    xml.check_version(root.get("version"), name)
    embedded = []
    for event, item in stream:
        if event == "end" and item is root:
            break
        if event == "start" and item.getparent() is root and xml.local(item) == "dictionary":
            embedded.append(dictionary_from(item, stream, name))
    fingerprint = fingerprint_from(root, name)
    named = [dictionary.digest for dictionary in fingerprint.dictionaries]
    if any(dictionary.digest not in named for dictionary in embedded):
        raise xml.damaged("the dictionary inside is not the one it names", name)
    yield fingerprint
    yield from embedded


def read_container(file: IO[bytes], name: str) -> Iterator[Fingerprint | Dictionary]:
    """`read_fingerprints`, but faster for files in the form that sdtext writes."""
    head, first = bytearray(), -1
    while first < 0 and (block := file.read(_BLOCK)):
        searched = max(0, len(head) - len(_FIRST))
        head += block
        if not head.startswith(_BEGIN[: len(head)]):
            break
        first = head.find(_FIRST, searched)
    if first < 0:
        yield from read_fingerprints(xml.joined(bytes(head), file), name)
    else:
        yield from read_fingerprints(BytesIO(head[: first + 1] + _END), name)
        yield from _by_frames(bytes(head[first + 1 :]), file, name)


def _by_frames(begin: bytes, file: IO[bytes], name: str) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprints of a container, whose content is `begin` and the rest of `file`."""
    frames: dict[tuple[bytes, ...], Fingerprint] = {}  # the first fingerprint of each frame
    count = slow = 0
    held, block = begin, begin
    while block and slow <= _MOST_SLOW:
        *complete, held = held.split(_CLOSE)
        for count, data in enumerate(complete, count + 1):  # noqa: B020
            cut = _cut(data)
            framed = frames.get(cut.frame) if cut else None
            if cut and framed and (quick := _filled(framed, cut)):
                yield quick
                continue
            slow += 1
            for item in read_fingerprints(BytesIO(_BEGIN + data + _CLOSE + _END), name, count):
                if cut and isinstance(item, Fingerprint) and _filled(item, cut) == item:
                    frames[cut.frame] = item
                yield item
        if len(held) > _LONGEST:
            break
        block = file.read(_BLOCK)
        held += block
    if block or held != _END:
        yield from read_fingerprints(xml.joined(_BEGIN + held, file), name, count + 1)


class _SplitFingerprint(NamedTuple):
    """A fingerprint in XML, split into its frame and its values."""

    frame: tuple[bytes, ...]
    guid: str
    created: str
    filename: str
    packed: bytes
    bits_set: int


def _cut(data: bytes) -> _SplitFingerprint | None:
    """Split a fingerprint into frame and values; None if a value has an unexpected form."""
    data, _, stated = data.partition(_DIGEST)
    first, _, rest = data.partition(b"\n")
    opening, guid, behind = _between(first, b' guid="', b'"')
    if stated:
        digest = sha256(guid + b"\n")
        digest.update(rest)
        if stated != b"%s</hashdigest>\n" % digest.hexdigest().encode():
            return None
    head, created, rest = _between(rest, b"<created>", b"</created>")
    middle, filename, rest = _between(rest, b"<filename>", b"</filename>")
    before, vector, tail = _between(rest, b"<vector ", b"</vector>\n")
    attributes, _, base64 = vector.partition(b'">')
    named, _, bits_set = attributes.rpartition(b' set="')
    expected = (
        not tail
        and bits_set.isdigit()
        and len(bits_set) < 10
        and (not guid or _GUID.fullmatch(guid))
        and (not created or _TIME.fullmatch(created))
        and not _MARKED_UP.search(filename)
    )
    try:
        text = filename.decode("utf-8")
        packed = b64decode(base64, validate=True)
    except (UnicodeDecodeError, Base64Error):
        return None
    if not expected or xml.CONTROLS.search(text):
        return None
    frame = (opening, behind, head, middle, before, named)
    values = (guid.decode("ascii"), created.decode("ascii"), xml.unescaped_name(text))
    return _SplitFingerprint(frame, *values, packed, int(bits_set))


def _between(data: bytes, start: bytes, end: bytes) -> tuple[bytes, bytes, bytes]:
    """The text before `start`, up to `end`, and after it; without `start` all is after."""
    before, separator, rest = data.partition(start)
    if not separator:
        return b"", b"", data
    value, _, after = rest.partition(end)
    return before + start, value, after


def _filled(framed: Fingerprint, cut: _SplitFingerprint) -> Fingerprint | None:
    """The fingerprint `framed` with the values of `cut`; None if these are invalid."""
    (old, *others), source = framed.vectors, framed.source
    vector = Vector(cut.packed, old.length, old.dictionary, language=old.language)
    number = int.from_bytes(cut.packed, "little")  # not kept, as that of a vector is
    is_whole = len(cut.packed) == (old.length + 7) // 8 and not number >> old.length
    if others or not is_whole or number.bit_count() != cut.bits_set:
        return None
    if source:
        rest = source.volume, source.image, source.byte_runs, source.dictionaries, source.unknown
        source = DataSource(cut.filename, *rest)
    return Fingerprint(
        framed.kind,
        (vector,),
        framed.dictionaries,
        Origin(cut.guid, cut.created, framed.origin.system),
        source,
        framed.creator,
        framed.program,
        framed.digests,
        framed.libraries,
        framed.unknown,
        framed.sdtext_version,
    )
