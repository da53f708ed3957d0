"""Containers are read quickly as they are read by the parser alone."""

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load_dictionary, load_fingerprints
from sdtext.formats import fingerprint_xml as container_reader
from sdtext.formats.fingerprint_xml import (
    read_container,
    read_fingerprints,
    write_fingerprint,
    write_fingerprints,
)
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import (
    ByteRun,
    DataSource,
    DictionarySource,
    Fingerprint,
    Origin,
    PartSpec,
    Place,
    RecipeSpec,
    System,
    TokenDigest,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from tests.formats.released import RELEASED, VALID
from tests.support.dictionaries import written
from tests.support.strategies import BRISK

DICTIONARIES = [load_dictionary(RELEASED / f"dictionary{name}.xml") for name in ("", "-trimmed")]
(PLAIN,) = load_fingerprints(RELEASED / "fingerprint-everything.xml")

NUMBERS = st.integers(0, 10**15 - 1)
WORDS = st.text(max_size=12).map(
    lambda text: "".join(character for character in text if character.isprintable())
) | st.sampled_from([" padded ", " ", "<&>\"'", "]]>"])
NAMES = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
) | st.sampled_from(["a\nb\t\r", "100%", "%41", "\udcff.txt", " padded ", "\x1b[31m", "\ufffe"])
SYSTEMS = st.none() | st.builds(System, *[WORDS.map(str.strip)] * 4)
GUIDS = st.sampled_from([dictionary.guid for dictionary in DICTIONARIES])
PLACES = st.none() | st.builds(Place, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
LANGUAGES = st.sampled_from(["", "german", '"a" & <b>'])
LENGTHS = st.integers(1, 10**15 - 1)
DIGESTS = st.one_of([
    st.builds(
        TokenDigest, st.binary(max_size=20), other, GUIDS, NUMBERS, LENGTHS, length,
        st.sampled_from([2, 4]), st.integers(1, 9),
    )
    for other, length in ((st.just(b""), st.just(0)), (st.binary(max_size=20), LENGTHS))
])  # fmt: skip
SOURCES = st.none() | st.builds(
    DataSource,
    NAMES,
    WORDS,
    NAMES,
    st.lists(st.builds(ByteRun, NUMBERS, NUMBERS), max_size=3).map(tuple),
    st.lists(st.builds(DictionarySource, GUIDS, NAMES, SYSTEMS), max_size=2).map(tuple),
)


@st.composite
def fingerprints(draw: st.DrawFn) -> Fingerprint:
    vectors = [
        replace(vector, place=draw(PLACES), language=draw(LANGUAGES)) for vector in PLAIN.vectors
    ]
    created = draw(st.sampled_from(["", "2026-01-02T03:04:05Z"]))
    return replace(
        PLAIN, vectors=tuple(draw(st.lists(st.sampled_from(vectors), min_size=1, max_size=4))),
        origin=Origin(draw(WORDS), created, draw(SYSTEMS)), source=draw(SOURCES),
        creator=draw(WORDS), program=draw(WORDS),
        digests=tuple(draw(st.lists(DIGESTS, max_size=3))),
        libraries=tuple(draw(st.lists(st.tuples(WORDS, WORDS), max_size=2))),
        sdtext_version=draw(WORDS),
    )  # fmt: skip


@BRISK
@given(st.lists(fingerprints(), min_size=1, max_size=3))
def test_fingerprints_and_containers_are_read_back_as_they_were(several: list[Fingerprint]) -> None:
    one = written(write_fingerprint, several[0], DICTIONARIES)
    container = written(write_fingerprints, several, DICTIONARIES)
    for data, expected in (
        (one, [several[0], *DICTIONARIES]),
        (container, [*DICTIONARIES, *several]),
    ):
        VALID.assertValid(etree.fromstring(data))
        assert list(read_fingerprints(io.BytesIO(data), "f")) == expected


DICTIONARY = replace(
    Dictionary.of(dict.fromkeys("abcdefghijk", 1), 50, RecipeSpec(PartSpec("words"))),
    name="d",
    origin=Origin("0b5e2f3c-0000-4000-8000-000000000000"),
)
SYSTEM = System("Linux", "6", "h<&>", "x")
FILES = st.sampled_from(["a.txt", "b&c.txt", "ü\n.txt", "100%.txt", "</filename>", "<created>"])
VECTORS = st.builds(
    lambda bits, language: Vector(pack(sorted(bits), 11), 11, DICTIONARY.guid, language=language),
    st.sets(st.integers(0, 10)),
    st.sampled_from(["", "german", "<tamil>", 'x" set="9']),
)
UNKNOWN = '<x:y xmlns:x="urn:y" xmlns="urn:sdtext:xml"><filename>a.txt</filename></x:y>'
DIGEST = TokenDigest(b"xyz", b"", DICTIONARY.guid, 0, 1, 0, 2, 9)
Read = Callable[[IO[bytes], str], Iterator[Fingerprint | Dictionary]]


@st.composite
def alike_fingerprints(draw: st.DrawFn) -> Fingerprint:
    origins = st.builds(
        Origin,
        st.integers(0, 2**128 - 1).map(lambda number: str(UUID(int=number))) | st.just("no guid"),
        st.sampled_from(["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "<soon>"]),
        st.sampled_from([None, SYSTEM]),
    )
    homes = (DictionarySource(DICTIONARY.guid, "/d.xml", SYSTEM),)
    result = Fingerprint(
        "bitvector",
        (draw(VECTORS),),
        (DICTIONARY.reference("/here"),),
        draw(st.just(Origin()) | origins),
        draw(st.none() | st.builds(DataSource, FILES, dictionaries=st.sampled_from([(), homes]))),
        draw(st.sampled_from(["", "me & you"])),
        sdtext_version=draw(st.sampled_from(["", "0.1.0"])),
    )
    match draw(st.integers(0, 9)):
        case 0:
            return replace(result, digests=(DIGEST,))
        case 1:
            return replace(result, vectors=(*result.vectors, draw(VECTORS)))
        case 2:
            return replace(result, vectors=(replace(result.vectors[0], place=Place(0, 1, 2, 3)),))
        case 3:
            return replace(result, unknown=(UNKNOWN,))
    return result


def container(result: list[Fingerprint], *, embed: bool) -> bytes:
    return written(write_fingerprints, result, [DICTIONARY] if embed else [])


def outcome(read: Read, data: bytes) -> list[Fingerprint | Dictionary] | str:
    try:
        return list(read(io.BytesIO(data), "c.xml"))
    except FormatError as error:
        return "refused" if str(error).startswith("c.xml: ") else str(error)


@given(
    result=st.lists(alike_fingerprints(), max_size=6),
    embed=st.booleans(),
    block=st.sampled_from([1, 7, 300, 1 << 20]),
    most=st.sampled_from([0, 1, 64]),
)
def test_what_was_written_comes_back(
    result: list[Fingerprint], embed: bool, block: int, most: int
) -> None:
    data = container(result, embed=embed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container_reader, "_BLOCK", block)
        patch.setattr(container_reader, "_MOST_SLOW", most)
        assert outcome(read_container, data) == [DICTIONARY] * embed + result


@given(result=st.lists(alike_fingerprints(), min_size=1, max_size=5), data=st.data())
def test_a_damaged_container_is_read_as_by_the_parser(
    result: list[Fingerprint], data: st.DataObject
) -> None:
    changed = bytearray(container(result, embed=False))
    begin = data.draw(st.integers(0, len(changed)))
    piece = st.binary(max_size=9) | st.sampled_from(
        [b"<", b"</fingerprint>\n", b"&amp;", b"\r\n", b'"']
    )
    changed[begin : begin + data.draw(st.integers(0, 60))] = data.draw(piece)
    assert outcome(read_container, bytes(changed)) == outcome(read_fingerprints, bytes(changed))


ONE = Fingerprint(
    "bitvector", (Vector(pack([1, 2], 11), 11, DICTIONARY.guid),), (DICTIONARY.reference(),),
    Origin("0b5e2f3c-0000-4000-8000-000000000001", "2026-01-02T03:04:05Z"), DataSource("a.txt"),
)  # fmt: skip


CHANGED = [
    (0, b"", b""), (1, b"a.txt", b"\xff.txt"), (1, b"a.txt", b"a\x01.txt"),
    (1, b"a.txt", "\ufffe.txt".encode()), (1, b"a.txt", b"a&#10;.txt"),
    (1, b"a.txt", b"a<!-- b -->.txt"), (1, b"a.txt", b"<![CDATA[a]]>.txt"),
    (1, b"a.txt", b"  a.txt "), (1, b"a.txt", b"a]]>.txt"), (2, b'set="2"', b'set="3"'),
    (2, b'set="2"', b'set="02"'), (2, b'bits="11"', b'bits="12"'), (2, b">BgA=<", b"> BgA= <"),
    (2, b">BgA=<", b">BgD=<"), (2, b">BgA=<", b">Bg=<"), (0, b"2026-01-02T03:04:05Z", b""),
    (0, b'guid="0b5e2f3c', b'guid="0B5E2F3C'), (0, b"<created>", b"<created >"),
    (2, b"</fingerprints>", b"<!-- end --></fingerprints >"),
    (2, b"</fingerprints>", b"<later/></fingerprints>"), (2, b"</fingerprints>", b""),
]  # fmt: skip


@pytest.mark.parametrize(("place", "old", "new"), CHANGED)
def test_another_form_is_read_as_by_the_parser(place: int, old: bytes, new: bytes) -> None:
    head, *parts = container([ONE] * 3, embed=False).split(b"<fingerprint ")
    parts[place] = parts[place].replace(old, new, 1)
    data = b"<fingerprint ".join([head, *parts])
    assert outcome(read_container, data) == outcome(read_fingerprints, data)
