"""ExtractDictionary: the dictionary inside a fingerprint, whole and without accidents."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Argument, check_refused, done, here

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
