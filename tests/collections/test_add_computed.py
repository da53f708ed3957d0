"""Adding the documents of other collections, and fingerprints in XML files."""

import gzip
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.fingerprint_documents import fingerprints
from sdtext.model import DataSource, Fingerprint, Origin, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.parallel_run import Run
from tests.search.stored import RECIPE, WORDS, texts_of

TEXTS = texts_of(3, 20)


def filled(path: Path, texts: dict[str, str], recipe: RecipeSpec = RECIPE) -> Path:
    """A collection of these texts, with metadata, that keeps them."""
    with sdtext.create(path, recipe=recipe, keep_text=True) as collection:
        collection.add({"id": name, "text": text, "of": path.stem} for name, text in texts.items())
    return path


def texts_in(path: Path) -> dict[str, str]:
    with sdtext.open(path) as collection:
        assert [*collection.verify()] == []
        return {document.name: text for document, text in collection.texts()}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two collections that share the names `same` and `changed`."""
    common = {"same": TEXTS[0], "changed": TEXTS[1]}
    first = filled(tmp_path / "a.sdx", {**common, "first": TEXTS[2]})
    second = filled(tmp_path / "b.sdx", {**common, "changed": TEXTS[3], "second": TEXTS[4]})
    return first, second


@pytest.fixture
def _in_many_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DocumentRows, "size", 1 << 30)


def test_documents_are_added_as_they_are_stored(pair: tuple[Path, Path]) -> None:
    first, second = pair
    added = add_documents(first, second)
    assert (added.added, added.replaced, added.unchanged, added.documents) == (1, 2, 0, 4)
    assert texts_in(first) == {
        "first": TEXTS[2],
        "same": TEXTS[0],
        "changed": TEXTS[3],
        "second": TEXTS[4],
    }
    with StoredCollection.open(first) as collection:
        kept = {document.name: document.metadata for document in collection}
        assert kept == {name: {"of": "a" if name == "first" else "b"} for name in kept}
        assert len({document.id for document in collection}) == 4
    again = add_documents(first, second)
    assert (again.added, again.replaced, again.unchanged) == (0, 0, 3)


def test_documents_of_several_collections_are_counted_once(pair: tuple[Path, Path]) -> None:
    both = pair[0].with_name("both.sdx")
    added = add_documents(both, pair)
    assert (added.added, added.replaced, added.documents) == (4, 2, 4)
    assert texts_in(both)["changed"] == TEXTS[3]


@pytest.mark.parametrize("name", ["reuse", "deduplicate", "evidence"])
def test_a_new_collection_takes_recipe_and_all_columns(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(name)
    paths = [
        filled(
            tmp_path / f"{place}.sdx",
            dict(zip("abcd"[place:], TEXTS[4 * place :], strict=False)),
            recipe,
        )
        for place in range(2)
    ]
    add_documents(tmp_path / "all.sdx", paths)
    whole = {**texts_in(paths[0]), **texts_in(paths[1])}
    filled(tmp_path / "whole.sdx", whole, recipe)
    with (
        StoredCollection.open(tmp_path / "all.sdx") as merged,
        StoredCollection.open(tmp_path / "whole.sdx") as expected,
    ):
        assert merged.recipe == expected.recipe
        assert dict(merged.meta.kinds) == dict(expected.meta.kinds)
        assert merged.guid != StoredCollection.open(paths[0]).guid
        merged.compact()
    assert texts_in(tmp_path / "all.sdx") == whole


@pytest.fixture
def segmented(pair: tuple[Path, Path]) -> tuple[Path, Path]:
    """The same with more than one segment in the second."""
    with sdtext.open(pair[1]) as collection:
        collection.add({"id": "more", "text": TEXTS[5]})
    return pair


def state_of(path: Path) -> tuple[dict[str, str], list[Path]]:
    return texts_in(path), sorted(path.rglob("*.npy"))


@pytest.mark.usefixtures("_in_many_segments")
def test_damage_in_the_middle_leaves_the_collection_as_it_was(segmented: tuple[Path, Path]) -> None:
    first, second = segmented
    with StoredCollection.open(second) as collection:
        assert len(collection.segments()) > 1
        file = collection.segments()[-1].folder / "shingles.npy"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    before = state_of(first)
    with pytest.raises(FormatError, match=r"b\.sdx/segments/\d+/shingles\.npy: is damaged"):
        add_documents(first, second)
    assert state_of(first) == before
    third = filled(first.with_name("c.sdx"), {"c": TEXTS[9]})
    run = Run(problems=[])
    assert add_documents(first, [second, third], run=run).added == 1
    assert [problem.category for problem in run.problems or ()] == ["damaged"]


@pytest.mark.usefixtures("_in_many_segments")
def test_an_interruption_leaves_the_collection_as_it_was(segmented: tuple[Path, Path]) -> None:
    first, second = segmented
    before = state_of(first)
    steps: list[int] = []

    def interrupt(done: int, _total: int) -> None:
        steps.append(done)
        if sum(steps) > 3:
            raise KeyboardInterrupt

    for path in (first, first.with_name("new.sdx")):
        steps.clear()
        with pytest.raises(KeyboardInterrupt):
            add_documents(path, second, run=Run(progress=interrupt))
        assert steps == [3, 1]
    assert state_of(first) == before
    assert sorted(path.name for path in first.parent.iterdir()) == ["a.sdx", "b.sdx"]
    assert add_documents(first, second).documents == 5


def test_a_collection_is_not_added_to_itself(pair: tuple[Path, Path]) -> None:
    link = pair[0].with_name("link.sdx")
    link.symlink_to(pair[0])
    for path in (pair[0], link):
        with pytest.raises(OptionError, match="is the collection itself"):
            add_documents(pair[0], path)


def test_collections_that_store_something_else_are_refused(tmp_path: Path) -> None:
    chain = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
    one, other = (sdtext.Dictionary.of({"bee": 2, "hive": df}, 3, chain) for df in (2, 1))
    others = (
        CollectionSpec(replace(RECIPE, tokenizer=PartSpec("lines")), (one,)),
        CollectionSpec(replace(RECIPE, filters=RECIPE.filters[:1]), (one,)),
        CollectionSpec(replace(RECIPE, shingler=PartSpec.of("words", length=3)), (one,)),
        CollectionSpec(RECIPE),
        CollectionSpec(RECIPE, (other,)),
        CollectionSpec(RECIPE, (one,), text=True),
    )
    (tmp_path / "bees.txt").write_text("The bees danced in the hive.")
    add_documents(tmp_path / "x.sdx", tmp_path / "bees.txt", CollectionSpec(RECIPE, (one,)))
    for place, spec in enumerate(others):
        path = tmp_path / f"{place}.sdx"
        add_documents(path, tmp_path / "bees.txt", spec)
        with pytest.raises(MismatchError, match=f"cannot take the documents of {path}: "):
            add_documents(tmp_path / "x.sdx", path)


CHAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
DICTIONARY = replace(
    Dictionary.of({word: 1 + place for place, word in enumerate(WORDS)}, 50, CHAIN),
    origin=Origin("5f1c0f36-3b21-4a84-9d3a-0c5e6c6f0001"),
    name="words",
)
BITS = CollectionSpec(None, (DICTIONARY,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    for place, text in enumerate(texts_of(5, 12)):
        (tmp_path / "texts" / f"{place:02}.txt").write_text(text)
    return tmp_path


def prints_of(folder: Path, segment: Segment | None = None) -> list[Fingerprint]:
    """The fingerprints of the texts, with their names and GUIDs."""
    files = sorted((folder / "texts").iterdir())
    pairs = fingerprints(files, [DICTIONARY], Run(), segment)
    return [
        replace(
            fingerprint,
            dictionaries=(DICTIONARY.reference(),),
            source=DataSource(path.name),
            origin=Origin(f"5f1c0f36-3b21-4a84-9d3a-{place:012x}"),
        )
        for place, (path, fingerprint) in enumerate(pairs)
    ]


def shared(items: Sequence[Fingerprint], path: Path, *dictionaries: Dictionary) -> Path:
    sdtext.save(items, path, dictionary=dictionaries)
    return path


def rows_of(path: Path) -> dict[str, bytes]:
    """The vector of each document by its name; the collection is verified."""
    with StoredCollection.open(path) as collection:
        assert [*collection.verify()] == []
        column = f"bits-{collection.dictionaries[0].digest[:16]}"
        segments = {segment.number: segment for segment in collection.segments()}
        return {
            item.name: bytes(segments[item.segment].arrays[column][item.row])
            for item in collection.documents()
        }


def test_rows_are_those_of_the_documents(folder: Path) -> None:
    file = shared(prints_of(folder), folder / "share.xml.gz", DICTIONARY)
    added = add_documents(folder / "x.sdx", file)
    assert (added.added, added.documents) == (12, 12)
    add_documents(folder / "y.sdx", folder / "texts", BITS)
    assert rows_of(folder / "x.sdx") == rows_of(folder / "y.sdx")
    with (
        StoredCollection.open(folder / "x.sdx") as ours,
        StoredCollection.open(folder / "y.sdx") as theirs,
    ):
        assert (ours.recipe, dict(ours.meta.kinds)) == (theirs.recipe, dict(theirs.meta.kinds))
        assert {item.root for item in ours} == {str(file)}
    again = add_documents(folder / "x.sdx", file)
    assert (again.added, again.unchanged) == (0, 12)
    changed = [replace(prints_of(folder)[3], source=DataSource("00.txt"))]
    again = add_documents(folder / "x.sdx", shared(changed, file))
    assert (again.added, again.replaced, again.documents) == (0, 1, 12)
    assert rows_of(folder / "x.sdx")["00.txt"] == rows_of(folder / "y.sdx")["03.txt"]


def test_documents_are_named_as_the_file_can(folder: Path) -> None:
    items = prints_of(folder)[:5]
    items[1] = replace(items[1], source=items[0].source)
    items[2] = replace(items[2], source=None)
    items[3] = replace(items[3], source=None, origin=Origin())
    file = shared(items, folder / "share.xml")
    add_documents(folder / "x.sdx", file, BITS)
    guids = [f"share.xml#{item.origin.guid}" for item in items[1:3]]
    assert [*rows_of(folder / "x.sdx")] == ["00.txt", *guids, "share.xml#4", "04.txt"]
    sdtext.save(items[4], folder / "named.xml")
    sdtext.save(items[3], folder / "plain.xml")
    add_documents(folder / "y.sdx", [folder / "named.xml", folder / "plain.xml"], BITS)
    assert [*rows_of(folder / "y.sdx")] == ["04.txt", "plain.xml"]


def test_a_folder_may_hold_documents_and_fingerprints(folder: Path) -> None:
    shared(prints_of(folder)[:4], folder / "texts" / "some.xml")
    (folder / "texts" / "other.xml").write_text(f"<letter>{' '.join(WORDS)}</letter>")
    sdtext.save(DICTIONARY, folder / "texts" / "words.xml")
    run = Run(problems=[])
    added = add_documents(folder / "x.sdx", folder / "texts", BITS, run)
    assert (added.added, [problem.category for problem in run.problems or ()]) == (17, ["artefact"])
    assert "other.xml" in rows_of(folder / "x.sdx")


def test_segments_are_stored_as_the_whole_document(folder: Path) -> None:
    add_documents(folder / "x.sdx", shared(prints_of(folder), folder / "whole.xml"), BITS)
    segments = prints_of(folder, Segment(10, 5))
    assert any(len(item.vectors) > 1 for item in segments)
    add_documents(folder / "y.sdx", shared(segments, folder / "segments.xml"), BITS)
    assert rows_of(folder / "y.sdx") == rows_of(folder / "x.sdx")


def test_the_dictionary_is_that_in_the_file_or_one_that_comes_with_sdtext(folder: Path) -> None:
    file = shared(prints_of(folder), folder / "share.xml")
    with pytest.raises(MismatchError, match=r"does not contain its dictionary, words \(GUID 5f1c"):
        add_documents(folder / "x.sdx", file)
    assert not (folder / "x.sdx").exists()
    english = sdtext.load("english")
    assert isinstance(english, Dictionary)
    bare = replace(english.reference(), name="")
    items = [
        replace(item, dictionaries=(bare,), source=None)
        for _, item in fingerprints([*(folder / "texts").iterdir()], [english], Run())
    ]
    add_documents(folder / "x.sdx", shared(items, file))
    with StoredCollection.open(folder / "x.sdx") as collection:
        assert [item.digest for item in collection.dictionaries] == [english.digest]


def _at_last(pattern: str, replacement: str, xml: str) -> str:
    """The text with the last match of a pattern replaced, and without the digests."""
    xml = re.sub(r"<hashdigest.*\n(?!<documents)", "", xml)
    *_, last = re.finditer(pattern, xml)
    return xml[: last.start()] + last.expand(replacement) + xml[last.end() :]


_SECOND = "5f1c0f36-3b21-4a84-9d3a-000000000001"
DAMAGES = {
    "share.xml: is damaged: it is not XML: ": ("</fingerprint>", "</print>"),
    "share.xml: fingerprint 12: is damaged: a <vector> says 40 bits and":
        (">....(.*)</v", r">\1</v"),
    "share.xml: fingerprint 12: is damaged: a <vector> says .* are set": (' set="', r"\g<0>1"),
    "share.xml: fingerprint 12: is damaged: it has 33 bits over dictionary words":
        (r'terms="40"((?s:.*?))bits="40"( set=")[0-9]*(">)[^<]*',
         r'terms="33"\1bits="33"\g<2>5\3HwAAAAA='),
    f"fingerprint 12: was made with .*digest 0{{16}}; the collection has words .* digest "
    f"{DICTIONARY.digest[:16]}: ": ('digest="[^"]*"', f'digest="{"0" * 64}"'),
    "share.xml: fingerprint 12: is damaged: an earlier one has the same GUID":
        ('(<fingerprint .*guid=")[^"]*', rf"\g<1>{_SECOND}"),
    "share.xml: fingerprint 12: is a minhash, and a collection stores bitvectors":
        (">bitvector<", ">minhash<"),
}  # fmt: skip


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("message", DAMAGES)
def test_a_bad_file_changes_nothing(
    message: str, at_once: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not at_once:  # what is read before the damage is written to segments
        monkeypatch.setattr("sdtext.collections.add._FINGERPRINTS_AT_ONCE", 3)
        monkeypatch.setattr(DocumentRows, "size", 1 << 30)
    file = shared(prints_of(folder), folder / "share.xml")
    damaged = _at_last(*DAMAGES[message], file.read_text())
    shared(prints_of(folder)[:3], file)
    add_documents(folder / "x.sdx", file, BITS)
    before = rows_of(folder / "x.sdx"), sorted(folder.rglob("*.npy"))
    file.write_text(damaged)
    with pytest.raises((FormatError, MismatchError), match=message):
        add_documents(folder / "x.sdx", file)
    with pytest.raises((FormatError, MismatchError), match=message):
        add_documents(folder / "new.sdx", file, BITS)
    assert (rows_of(folder / "x.sdx"), sorted(folder.rglob("*.npy"))) == before
    assert not [*folder.glob("*new.sdx*")]


def test_a_bad_file_does_not_stop_the_others(folder: Path) -> None:
    shared(prints_of(folder)[:6], folder / "good.xml.gz", DICTIONARY)
    good = (folder / "good.xml.gz").read_bytes()
    cut = folder / "cut.xml.gz"
    cut.write_bytes(good[:200])
    empty = re.sub(b"(?s)<fingerprint .*</fingerprint>\n", b"", gzip.decompress(good))
    (folder / "none.xml").write_bytes(empty)
    run = Run(problems=[])
    files = [cut, folder / "good.xml.gz", folder / "none.xml", folder / "texts"]
    added = add_documents(folder / "x.sdx", files, run=run)
    assert (added.added, added.unreadable) == (18, 2)
    assert {(problem.category, problem.path) for problem in run.problems or ()} == {
        ("damaged", str(cut)),  # its beginning tells what it is
        ("unreadable", str(folder / "none.xml")),
    }
    with pytest.raises(UnreadableError, match=r"none.xml: contains no fingerprint"):
        add_documents(folder / "x.sdx", folder / "none.xml")


def test_a_pipe_is_read_once_and_is_a_document(folder: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, " ".join(WORDS).encode())
    os.close(writing)
    try:
        assert add_documents(folder / "x.sdx", f"/dev/fd/{reading}", BITS).added == 1
    finally:
        os.close(reading)


def test_a_collection_that_stores_more_is_refused(folder: Path) -> None:
    file = shared(prints_of(folder), folder / "share.xml")
    add_documents(folder / "x.sdx", folder / "texts", CollectionSpec(RECIPE, (DICTIONARY,)))
    message = r"x\.sdx: stores more of documents \(tokens, words, shingles, …\), and a fingerprint"
    with pytest.raises(MismatchError, match=message):
        add_documents(folder / "x.sdx", file)
    with pytest.raises(
        MismatchError, match=r"y\.sdx: stores more of documents \(tokens, words, sh"
    ):
        add_documents(folder / "y.sdx", file, CollectionSpec(RECIPE, (DICTIONARY,)))
    add_documents(folder / "z.sdx", folder / "texts", CollectionSpec(RECIPE))
    with pytest.raises(MismatchError, match=r"z\.sdx: stores more of documents"):
        add_documents(folder / "z.sdx", file)
