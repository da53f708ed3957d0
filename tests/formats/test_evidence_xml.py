"""Evidence is read back as it was written; what is damaged or hostile is refused in one line."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from lxml import etree

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load, load_dictionary, load_evidence, save
from sdtext.formats import hardened_xml as xml
from sdtext.formats.hardened_xml import escaped_text, unescaped_text
from sdtext.model import Evidence, Examined, Metadata, Passage, Shared, Similarity, Span
from sdtext.model.reuse_evidence import Coverage, Edit, Part
from tests.formats.evidence import ANY_TEXT, SCHEMA, evidences, example, read, written
from tests.support.command import ROOT
from tests.support.damages import ANY_FILE, inside


@given(evidences())
def test_what_is_written_is_valid_and_read_back(evidence: Evidence) -> None:
    data = written(evidence)
    SCHEMA.assertValid(etree.fromstring(data))
    assert read(data) == evidence


@given(ANY_TEXT)
def test_any_text_can_be_held(text: str) -> None:
    escaped = escaped_text(text)
    etree.Element("a").text = escaped  # ValueError for what XML cannot hold
    assert unescaped_text(escaped) == text


def test_a_value_keeps_its_type() -> None:
    metadata: Metadata = {"a": 1, "b": 1.0, "c": True, "d": "1", "e": None, "f": ""}
    evidence = Evidence((Examined("a", 1, metadata=metadata),), (), ())
    (result,) = read(written(evidence)).documents
    assert [(type(value), value) for value in result.metadata.values()] == [
        (type(value), value) for value in metadata.values()
    ]


def test_a_file_of_the_first_version_is_read_unchanged() -> None:
    """The file is never renewed: what is written now may differ, what is read may not."""
    path = ROOT / "tests" / "samples" / "formats" / "evidence-1.0.xml"
    SCHEMA.assertValid(etree.parse(path))
    (shared, *others) = example().shared
    older = tuple(replace(passage, verbatim=None, gaps=((), ())) for passage in shared.passages)
    documents = (
        replace(document, excluded=(), word_counts=None) for document in example().documents
    )
    pairs = (replace(shared, passages=older), *others)
    expected = replace(example(), documents=tuple(documents), shared=pairs)
    assert load_evidence(path) == expected


def test_the_example_on_the_page_of_formats_is_valid_and_read() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    (shown,) = re.findall(r"```xml\n(<evidence .*?)```", page, re.DOTALL)
    SCHEMA.assertValid(etree.fromstring(shown))
    evidence = read(shown.encode())
    (passage,) = evidence.shared[0].passages
    assert passage.left == Span(120, 430)
    assert evidence.documents[1].metadata == {"title": "Bees in spring", "year": 2019}


def test_it_is_saved_and_loaded_and_no_other_file_is_taken_for_it(tmp_path: Path) -> None:
    for name in ("e.xml", "e.xml.gz"):
        save(example(), tmp_path / name)
        assert load(tmp_path / name) == load_evidence(tmp_path / name) == example()
    with pytest.raises(FormatError, match=r"e\.xml.*evidence.*dictionary"):
        load_dictionary(tmp_path / "e.xml")
    for text in ('<evidence xmlns="urn:other"/>', "<grammar/>"):
        (tmp_path / "other.xml").write_text(text, "utf-8")
        with pytest.raises(FormatError, match=r"other\.xml"):
            load_evidence(tmp_path / "other.xml")


def refused(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        read(data)
    assert str(caught.value).isprintable()
    assert str(caught.value).startswith("e.xml: ")
    return str(caught.value)


def test_a_hostile_file_is_refused() -> None:
    xml = written(example()).decode("utf-8")
    for damage in ANY_FILE.values():
        known = damage(xml.replace("urn:sdtext:evidence", "urn:sdtext:xml"))
        refused(known.replace("urn:sdtext:xml", "urn:sdtext:evidence").encode("utf-8"))


LIES = Path(__file__).with_name("lies.tsv").read_text("utf-8").splitlines()
"""Lines of what stands in the example, what is put in its place, and what is said of that."""


def test_a_lie_is_refused_with_what_is_wrong() -> None:
    xml = written(example()).decode("utf-8")
    for true, lie, reported in (line.split("\t") for line in LIES):
        assert xml.count(true) == 1
        assert reported in refused(xml.replace(true, lie).encode("utf-8")), true


def test_lists_that_are_not_there_or_out_of_order_are_refused() -> None:
    for tag in ("documents", "pairs"):
        root = etree.fromstring(written(Evidence((), (), ())))
        root.remove(next(root.iter(f"{{*}}{tag}")))
        assert f"<{tag}>" in refused(etree.tostring(root))
    root = etree.fromstring(written(example()))
    root.insert(0, next(root.iter("{*}pairs")))
    assert "there are 0" in refused(etree.tostring(root))


ADDED = {
    "later": '<later a="1">t<name>x</name><passage/></later>',
    "foreign": '<o:passage xmlns:o="urn:other" score="x">t</o:passage>',
    "fingerprint": '<fingerprint xmlns="urn:sdtext:xml" version="9.0"/>',
}


def added_in(added: str) -> etree._Element:
    return etree.fromstring(f'<x xmlns="urn:sdtext:evidence">{ADDED[added]}</x>')[0]


def test_what_a_later_minor_version_adds_is_passed_over() -> None:
    for place, element in enumerate(etree.fromstring(written(example())).iter()):
        for added in ADDED:
            root = etree.fromstring(written(example()))
            root.set("version", "1.7")
            list(root.iter())[place].set("later", "1")
            list(root.iter())[place].append(added_in(added))
            assert read(etree.tostring(root)) == example(), (element.tag, added)


def test_elements_of_other_vocabularies_are_valid() -> None:
    for tag in ("evidence", "document", "pair", "passage"):
        root = etree.fromstring(written(example()))
        (element, *_) = root.iter(f"{{*}}{tag}")
        element.append(added_in("foreign"))
        SCHEMA.assertValid(root)
        element.append(added_in("later"))
        assert not SCHEMA.validate(root), tag


def test_many_elements_are_read_and_hidden_ones_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements of ours are forgotten one by one, others would stay in memory until their end."""
    monkeypatch.setattr(xml, "_FULLEST", 20_000)
    edits = 5_000 * (Edit("insert", Span(0, 0), Span(0, 1)),)
    passage = Passage(Span(0, 9), Span(0, 9), Similarity(1, 2), edits=edits)
    metadata: Metadata = {f"field {number}": number for number in range(5_000)}
    sources = dict.fromkeys(range(5_000), 0.5)
    parts = 5_000 * (Part(Span(0, 9), 1, 0.5),)
    evidence = Evidence(
        (Examined("a", 9, metadata=metadata), *4_999 * (Examined("b", 9),)),
        (Shared(0, 1, (passage,), 1.0, 1.0),),
        (Coverage(0, 0.5, sources, parts),),
    )
    assert read(written(evidence)) == evidence
    for hidden in ("<x/>", '<x a="1" b="2"/>'):
        many = written(example()).replace(b"<how>", f"<y>{40_000 * hidden}</y><how>".encode())
        assert "one element holds over 20,000 others" in refused(many)


def test_passages_in_other_places_are_no_passages() -> None:
    """A name alone does not make an element one of ours: it must stand where ours stand."""
    deep = "<x>" * 5 + '<passage left_offset="no"/>' + "</x>" * 5
    xml = inside(deep)(written(example()).decode().replace(":evidence", ":xml"))
    assert read(xml.replace("urn:sdtext:xml", "urn:sdtext:evidence").encode()) == example()
