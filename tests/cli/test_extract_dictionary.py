"""ExtractDictionary: the dictionary inside a fingerprint, whole and without accidents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import done, parsed
from tests.support.commands import fingerprint_file

from .conftest import Shelf


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
