"""Files of every released version of the formats: they load for ever.

The files in `tests/samples/formats/1.0` are never renewed.

What later versions and other programs may add right below `<fingerprint>` and `<dictionary>` is
kept and passed on; attributes, and elements in deeper places, are passed over. In a chain they are
refused: whoever does not know a part of it makes other terms.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load_dictionary
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


def test_there_is_a_valid_file_of_every_kind() -> None:
    trees = [etree.parse(path) for path in FILES]
    for tree in trees:
        VALID.assertValid(tree)
    roots = {etree.QName(tree.getroot()).localname for tree in trees}
    assert roots == {
        "tokenizers", "outputConfiguration", "dictionary", "fingerprint", "fingerprints",
    }  # fmt: skip


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
