"""ExtractDictionary: the dictionary inside a fingerprint, whole and without accidents."""

from __future__ import annotations

from pathlib import Path

from .command import Argument, check_refused, done, here
from .conftest import Shelf


def test_extract_dictionary_overwrites_only_on_request(shelf: Shelf) -> None:
    command: list[Argument] = ["ExtractDictionary", "-f", shelf.full]
    done(*command)
    assert [path.name for path in Path().iterdir()] == ["trimmed.xml"]
    first = Path("trimmed.xml").read_bytes()
    Path("trimmed.xml").write_text("precious", "utf-8")
    check_refused(here(*command), 6, "trimmed.xml")
    assert Path("trimmed.xml").read_text("utf-8") == "precious"
    done(*command, "--force")
    assert Path("trimmed.xml").read_bytes() == first


def test_the_extracted_dictionary_is_the_one_embedded(shelf: Shelf) -> None:
    done("ExtractDictionary", "-f", shelf.full, "-d", "out.xml.gz")
    rows = [
        done("ShowDictionaryStatistics", "-d", path, "--format", "json").json
        for path in ("out.xml.gz", shelf.trimmed)
    ]
    assert rows[0] == rows[1]
    done("Fingerprint", "-i", shelf.document, "-d", "out.xml.gz", "-o", "again.xml")
    scored = done("ScoreFingerprints", "-f", "again.xml", "-f", shelf.full, "--format", "json").json
    assert scored["score"] == 99


def test_a_fingerprint_without_a_dictionary_has_none_to_extract(shelf: Shelf) -> None:
    refused = here("ExtractDictionary", "-f", shelf.minimal, "-d", "out.xml")
    assert refused.code != 0
    check_refused(refused, refused.code, "minimal.xml", "full")
    assert not Path("out.xml").exists()
