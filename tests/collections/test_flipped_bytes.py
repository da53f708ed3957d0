"""Bytes that change on disk never change an answer silently, and never end in a traceback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.schema import keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import SdtextError
from sdtext.file_diagnosis import examine
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.read_document import read
from sdtext.reuse import find_reuse
from sdtext.search.find import within
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar

_SAMPLES = Path(__file__).parents[1] / "samples"
_TEXTS = sorted((_SAMPLES / "texts").glob("*.txt"))
_QUERY = read(_SAMPLES / "texts" / "union.txt")
_WORDS = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),), shingler=PartSpec("words"))


RECIPES: dict[str, Callable[[], RecipeSpec | None]] = {
    "shingles": lambda: _WORDS,
    "minhash": lambda: load_recipe("configs/near-duplicate.toml"),
    "bits": lambda: None,
    "bbit": lambda: replace(_WORDS, fingerprint=PartSpec.of("bbit", slots=64)),
    "words": lambda: load_recipe("configs/reuse.toml"),
    "sentences": lambda: load_recipe("configs/evidence.toml"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A collection of two segments for each recipe, with the arrays that searches derive."""

    @cache
    def stored(name: str) -> Path:
        path = tmp_path_factory.mktemp(name) / "x.sdx"
        dictionaries = (
            (create_dictionary(_TEXTS, RecipeSpec(PartSpec("words"))),) if name == "bits" else ()
        )
        spec = CollectionSpec(RECIPES[name](), dictionaries, text=name == "shingles")
        add_documents(path, _TEXTS[:5], spec)
        add_documents(path, _TEXTS[4:], CollectionSpec())
        StoredCollection.open(path).remove([1])
        _answers(path)
        return path

    return stored


def _asked(collection: StoredCollection) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The questions that a collection answers, by name."""
    yield "documents", lambda: list(collection)
    if keeps_places(collection.recipe):
        yield "reuse", lambda: find_reuse(collection)
        yield "reuse of a document", lambda: find_reuse(_QUERY, collection)
        return
    few = Question(minimum=3)
    large = Question(minimum=1, where="size > 1600")
    yield "pairs", lambda: within(collection, few)
    yield "similar", lambda: similar(collection, [_QUERY], few)
    yield "selected", lambda: similar(collection, [_QUERY], large)
    if collection.recipe.shingler:
        bands = RecipeSpec(
            collection.recipe.tokenizer,
            collection.recipe.filters,
            shingler=PartSpec.of("words", length=2),
            index=PartSpec.of("bands", bands=50, rows=2),
        )
        if collection.recipe.shingler.name == "words":
            yield "other shingles", lambda: within(collection, replace(few, recipe=bands))
            yield "edit", lambda: within(collection, Question(minimum=5, matcher="edit"))
    if collection.keeps_text:
        yield "texts", lambda: [collection.text_of(document) for document in collection]


def _answers(path: Path, *, verify: bool = True) -> dict[str, Any]:
    """What the collection at `path` answers to each question, or the error."""
    try:
        collection = StoredCollection.open(path, verify=verify)
    except SdtextError as error:
        return {"open": error}
    answers: dict[str, Any] = {"open": None}
    for name, answer in _asked(collection):
        try:
            answers[name] = answer()
        except SdtextError as error:
            answers[name] = error
    return answers


def _reported(path: Path) -> list[str]:
    return [finding.problem for finding in examine(path) if finding.problem]


@contextmanager
def _flipped(file: Path, random: Random) -> Iterator[None]:
    """A file with one changed byte, or one of each kilobyte."""
    data = file.read_bytes()
    changed = bytearray(data)
    number = random.choice((1, 1, 1, 1 + len(data) // 1024))
    used = range(100 if file.suffix == ".npy" else 0, len(data))  # most of a header is blank
    for place in random.sample(used, number):
        changed[place] ^= random.choice((1 << random.randrange(8), random.randrange(1, 256)))
    file.write_bytes(changed)
    try:
        yield
    finally:
        file.write_bytes(data)


def _check(path: Path, seed: int) -> None:
    """Flip bytes in one file of a collection, and compare all answers with the right ones."""
    random = Random(seed)
    expected = _answers(path)
    assert not any(isinstance(answer, SdtextError) for answer in expected.values())
    files = [*path.rglob("*.npy"), *path.rglob("*.xml.gz")]
    file = random.choice([*sorted(files), *[path / "catalog.sqlite"] * (len(files) // 3)])
    with _flipped(file, random):
        reported = _reported(path)
        actual = _answers(path)
        refused = [answer for answer in actual.values() if isinstance(answer, SdtextError)]
        for name, answer in actual.items():
            if isinstance(answer, SdtextError):
                assert str(path) in str(answer), (file, str(answer))
            else:
                assert answer == expected[name], (file, name)
        for error in refused:
            assert reported, (file, str(error))
        if file.suffix == ".npy":
            assert reported, file
        _answers(path, verify=False)  # whatever it answers, there is no traceback
    assert _reported(path) == []


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1000, 1060))]
)
def test_answers_are_right_or_refused(
    whole: Callable[[str], Path], tmp_path: Path, name: str, seed: int
) -> None:
    _check(copytree(whole(name), tmp_path / "x.sdx"), seed)
