"""A zip archive from a stranger."""

import errno
import gzip
import os
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import MAX_RATIO, Content
from sdtext.io.zip_reader import MAX_ENTRIES, Beginnings, opened
from tests.parts.readers.office import changed, packed
from tests.support.strategies import BRISK

MEGABYTE = 1 << 20
NAMES = st.text(st.characters(exclude_characters="/\\\0", categories=["L", "N"]), min_size=1)
ENTRIES = {"a/b.txt": b"first", "c.txt": b"second" * 40}


def unpacked(path: Path, data: bytes, max_bytes: int = 256 * MEGABYTE) -> dict[str, bytes]:
    path.write_bytes(data)
    with opened(Content(path, max_bytes), "zip archive") as archive:
        return {name: b"".join(archive.blocks(name)) for name in archive.names}


@contextmanager
def refused(path: Path, why: str) -> Iterator[None]:
    with pytest.raises(UnreadableError, match=why) as caught:
        yield
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()


@BRISK
@given(entries=st.dictionaries(NAMES, st.binary(max_size=300), max_size=5), stored=st.booleans())
def test_what_was_packed_comes_out(path: Path, entries: dict[str, bytes], stored: bool) -> None:
    data = packed(entries, ZIP_STORED if stored else ZIP_DEFLATED)
    assert unpacked(path, data) == entries


def test_an_archive_written_as_a_stream_comes_out(path: Path) -> None:
    # Sizes then stand behind the data and not before it.
    class Pipe(BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise OSError

        tell = seek

    pipe = Pipe()
    with ZipFile(pipe, "w", ZIP_DEFLATED) as archive:
        for name, data in ENTRIES.items():
            archive.writestr(name, data)
    assert unpacked(path, pipe.getvalue()) == ENTRIES


def test_an_archive_that_is_packed_once_more_or_comes_by_a_pipe(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unpacked(path, gzip.compress(packed(ENTRIES))) == ENTRIES
    path.write_bytes(packed(ENTRIES))
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": file})())
        with opened(Content("-"), "zip archive") as archive:
            assert list(archive.names) == list(ENTRIES)


def test_a_name_outside_of_the_archive_is_passed_over(path: Path) -> None:
    for name in ("../out", "a/../../out", "/etc/out", "\\out", "C:/out", "..\\x"):
        assert unpacked(path, packed({name: b"out", **ENTRIES})) == ENTRIES, name


def test_damage_and_other_methods_of_packing_are_found(path: Path) -> None:
    methods = ((b"PK\1\2", 10, method, f"c.txt .* {method}") for method in (12, 14, 99, 77))
    for record, offset, byte, why in (
        *methods,
        (b"PK\1\2", 16, 0x3E, "Bad CRC-32"),
        (b"PK\1\2", 46, 0x3E, "not where or what the directory says"),
        (b"PK\1\2", 42, 0x3E, "not where or what"),
        (b"PK\3\4", 30, 0x3E, "not where or what"),
        (b"PK\5\6", 10, 0x3E, "does not list as many entries as it declares"),
    ):
        with refused(path, why):
            unpacked(path, changed(packed(ENTRIES), record, offset, bytes([byte])))


def test_archives_in_the_large_form_come_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 5)
    monkeypatch.setattr("zipfile.ZIP_FILECOUNT_LIMIT", 1)
    data = packed(ENTRIES)
    assert data.count(b"PK\6\6") == 1
    assert unpacked(path, data) == ENTRIES
    # Places and sizes that no file system has.
    for value in (b"\xff" * 8, b"\x7f" * 8, b"\x00" * 7 + b"\x20"):
        for back in range(60):
            with suppress(UnreadableError):
                assert unpacked(path, changed(data, b"PK\6\6", -back, value)) == ENTRIES


def bomb(entries: Mapping[str, bytes], megabytes: int) -> bytes:
    """An archive whose last entry, called "bomb", unpacks to so many megabytes of zeros."""
    return packed({**entries, "bomb": bytes(megabytes * MEGABYTE)})


def test_a_bomb_is_refused_before_it_bursts(path: Path) -> None:
    data = bomb(ENTRIES, 9)
    assert len(data) * MAX_RATIO < 9 * MEGABYTE
    with refused(path, f"unpacks to over {MAX_RATIO} times its size"):
        unpacked(path, data)
    # Whatever it says of its size, up to what the format can hold.
    for size in (0xFFFFFFF0, 2 * MEGABYTE):
        with refused(path, f"unpacks to over {MAX_RATIO} times its size"):
            unpacked(path, changed(data, b"PK\1\2", 24, struct.pack("<I", size)))
    with refused(path, "Bad CRC-32"):
        unpacked(path, changed(data, b"PK\1\2", 24, struct.pack("<I", 100)))


def test_all_entries_together_are_held_against_the_limits(path: Path) -> None:
    entries = {str(number): bytes(MEGABYTE // 4) for number in range(5)}
    with refused(path, "times its size"):
        unpacked(path, packed(entries))
    with refused(path, r"holds more than 600 bytes; raise max_bytes"):
        unpacked(path, packed({"a": b"a" * 400, "b": b"b" * 201}), 600)
    assert len(unpacked(path, packed({"a": b"a" * 400, "b": b"b" * 200}), 600)) == 2


def listed(data: bytes, crc: int, places: list[int], size: int) -> bytes:
    """A directory of entries of one packed size at those places, all of them called "a"."""
    packed_size = len(data) - 31
    directory = b"".join(
        struct.pack(
            "<4sHHHHHHIIIHHHHHII1s",
            *(b"PK\1\2", 20, 20, 0, 8, 0, 33, crc, packed_size - place, size),
            *(1, 0, 0, 0, 0, 0, place, b"a"),
        )
        for place in places
    )
    end = (b"PK\5\6", 0, 0, *[len(places) & 0xFFFF] * 2, len(directory), len(data), 0)
    return data + directory + struct.pack("<4sHHHHIIH", *end)


def test_entries_that_share_bytes_are_refused(path: Path) -> None:
    # Each header is quoted by the entry before it, as a stored block of deflate, so that all
    # unpack the one kernel at the end: D. Fifield, A better zip bomb (WOOT 2019).
    packer = zlib.compressobj(9, wbits=-15)
    kernel = packer.compress(bytes(100_000)) + packer.flush()
    header = struct.pack("<4sHHHHHIIIHH1s", b"PK\3\4", 20, 0, 8, 0, 33, 0, 0, 0, 1, 0, b"a")
    quote = struct.pack("<BHH", 0, len(header), len(header) ^ 0xFFFF)
    data = header + (quote + header) * 9 + kernel
    places = [count * len(quote + header) for count in range(10)]
    with refused(path, "share bytes, as those of a decompression bomb do"):
        unpacked(path, listed(data, 0, places, 100_000))
    with refused(path, "share bytes"):
        unpacked(path, listed(header + kernel, zlib.crc32(bytes(100_000)), [0, 0], 100_000))
    first = listed(header + kernel, zlib.crc32(bytes(100_000)), [0], 100_000)
    assert unpacked(path, first) == {"a": bytes(100_000)}


@pytest.mark.parametrize("number", [MAX_ENTRIES + 1, pytest.param(66_000, marks=pytest.mark.deep)])
def test_too_many_entries_are_refused(path: Path, number: int) -> None:
    with refused(path, f"{MAX_ENTRIES:,} entries"):
        unpacked(path, packed({str(count): b"" for count in range(number)}))


def test_a_file_that_cannot_be_read_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() < 60:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    @contextmanager
    def broken(_: Content) -> Iterator[BytesIO]:
        yield Broken(packed({"large": bytes(99_000)}, ZIP_STORED))

    monkeypatch.setattr(Content, "seekable", broken)
    with refused(path, f": {os.strerror(errno.EIO).lower()}$"):
        unpacked(path, b"")


@BRISK
@given(entries=st.dictionaries(NAMES, st.binary(max_size=100), min_size=1))
def test_beginnings_are_those_of_the_entries(path: Path, entries: dict[str, bytes]) -> None:
    path.write_bytes(packed(entries))
    beginnings = Beginnings(Content(path), "zip archive")
    assert list(beginnings.names) == list(entries)
    assert {name: beginnings.first(name) for name in beginnings.names} == entries
    path.write_bytes(packed(entries)[:-30])
    with refused(path, "is a damaged zip archive"):
        Beginnings(Content(path), "zip archive")
