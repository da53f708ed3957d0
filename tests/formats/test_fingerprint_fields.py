"""Fingerprints with any values in any of their fields are read back as they were."""

from __future__ import annotations

import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import SdtextError
from sdtext.fingerprinting.load_and_save import load_dictionary, load_fingerprints
from sdtext.formats.fingerprint_xml import read_fingerprints, write_fingerprint, write_fingerprints
from sdtext.model import (
    ByteRun,
    DataSource,
    DictionarySource,
    Fingerprint,
    Origin,
    Place,
    System,
    TokenDigest,
)
from tests.formats.released import RELEASED, VALID
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
DIGESTS = st.builds(
    TokenDigest,
    st.binary(max_size=20),
    st.just(b""),
    GUIDS,
    NUMBERS,
    st.integers(1, 10**15 - 1),
    st.just(0),
    st.sampled_from([2, 4]),
    st.integers(1, 9),
) | st.builds(
    TokenDigest,
    st.binary(max_size=20),
    st.binary(max_size=20),
    GUIDS,
    NUMBERS,
    st.integers(1, 10**15 - 1),
    st.integers(1, 10**15 - 1),
    st.sampled_from([2, 4]),
    st.integers(1, 9),
)
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
        PLAIN,
        vectors=tuple(draw(st.lists(st.sampled_from(vectors), min_size=1, max_size=4))),
        origin=Origin(draw(WORDS), created, draw(SYSTEMS)),
        source=draw(SOURCES),
        creator=draw(WORDS),
        program=draw(WORDS),
        digests=tuple(draw(st.lists(DIGESTS, max_size=3))),
        libraries=tuple(draw(st.lists(st.tuples(WORDS, WORDS), max_size=2))),
        sdtext_version=draw(WORDS),
    )


@BRISK
@given(fingerprints())
def test_a_fingerprint_is_read_back_as_it_was(fingerprint: Fingerprint) -> None:
    file = io.BytesIO()
    write_fingerprint(file, fingerprint, DICTIONARIES)
    VALID.assertValid(etree.fromstring(file.getvalue()))
    result = list(read_fingerprints(io.BytesIO(file.getvalue()), "f"))
    assert result == [fingerprint, *DICTIONARIES]


@BRISK
@given(st.lists(fingerprints(), max_size=3))
def test_so_are_those_of_a_container(several: list[Fingerprint]) -> None:
    file = io.BytesIO()
    write_fingerprints(file, several, DICTIONARIES)
    VALID.assertValid(etree.fromstring(file.getvalue()))
    assert list(read_fingerprints(io.BytesIO(file.getvalue()), "f")) == [*DICTIONARIES, *several]


@given(fingerprints(), st.data())
def test_only_our_own_errors_leave_a_damaged_fingerprint(
    fingerprint: Fingerprint, data: st.DataObject
) -> None:
    file = io.BytesIO()
    write_fingerprint(file, fingerprint, DICTIONARIES)
    changed = bytearray(file.getvalue())
    begin = data.draw(st.integers(0, len(changed)))
    changed[begin : begin + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    try:
        list(read_fingerprints(io.BytesIO(bytes(changed)), "f"))
    except SdtextError as error:
        assert "\n" not in str(error)  # noqa: PT017 (that nothing is raised is fine, too)
