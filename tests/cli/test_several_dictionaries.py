"""Several dictionaries: a vector for each, compared over those shared, and taken out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import check_usage, done, here, parsed
from tests.support.commands import fingerprint_file

from .conftest import Shelf


# Dictionaries taken out again.
def test_several_dictionaries_are_extracted_to_files_of_their_names(shelf: Shelf) -> None:
    fingerprint_file(shelf, "-d", shelf.dictionary)
    done("ExtractDictionary", "-f", "f.xml")
    names = sorted(path.name for path in Path().iterdir())
    assert names == ["dictionary.xml", "f.xml", "trimmed.xml"]
    for name, origin in (("dictionary", shelf.dictionary), ("trimmed", shelf.trimmed)):
        rows = [done("ShowDictionaryTokens", "-d", path).out for path in (f"{name}.xml", origin)]
        assert rows[0] == rows[1]
    check_usage(here("ExtractDictionary", "-f", "f.xml", "-d", "out.xml"), "f.xml", "2")
    assert not Path("out.xml").exists()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_dictionaries_of_one_name_do_not_overwrite_each_other(
    shelf: Shelf, force: tuple[str, ...]
) -> None:
    Path("sub").mkdir()
    same = Path("sub/trimmed.xml")
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.3", "-t", "0.8", "-o", same)
    fingerprint_file(shelf, "-d", same)
    done("ExtractDictionary", "-f", "f.xml", *force)
    result = [path for path in Path().glob("*.xml") if path.name != "f.xml"]
    digests = {parsed(path).findtext("{*}hashdigest") for path in result}
    assert digests == {parsed(path).findtext("{*}hashdigest") for path in (same, shelf.trimmed)}
