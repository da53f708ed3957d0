"""The `<fingerprint>` element and the container `<fingerprints>`: written, and read as a stream.

A fast reader takes containers in the form that sdtext writes. Most fingerprints of a container
differ only in GUID, time, file name and vector. The rest of the XML is the frame. The XML parser
reads the first fingerprint with a frame; a later one with the same frame, byte for byte, is a copy
of it with other values. Values are used without parsing only if they cannot contain markup.
Everything else goes to the parser.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from binascii import b2a_base64
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from sdtext.errors import FormatError
from sdtext.formats.dictionary_xml import (
    TAGS,
    dictionary_from,
    dictionary_lines,
    system_from,
    system_lines,
)
from sdtext.formats.hardened_xml import (
    CONTROLS,
    DECLARATION,
    check_version,
    closed,
    damaged,
    element,
    escaped,
    escaped_name,
    events,
    forget,
    given,
    joined,
    local,
    opened,
    passed_on,
    unescaped_name,
    unknown_in,
    whole_number,
    write_lines,
)
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
from sdtext.model.dictionary import Dictionary

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_REPEATED = 64  # texts repeated in all fingerprints of a container are escaped once


# Vectors and digests, too, so that each is known to have an end: a fingerprint can be very long.
_TAGS = ("fingerprint", "fingerprints", "vector", "digest", *TAGS)
_BEGIN = (DECLARATION + opened("fingerprints", is_root=True, version=FORMAT_VERSION)).encode()
_END = closed("fingerprints").encode()
_FIRST = b"\n<fingerprint "
_CLOSE = closed("fingerprint").encode()
_BLOCK = 1 << 20
_LONGEST = 1 << 20  # bytes of a fingerprint; longer ones gain nothing here
_MOST_SLOW = 64  # fingerprints that are unlike those before; then the parser reads all
_MARKED_UP = re.compile(rb"[<>&\x00-\x1f]")
_GUID = re.compile(rb"[0-9a-f-]{36}")
_TIME = re.compile(rb"[0-9TZ:.+-]{1,40}")


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
    program = {"sdtext": fingerprint.sdtext_version} if fingerprint.sdtext_version else {}
    yield element("fingerprinter", fingerprint.kind, **program)
    yield given("created", fingerprint.origin.created)
    yield _system(fingerprint.origin.system)
    yield given("creator", fingerprint.creator)
    yield given("program", fingerprint.program)
    for name, version in fingerprint.libraries:
        yield element("library", name=name, version=version)
    yield _references(fingerprint.dictionaries)
    if fingerprint.source:
        yield from _source_lines(fingerprint.source)
    yield from map(_vector_line, fingerprint.vectors)
    for digest in fingerprint.digests:
        yield from _digest_lines(digest)
    yield passed_on(fingerprint.unknown)
    for dictionary in dictionaries:
        yield from dictionary_lines(dictionary)
    yield closed("fingerprint")


@lru_cache(_REPEATED)
def _system(system: System | None) -> str:
    return "".join(system_lines(system))


@lru_cache(_REPEATED)
def _references(references: tuple[DictionaryReference, ...]) -> str:
    return "".join(map(_reference_line, references))


def _reference_line(reference: DictionaryReference) -> str:
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


def _source_lines(source: DataSource) -> Iterator[str]:
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
    return "".join(line for home in homes for line in _home_lines(home))


def _home_lines(home: DictionarySource) -> Iterator[str]:
    yield opened("dictionarySource", dictionary=home.dictionary)
    yield given("filename", escaped_name(home.filename))
    yield from system_lines(home.system)
    yield passed_on(home.unknown)
    yield closed("dictionarySource")


def _vector_line(vector: Vector) -> str:
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
        f'set="{vector.count}"{where}>{_encoded(vector.packed)}</vector>\n'
    )


def _encoded(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")


def _digest_lines(digest: TokenDigest) -> Iterator[str]:
    yield opened(
        "digest",
        dictionary=digest.dictionary,
        first=str(digest.first),
        tokens=str(digest.tokens),
        width=str(digest.width),
        compression="zlib",
        level=str(digest.level),
    )
    yield element("places", _encoded(digest.packed))
    if digest.unknown_words:
        words = str(digest.unknown_words)
        yield element("unknown", _encoded(digest.unknown), words=words)
    yield closed("digest")


_KNOWN = {
    *("fingerprinter", "created", "execution_environment", "creator", "program"),
    *("library", "dictionaryReference", "dataSource", "vector", "digest", "dictionary"),
}


def fingerprint_from(root: Element, name: str) -> Fingerprint:
    """The fingerprint that an element describes; `name` is for messages. Raises FormatError."""
    children: defaultdict[str, list[Element]] = defaultdict(list)
    for child in root:
        children[local(child)].append(child)
    texts = {tag: some[-1].text or "" for tag, some in children.items()}
    references = {each.guid: each for each in _references_from(children, name)}
    vectors = tuple(_vector_from(child, references, name) for child in children["vector"])
    if not vectors:
        raise damaged("it has no <vector>", name)
    system, source = children["execution_environment"], children["dataSource"]
    return Fingerprint(
        texts.get("fingerprinter", "").strip(),
        vectors,
        tuple(references.values()),
        Origin(
            root.get("guid", ""),
            texts.get("created", "").strip(),
            system_from(system[-1]) if system else None,
        ),
        _source_from(source[-1], next(iter(references), ""), name) if source else None,
        texts.get("creator", ""),
        texts.get("program", ""),
        tuple(_digest_from(child, references, name) for child in children["digest"]),
        tuple((child.get("name", ""), child.get("version", "")) for child in children["library"]),
        unknown_in(root, _KNOWN),
        "".join(child.get("sdtext", "") for child in children["fingerprinter"][-1:]),
    )


_References = Mapping[str, DictionaryReference]


def _references_from(
    children: Mapping[str, list[Element]], name: str
) -> Iterator[DictionaryReference]:
    for child in children.get("dictionaryReference", ()):
        guid, digest = child.get("guid"), child.get("digest")
        if not guid or not digest:
            raise damaged("a <dictionaryReference> lacks its guid or digest", name)
        yield DictionaryReference(
            guid,
            digest,
            _number(child, "terms", name),
            child.get("version", FORMAT_VERSION),
            child.get("name", ""),
            unescaped_name(child.get("directory", "")),
        )


def _number(item: Element, attribute: str, name: str) -> int:
    return whole_number(item.get(attribute), f"{attribute} of <{local(item)}>", name)


def _vector_from(child: Element, references: _References, name: str) -> Vector:
    """A vector, after checking its length, its padding bits and its number of set bits."""
    length, packed = _number(child, "bits", name), _base64(child, name)
    place = None
    if child.get("first") is not None:
        keys = "first", "tokens", "offset", "length"
        place = Place(*(_number(child, key, name) for key in keys))
    guid, language = _dictionary_of(child, references, name), child.get("language", "")
    vector = Vector(packed, length, guid, place, language)
    terms = references[guid].terms
    if length != terms or len(packed) != (length + 7) // 8:
        raise damaged(
            f"<vector> says {length} bits and holds {len(packed)} bytes; its "
            f"dictionary has {terms} terms ({(terms + 7) // 8} bytes)",
            name,
        )
    if vector.number >> length:
        raise damaged("padding bits of <vector> are not zero", name)
    declared = _number(child, "set", name)
    if vector.count != declared:
        raise damaged(f"<vector> says {declared} bits are set and has {vector.count}", name)
    return vector


def _dictionary_of(child: Element, references: _References, name: str) -> str:
    """The GUID of the dictionary of a vector or a digest, which must be among the references."""
    guid = child.get("dictionary", "")
    if guid not in references:
        raise damaged(f"a <{local(child)}> names a dictionary that is not there", name)
    return guid


def _base64(element: Element, name: str) -> bytes:
    try:
        return b64decode((element.text or "").strip(), validate=True)
    except (Base64Error, ValueError) as error:
        raise damaged(f"the base64 of <{local(element)}>: {error}", name) from error


def _digest_from(child: Element, references: _References, name: str) -> TokenDigest:
    first, tokens, width, level = (
        _number(child, key, name) for key in ("first", "tokens", "width", "level")
    )
    compression = child.get("compression", "")
    if compression != "zlib" or width not in (2, 4):
        what = f"has a digest in {compression[:20]!r} with a width of {width}"
        raise FormatError(f"{what}; this sdtext reads zlib with 2 or 4", file=name)
    parts = {local(part): part for part in child}
    if "places" not in parts:
        raise damaged("a <digest> has no <places>", name)
    unknown = parts.get("unknown")
    return TokenDigest(
        _base64(parts["places"], name),
        b"" if unknown is None else _base64(unknown, name),
        _dictionary_of(child, references, name),
        first,
        tokens,
        0 if unknown is None else _number(unknown, "words", name),
        width,
        level,
    )


def _source_from(source: Element, first: str, name: str) -> DataSource:
    """The source; `first` is the GUID of the dictionary whose home names none."""
    texts = {local(item): item.text or "" for item in source}
    runs = [
        ByteRun(_number(run, "img_offset", name), _number(run, "len", name))
        for item in source
        for run in item
        if local(item) == "byte_runs" and local(run) == "byte_run"
    ]
    homes = []
    for home in source:
        if local(home) == "dictionarySource":
            inside = {local(child): child for child in home}
            filename, system = inside.get("filename"), inside.get("execution_environment")
            described = DictionarySource(
                home.get("dictionary") or first,
                "" if filename is None else unescaped_name(filename.text or ""),
                None if system is None else system_from(system),
                unknown_in(home, ("filename", "execution_environment")),
            )
            homes.append(described)
    return DataSource(
        unescaped_name(texts.get("filename", "")),
        texts.get("volume", ""),
        unescaped_name(texts.get("image_filename", "")),
        tuple(runs),
        tuple(homes),
        unknown_in(
            source, ("filename", "volume", "image_filename", "byte_runs", "dictionarySource")
        ),
    )


def read_fingerprints(
    file: IO[bytes], name: str, first: int = 1
) -> Iterator[Fingerprint | Dictionary]:
    """Yield the content of a `<fingerprint>` or `<fingerprints>` file in order.

    An embedded dictionary comes as a Dictionary: at the head of a container, behind the
    fingerprint it stands in otherwise. `name` and the number of the `first` fingerprint are for
    messages. Raises FormatError.
    """
    stream = events(file, name, _TAGS)
    for _, root in stream:
        if local(root) not in ("fingerprint", "fingerprints"):
            break
        check_version(root, name)
        if local(root) == "fingerprint":
            whole = list(_fingerprint(root, stream, name))
            deque(stream, 0)  # what stands behind its end is an error
            yield from whole
        else:
            yield from _contained(root, stream, name, first)
        return
    raise FormatError("is not a fingerprint", file=name)


def _contained(
    root: Element, stream: Iterator[tuple[str, Element]], name: str, first: int
) -> Iterator[Fingerprint | Dictionary]:
    """Yield the content of a `<fingerprints>` element that has just begun."""
    count = first - 1
    for event, item in stream:
        tag = local(item)
        if event != "start" or item.getparent() is not root:
            continue
        if tag == "fingerprint":
            count += 1
            yield from _fingerprint(item, stream, f"{name}: fingerprint {count}")
        elif tag == "dictionary":
            yield dictionary_from(item, stream, name)
        forget(item)


def _fingerprint(
    root: Element, stream: Iterator[tuple[str, Element]], name: str
) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprint whose element has just begun, and the dictionaries in it."""
    check_version(root, name)
    embedded = []
    for event, item in stream:
        if event == "end" and item is root:
            break
        if event == "start" and item.getparent() is root and local(item) == "dictionary":
            embedded.append(dictionary_from(item, stream, name))
    fingerprint = fingerprint_from(root, name)
    named = [dictionary.digest for dictionary in fingerprint.dictionaries]
    if any(dictionary.digest not in named for dictionary in embedded):
        raise damaged("the dictionary inside is not the one it names", name)
    yield fingerprint
    yield from embedded


def read_container(file: IO[bytes], name: str) -> Iterator[Fingerprint | Dictionary]:
    """`read_fingerprints`, but faster for files in the form that sdtext writes."""
    head = _up_to_first(file)
    prolog, mark, rest = head.partition(_FIRST)
    if not (mark and prolog.startswith(_BEGIN[:-1])):
        yield from read_fingerprints(joined(head, file), name)
        return
    yield from read_fingerprints(BytesIO(prolog + b"\n" + _END), name)
    yield from _fingerprints(mark[1:] + rest, file, name)


def _up_to_first(file: IO[bytes]) -> bytes:
    """The beginning of the file, up to the first fingerprint and somewhat further."""
    blocks: list[bytes] = []
    before = b""
    while block := file.read(_BLOCK):
        blocks.append(block)
        if _FIRST in before + block or not blocks[0].startswith(_BEGIN[: len(blocks[0])]):
            break
        before = block[-len(_FIRST) :]
    return b"".join(blocks)


def _fingerprints(begin: bytes, file: IO[bytes], name: str) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprints of a container, whose content is `begin` and the rest of `file`."""
    frames = _Frames(name)
    held, block = begin, begin
    while block and frames.slow <= _MOST_SLOW:
        *complete, held = held.split(_CLOSE)
        for xml in complete:
            yield from frames.read(xml)
        if len(held) > _LONGEST:
            break
        block = file.read(_BLOCK)
        held += block
    if block or held != _END:
        yield from read_fingerprints(joined(_BEGIN + held, file), name, frames.count + 1)


@dataclass
class _Frames:
    """The first fingerprint of each frame, with counts of all read and of those parsed."""

    name: str
    known: dict[tuple[bytes, ...], Fingerprint] = field(default_factory=dict)
    count: int = 0
    slow: int = 0

    def read(self, xml: bytes) -> Iterator[Fingerprint | Dictionary]:
        """The next fingerprint and its dictionaries; `xml` is the element without its end tag."""
        self.count += 1
        cut = _cut(xml)
        known = self.known.get(cut.frame) if cut else None
        if cut and known and (quick := _filled(known, cut)):
            yield quick
            return
        self.slow += 1
        whole = BytesIO(_BEGIN + xml + _CLOSE + _END)
        for item in read_fingerprints(whole, self.name, self.count):
            if cut and isinstance(item, Fingerprint) and _filled(item, cut) == item:
                self.known[cut.frame] = item
            yield item


class _SplitFingerprint(NamedTuple):
    """A fingerprint in XML, split into its frame and its values."""

    frame: tuple[bytes, ...]
    guid: str
    created: str
    filename: str
    packed: bytes
    bits_set: int


def _cut(xml: bytes) -> _SplitFingerprint | None:
    """Split a fingerprint into frame and values; None if a value has an unexpected form."""
    first, _, rest = xml.partition(b"\n")
    opening, guid, behind = _between(first, b' guid="', b'"')
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
    if not expected or CONTROLS.search(text):
        return None
    frame = (opening, behind, head, middle, before, named)
    values = (guid.decode("ascii"), created.decode("ascii"), unescaped_name(text))
    return _SplitFingerprint(frame, *values, packed, int(bits_set))


def _between(xml: bytes, start: bytes, end: bytes) -> tuple[bytes, bytes, bytes]:
    """The text before `start`, up to `end`, and after it; without `start` all is after."""
    before, separator, rest = xml.partition(start)
    if not separator:
        return b"", b"", xml
    value, _, after = rest.partition(end)
    return before + start, value, after


def _filled(framed: Fingerprint, cut: _SplitFingerprint) -> Fingerprint | None:
    """The fingerprint `framed` with the values of `cut`; None if these are invalid."""
    (framed_vector, *others), source = framed.vectors, framed.source
    number = int.from_bytes(cut.packed, "little")
    right = (
        len(cut.packed) == (framed_vector.length + 7) // 8 and not number >> framed_vector.length
    )
    if others or not right or number.bit_count() != cut.bits_set:
        return None
    vector = Vector(
        cut.packed, framed_vector.length, framed_vector.dictionary, language=framed_vector.language
    )
    if source:
        source = DataSource(
            cut.filename,
            source.volume,
            source.image,
            source.byte_runs,
            source.dictionaries,
            source.unknown,
        )
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
