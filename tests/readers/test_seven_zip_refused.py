"""7z archives that are damaged or made to do harm."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sdtext.errors import UnreadableError
from sdtext.readers.archive import MAX_ENTRIES
from tests.readers.containing import FILES, MEGABYTE, Held, held, seven_zip
from tests.readers.seven_zips import (
    COPY,
    TEXTS,
    archive,
    chain,
    coder,
    files_of,
    number,
    packed_by,
    seven_zip_of,
    streams,
)

AGAINST_PASSWORDS = "encrypted with a password; unpack the archive by hand"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.7z"


def test_a_list_that_is_encrypted_is_refused_in_words(path: Path) -> None:
    header = b"\x17" + streams([9], chain(coder("06f10701", b"\x13\0")), [99])
    with pytest.raises(UnreadableError, match=f"its list of files is {AGAINST_PASSWORDS}"):
        held("7z", path, seven_zip_of(bytes(9), header))


def test_a_list_may_be_packed_more_than_once_but_not_for_ever(path: Path) -> None:
    data = archive()
    size = len(b"".join(TEXTS))
    content, header = data[32 : 32 + size], data[32 + size :]
    for times in range(6):
        if times < 4:
            assert held("7z", path, seven_zip_of(content, header)).files
        else:
            with pytest.raises(UnreadableError, match="is packed too many times"):
                held("7z", path, seven_zip_of(content, header))
        told = b"\x06" + number(len(content)) + b"\x01\x09" + number(len(header)) + b"\0"
        folder = b"\x07\x0b\x01\0" + COPY + b"\x0c" + number(len(header)) + b"\0\0"
        content, header = content + header, b"\x17" + told + folder


def test_a_list_that_unpacks_to_itself_ends(path: Path) -> None:
    # Packed by nothing, it stands where it says that it stands.
    told = b"\x06\0\x01\x09\x12\0\x07\x0b\x01\0" + COPY + b"\x0c\x12\0\0"
    header = b"\x17" + told
    assert len(header) == 0x12
    with pytest.raises(UnreadableError, match="is packed too many times"):
        held("7z", path, seven_zip_of(b"", header))


def test_a_list_that_unpacks_to_too_much_is_refused(path: Path) -> None:
    raw = lzma.compress(
        bytes(5 * MEGABYTE),
        lzma.FORMAT_RAW,
        filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}],
    )
    header = b"\x17" + streams([len(raw)], chain(coder("21", b"\x10")), [5 * MEGABYTE])
    with pytest.raises(UnreadableError, match=f"lists more than {MAX_ENTRIES} entries"):
        held("7z", path, seven_zip_of(raw, header))


def test_a_dictionary_is_no_larger_than_what_comes_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    made = lzma.LZMADecompressor

    def noted(form: int, *, filters: Sequence[dict[str, Any]]) -> lzma.LZMADecompressor:
        asked.append(filters[-1]["dict_size"])
        return made(form, filters=filters)

    monkeypatch.setattr(lzma, "LZMADecompressor", noted)
    text = Random(1).randbytes(70_000)
    one: dict[str, Any] = {"id": lzma.FILTER_LZMA1, "dict_size": 1 << 20, "lc": 3, "lp": 0, "pb": 2}
    two: dict[str, Any] = {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}
    for method, properties, steps in [
        ("030101", b"\x5d\xff\xff\xff\xff", one),
        ("21", b"\x28", two),
    ]:
        raw = lzma.compress(text, lzma.FORMAT_RAW, filters=[steps])
        data = packed_by(chain(coder(method, properties)), raw, len(text))
        assert held("7z", path, data) == Held({"a": text})
    assert asked == [len(text)] * 2


@pytest.mark.parametrize(
    "folder",
    [
        chain(coder("030101", b"\x5d")),
        chain(coder("030101", b"\xff\0\0\0\0")),
        chain(coder("21", b"\x29")),
        chain(coder("21")),
    ],
)
def test_wrong_properties_are_damage(path: Path, folder: bytes) -> None:
    found = held("7z", path, packed_by(folder, b"words", 5))
    assert found.files == {"a": b""}
    assert found.said[0].startswith("a is damaged (")


def test_sizes_that_no_archive_has_are_refused_before_anything_is_unpacked(path: Path) -> None:
    with pytest.raises(UnreadableError, match=f"holds more than {MEGABYTE} bytes"):
        held("7z", path, packed_by(COPY, b"words", 1 << 60), MEGABYTE)
    within = chain(coder("00"), coder("21", b"\x28"))
    with pytest.raises(UnreadableError, match=f"holds more than {MEGABYTE} bytes"):
        held("7z", path, packed_by(within, b"words", 5, 1 << 40), MEGABYTE)


def test_packed_bytes_that_are_not_there_are_damage(path: Path) -> None:
    for size, begin in [(1 << 62, 0), (99, 1 << 63), (99, 100)]:
        told = b"\x06" + number(begin) + b"\x01\x09" + number(size) + b"\0"
        main = told + b"\x07\x0b\x01\0" + COPY + b"\x0c\x63\0\0"
        data = seven_zip_of(b"words", b"\x01\x04" + main + files_of(["a"]) + b"\0")
        found = held("7z", path, data[: 32 + 5 + 3000])
        assert len(found.files["a"]) < 99
        assert found.said == ["a is damaged (it ends too early); read as far as it goes"]


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (b"\x01\x05" + number(MAX_ENTRIES + 1), f"more than {MAX_ENTRIES} entries"),
        (b"\x01\x04\x06\0" + number(1 << 40), f"more than {MAX_ENTRIES} entries"),
        (b"\x01\x04\x07\x0b" + number(1 << 40), f"more than {MAX_ENTRIES} entries"),
        (b"\x01\x04" + streams([5], COPY, [5], b"\x08\x0d" + number(1 << 40)), "entries"),
        (b"\x01\x04\x07\x0b\x01\0" + number(33), f"more than {MAX_ENTRIES} entries"),
        (b"\x01\x04\x07\x0b\x01\x01", "out of order"),
        (b"\x01\x04\x07\x0b\x01\0\0", "no chain"),
        (b"\x01\x04" + streams([5], b"\x02\x01\0\x01\0\0\0", [5, 5]), "no chain"),
        (b"\x01\x04" + streams([5], b"\x02\x01\0\x01\0\0\2", [5, 5]), "no chain"),
        (b"\x01\x04" + streams([5], b"\x02\x01\0\x01\0\1\1", [5, 5]), "no chain"),
        (b"\x01\x04" + streams([5, 5], COPY, [5]), "not have as many packed files"),
        (b"\x01\x04" + streams([], COPY, [5]), "not have as many packed files"),
        (b"\x01\x04" + streams([5], COPY, [5], b"\x08\x0d\2\x09\6\0"), "larger than what holds"),
        (b"\x01\x04" + streams([5], COPY, [5], b"\x08\x0d\2\0"), "does not tell their sizes"),
        (b"\x01\x04" + streams([5], COPY, [5]) + files_of("ab") + b"\0", "not have as many files"),
        (b"\x01\x05\1\x11\3\0a\0\0\0", "not have as many names"),
        (b"\x01\x05\1\x11\5\1a\0\0\0\0\0", "out of order"),
        (b"\x01\x05\1\0\0", "ends too early"),
        (b"\x01\x09", "something unknown"),
        (b"\x01\x04\x06\0\0\x0b", "something unknown"),
        (b"\x01\x04\x07\x0b\0\0\x0c\x09", "something unknown"),
        (b"\x01\x04" + streams([5], COPY, [5], b"\x08\x0b"), "something unknown"),
        (b"\x01\x04" + streams([5], chain(coder("00", inputs=0)), [5]), "read nothing"),
        (
            b"\x01\x04\x07\x0b\2\0" + COPY * 2 + b"\x0c\5\5\0\x08\x0d" + number(6000) * 2 + b"\0",
            f"more than {MAX_ENTRIES} entries",
        ),
        (b"\x01\x04\x0f", "something unknown"),
        (b"\x17\0", "is not packed as one"),
    ],
)
def test_a_list_that_no_program_writes_is_refused(path: Path, header: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why) as caught:
        held("7z", path, seven_zip_of(b"words", header))
    assert str(caught.value).startswith(f"{path}: ")


def test_a_list_of_many_megabytes_is_refused_unread(path: Path) -> None:
    with pytest.raises(UnreadableError, match=f"lists more than {MAX_ENTRIES} entries"):
        held("7z", path, seven_zip_of(b"", bytes(4 * MEGABYTE)))


@pytest.mark.parametrize("method", ["21", "040108", "040202"])
def test_less_than_is_told_comes_out_whatever_stands_behind_it(path: Path, method: str) -> None:
    text = b"words " * 9
    raw = {
        "21": lzma.compress(text, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2}]),
        "040108": zlib.compress(text, wbits=-15),
        "040202": bz2.compress(text),
    }[method]
    folder = chain(coder(method, b"\x18" if method == "21" else b""))
    for behind in (b"", bytes(70_000)):
        found = held("7z", path, packed_by(folder, raw + behind, len(text) + 9))
        assert found.files == {"a": text}
        assert len(found.said) == 1


def test_an_archive_without_files_holds_nothing(path: Path) -> None:
    assert held("7z", path, seven_zip({})) == Held()
    assert held("7z", path, seven_zip_of(b"", b"")) == Held()
    assert held("7z", path, seven_zip_of(b"", b"\x01\x02\x63\1a\0\0")) == Held()


@pytest.mark.parametrize("part", range(1, 20))
def test_an_archive_that_breaks_off_is_refused(path: Path, part: int) -> None:
    data = seven_zip(FILES)
    with pytest.raises(UnreadableError, match="is a damaged 7z archive"):
        held("7z", path, data[: max(6, len(data) * part // 20)])
