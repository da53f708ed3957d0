import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

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
