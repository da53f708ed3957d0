"""The files in a zip archive: those that are whole come out, whatever is wrong with the others."""

import struct
import zlib
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.registry import find
from tests.parts.containers.containing import FILES, Held, held
from tests.parts.readers.office import changed, packed
from tests.support.cases import cases

LAST = list(FILES)[-1]
OTHERS = {name: data for name, data in FILES.items() if name != LAST}


def with_entries(*entries: tuple[ZipInfo, bytes]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for entry, data in [*entries, *((ZipInfo(name), data) for name, data in FILES.items())]:
            archive.writestr(entry, data)
    return file.getvalue()


def entry(name: str, attributes: int = 0, extra: bytes = b"") -> ZipInfo:
    result = ZipInfo(name)
    result.external_attr = attributes << 16
    result.extra = extra
    return result


@cases("name, mode", [("d/", 0o040755), ("link", 0o120777), ("pipe", 0o010644), ("disk", 0o060644)])
def test_folders_links_and_devices_are_left_out(path: Path, name: str, mode: int) -> None:
    assert held("zip", path, with_entries((entry(name, mode), b""))) == Held(FILES)


def test_a_program_that_unpacks_itself_is_an_archive_and_others_are_none(path: Path) -> None:
    assert held("zip", path, b"MZ" + bytes(3000) + packed(FILES)) == Held(FILES)
    path.write_bytes(b"MZ" + bytes(3000))
    assert not find("containers", "zip").recognises(Content(path))


def renamed(name: bytes, extra: bytes = b"") -> bytes:
    """An archive of one entry whose name is those bytes, with no word of what they mean."""
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(entry("x" * len(name), extra=extra), b"words")
    return file.getvalue().replace(b"x" * len(name), name)


def unicode_path(name: str, raw: bytes) -> bytes:
    """The extra field that tells a name in UTF-8, valid for the name `raw`."""
    inside = b"\x01" + struct.pack("<I", zlib.crc32(raw)) + name.encode()
    return struct.pack("<HH", 0x7075, len(inside)) + inside


@cases("data, name", [
    (renamed("Größe.txt".encode()), "Größe.txt"),
    (renamed("Größe.txt".encode("cp437")), "Größe.txt"), (renamed(b"a\\b\\c.txt"), "a/b/c.txt"),
    (renamed("M\x81ller".encode("latin-1"), unicode_path("Миллер", b"M\x81ller")), "Миллер"),
    (renamed("M\x81ller".encode("latin-1"), unicode_path("Миллер", b"other")), "Müller"),
    (renamed("M\x81ller".encode("latin-1"), b"\x75\x70\x03\x00abc"), "Müller"),
    (packed({"Größe/中.txt": b"words"}), "Größe/中.txt"),
    (packed({"../../etc/x": b"words"}), "etc/x"), (packed({"..": b"words"}), "unnamed"),
])  # fmt: skip
def test_a_name_is_what_it_was_where_that_can_be_known(path: Path, data: bytes, name: str) -> None:
    assert held("zip", path, data).files == {name: b"words"}


@cases("offset, value, why", [
    (8, b"\x01\x08", "encrypted with a password; unpack the archive by hand"),
    *((10, bytes([method]), f"compressed with {name}, which is not supported; use deflate")
      for method, name in ((9, "Deflate64"), (14, "LZMA"), (98, "PPMd"), (77, "method 77"))),
])  # fmt: skip
def test_what_cannot_be_unpacked_is_left_out(
    path: Path, offset: int, value: bytes, why: str
) -> None:
    result = held("zip", path, changed(packed(FILES), b"PK\1\2", offset, value))
    assert result == Held(OTHERS, [f"{LAST} left out: {why}"])


@cases("record, offset", [(b"PK\1\2", 16), (b"PK\3\4", 0), (b"PK\3\4", 30)])
def test_damage_of_one_entry_leaves_others_whole(path: Path, record: bytes, offset: int) -> None:
    result = held("zip", path, changed(packed(FILES), record, offset, b"\x3e"))
    assert {name: result.files[name] for name in OTHERS} == OTHERS
    assert len(result.messages) == 1
    assert result.messages[0].startswith(f"{LAST} is damaged (")


def test_damaged_data_is_read_as_far_as_it_goes(path: Path) -> None:
    text = b"".join(b"%d words\n" % number for number in range(50_000))
    data = packed({"a": text, "b": b"after"})
    place = len(data) // 2
    result = held("zip", path, data[:place] + b"\xff" * 9 + data[place + 9 :])
    begun = result.files["a"]
    assert result.files["b"] == b"after"
    assert len(begun) > 100_000
    assert text[:100_000] == begun[:100_000]
    assert begun != text
    assert len(result.messages) == 1


def test_an_archive_that_was_cut_into_several_files_is_refused(path: Path) -> None:
    with pytest.raises(UnreadableError, match="one part of a split zip archive"):
        held("zip", path, changed(packed(FILES), b"PK\5\6", 4, b"\x02"))
    with pytest.raises(UnreadableError, match="one part of a split zip archive"):
        held("zip", path, b"PK\7\x08" + packed(FILES)[:200])
