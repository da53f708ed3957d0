"""How OpenDocument files are known, and those that are encrypted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.parts.readers.opendocument import Odt
from tests.parts.readers.office import packed
from tests.parts.readers.packages import (
    OPEN,
    blocks_of,
    flat,
    joined_text,
    open_document,
    p,
    recognised,
    refused,
)


@pytest.mark.parametrize(
    "type_", ["text", "text-template", "text-master", "presentation", "spreadsheet", "graphics"]
)
def test_files_of_all_kinds_are_recognised(path: Path, type_: str) -> None:
    entries = open_document(p("a"))
    entries["mimetype"] = f"{OPEN}{type_}\n"
    assert recognised(path, packed(entries)) == ["odt"]
    # The type may stand anywhere in the archive.
    assert recognised(path, packed(dict(reversed(entries.items())))) == ["odt"]
    del entries["mimetype"]
    assert recognised(path, packed(entries)) == ["odt"]


@pytest.mark.parametrize("type_", ["base", "chart", "formula", "image", "textile"])
def test_files_of_other_kinds_are_not(path: Path, type_: str) -> None:
    assert recognised(path, packed({**open_document(p("a")), "mimetype": OPEN + type_})) == []


@pytest.mark.parametrize("begin", [b"\xef\xbb\xbf", b"\n", b"<!-- saved -->\n"])
def test_one_xml_file_is_recognised_by_its_first_tag(path: Path, begin: bytes) -> None:
    data = flat(p("a")).encode("utf-8")
    without = data.split(b"?>\n")[1]
    assert recognised(path, data) == ["odt"]
    assert recognised(path, begin + without) == ["odt"]
    for place in (b"<office:", b"</office:", b"xmlns:office="):
        data = data.replace(place, place.replace(b"office", b"o"))
    assert recognised(path, data) == ["odt"]
    assert recognised(path, data.replace(b"<o:document ", b"<o:document-styles ")) == []
    assert recognised(path, b"<document xmlns='urn:x'/>") == []


def test_an_encrypted_file_is_named_as_such(path: Path) -> None:
    entries: dict[str, str | bytes] = dict(open_document(p("a")))
    data = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/>'
    manifest = str(entries["META-INF/manifest.xml"])
    entries["META-INF/manifest.xml"] = manifest.replace(
        "</manifest:manifest>", data + "</manifest:file-entry></manifest:manifest>"
    )
    # Only a part that is not read is encrypted, as a library of macros may be.
    assert joined_text(blocks_of(Odt(), path, entries)) == "a\n"
    entries["content.xml"] = bytes(range(256))
    assert refused(Odt(), path, packed(entries)) == (
        "is encrypted with a password; save it without one"
    )
    whole = {"mimetype": OPEN + "text", "encrypted-package": "\x01"}
    assert "is encrypted with a password" in refused(Odt(), path, packed(whole))
