"""ShowFingerprint: all that a fingerprint says, and its terms where the dictionary is at hand."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Argument, check_refused, done, here, parsed

from .conftest import Shelf

RELEASED = Path(__file__).parents[1] / "samples" / "formats" / "1.0"
EVERYTHING = RELEASED / "fingerprint-everything.xml"


def shown(path: Argument, *arguments: Argument) -> list[dict[str, Any]]:
    """What is shown of each fingerprint in a file."""
    result = done("ShowFingerprint", "-f", path, *arguments, "--format", "json").json
    assert list(result) == ["schema", "rows"]
    assert result["schema"] == "sdtext/fingerprint/1"
    rows: list[dict[str, Any]] = result["rows"]
    return rows


def test_another_dictionary_is_refused_with_the_name_of_the_right_one(shelf: Shelf) -> None:
    guid = parsed(shelf.trimmed).get("guid")
    for path in (shelf.full, shelf.minimal):
        refused = here("ShowFingerprint", "-f", path, "-d", shelf.dictionary, "--format", "json")
        check_refused(refused, 4, path.name, guid, "-d")
        assert refused.out == b""
    # One that does not belong to it may be named beside the right one.
    beside = ("-d", shelf.dictionary, "-d", shelf.trimmed)
    assert shown(shelf.minimal, *beside) == shown(shelf.minimal, "-d", shelf.trimmed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('width="2"', 'width="4"'),
        ('width="2"', 'width="3"'),
        ('tokens="5" width', 'tokens="6" width'),
        ('tokens="5" width', 'tokens="-5" width'),
        ('tokens="5" width', f'tokens="{"9" * 15}" width'),
        ('words="1"', 'words="2"'),
        ('compression="zlib"', 'compression="bzip2"'),
        ("<places>eJ", "<places>eK"),
        ("<places>eJ", "<places>"),
        ("<places>eJ", "<places>?"),
        ('<unknown words="3">eJ', '<unknown words="3">AA'),
        ('<digest dictionary="6', '<digest dictionary="7'),
    ],
)
def test_a_damaged_digest_is_one_line(old: str, new: str) -> None:
    text = EVERYTHING.read_text("utf-8")
    assert old in text
    Path("bad.xml").write_text(text.replace(old, new, 1), "utf-8")
    check_refused(here("ShowFingerprint", "-f", "bad.xml", "--format", "json"), 5, "bad.xml")
