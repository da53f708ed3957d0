"""Documents in memory are taken wherever the path of a document is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.errors import MismatchError, OptionError, OutputError, UnreadableError
from sdtext.fingerprinting.load_and_save import load_fingerprints
from tests.search.stored import texts_of
from tests.support.command import done

TEXTS = [text for text in texts_of(6, number=20) if text != "..."]
DOCUMENTS = [sdtext.Document.of(text, f"{place}.txt") for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for document in DOCUMENTS:
        (folder / document.source).write_text(document.text)
    return folder


@pytest.fixture(scope="module")
def dictionary(folder: Path) -> sdtext.Dictionary:
    return sdtext.create_dictionary(folder, "english")


def test_of_documents_without_terms_no_dictionary_is_made() -> None:
    with pytest.raises(UnreadableError, match="the documents hold no term"):
        sdtext.create_dictionary(sdtext.Document.of("..."), "english")


def test_a_score_is_that_of_the_files(folder: Path, dictionary: sdtext.Dictionary) -> None:
    left, right = DOCUMENTS[3], DOCUMENTS[7]
    prints: list[Any] = [sdtext.fingerprint(document, dictionary) for document in (left, right)]
    expected = sdtext.score(prints[0], prints[1], dictionary=dictionary)
    sides: list[Any] = [left, str(folder / "3.txt"), folder / "3.txt", prints[0]]
    for side in sides:
        assert sdtext.score(side, right, dictionary=dictionary) == expected
        assert sdtext.score(side, prints[1]) == expected  # by the dictionary of the fingerprint
    english = sdtext.read("tests/samples/texts/union.txt")
    assert sdtext.score(english, english).score == 99  # by shingles
    bare = replace(prints[1], with_dictionaries=())
    with pytest.raises(MismatchError, match=r"^3\.txt: is a document"):
        sdtext.score(left, bare)


def test_a_fingerprint_is_compared_by_the_dictionary_that_it_was_made_with(
    folder: Path, dictionary: sdtext.Dictionary
) -> None:
    query = sdtext.fingerprint(DOCUMENTS[3], dictionary)
    expected = sdtext.compare(query, folder, dictionary=dictionary)
    assert expected.matcher == "idf-cosine(power=2)"
    assert sdtext.compare(query, folder) == expected
    with sdtext.create(dictionary=dictionary) as collection:
        collection.add(DOCUMENTS)
        for names in (True, False):
            left, right = [*collection.fingerprints(names=names)][:2]
            assert sdtext.score(left, right, min_terms=1).matcher == "idf-cosine(power=2)"


def test_fingerprints_of_a_collection_name_the_version_that_computed_them(
    dictionary: sdtext.Dictionary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def versions(collection: sdtext.Collection) -> set[str]:
        return {item.sdtext_version for item in collection.fingerprints()}

    first, *others = DOCUMENTS
    with sdtext.create(tmp_path / "x.sdx", dictionary=dictionary) as collection:
        collection.add(first)
        assert versions(collection) == {sdtext.__version__}
    shared = tmp_path / "y.xml"
    sdtext.save(sdtext.fingerprint(others[0], dictionary), shared, dictionary=dictionary)
    for further in (shared, others):  # of a version that is not known, and of another one
        with sdtext.create(dictionary=dictionary) as collection:
            collection.add(first)
            with monkeypatch.context() as patch:
                if further is others:
                    patch.setattr("sdtext.collections.storage.writer.__version__", "99.0")
                collection.add(further)
            assert versions(collection) == {""}


def test_a_list_gives_each_fingerprint(folder: Path, dictionary: sdtext.Dictionary) -> None:
    english: Any = sdtext.load("english")
    files = [folder / "7.txt", *sorted(folder.iterdir(), key=lambda path: path.name)]
    items: list[Any] = [*dict.fromkeys(files), *DOCUMENTS[:3]]
    names = [item.source if isinstance(item, sdtext.Document) else str(item) for item in items]
    documents: list[Any] = [str(files[0]), *DOCUMENTS[:3], folder]
    for segment in (None, "50/25"):
        alone = [sdtext.fingerprint(item, [dictionary, english], segment=segment) for item in items]
        assert [item.document for item in alone] == names
        for jobs in (1, 2):
            options: Any = {"segment": segment, "run": sdtext.Run(jobs=jobs)}
            made = sdtext.fingerprint(documents, [dictionary, english], **options)
            assert made == alone
            assert [item.document for item in made] == names
            assert all(len(item.with_dictionaries) == 2 for item in made)
    assert sdtext.fingerprint([], dictionary) == []


def test_a_file_without_a_fingerprint_is_a_problem_of_the_run(
    dictionary: sdtext.Dictionary, tmp_path: Path
) -> None:
    (tmp_path / "noise.txt").write_bytes(bytes(range(256)))
    (tmp_path / "b.txt").write_text(DOCUMENTS[0].text)
    run = sdtext.Run(problems=[])
    [made] = sdtext.fingerprint([tmp_path, tmp_path / "none.txt"], dictionary, run=run)
    assert made.document == str(tmp_path / "b.txt")
    problems = {Path(problem.path).name: problem.severity for problem in run.problems or ()}
    assert problems == {"noise.txt": "error", "none.txt": "error"}
    with pytest.raises(UnreadableError, match=r"none\.txt: no such file"):
        sdtext.fingerprint([tmp_path / "none.txt"], dictionary)
    with pytest.raises(UnreadableError, match="is a folder"):
        sdtext.fingerprint(tmp_path, dictionary)


@pytest.mark.parametrize("names", [["0.txt", "7.txt", "=1,2.txt"], ["7.txt"]])
def test_the_key_of_fingerprints_is_that_of_the_command(
    dictionary: sdtext.Dictionary, tmp_path: Path, names: list[str]
) -> None:
    sdtext.save(dictionary, tmp_path / "d.xml")
    files = [tmp_path / name for name in names]
    for name, file in zip(names, files, strict=True):
        file.write_text(DOCUMENTS[len(name)].text)
    line = ["Fingerprint", *files, "-d", tmp_path / "d.xml", "--profile", "minimal"]
    output, key = tmp_path / "share.xml", tmp_path / "key.csv"
    done(*line, "-o", output, "--names", key)
    expected = key.read_bytes()
    vectors = [made.vectors for made in load_fingerprints(output)]
    prints: Any = sdtext.fingerprint(files, dictionary)
    item = prints[0] if len(prints) == 1 else prints
    with pytest.raises(OutputError, match=r"^.*key\.csv: already exists; name another file"):
        sdtext.save(item, output, names=key)
    key.unlink()
    sdtext.save(item, output, names=key)
    assert (key.read_bytes(), key.stat().st_mode & 0o777) == (expected, 0o600)
    assert [made.vectors for made in load_fingerprints(output)] == vectors
    with sdtext.create(dictionary=dictionary) as collection:
        collection.add(DOCUMENTS[:2])
        sdtext.save(collection.fingerprints(names=False), output, names=tmp_path / "stored.csv")
    assert (tmp_path / "stored.csv").read_text().splitlines()[1:] == [
        f"1,{output},0.txt",
        f"2,{output},1.txt",
    ]


def test_a_key_without_a_use_is_refused(dictionary: sdtext.Dictionary, tmp_path: Path) -> None:
    made = sdtext.fingerprint(DOCUMENTS[:2], dictionary)
    named = sdtext.PROFILES["evidence"].of(made[1], Path("1.txt"), [(dictionary, Path("d.xml"))])
    bare = sdtext.fingerprint(replace(DOCUMENTS[0], source=""), dictionary)
    share, key = tmp_path / "share.xml", tmp_path / "key.csv"
    for item, names, message in (
        ([made[0], named], key, r"names .* item\[1\]"),
        (bare, key, r"names: .* item\[0\]"),
        (dictionary, key, "names is for fingerprints"),
        (made, share, "two outputs"),
    ):
        with pytest.raises(OptionError, match=message):
            sdtext.save(item, share, names=names)
    assert not list(tmp_path.iterdir())


def test_a_list_is_compared_as_each_of_its_items(
    folder: Path, dictionary: sdtext.Dictionary, tmp_path: Path
) -> None:
    prints = [sdtext.fingerprint(document, dictionary) for document in DOCUMENTS[:3]]
    sdtext.save(prints[2], tmp_path / "2.xml")
    queries: list[Any] = [prints[0], DOCUMENTS[5], str(folder / "7.txt"), tmp_path / "2.xml"]
    queries += [replace(prints[1], document="0.txt"), replace(DOCUMENTS[6], source="")]
    names = ["0.txt", "5.txt", str(folder / "7.txt"), str(tmp_path / "2.xml")]
    names += ["queries[4]", "queries[5]"]
    compared = sdtext.compare(queries, folder, dictionary=dictionary)
    for query, name in zip(queries, names, strict=True):
        alone = sdtext.compare(query, folder, dictionary=dictionary).rows
        rows = [row for row in compared.rows if row.fingerprint == name]
        assert [replace(row, fingerprint=name) for row in alone] == rows
    assert (len(compared.names), compared.documents) == (6, len(DOCUMENTS))
    assert sdtext.compare(iter(queries), folder, dictionary=dictionary) == compared


@pytest.fixture(scope="module")
def comparison(folder: Path, dictionary: sdtext.Dictionary) -> sdtext.Comparison:
    queries: list[Any] = [folder / "3.txt", DOCUMENTS[7]]
    return sdtext.compare(queries, folder, dictionary=dictionary, min_terms=20)


@given(
    similarity=st.integers(0, 1000).map(lambda number: number / 1000),
    top=st.none() | st.integers(1, 9),
)
def test_a_minimum_similarity_is_exact(
    comparison: sdtext.Comparison, similarity: float, top: int | None
) -> None:
    best = comparison.best(similarity=similarity, top=top)
    count = 0
    for name in {row.fingerprint for row in comparison.rows}:
        every = [row for row in comparison.rows if row.fingerprint == name]
        wanted = [row for row in every if similarity <= (row.similarity or 0)]
        assert [row for row in best if row.fingerprint == name] == wanted[:top]
        count += len(wanted[:top])
    assert len(best) == count
