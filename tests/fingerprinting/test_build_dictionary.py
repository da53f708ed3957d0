"""Folders of files: walked in a stable order, counted alike by any number of processes."""

import random
from collections import Counter
from pathlib import Path

import pytest

from sdtext.errors import OptionError, UnreadableError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.reading.parallel_run import Amount, Run, in_parallel
from sdtext.reading.walk import sampled

RECIPE = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = random.Random(7)
    words = [f"w{number}" for number in range(500)]
    for number in range(300):
        path = tmp_path / "docs" / str(number % 7) / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(chance.choices(words, k=60)), "utf-8")
    return tmp_path / "docs"


def test_document_frequencies_are_those_of_a_plain_count_in_any_order_and_process(
    folder: Path,
) -> None:
    counts: Counter[str] = Counter()
    for path in folder.rglob("*.txt"):
        counts.update(set(path.read_text("utf-8").lower().split()))
    dictionary = create_dictionary(folder, RECIPE)
    assert dict(zip(dictionary.terms, dictionary.counts, strict=True)) == counts
    assert dictionary.documents == 300
    files = sorted(folder.rglob("*.txt"))
    random.Random(1).shuffle(files)
    first = create_dictionary(folder, RECIPE)
    other = create_dictionary([*files, files[0], folder], RECIPE, run=Run(jobs=2))
    assert first.digest == other.digest
    assert other.documents == 300


def test_a_sample_depends_on_names_and_sizes_alone(folder: Path) -> None:
    files = sorted(folder.rglob("*.txt"))
    random.Random(1).shuffle(files)
    first = create_dictionary(folder, RECIPE, sample=Amount(10, percent=True), name="first")
    assert (first.name, create_dictionary(folder, RECIPE, sample="10%").digest) == (
        "first",
        first.digest,
    )
    other = create_dictionary(files, RECIPE, sample=30)
    assert first.digest == other.digest
    assert first.documents == 30


def test_a_sample_of_files_of_one_name_is_not_the_first_ones(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:02}" / "index.html" for number in range(40)]
    for number, path in enumerate(files):
        path.parent.mkdir()
        path.write_text("x" * number, "utf-8")
    result = sampled(files, 10)
    assert len(result) == 10
    assert set(result) != set(files[:10])


def test_the_most_frequent_terms_stay(folder: Path) -> None:
    whole = create_dictionary(folder, RECIPE)
    part = create_dictionary(folder, RECIPE, max_terms=Amount(50))
    ranked = sorted(
        zip(whole.terms, whole.counts, strict=True), key=lambda pair: (-pair[1], pair[0])
    )
    assert list(part.terms) == sorted(term for term, _ in ranked[:50])


def test_what_cannot_be_read_is_kept_as_a_problem_or_raised(folder: Path, tmp_path: Path) -> None:
    (folder / "empty.txt").touch()
    problems: list[Problem] = []
    assert create_dictionary(folder, RECIPE, run=Run(problems=problems)).documents == 300
    assert [(problem.category, Path(problem.path).name) for problem in problems] == [
        ("no-text", "empty.txt")
    ]
    with pytest.raises(UnreadableError, match=r"empty\.txt: is empty"):
        create_dictionary(folder, RECIPE)
    (tmp_path / "none").mkdir()
    with pytest.raises(UnreadableError, match="contains no files"):
        create_dictionary(tmp_path / "none", RECIPE)


def test_amounts_that_are_none_are_refused() -> None:
    for text in ("0", "-3", "x", "101%", "nan%", "inf%", "0%", "1.5"):
        with pytest.raises(OptionError, match="count, or a percentage"):
            Amount.parse(text)


def test_an_error_in_a_process_arrives_here() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_parallel(int, ["1", "2", "x", "4"], 2))
