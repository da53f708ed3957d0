"""Adding documents: all columns, unchanged documents, continuing after an interruption."""

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections import add as adding
from sdtext.collections.add import AddedDocuments, add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import MarkedSpans, codes_of, marks_of, words_of
from sdtext.errors import FormatError, MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, RecipeSpec, Span
from sdtext.parts.registry import build
from sdtext.parts.units.quotes import quotes_in
from sdtext.parts.units.reference_lists import references_in
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.searchable import Derivation, segment_views
from sdtext.text.document import Document
from tests.support.command import prose, write_texts
from tests.support.deduplication import lines_of, write_lines
from tests.support.word_offsets import CHAIN as STOPPED
from tests.support.word_offsets import PASSAGES, SENTENCES, spelled, written

CHAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), PartSpec("strip-punctuation")))
SKETCH = PartSpec.of("minhash", slots=64)
RECIPE = replace(
    CHAIN,
    shingler=PartSpec.of("words", length=3),
    fingerprint=SKETCH,
    index=PartSpec("bands"),
    matcher=PartSpec("jaccard"),
)
KEPT = CollectionSpec(RECIPE)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts", 12, words=60)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "x.sdx"


def names_in(place: Path) -> list[str]:
    return sorted(document.name for document in StoredCollection.open(place).documents())


def counts(added: AddedDocuments) -> tuple[int, int, int, int, int]:
    numbers = (added.added, added.replaced, added.unchanged, added.unreadable, added.documents)
    assert len(StoredCollection.open(added.collection)) == added.documents
    return numbers


def rows_of(place: Path) -> dict[str, dict[str, Any]]:
    """All that is kept of each document by its name, as plain values."""
    collection = StoredCollection.open(place)
    segments = {item.number: item for item in collection.segments()}
    return {
        item.name: {
            name: _plain(segments[item.segment], name, item.row)
            for name in segments[item.segment].arrays
            if name not in ("ids", "words") and not name.endswith(".offsets")
        }
        for item in collection.documents()
    }


def _plain(segment: Any, name: str, row: int) -> Any:
    ragged = f"{name}.offsets" in segment.arrays
    values = (segment.ragged(name) if ragged else segment.arrays[name])[row].tolist()
    if name != "tokens":
        return values
    words = segment.ragged("words")
    return [bytes(words[token - 1]).decode() if token else "" for token in values]


def test_columns_equal_what_the_parts_compute_for_each_text(texts: Path, place: Path) -> None:
    dictionary = create_dictionary(texts, CHAIN)
    add_documents(place, texts, CollectionSpec(RECIPE, (dictionary,), text=True))
    kept = rows_of(place)
    assert sorted(kept) == sorted(path.name for path in texts.iterdir())
    shingling, minhash = Encoder(RECIPE), build("fingerprints", SKETCH)
    for path in texts.iterdir():
        text = path.read_text("utf-8")
        shingles = sorted(set(shingling([text])[0].tolist()))
        lines = [Chain(CHAIN).terms(line) for line in text.splitlines()]
        vector = fingerprint(path, dictionary).vectors[0].packed
        assert kept[path.name] == {
            "shingles": shingles,
            "sketches": minhash(Ragged.of([shingles]))[0].tolist(),
            "tokens": [term for line in lines for term in ("", *line)][1:],
            f"bits-{dictionary.digest[:16]}": list(vector),
            "text": list(text.encode()),
        }


def test_documents_are_named_from_the_folder_that_was_added(tmp_path: Path, place: Path) -> None:
    write_texts(tmp_path / "all" / "b" / "deep", 2)
    write_texts(tmp_path / "all" / "a", 1)
    with zipfile.ZipFile(tmp_path / "all" / "more.zip", "w") as archive:
        archive.writestr("in/one.txt", prose(7))
    add_documents(place, tmp_path / "all", KEPT)
    assert names_in(place) == [
        "a/000.txt",
        "b/deep/000.txt",
        "b/deep/001.txt",
        "more.zip!in/one.txt",
    ]
    assert {document.root for document in StoredCollection.open(place).documents()} == {
        str(tmp_path / "all")
    }


def test_a_file_that_is_named_itself_is_that_of_its_folder(texts: Path, place: Path) -> None:
    with zipfile.ZipFile(texts / "more.zip", "w") as archive:
        archive.writestr("in/one.txt", prose(7))
    add_documents(place, [texts / "003.txt", texts / "003.txt", texts / "more.zip"], KEPT)
    assert names_in(place) == ["003.txt", "more.zip!in/one.txt"]
    assert counts(add_documents(place, texts)) == (11, 0, 2, 0, 13)
    assert counts(add_documents(place, f"{texts / 'more.zip'}!in/one.txt")) == (0, 0, 1, 0, 13)


def test_only_what_is_new_or_has_changed_is_read_again(texts: Path, place: Path) -> None:
    assert counts(add_documents(place, texts, KEPT)) == (12, 0, 0, 0, 12)
    before = {document.name: document.id for document in StoredCollection.open(place).documents()}
    old = (texts / "004.txt").stat()
    changed = (texts / "004.txt").read_text().swapcase().replace("E", "O")
    (texts / "004.txt").write_text(changed)
    os.utime(texts / "004.txt", ns=(old.st_atime_ns, old.st_mtime_ns))
    assert (texts / "004.txt").stat().st_size == old.st_size
    (texts / "new.txt").write_text(prose(99))
    (texts / "005.txt").unlink()
    assert counts(add_documents(place, texts)) == (1, 1, 10, 0, 13)
    after = {document.name: document.id for document in StoredCollection.open(place).documents()}
    assert {name for name in before if before[name] != after[name]} == {"004.txt"}
    add_documents(place.with_name("fresh.sdx"), texts / "004.txt", KEPT)
    assert rows_of(place)["004.txt"] == rows_of(place.with_name("fresh.sdx"))["004.txt"]


def test_a_collection_without_documents_is_added_to(texts: Path, place: Path) -> None:
    add_documents(place, Inputs(texts), KEPT)
    emptied = StoredCollection.open(place)
    assert emptied.remove_ids(emptied.ids().tolist()) == 12
    assert counts(add_documents(place, Inputs(texts))) == (12, 0, 0, 0, 12)
    assert StoredCollection.open(place).guid == emptied.guid


def test_the_result_does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    for part in range(3):
        write_texts(tmp_path / "many" / f"{part}", 150, words=40)
    (tmp_path / "many" / "1" / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    kept: list[list[Any]] = []
    for jobs in (1, 2):
        run = Run(jobs, problems=[])
        place = tmp_path / f"{jobs}.sdx"
        assert counts(add_documents(place, tmp_path / "many", KEPT, run)) == (450, 0, 0, 1, 450)
        collection = StoredCollection.open(place)
        kept.append(
            [[document.id, document.name, document.digest] for document in collection.documents()]
        )
        for segment in collection.segments():
            kept[-1] += [
                [name, document.tolist()] for name, document in sorted(segment.arrays.items())
            ]
    assert kept[0] == kept[1]


def test_an_interrupted_run_goes_on_where_it_stopped(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = write_texts(tmp_path / "many", 600, words=20)
    monkeypatch.setattr(adding, "_COMMIT_SECONDS", -1)  # after each batch
    seen: list[int] = []

    def stopped(done: int, _total: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_documents(place, texts, KEPT, Run(progress=stopped))
    kept = sum(seen)
    assert 0 < kept < 600
    assert len(StoredCollection.open(place)) == kept
    assert counts(add_documents(place, texts, KEPT)) == (600 - kept, 0, kept, 0, 600)
    fresh = place.with_name("fresh.sdx")
    add_documents(fresh, texts, KEPT)
    assert rows_of(place) == rows_of(fresh)


def test_one_bad_file_costs_one_problem(texts: Path, place: Path) -> None:
    (texts / "noise").write_bytes(bytes(range(256)) * 9)
    (texts / "empty.txt").touch()
    run = Run(problems=[])
    assert counts(add_documents(place, [texts, texts / "nowhere"], KEPT, run)) == (12, 0, 0, 3, 12)
    assert run.problems
    assert sorted(Path(problem.path).name for problem in run.problems) == [
        "empty.txt",
        "noise",
        "nowhere",
    ]


def test_without_any_document_no_collection_is_created(tmp_path: Path, place: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "hollow").mkdir()
    for path in ("empty.txt", "hollow", "nowhere"):
        with pytest.raises(UnreadableError, match=r"x\.sdx: is not created: "):
            add_documents(place, tmp_path / path, KEPT, Run(problems=[]))
        assert [item.name for item in tmp_path.iterdir() if "sdx" in item.name] == []


def test_collections_and_artefacts_among_the_documents_are_passed_over(
    texts: Path, tmp_path: Path
) -> None:
    run = Run(problems=[])
    (texts / "inner").mkdir()
    add_documents(texts / "inner" / "x.sdx", texts, KEPT)
    assert counts(add_documents(texts / "inner" / "x.sdx", texts, KEPT, run))[:4] == (0, 0, 12, 0)
    assert [(item.severity, item.category) for item in run.problems or ()] == [
        ("warning", "artefact")
    ]
    add_documents(tmp_path / "y.sdx", [texts / "inner", texts / "003.txt"], KEPT, run)
    assert names_in(tmp_path / "y.sdx") == ["003.txt"]


def test_another_recipe_is_refused_and_the_first_difference_named(texts: Path, place: Path) -> None:
    dictionary = create_dictionary(texts, CHAIN)
    add_documents(place, texts, KEPT)
    longer = replace(RECIPE, shingler=PartSpec.of("words", length=4))
    fewer = replace(RECIPE, filters=CHAIN.filters[:1])
    other = replace(RECIPE, fingerprint=PartSpec.of("minhash", slots=32))
    for kept, output in (
        (
            CollectionSpec(longer),
            r"shingler is words\(length=3\), and that of the recipe words\(length=4\)",
        ),
        (CollectionSpec(fewer), r"filter 2 is strip-punctuation, and that of the recipe none"),
        (CollectionSpec(other), r"fingerprint is minhash\(slots=64\), .* minhash\(slots=32\)"),
        (CollectionSpec(replace(RECIPE, unit=PartSpec("sentence"))), "unit is document"),
        (CollectionSpec(RECIPE, (dictionary,)), "no dictionary"),
        (CollectionSpec(RECIPE, text=True), "keep_text"),
    ):
        with pytest.raises(MismatchError, match=output):
            add_documents(place, texts, kept)
    searched = replace(RECIPE, index=PartSpec.of("bands", bands=8, rows=4), matcher=None)
    assert counts(add_documents(place, texts, CollectionSpec(searched)))[2] == 12


@pytest.mark.parametrize(("recipe", "message"), [
    (CHAIN, "add a shingler"), (replace(CHAIN, fingerprint=PartSpec("minhash")), "shingler = "),
    (replace(CHAIN, fingerprint=PartSpec("bitvector")), "one as dictionary"),
    (replace(RECIPE, fingerprint=PartSpec("digest")), "fingerprint is digest"),
    (replace(RECIPE, unit=PartSpec("page")), "unit is page"),
    (replace(RECIPE, index=PartSpec.of("bands", bands=50, rows=9)), "slots"),
    (replace(SENTENCES, unit=PartSpec("paragraph")), "unit is paragraph"),
    (replace(SENTENCES, fingerprint=PartSpec("minhash")), "fingerprint is minhash"),
    (replace(SENTENCES, unit=PartSpec("document"), index=PartSpec("groups")),
     "groups compares codes"),
    (replace(SENTENCES, shingler=PartSpec("characters")), "name one for sentences"),
])  # fmt: skip
def test_a_recipe_that_serves_for_no_collection_is_refused(
    texts: Path, place: Path, recipe: RecipeSpec, message: str
) -> None:
    with pytest.raises(OptionError, match=rf"x\.sdx: cannot be created: .*{message}"):
        add_documents(place, texts, CollectionSpec(recipe))
    assert not place.exists()


def length_in(place: Path) -> int:
    shingler = StoredCollection.open(place).recipe.shingler
    assert shingler
    length = dict(shingler.options)["length"]
    assert isinstance(length, int)
    return length


def test_the_length_auto_is_settled_once_by_the_longest_file(texts: Path, place: Path) -> None:
    automatic = CollectionSpec(replace(RECIPE, shingler=PartSpec("characters")))
    added = add_documents(place, texts, automatic)
    stored = length_in(place)
    assert str(stored) in added.length_reason
    (texts / "long.txt").write_text(prose(5, 200_000))
    again = add_documents(place, texts, automatic)
    assert (again.added, again.length_reason) == (1, "")
    other = add_documents(place.with_name("y.sdx"), texts, automatic)
    assert length_in(other.collection) > stored


def facts_in(place: Path) -> Mapping[str, Mapping[str, Any]]:
    return {
        document.name: document.metadata for document in StoredCollection.open(place).documents()
    }


def test_metadata_match_a_path_or_a_unique_name(tmp_path: Path, place: Path) -> None:
    for part in "ab":
        write_texts(tmp_path / "all" / part, 2)
    (tmp_path / "all" / "b" / "own.txt").write_text(prose(8))
    table = tmp_path / "all" / "facts.csv"
    table.write_text(
        "file,year,by\na/000.txt,2019,HUT\nown.txt,2020,TKK\n001.txt,1,x\ngone.txt,2,y\n"
    )
    run = Run(problems=[])
    added = add_documents(place, Inputs(tmp_path / "all", metadata=table), KEPT, run)
    assert (added.added, added.unreadable) == (5, 0)
    assert facts_in(place) == {
        "a/000.txt": {"year": 2019, "by": "HUT"}, "a/001.txt": {}, "b/000.txt": {}, "b/001.txt": {},
        "b/own.txt": {"year": 2020, "by": "TKK"},
    }  # fmt: skip
    assert run.problems
    [problem] = run.problems
    assert (problem.severity, problem.category) == ("warning", "no-document")
    assert "2 of 4 rows" in problem.message
    assert "001.txt, gone.txt" in problem.message


def test_changed_metadata_replace_a_document_and_missing_ones_do_not(
    texts: Path, place: Path
) -> None:
    table = texts.with_name("facts.jsonl")
    table.write_text('{"file": "000.txt", "year": 1}\n{"file": "001.txt", "year": 1}\n')
    add_documents(place, Inputs(texts, metadata=table), KEPT)
    table.write_text('{"file": "000.txt", "year": 2}\n{"file": "001.txt", "year": 1}\n')
    assert counts(add_documents(place, Inputs(texts, metadata=table))) == (0, 1, 11, 0, 12)
    (texts / "001.txt").write_text(prose(77))
    assert counts(add_documents(place, texts)) == (0, 1, 11, 0, 12)
    known = facts_in(place)
    assert [known[name] for name in ("000.txt", "001.txt", "002.txt")] == [
        {"year": 2},
        {"year": 1},
        {},
    ]


def test_records_are_documents_with_the_metadata_in_them(tmp_path: Path, place: Path) -> None:
    rows = ({"id": f"n{n}", "text": prose(n, 30), "year": n, "tags": [1]} for n in range(1200))
    path = write_lines(tmp_path / "all.jsonl", lines_of(rows))
    steps: list[tuple[int, int]] = []
    run = Run(problems=[], progress=lambda done, total: steps.append((done, total)))
    assert counts(add_documents(place, path, KEPT, run)) == (1200, 0, 0, 0, 1200)
    assert sum(done for done, _ in steps) == 1200
    assert steps[-1][1] == 1200
    first = next(first for first in StoredCollection.open(place).documents() if first.name == "n7")
    assert (first.root, first.metadata, first.size) == (str(path), {"year": 7}, len(prose(7, 30)))
    single = tmp_path / "single.txt"
    single.write_text(prose(7, 30), "utf-8")
    add_documents(tmp_path / "y.sdx", single, KEPT)
    assert rows_of(place)["n7"] == rows_of(tmp_path / "y.sdx")["single.txt"]
    lines = path.read_text().splitlines()
    lines[3] = json.dumps({"id": "n3", "text": "changed text here", "year": 3})
    lines[4] = json.dumps({"id": "n4", "text": prose(4, 30), "year": 5000})
    path.write_text("\n".join(lines))
    assert counts(add_documents(place, path)) == (0, 2, 1198, 0, 1200)


def filled_collection(tmp_path: Path, recipe: RecipeSpec, batches: int = 3) -> StoredCollection:
    """A collection of nine documents, three at a time in a segment of their own."""
    for batch in range(batches):
        folder = written(tmp_path / "texts", range(3 * batch, 3 * batch + 3))
        add_documents(tmp_path / "x.sdx", folder, CollectionSpec(recipe))
    return StoredCollection.open(tmp_path / "x.sdx")


def texts_read(collection: StoredCollection, tmp_path: Path) -> list[Document]:
    """The documents of a collection in the order of their ids."""
    return [read(tmp_path / "texts" / document.name) for document in collection.documents()]


def test_words_of_several_segments_are_read_as_written(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, PASSAGES)
    assert len(collection.segments()) == 3
    result = words_of(collection)
    whole = spelled(result)
    assert whole == spelled(Encoder(PASSAGES).words(texts_read(collection, tmp_path)))
    ordered = [bytes(word) for word in result.words]
    assert ordered == sorted(set(ordered))
    assert {"\rthe", "\rof", "bees", "café"} <= {word.decode() for word in ordered}
    ids = collection.ids().tolist()
    for chosen in ([ids[4]], [ids[0], ids[4], ids[8]], []):
        assert spelled(words_of(collection, chosen)) == [whole[ids.index(item)] for item in chosen]


def test_they_stay_when_others_are_removed_and_segments_are_merged(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, SENTENCES)
    ids = collection.ids().tolist()
    kept = [first for place, first in enumerate(ids) if place not in (1, 3, 8)]
    before = spelled(words_of(collection, kept))
    codes = [row.tolist() for row in codes_of(collection, kept).codes]
    collection.remove_ids([ids[1], ids[3], ids[8]])
    for _ in range(2):
        collection = StoredCollection.open(tmp_path / "x.sdx")
        assert spelled(words_of(collection)) == before
        assert [row.tolist() for row in codes_of(collection).codes] == codes
        collection.compact()
    assert len(StoredCollection.open(tmp_path / "x.sdx").segments()) == 1
    assert not list(StoredCollection.open(tmp_path / "x.sdx").verify())


def test_sentence_codes_are_read_as_written(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, SENTENCES)
    actual, expected = codes_of(collection), UnitCodes(SENTENCES)(texts_read(collection, tmp_path))
    assert sum(map(len, actual.codes)) > 20
    for name in ("starts", "ends", "codes"):
        rows, others = getattr(actual, name), getattr(expected, name)
        assert [row.tolist() for row in rows] == [row.tolist() for row in others]
    assert actual.short.tolist() == expected.short.tolist()


def test_chapters_are_stored_with_their_titles(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><h1>Of\n bees</h1><p>They fly.</p><h1>Wax – 蜡</h1><p>It melts.</p>"
    (tmp_path / "page.html").write_text(page, "utf-8")
    (tmp_path / "plain.txt").write_text("no chapters here", "utf-8")
    place = tmp_path / "x.sdx"
    add_documents(place, [tmp_path / "page.html", tmp_path / "plain.txt"], CollectionSpec(PASSAGES))
    collection = StoredCollection.open(place)
    by_name = dict(
        zip(
            [document.name for document in collection.documents()],
            marks_of(collection),
            strict=True,
        )
    )
    chapters, text = by_name["page.html"].chapters, read(tmp_path / "page.html").text
    assert [span.title for span in chapters] == ["Of bees", "Wax – 蜡"]
    assert text[chapters[1].start : chapters[1].end].split() == ["Wax", "–", "蜡", "It", "melts."]
    assert by_name["plain.txt"] == MarkedSpans((Span(0, 16),))


def test_quotes_and_references_are_stored(tmp_path: Path) -> None:
    quoted = (
        "They said: “The queen of the hive has gone away with all of her bees in May.” So it was."
    )
    listed = "\n".join(
        f"[{item}] A. Author, A Book of Bees, Hive Press, 190{item}." for item in range(9)
    )
    text = f"{quoted}\n\nReferences\n\n{listed}\n"
    (tmp_path / "paper.txt").write_text(text, "utf-8")
    add_documents(tmp_path / "x.sdx", tmp_path / "paper.txt", CollectionSpec(PASSAGES))
    (marked,) = marks_of(StoredCollection.open(tmp_path / "x.sdx"))
    document = read(tmp_path / "paper.txt")
    assert marked.quotes == tuple(quotes_in(document))
    assert marked.references == tuple(references_in(document))
    assert [len(item) for item in (marked.chapters, marked.quotes, marked.references)] == [1, 1, 1]


def test_offsets_of_a_record_count_in_its_own_text(tmp_path: Path) -> None:
    text = "cafe\u0301 of bees"
    (tmp_path / "all.jsonl").write_text(json.dumps({"id": "a", "text": text}) + "\n", "utf-8")
    add_documents(tmp_path / "x.sdx", tmp_path / "all.jsonl", CollectionSpec(PASSAGES))
    ((cafe, of, bees),) = spelled(words_of(StoredCollection.open(tmp_path / "x.sdx")))
    assert (cafe, of, bees) == (("café", 0, 5), ("\rof", 6, 8), ("bees", 9, 13))


OTHERS = [
    PartSpec.of("words", length=2),
    PartSpec.of("words", length=3, within="line"),
    PartSpec.of("characters", length=4),
    PartSpec.of("characters", length=4, within="line"),
]


@pytest.mark.parametrize("recipe", [PASSAGES, SENTENCES])
@pytest.mark.parametrize("shingler", OTHERS)
def test_shingles_consist_of_terms_only(
    tmp_path: Path, recipe: RecipeSpec, shingler: PartSpec
) -> None:
    collection = filled_collection(tmp_path, recipe, batches=2)
    asked = replace(STOPPED, shingler=shingler)
    shingling = Encoder(asked)
    documents = [text.clean for text in texts_read(collection, tmp_path)]
    expected = shingling.sets(shingling.tokens(documents))
    derivation = Derivation(recipe, asked)
    shingles = [row for view in segment_views(collection, derivation) for row in view.shingles]
    assert [row.tolist() for row in shingles] == [row.tolist() for row in expected]
    actual = search_pairs(collection, Question(recipe=asked, minimum=1))
    plain = CollectionSpec(replace(asked, fingerprint=PartSpec("shingles")))
    add_documents(tmp_path / "plain.sdx", tmp_path / "texts", plain)
    assert (
        actual.rows
        == search_pairs(StoredCollection.open(tmp_path / "plain.sdx"), Question(minimum=1)).rows
    )


def test_reading_word_offsets_that_are_not_stored_is_refused(tmp_path: Path) -> None:
    plain = replace(STOPPED, shingler=PartSpec("words"))
    collection = filled_collection(tmp_path, plain, batches=1)
    for asked in (words_of, marks_of, codes_of):
        with pytest.raises(MismatchError, match=r"create it again with a recipe .*such as "):
            asked(collection)
    with pytest.raises(MismatchError, match="no places of words"):
        add_documents(
            tmp_path / "x.sdx",
            tmp_path / "texts",
            CollectionSpec(replace(plain, aligner=PartSpec("windows"))),
        )
    with pytest.raises(MismatchError, match="codes of sentences"):
        codes_of(filled_collection(tmp_path / "texts", PASSAGES, batches=1))


def test_open_options_of_the_recipe_are_filled_in_on_creation(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, replace(STOPPED, index=PartSpec("groups")), batches=1)
    recipe = collection.recipe
    assert recipe.unit == PartSpec.of("sentence", length=150)
    assert (recipe.shingler, recipe.fingerprint) == (
        PartSpec.of("words", length=2),
        PartSpec.of("bbit", slots=128),
    )
    for again in (
        replace(STOPPED, index=PartSpec("groups")),
        replace(recipe, aligner=PartSpec("sentences")),
    ):
        added = add_documents(tmp_path / "x.sdx", tmp_path / "texts", CollectionSpec(again))
        assert added.unchanged == 3


KINDS = {
    **dict.fromkeys(("tokens", "word-starts", "word-ends", "spans"), "uint32"),
    **dict.fromkeys(("words", "titles"), "uint8"),
}


def test_arrays_of_another_type_are_damage(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", PASSAGES)
    arrays = {
        name: Ragged.of([[1]], "float64" if name == "spans" else dtype)
        for name, dtype in KINDS.items()
    }
    with collection.writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], arrays))
    collection = StoredCollection.open(tmp_path / "x.sdx")
    for asked in (words_of, marks_of):
        with pytest.raises(FormatError, match="lacks what its recipe asks for"):
            asked(collection)
    assert not list(collection.verify())


ROW: Mapping[str, Sequence[object]] = {
    "tokens": [1, 2], "words": [97, 98], "word-starts": [0, 2], "word-ends": [1, 3],
    "spans": [0, 0, 3], "titles": [], "unit-starts": [0, 2], "unit-ends": [1, 3],
    "codes": [[1] * 16, [2] * 16],
}  # fmt: skip


def forged(path: Path, **rows: Sequence[int]) -> StoredCollection:
    """A collection with checksums that are right, whatever its only document says."""
    given = {**ROW, **{name.replace("_", "-"): row for name, row in rows.items()}}
    bytewise = {"words", "titles", "codes"}
    arrays: dict[str, Any] = {}
    for name, row in given.items():
        values = np.array(row, np.uint8 if name in bytewise else np.uint32)
        ends = range(len(values) + 1) if name == "words" else (0, len(values))
        arrays[name] = Ragged(values, np.array(ends, np.int64))
    arrays["short"] = np.zeros(1, np.int64)
    with StoredCollection.create(path, SENTENCES).writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], arrays))
    return StoredCollection.open(path)


@pytest.mark.parametrize(("name", "row", "message"), [
    ("word_starts", [2, 0], "word offsets are not in order"),
    ("word_starts", [0, 4], "word offsets are not in order"),
    ("word_ends", [1], "word offsets do not match the words"),
    ("spans", [0, 3, 1], "spans have no end"), ("spans", [0, 3], "spans have no end"),
    ("unit_starts", [2, 0], "sentences are not in order"),
    ("unit_ends", [1], "codes do not match their sentences"),
])  # fmt: skip
def test_places_that_cannot_be_are_damage_though_they_were_written_so(
    tmp_path: Path, name: str, row: list[int], message: str
) -> None:
    collection = forged(tmp_path / "x.sdx", **{name: row})
    with pytest.raises(FormatError, match=rf"x\.sdx/segments/1: is damaged: {message}"):
        words_of(collection), codes_of(collection)
    assert any(message in problem.message for problem in collection.verify())
    whole = forged(tmp_path / "whole.sdx")
    assert spelled(words_of(whole)) == [[("a", 0, 1), ("b", 2, 3)]]
    assert not list(whole.verify())
