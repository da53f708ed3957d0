"""Adding the documents of another collection, as AddDocuments A.sdx B.sdx does."""

from dataclasses import replace
from pathlib import Path

import pytest

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run
from tests.search.stored import RECIPE, texts_of

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
        assert dict(merged.columns) == dict(expected.columns)
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
