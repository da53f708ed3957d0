"""ExtractDictionary: the dictionary inside a fingerprint, whole and without accidents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Argument, check_refused, done, here, parsed
from tests.support.commands import fingerprint_file

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
