"""Files of every released version of the formats: they load to what they say, for ever.

The files in `tests/samples/formats/1.0` are never renewed.
"""

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from sdtext.fingerprinting.disclosure_profiles import Disclosure, load_disclosure
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.fingerprinting.load_and_save import (
    embedded_dictionaries,
    load_dictionary,
    load_fingerprints,
)
from sdtext.model import (
    ByteRun,
    DataSource,
    DictionaryReference,
    DictionarySource,
    Fingerprint,
    Origin,
    PartSpec,
    Place,
    RecipeSpec,
    System,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.compressed_tokens import Digest, tokens_of
from sdtext.parts.load_recipe import load_recipe
from tests.formats.released import (
    DICTIONARIES,
    FILES,
    PRINTS,
    RELEASED,
    TEXT,
    VALID,
    elements,
    saved,
)

SYSTEM = System("Linux", "6.1.0", "desk", "x86_64")


def origin_of(number: int) -> Origin:
    return Origin(
        f"6f1d2c3b-4a59-4e68-8777-00000000000{number}", f"2026-01-02T03:04:0{number}Z", SYSTEM
    )


RECIPE = RecipeSpec(
    PartSpec("words"),
    (
        PartSpec("lowercase"),
        PartSpec("strip-punctuation"),
        PartSpec.of("min-length", length=9),
        PartSpec.of("stop-words", words=("3", "something", "true")),
    ),
)
IN_SEVERAL = {"constitution": 3, "delegates": 2, "fisherman": 3, "neighbours": 4}
IN_ONE = (
    "afternoons breakfast breathing brightness candlelight centuries chemistry chestnuts "
    "colleagues complained consulted container disappointment engineers everything favourite "
    "festivals grandmother handwriting household institute neighbour observatory photographs "
    "practises recommend refrigerator rehearsing schoolmaster september staircase telephone "
    "telephones telescope unloading wednesdays"
)
COUNTS = dict(sorted({**IN_SEVERAL, **dict.fromkeys(IN_ONE.split(), 1)}.items()))
LIBRARIES = (("sdtext", "1.0.0"), ("Unicode", "15.0.0"))
WHOLE = Dictionary(
    tuple(COUNTS), array("L", COUNTS.values()), 8, 1, RECIPE, "long words", origin_of(1), None, "",
    LIBRARIES,
)  # fmt: skip
TRIMMED = Dictionary(
    tuple(IN_SEVERAL), array("L", IN_SEVERAL.values()), 8, 1, RECIPE, "towns", origin_of(2),
    (0.3, 0.75), origin_of(1).guid, LIBRARIES,
)  # fmt: skip
DIGESTS = (
    "103b6655330e04e2b9a8e896b21dadfc221266c88a43cd524c4bef2ea1df921e",
    "65f6a9f8a03e29788c153a58889bcf4025c86bfb628baf56c438a6ebf4c37ea0",
)
TERMS = (
    "candlelight fisherman constitution constitution neighbours handwriting schoolmaster recommend"
)


def reference(dictionary: Dictionary, *, named: bool) -> DictionaryReference:
    digest, terms = DIGESTS[dictionary is TRIMMED], len(dictionary.terms)
    output = (dictionary.name, "/srv/dictionaries") if named else ()
    return DictionaryReference(dictionary.origin.guid, digest, terms, "1.0", *output)


def home(dictionary: Dictionary) -> DictionarySource:
    name = "dictionary-trimmed.xml" if dictionary is TRIMMED else "dictionary.xml"
    return DictionarySource(dictionary.origin.guid, f"/srv/dictionaries/{name}", SYSTEM)


def vector(dictionary: Dictionary, packed: list[int], place: Place | None = None) -> Vector:
    return Vector(bytes(packed), len(dictionary.terms), dictionary.origin.guid, place)


MINIMAL = Fingerprint("bitvector", (vector(TRIMMED, [0b1101]),), (reference(TRIMMED, named=False),))
EVIDENCE = replace(
    MINIMAL,
    dictionaries=(reference(TRIMMED, named=True),),
    origin=origin_of(4),
    source=DataSource("union-excerpt.txt", dictionaries=(home(TRIMMED),)),
)
PLACES = (Place(0, 4, 251, 464), Place(2, 4, 626, 362), Place(4, 4, 862, 548))
EVERYTHING = Fingerprint(
    "bitvector",
    (
        vector(WHOLE, [16, 4, 8, 0, 0], PLACES[0]),
        vector(WHOLE, [0, 4, 32, 2, 0], PLACES[1]),
        vector(WHOLE, [0, 0, 32, 34, 1], PLACES[2]),
        vector(TRIMMED, [0b0101], PLACES[0]),
        vector(TRIMMED, [0b1001], PLACES[1]),
        vector(TRIMMED, [0b1000], PLACES[2]),
    ),
    (reference(WHOLE, named=True), reference(TRIMMED, named=True)),
    origin_of(6),
    DataSource(
        "ex\ncerpt 100%.txt",
        "vol0",
        "disk 100%.img",
        (ByteRun(4096, 1000), ByteRun(65536, 492)),
        (home(WHOLE), home(TRIMMED)),
    ),
    'A. <Clerk> & "Söhne"',
    "case tool 3",
    libraries=(("pypdfium2", "5.0.0"),),
)
OTHER = Fingerprint(
    "bitvector", (vector(WHOLE, [16, 4, 40, 34, 1]),), (reference(WHOLE, named=False),)
)

# What each file holds: its fingerprints without their digests, the dictionaries in it, and the
# dictionaries of which its digests are.
HELD: dict[str, tuple[list[Fingerprint], list[Dictionary], list[Dictionary]]] = {
    "fingerprint-minimal.xml": ([MINIMAL], [], []),
    "fingerprint-evidence.xml": ([EVIDENCE], [], []),
    "fingerprint-full.xml": ([replace(EVIDENCE, origin=origin_of(5))], [TRIMMED], [TRIMMED]),
    "fingerprint-everything.xml": ([EVERYTHING], [WHOLE, TRIMMED], [WHOLE, TRIMMED]),
    "container.xml": ([replace(EVIDENCE, origin=origin_of(7)), OTHER], [TRIMMED, WHOLE], []),
}


def test_there_is_a_valid_file_of_every_kind() -> None:
    trees = [etree.parse(path) for path in FILES]
    for tree in trees:
        VALID.assertValid(tree)
    roots = {etree.QName(tree.getroot()).localname for tree in trees}
    assert roots == {
        "tokenizers", "outputConfiguration", "dictionary", "fingerprint", "fingerprints",
    }  # fmt: skip
    assert set(PRINTS) == set(HELD)


def test_recipe_output_configuration_and_dictionaries_load_to_what_they_say() -> None:
    symbols = PartSpec.of("strip-punctuation", symbols=True)
    expected = tuple(symbols if item.name == symbols.name else item for item in RECIPE.filters)
    assert load_recipe(RELEASED / "recipe.xml") == replace(RECIPE, filters=expected)
    assert load_disclosure(RELEASED / "output.xml") == Disclosure(
        universal=True, dataSource=True, dictionary=False, digest=Digest(tokens=5, level=6)
    )
    assert load_dictionary(RELEASED / "dictionary.xml") == WHOLE
    assert load_dictionary(RELEASED / "dictionary-trimmed.xml") == TRIMMED
    assert (WHOLE.digest, TRIMMED.digest) == DIGESTS
    assert load_recipe(RELEASED / "dictionary.xml") == RECIPE


@pytest.mark.parametrize("name", PRINTS)
def test_the_fingerprints_load_to_what_they_say(name: str) -> None:
    prints, embedded, digested = HELD[name]
    result = list(load_fingerprints(RELEASED / name))
    assert [replace(item, digests=()) for item in result] == prints
    assert embedded_dictionaries(RELEASED / name) == embedded
    digests = result[0].digests
    for dictionary in digested:
        mine = [item for item in digests if item.dictionary == dictionary.guid]
        assert [(item.first, item.tokens, item.width, item.level) for item in mine] == [
            (0, 5, 2, 6), (5, 3, 2, 6),
        ]  # fmt: skip
        assert " ".join(term for item in mine for term in tokens_of(item, dictionary)) == TERMS
    assert len(digests) == 2 * len(digested)


def test_what_is_made_now_has_the_vectors_that_were_made_then() -> None:
    now = fingerprint(TEXT, [WHOLE, TRIMMED], segment="4/2", digest=Digest(5, 6))
    assert now.vectors == EVERYTHING.vectors
    then = next(load_fingerprints(RELEASED / "fingerprint-everything.xml"))
    for first, other in zip(now.digests, then.digests, strict=True):
        for dictionary in (WHOLE, TRIMMED):
            if first.dictionary == dictionary.guid:  # zlib may pack otherwise some day
                assert tokens_of(first, dictionary) == tokens_of(other, dictionary)
    assert fingerprint(TEXT, TRIMMED).vectors == MINIMAL.vectors


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_is_loaded_and_saved_has_the_same_elements() -> None:
    for name in (*DICTIONARIES, *PRINTS):
        result = elements(saved(RELEASED / name, f"again-{name}"))
        assert result == elements(RELEASED / name), name
