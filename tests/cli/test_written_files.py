"""Where fingerprints are written, and that all that is written agrees with the schema."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.support.command import CONFIGS, done, parsed, prose, schema_errors

from .conftest import Shelf


def test_without_an_output_each_document_gets_a_file_whose_name_is_printed(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:3]
    outcome = done("Fingerprint", "-d", shelf.trimmed, "--profile", "evidence", *files)
    printed = outcome.text.splitlines()
    assert sorted(printed) == sorted(path.name for path in Path().iterdir())
    assert all(re.fullmatch(r"fingerprint_\d+\.xml", name) for name in printed)
    sources = [parsed(name).findtext("{*}dataSource/{*}filename") for name in printed]
    assert sources == [path.name for path in files]


def test_everything_written_agrees_with_the_schema(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:3]
    Path('tab\tquote"\n<&>.txt').write_text(prose(2), "utf-8")
    Path(os.fsdecode(b"not \xff utf-8.txt")).write_text(prose(3), "utf-8")
    odd = sorted(Path().iterdir())
    for profile in ("full", "evidence", "minimal"):
        common = ("Fingerprint", "-d", shelf.trimmed, "--profile", profile)
        done(*common, "-o", f"{profile}/", *files, *odd)
        done(*common, "-o", f"{profile}.xml", *files, *odd)
        done(*common, "-o", f"{profile}.xml.gz", *files, *odd)
    done("ExtractDictionary", "-f", "full.xml", "-d", "extracted.xml")
    done("CreateDictionary", "-o", "made.xml.gz", "-c", shelf.recipe, *files)
    ranges = (
        ["-b", "-1", "-t", "1e-1"],
        ["-b", "-1e-16", "-t", "1"],
        ["-b", "1e-7"],
        ["-b", "-1e-7"],
    )
    for number, words in enumerate(ranges):
        done("TrimDictionary", "-d", shelf.dictionary, *words, "-o", f"trimmed{number}.xml")
        done("ShowDictionaryStatistics", "-d", f"trimmed{number}.xml")
    written = [*Path().rglob("*.xml"), *Path().glob("*.xml.gz")]
    assert len(written) == 3 * (5 + 2) + 2 + len(ranges)
    for path in [*written, shelf.dictionary, CONFIGS / "tokenizers.xml"]:
        assert schema_errors(path) == "", path
