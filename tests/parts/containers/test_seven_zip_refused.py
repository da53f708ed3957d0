"""7z archives that are damaged or made to do harm."""

from __future__ import annotations

import bz2
import lzma
import zlib
from pathlib import Path

import pytest

from sdtext.errors import UnreadableError
from tests.parts.containers.containing import MEGABYTE, held
from tests.parts.containers.seven_zips import (
    COPY,
    chain,
    coder,
    files_of,
    number,
    packed_by,
    parts_of,
    seven_zip_of,
    streams,
)

AGAINST_PASSWORDS = "encrypted with a password; unpack the archive by hand"


def test_a_list_that_is_encrypted_is_refused_in_words(path: Path) -> None:
    header = b"\x17" + streams([9], chain(coder("06f10701", b"\x13\0")), [99])
    with pytest.raises(UnreadableError, match=f"its list of files is {AGAINST_PASSWORDS}"):
        held("7z", path, seven_zip_of(bytes(9), header))


def test_a_list_that_unpacks_to_itself_is_refused(path: Path) -> None:
    # Packed by nothing, it stands where it says that it stands.
    header = b"\x17" + b"\x06\0\x01\x09\x12\0\x07\x0b\x01\0" + COPY + b"\x0c\x12\0\0"
    assert len(header) == 0x12
    with pytest.raises(UnreadableError, match="is a damaged 7z archive"):
        held("7z", path, seven_zip_of(b"", header))


@pytest.mark.parametrize(
    "folder",
    [
        chain(coder("030101", b"\x5d")),
        chain(coder("030101", b"\xff\0\0\0\0")),
        chain(coder("04f71101", b"\xff\xff\3")),
        chain(coder("21", b"\x29")),
        chain(coder("21")),
        chain(*[coder("00")] * 5),
    ],
)
def test_what_py7zr_does_not_take_on_is_damage(path: Path, folder: bytes) -> None:
    main = streams([5], folder, [3] * folder[0], b"\x08\x0d\2\x09\2\0")
    header = b"\x01\x04" + main + files_of(["a", "b"]) + b"\0"
    result = held("7z", path, seven_zip_of(b"words", header))
    assert result.files == {"a": b""}
    assert result.messages[0].startswith("a is damaged (")
    assert result.messages[1] == "b left out: after damage in the same compressed block"


def test_sizes_that_no_archive_has_are_refused_before_anything_is_unpacked(path: Path) -> None:
    with pytest.raises(UnreadableError, match=f"holds more than {MEGABYTE:,} bytes"):
        held("7z", path, packed_by(COPY, b"words", 1 << 60), MEGABYTE)
    main = streams([5], COPY, [5], b"\x08\x0d\2\x09\6\0")
    with pytest.raises(UnreadableError, match="a file has a negative size"):
        held("7z", path, seven_zip_of(b"words", b"\x01\x04" + main + files_of("ab") + b"\0"))


@pytest.mark.parametrize(("size", "begin"), [(1 << 62, 0), (99, 1 << 63), (99, 100)])
def test_packed_bytes_that_are_not_there_are_damage(path: Path, size: int, begin: int) -> None:
    reported = b"\x06" + number(begin) + b"\x01\x09" + number(size) + b"\0"
    main = reported + b"\x07\x0b\x01\0" + COPY + b"\x0c\x63\0\x08\0\0"
    data = seven_zip_of(b"words", b"\x01\x04" + main + files_of(["a"]) + b"\0")
    # Behind the five bytes stands the list.
    result = held("7z", path, data)
    assert data[32:].startswith(result.files["a"])
    assert len(result.messages) == 1
    assert result.messages[0].startswith("a is damaged (")


@pytest.mark.parametrize(
    "header",
    [
        b"\x01\x05" + number(1 << 40),
        b"\x01\x04\x06\0" + number(1 << 40),
        b"\x01\x04\x07\x0b" + number(1 << 40),
        b"\x01\x04" + streams([5], COPY, [5], b"\x08\x0d" + number(1 << 40)),
        b"\x01\x04\x07\x0b\x01\0" + number(99),
        b"\x01\x04\x07\x0b\x01\0\0",
        b"\x01\x04" + streams([], COPY, [5], parts_of([b"words"])) + files_of("a") + b"\0",
        b"\x01\x04" + streams([5], COPY, [5]) + files_of("ab") + b"\0",
        b"\x01\x05\1\x11\3\0a\0\0\0",
        b"\x01\x05\1\x11\5\1a\0\0\0\0\0",
        b"\x01\x04" + streams([5], b"\1\x11\0\1\0", []) + files_of("a") + b"\0",
        b"\x01\x09",
        b"\x01\x04\x06\0\0\x0b",
        b"\x01\x04\x0f",
        b"\x17\0",
        bytes(MEGABYTE),
    ],
)
def test_a_list_that_no_program_writes_is_refused(path: Path, header: bytes) -> None:
    with pytest.raises(UnreadableError, match="is a damaged 7z archive") as caught:
        held("7z", path, seven_zip_of(b"words", header))
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("method", ["21", "040108", "040202"])
def test_output_shorter_than_declared_is_refused(path: Path, method: str) -> None:
    text = b"words " * 9
    raw = {
        "21": lzma.compress(text, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2}]),
        "040108": zlib.compress(text, wbits=-15),
        "040202": bz2.compress(text),
    }[method]
    folder = chain(coder(method, b"\x18" if method == "21" else b""))
    for behind in (b"", bytes(70_000)):
        result = held("7z", path, packed_by(folder, raw + behind, len(text) + 9))
        assert result.files == {"a": text}
        assert len(result.messages) == 1
