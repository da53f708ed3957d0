"""Files of every released version of the formats: they load to what they say, for ever.

The files in `tests/samples/formats/1.0` are never renewed.

What later versions and other programs may add right below `<fingerprint>` and `<dictionary>` is
kept and passed on; attributes, and elements in deeper places, are passed over. In a chain they are
refused: whoever does not know a part of it makes other terms.
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from sdtext.errors import FormatError
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
    NAMES,
    PRINTS,
    RELEASED,
    TEXT,
    VALID,
    elements,
    loaded,
    saved,
)
from tests.support.command import check_refused, done, here

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


def reference(dictionary: Dictionary) -> DictionaryReference:
    return DictionaryReference(
        dictionary.origin.guid, DIGESTS[dictionary is TRIMMED], len(dictionary.terms), "1.0",
        dictionary.name, "/srv/dictionaries",
    )  # fmt: skip


def home(dictionary: Dictionary) -> DictionarySource:
    name = "dictionary-trimmed.xml" if dictionary is TRIMMED else "dictionary.xml"
    return DictionarySource(dictionary.origin.guid, f"/srv/dictionaries/{name}", SYSTEM)


def vector(dictionary: Dictionary, packed: list[int], place: Place) -> Vector:
    return Vector(bytes(packed), len(dictionary.terms), dictionary.origin.guid, place)


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
    (reference(WHOLE), reference(TRIMMED)),
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


def test_there_is_a_valid_file_of_every_kind() -> None:
    trees = [etree.parse(path) for path in FILES]
    for tree in trees:
        VALID.assertValid(tree)
    roots = {etree.QName(tree.getroot()).localname for tree in trees}
    assert roots == {
        "tokenizers", "outputConfiguration", "dictionary", "fingerprint", "fingerprints",
    }  # fmt: skip


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


def test_a_fingerprint_with_everything_loads_to_what_it_says() -> None:
    path = RELEASED / "fingerprint-everything.xml"
    (result,) = load_fingerprints(path)
    assert replace(result, digests=()) == EVERYTHING
    assert embedded_dictionaries(path) == [WHOLE, TRIMMED]
    for dictionary in (WHOLE, TRIMMED):
        mine = [item for item in result.digests if item.dictionary == dictionary.guid]
        assert [(item.first, item.tokens, item.width, item.level) for item in mine] == [
            (0, 5, 2, 6), (5, 3, 2, 6),
        ]  # fmt: skip
        assert " ".join(term for item in mine for term in tokens_of(item, dictionary)) == TERMS


def test_what_is_made_now_has_the_vectors_that_were_made_then() -> None:
    now = fingerprint(TEXT, [WHOLE, TRIMMED], segment="4/2", digest=Digest(5, 6))
    assert now.vectors == EVERYTHING.vectors
    then = next(load_fingerprints(RELEASED / "fingerprint-everything.xml"))
    for first, other in zip(now.digests, then.digests, strict=True):
        for dictionary in (WHOLE, TRIMMED):
            if first.dictionary == dictionary.guid:  # zlib may pack otherwise some day
                assert tokens_of(first, dictionary) == tokens_of(other, dictionary)
    (minimal,) = load_fingerprints(RELEASED / "fingerprint-minimal.xml")
    assert fingerprint(TEXT, TRIMMED).vectors == minimal.vectors


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_is_loaded_and_saved_has_the_same_elements() -> None:
    for name in (*DICTIONARIES, *PRINTS):
        result = elements(saved(RELEASED / name, f"again-{name}"))
        assert result == elements(RELEASED / name), name


# What a later version, or another program, may add. The names of known elements within it must
# not be taken for those.
ADDED = {
    "own": '<later xmlns="urn:sdtext:xml" version="9.9" a="1">t<term df="1">a</term>'
    '<dictionary version="9.0"/><vector>ü &lt; &amp;</vector>u</later>',
    "foreign": '<o:later xmlns:o="urn:other" o:a="1" b="&quot;2&quot;&#10;">t'
    '<o:vector/><term xmlns="urn:sdtext:xml"/><x xmlns="urn:third" o:y="&lt;">ü😀</x>u</o:later>',
    "foreign with a known name": '<o:vector xmlns:o="urn:other" bits="x">?</o:vector>',
    "foreign dictionary": '<o:dictionary xmlns:o="urn:other" version="9.0">?</o:dictionary>',
    "of no namespace": '<later xmlns="" a="1">t<inner/>u</later>',
    "empty": '<o:later xmlns:o="urn:other"/>',
}
FEW = ("own", "foreign", "foreign with a known name")
"""Those that are tried in each kind of place; .ci/run tries all of them in every place."""
CHAIN = ("tokenizers", "tokenizer")
KEPT_IN = (
    "fingerprint", "dictionary", "execution_environment", "dataSource", "dictionarySource"
)  # fmt: skip


Places = Callable[[str, Callable[[str], bool]], Iterator[int]]
"""The places of elements in a file that have a name that is wanted."""


def within(name: str, wanted: Callable[[str], bool]) -> Iterator[int]:
    """The places, in document order, of elements with a name that is wanted."""
    for place, element in enumerate(etree.parse(RELEASED / name).iter()):
        if wanted(etree.QName(element).localname):
            yield place


def of_each_path(name: str, wanted: Callable[[str], bool]) -> Iterator[int]:
    """The first and the last of the places within, for each path of tags from the root."""
    tree = etree.parse(RELEASED / name)
    paths: dict[str, list[int]] = {}
    for place, element in enumerate(tree.iter()):
        if wanted(etree.QName(element).localname):
            tags = [element.tag, *(parent.tag for parent in element.iterancestors())]
            paths.setdefault(" ".join(map(str, tags)), []).append(place)
    yield from sorted({place for places in paths.values() for place in (places[0], places[-1])})


def with_added(name: str, place: int, added: str, at: str = "last") -> Path:
    """The file, of version 1.7 now, with an element more in the one at `place`."""
    tree = etree.parse(RELEASED / name)
    element = list(tree.iter())[place]
    item = etree.fromstring(ADDED[added])
    item.tail = "\n"
    element.insert(0 if at == "first" else len(element), item)
    if at == "first":  # what was the text comes first still
        item.tail, element.text = element.text, item.tail
    if tree.getroot().get("version"):
        tree.getroot().set("version", "1.7")
    path = Path(name)
    tree.write(path, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*DICTIONARIES, *PRINTS])
@pytest.mark.parametrize(
    "added",
    [*FEW, *(pytest.param(kind, marks=pytest.mark.deep) for kind in ADDED if kind not in FEW)],
)
def test_a_new_element_of_a_fingerprint_or_dictionary_is_kept(name: str, added: str) -> None:
    there = elements(RELEASED / name)
    for place in within(name, KEPT_IN.__contains__):
        for at in ("first", "last"):
            path = with_added(name, place, added, at)
            again = elements(saved(path))
            # Only the order may be another; the first file's root says a later version.
            assert sorted(map(repr, again[1:])) == sorted(map(repr, elements(path)[1:]))
            assert len(again) == len(there) + len(list(etree.fromstring(ADDED[added]).iter()))
            # And what was kept is kept again, and nothing is added to it.
            Path("again.xml").replace(name)
            assert elements(saved(Path(name), "third.xml")) == again


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("added", "places"), [
    *((kind, of_each_path) for kind in FEW),
    *(pytest.param(kind, within, marks=pytest.mark.deep) for kind in ADDED),
])  # fmt: skip
def test_a_new_element_elsewhere_is_passed_over(name: str, added: str, places: Places) -> None:
    before = loaded(RELEASED / name)
    not_here = (*CHAIN, *KEPT_IN, "outputConfiguration", "output")  # people write these by hand
    for place in places(name, lambda tag: tag not in not_here):
        assert loaded(with_added(name, place, added)) == before


@pytest.mark.parametrize("added", ["own", "foreign"])
@pytest.mark.parametrize(
    "name", ["recipe.xml", "dictionary.xml", "fingerprint-full.xml", "container.xml"]
)
def test_a_new_element_in_a_chain_is_refused_in_one_line(name: str, added: str) -> None:
    for place in within(name, CHAIN.__contains__):
        with pytest.raises(FormatError, match=r"tokenizer|parameter") as caught:
            loaded(with_added(name, place, added))
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", NAMES)
def test_a_new_attribute_is_passed_over(name: str) -> None:
    tree = etree.parse(RELEASED / name)
    for element in tree.iter("{*}*"):
        if etree.QName(element).localname != "tokenizer":
            element.set("later", "<1>")
            element.set("{urn:other}version", "9.0")
    tree.write(name, encoding="utf-8")
    assert loaded(Path(name)) == loaded(RELEASED / name)


def test_a_trimmed_dictionary_drops_unknown_elements_of_the_whole_one() -> None:
    path = with_added("dictionary.xml", 0, "foreign")
    assert load_dictionary(path).unknown
    done("TrimDictionary", "-d", path, "-b", "0.3", "-t", "0.75", "-o", "t.xml")
    assert load_dictionary("t.xml").unknown == ()


# A newer major version: by the file, by what is in it, and by the verb that reads it.
READERS: dict[str, list[Any]] = {
    "dictionary": ["ShowDictionaryTokens", "-d"],
    "fingerprint": ["ShowFingerprint", "-f"],
    "container": ["ShowFingerprint", "-f"],
    "output": ["Fingerprint", "-i", TEXT, "-d", RELEASED / "dictionary.xml", "-o", "f.xml", "-c"],
    "recipe": ["TokenizeFile", "-i", TEXT, "-c"],
}


def newer(name: str, tag: str, version: str = "2.0") -> Path:
    tree = etree.parse(RELEASED / name)
    list(tree.iter(f"{{*}}{tag}"))[-1].set("version", version)
    tree.write(name, encoding="utf-8")
    return Path(name)


NEWER = [
    ("dictionary.xml", "dictionary"), ("fingerprint-minimal.xml", "fingerprint"),
    ("fingerprint-full.xml", "fingerprint"), ("fingerprint-full.xml", "dictionary"),
    ("fingerprint-everything.xml", "dictionary"), ("container.xml", "fingerprints"),
    ("container.xml", "fingerprint"), ("container.xml", "dictionary"),
    ("output.xml", "outputConfiguration"), ("recipe.xml", "tokenizers"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "tag"), NEWER)
def test_a_newer_major_version_is_refused_and_a_minor_one_is_read(name: str, tag: str) -> None:
    for version in ("2.0", "10.3"):
        outcome = here(
            *READERS[name.partition(".")[0].partition("-")[0]], newer(name, tag, version)
        )
        check_refused(outcome, 5, name, f"version {version}", "update sdtext")
    for version in ("1.1", "1.7", "1.9999"):
        assert loaded(newer(name, tag, version)) == loaded(RELEASED / name)
