"""Adding documents: columns, unchanged documents, and continuing after an interruption."""

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections import add as adding
from sdtext.collections.add import AddedDocuments, add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.registry import build
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from tests.support.command import prose, write_texts
from tests.support.deduplication import lines_of, write_lines
from tests.support.word_offsets import SENTENCES

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


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (CHAIN, "add a shingler"),
        (replace(CHAIN, fingerprint=PartSpec("minhash")), "shingler = "),
        (replace(CHAIN, fingerprint=PartSpec("bitvector")), "one as dictionary"),
        (replace(RECIPE, fingerprint=PartSpec("digest")), "fingerprint is digest"),
        (replace(RECIPE, unit=PartSpec("page")), "unit is page"),
        (replace(RECIPE, index=PartSpec.of("bands", bands=50, rows=9)), "slots"),
        (replace(SENTENCES, unit=PartSpec("paragraph")), "unit is paragraph"),
        (replace(SENTENCES, fingerprint=PartSpec("minhash")), "fingerprint is minhash"),
        (
            replace(SENTENCES, unit=PartSpec("document"), index=PartSpec("groups")),
            "groups compares codes",
        ),
        (replace(SENTENCES, shingler=PartSpec("characters")), "name one for sentences"),
    ],
)
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
        "a/000.txt": {"year": 2019, "by": "HUT"},
        "a/001.txt": {},
        "b/000.txt": {},
        "b/001.txt": {},
        "b/own.txt": {"year": 2020, "by": "TKK"},
    }
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
