"""find_reuse as a Python program calls it: options, inputs, what is compared."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sdtext
from sdtext import Document, Evidence, OptionError, Run, find_reuse, load_recipe
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.model import Origin, PartSpec
from sdtext.reuse import evidence_builder
from sdtext.reuse.choose_finder import recipe_and_finder
from tests.support.command import CONFIGS
from tests.support.planted import PLANTED, text, write_planted

BEES = Document.of("The bees dance in the hive.", "bees")


@pytest.mark.parametrize(
    ("option", "given"),
    [("w", 0), ("w", -1), ("distance", -1), ("min_passage", 0), ("unit", "page"), ("method", "x")],
)
def test_an_option_out_of_range_is_named(option: str, given: Any) -> None:
    with pytest.raises(OptionError, match=rf"find_reuse: {option} is "):
        find_reuse(BEES, BEES, **{option: given})


@pytest.mark.parametrize(("method", "name"), [("windows", "reuse"), ("sentences", "evidence")])
def test_the_recipe_of_a_method_is_the_one_in_configs(method: str, name: str) -> None:
    assert recipe_and_finder(method=method)[0] == load_recipe(CONFIGS / f"{name}.toml")


@pytest.mark.parametrize("name", ["reuse", "evidence"])
def test_a_question_takes_a_recipe_its_name_or_its_file(name: str) -> None:
    path = CONFIGS / f"{name}.toml"
    answers = [recipe_and_finder(recipe=given) for given in (load_recipe(path), name, path)]
    assert [recipe for recipe, _ in answers] == [load_recipe(path)] * 3
    assert len({repr(finder) for _, finder in answers}) == 1


def document(name: str, words: str) -> Document:
    return Document(words, words, source=name)


ONE = document("one", f"{text('elm')} {PLANTED}")
OTHER = document("other", f"{PLANTED} {text('birch')}")


def pairs(actual: Evidence) -> list[tuple[str, str]]:
    names = [item.name for item in actual.documents]
    return [(names[item.left], names[item.right]) for item in actual.shared]


@pytest.fixture
def collection(tmp_path: Path) -> sdtext.Collection:
    write_planted(tmp_path)
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    add_documents(tmp_path / "x.sdx", files, CollectionSpec(load_recipe("reuse")))
    return sdtext.open(tmp_path / "x.sdx")


def test_offsets_refer_to_the_text_not_to_the_clean_text(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    begin = f"\ufb01rst \u00ad{text('alder', 0, 9)} cafe\u0301 "
    path.write_text(f"<!doctype html><html><p>{begin}</p>\n<p>{PLANTED}</p></html>", "utf-8")
    result = find_reuse(path, OTHER)
    read = sdtext.read(path)
    assert len(read.text) != len(read.clean)
    ((passage,),) = [item.passages for item in result.shared]
    assert read.text[passage.left.start : passage.left.end] == PLANTED


def test_a_document_is_compared_with_a_collection(collection: sdtext.Collection) -> None:
    result = find_reuse(ONE, collection)
    assert pairs(result) == [("one", "a.txt"), ("one", "b.txt")]
    (coverage,) = result.coverage
    assert coverage.share == pytest.approx(60 / 360)
    assert coverage.sources == {1: coverage.share, 2: coverage.share}


def test_a_stored_document_has_its_path_where_another_one_has_its_name(tmp_path: Path) -> None:
    """Whether that one shares anything or not."""
    with sdtext.create(tmp_path / "a.sdx", recipe="reuse") as stored:
        for folder, texts in {
            "one": {"x": "alder", "y": "birch"},
            "two": {"x": "cedar", "z": "dogwood"},
        }.items():
            (tmp_path / folder).mkdir()
            for name, word in texts.items():
                (tmp_path / folder / f"{name}.txt").write_text(text(word))
            stored.add(tmp_path / folder)
    query = Document.of(f"{text('cedar')} {text('dogwood')}", "q.txt")
    evidence = find_reuse(query, tmp_path / "a.sdx")
    names = [document.name for document in evidence.documents]
    assert names == ["q.txt", f"{tmp_path}/two/x.txt", "z.txt"]


def test_pairs_are_ordered_by_left_document_then_by_share(collection: sdtext.Collection) -> None:
    whole = document("whole", f"{text('alder', 0, 100)} {PLANTED} {text('alder', 100)}")
    result = find_reuse([whole, ONE], collection)
    assert next(pair for pair in pairs(result) if pair[0] == "whole") == ("whole", "a.txt")
    shares = [(item.left, -item.left_share) for item in result.shared]
    assert shares == sorted(shares)


@pytest.mark.parametrize("parts", [{"index": "bands"}, {"aligner": "weighted-words"}])
def test_a_recipe_for_other_things_is_refused(parts: dict[str, str]) -> None:
    named = {key: PartSpec(name) for key, name in parts.items()}
    recipe: Any = replace(load_recipe("reuse"), **{"aligner": None, **named})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=next(iter(parts.values()))):
        find_reuse(ONE, OTHER, recipe=recipe)


def test_an_unreadable_file_becomes_a_problem_of_the_run(tmp_path: Path) -> None:
    run = Run(problems=[])
    result = find_reuse([ONE, tmp_path / "nothere.txt"], OTHER, run=run)
    assert pairs(result) == [("one", "other")]
    assert [problem.category for problem in run.problems or ()] == ["missing"]
    with pytest.raises(sdtext.UnreadableError, match=r"nothere\.txt"):
        find_reuse([ONE, tmp_path / "nothere.txt"], OTHER)


def test_a_file_that_is_also_on_the_right_is_read_once(tmp_path: Path) -> None:
    write_planted(tmp_path)
    done: list[int] = []
    run = Run(progress=lambda number, _: done.append(number))
    evidence = find_reuse(tmp_path / "b.txt", tmp_path, run=run)
    files = [*tmp_path.glob("*.txt")]
    assert sum(done) == len(files)
    assert [item.document for item in evidence.coverage] == [0]
    assert evidence.documents[0].name == str(tmp_path / "b.txt")
    alone = find_reuse(tmp_path / "b.txt", [file for file in files if file.name != "b.txt"])
    assert evidence.shared == alone.shared


def test_the_minimum_length_applies_to_short_texts() -> None:
    short = document("short", text("cedar", 0, 20))
    assert find_reuse(ONE, short).shared
    assert find_reuse(ONE, short, min_passage=20).shared
    assert not find_reuse(ONE, short, min_passage=21).shared


def test_templates_match_short_passages_whatever_the_minimum_length(tmp_path: Path) -> None:
    (tmp_path / "form.txt").write_text(text("cedar", 0, 50))
    form = tmp_path / "form.txt"
    result = find_reuse(ONE, OTHER, min_passage=60, template=[form])
    assert [passage.excluded for passage in result.shared[0].passages] == ["template"]
    result = find_reuse(ONE, OTHER, min_passage=60, template=form)
    assert result.parameters["templates"] == str(tmp_path / "form.txt")


@pytest.mark.parametrize("most", [1, 2])
def test_more_passages_than_the_limit_are_refused(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_builder, "MAX_PASSAGES", most)
    others = [OTHER, document("second", OTHER.text), document("third", OTHER.text)]
    assert len(find_reuse(ONE, others[:most]).shared) == most
    with pytest.raises(OptionError, match=f"more than {most} passages"):
        find_reuse(ONE, others[: most + 1])
    with pytest.raises(OptionError, match=f"more than {most} passages"):
        find_reuse(others[: most + 1], ONE)


def test_the_parameters_name_the_collection(collection: sdtext.Collection) -> None:
    stored = replace(load_recipe("reuse"), filters=())
    path = collection.path
    assert find_reuse(ONE, path).parameters["collections"] == str(path)
    add_documents(
        path.with_name("y.sdx"),
        [path.with_name("a.txt")],
        CollectionSpec(stored, origin=Origin("7")),
    )
    other = find_reuse(path.with_name("y.sdx"), path.with_name("y.sdx"))
    assert other.parameters["collections"] == f"{path.with_name('y.sdx')} (7)"
    chains = [
        find_reuse(ONE, item).parameters["chain SHA-256"]
        for item in (path, path.with_name("y.sdx"))
    ]
    assert len(set(chains)) == 2


def test_metadata_of_documents_are_those_of_a_file(
    collection: sdtext.Collection, tmp_path: Path
) -> None:
    table = tmp_path / "facts.csv"
    table.write_text("file,title\nb.txt,Trees of the north\none,Trees of the south\n")
    [row] = [row.metadata for row in find_reuse(ONE, OTHER, metadata=table).documents[:1]]
    assert row == {"title": "Trees of the south"}
    files = find_reuse(tmp_path / "b.txt", [OTHER], metadata=str(table))
    assert [item.metadata for item in files.documents] == [{"title": "Trees of the north"}, {}]
    stored = collection.reuse(ONE, metadata=table)
    assert stored.documents[0].metadata == row
    assert collection.reuse(ONE).documents[0].metadata == {}
    with pytest.raises(
        OptionError, match=r"^find_reuse: metadata is for documents that are read, but all "
    ):
        collection.reuse(metadata=table)
    with sdtext.create(recipe="reuse") as added:
        added.add([ONE, tmp_path / "b.txt", {"id": "r", "text": PLANTED}], metadata=table)
        with pytest.raises(sdtext.UnreadableError, match=r"no\.csv: no such file"):
            added.add(ONE, metadata="no.csv")
        facts = {document.name: document.metadata for document in added}
    assert facts == {"one": row, "b.txt": {"title": "Trees of the north"}, "r": {}}


SHORT = [document(f"short{number}", text("rowan", number, number + 9)) for number in range(3)]


@pytest.mark.parametrize(
    ("left", "right"),
    [(SHORT[0], SHORT[1]), ([ONE, OTHER], SHORT), (SHORT[0], ONE), ([*SHORT, ONE], None)],
)
def test_texts_too_short_to_be_compared_are_no_negative_result(left: Any, right: Any) -> None:
    evidence = find_reuse(left, right)
    assert repr(evidence).startswith("<evidence: none of ")
    run = Run(problems=[])
    assert find_reuse(left, right, run=run) == evidence
    categories = Counter(problem.category for problem in evidence.problems)
    assert categories["nothing-compared"] == 1
    shorter = find_reuse(left, right, w=5)
    assert shorter.nothing_compared is None
    assert repr(shorter).startswith("<evidence: ")
    assert "compared" not in repr(shorter)


def test_one_document_of_a_side_that_is_long_enough_is_compared(
    collection: sdtext.Collection,
) -> None:
    for left, right in (
        ([ONE, SHORT[0]], OTHER),
        (ONE, [*SHORT, OTHER]),
        ([*SHORT, ONE, OTHER], None),
    ):
        assert find_reuse(left, right).nothing_compared is None
    nothing = collection.reuse(ONE, where="size > 10000000")
    assert nothing.nothing_compared is None
    assert len(collection) == 2
    with sdtext.create(recipe="reuse") as short:
        short.add(SHORT)
        assert short.reuse(ONE).nothing_compared is not None
