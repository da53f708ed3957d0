"""The bytes of a file, whatever they are packed in."""

import bz2
import gzip
import lzma
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from backports import zstd
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io import decompressed_content
from sdtext.io.decompressed_content import BLOCK, HEAD, MAX_RATIO, Content
from sdtext.io.platform import IS_UNIX
from sdtext.reading.walk import ShortFiles
from tests.support.strategies import BRISK

MEGABYTE = 1 << 20
PACK: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstandard": zstd.compress,
}  # fmt: skip
TEXT = "Words of a small file: naïve, 3.14 and 中文.\n".encode()

packed_by = pytest.mark.parametrize("kind", PACK)


def unpacked(path: Path, data: bytes, max_bytes: int = 256 * MEGABYTE) -> bytes:
    path.write_bytes(data)
    return b"".join(Content(path, max_bytes).blocks())


@packed_by
@BRISK
@given(parts=st.lists(st.binary(max_size=200), min_size=1, max_size=4), times=st.integers(1, 50))
@example(parts=[b"", b"x"], times=1)
def test_packed_files_come_out_also_one_behind_another(
    path: Path, kind: str, parts: list[bytes], times: int
) -> None:
    parts = [part * times for part in parts]
    assert unpacked(path, b"".join(map(PACK[kind], parts))) == b"".join(parts)


@packed_by
def test_a_packed_file_of_many_blocks_comes_out_in_blocks(path: Path, kind: str) -> None:
    data = bytes(range(256)) * (3 * BLOCK // 256) + b"end"
    # Piece by piece, each a file of its own, so that it is not taken for a bomb.
    pieces = (data[start : start + 50_000] for start in range(0, len(data), 50_000))
    path.write_bytes(b"".join(map(PACK[kind], pieces)))
    content = Content(path)
    assert b"".join(content.blocks()) == b"".join(content.blocks()) == data
    assert content.head == data[:4096]


@packed_by
@BRISK
@given(cut=st.integers(1, 400))
def test_a_packed_file_that_breaks_off_is_damaged(path: Path, kind: str, cut: int) -> None:
    data = bytes(range(256)) * 2
    packed, blocks = PACK[kind](data), [b""]
    path.write_bytes(packed[: max(8, len(packed) - cut)])
    with pytest.raises(UnreadableError, match="its compression is damaged"):
        blocks.extend(Content(path).blocks())
    assert data.startswith(blocks[-1])
    assert blocks[-1] == data or kind != "gzip" or cut > 8


@packed_by
def test_a_bomb_is_refused_before_it_bursts(path: Path, kind: str) -> None:
    bomb = PACK[kind](bytes(9 * MEGABYTE))
    assert len(bomb) * MAX_RATIO < 9 * MEGABYTE
    with pytest.raises(UnreadableError, match=f"over {MAX_RATIO} times its size"):
        unpacked(path, bomb)


@packed_by
@BRISK
@given(size=st.integers(1, 300), limit=st.integers(1, 300))
@example(size=300, limit=300)
def test_no_more_comes_out_than_the_limit(path: Path, kind: str, size: int, limit: int) -> None:
    data = PACK[kind](b"x" * size)
    if size <= limit:
        assert unpacked(path, data, limit) == b"x" * size
        return
    with pytest.raises(UnreadableError, match=r"raise max_bytes"):
        unpacked(path, data, limit)


def test_a_plain_file_may_have_any_size_but_not_all_at_once(path: Path) -> None:
    assert unpacked(path, TEXT * 9, max_bytes=10) == TEXT * 9
    with pytest.raises(UnreadableError, match=r"raise max_bytes"):
        Content(path, 10).whole()
    assert Content(path, len(TEXT) * 9).whole() == TEXT * 9


@BRISK
@given(data=st.binary(max_size=300), sizes=st.lists(st.integers(1, 90), max_size=9))
def test_a_content_can_be_read_as_a_file(path: Path, data: bytes, sizes: list[int]) -> None:
    data = b"plain: " + data  # which begins as no packed file does
    path.write_bytes(data)
    file = Content(path).file()
    parts = [file.read(size) for size in sizes]
    assert all(len(part) <= size for part, size in zip(parts, sizes, strict=True))
    assert b"".join([*parts, file.read()]) == data


STANDARD_INPUT = """
import sys
from sdtext.io.decompressed_content import Content
content = Content("-")
assert content.name == "standard input"
assert content.head == b"".join(content.blocks()) == content.whole()
sys.stdout.buffer.write(content.whole())
"""


@pytest.mark.parametrize("kind", ["plain", *PACK])
def test_the_standard_input_can_be_read_twice(kind: str) -> None:
    data = PACK.get(kind, bytes)(TEXT)
    done = subprocess.run(
        [sys.executable, "-c", STANDARD_INPUT], input=data, capture_output=True, check=True
    )
    assert done.stdout == TEXT


def test_what_cannot_be_opened_is_named_in_one_line(tmp_path: Path) -> None:
    for name, message in (
        *(("missing", "no such file or directory"), ("", "is a folder; name a file")),
        *(("x" * 300, "name too long"), ("nul\x00", "nul"), ("half\ud800", "half")),
    ):
        with pytest.raises(UnreadableError) as caught:
            _ = Content(f"{tmp_path}/{name}").head
        assert message in str(caught.value)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_file_kept_open_is_opened_once(
    monkeypatch: pytest.MonkeyPatch, path: Path, pack: Callable[[bytes], bytes]
) -> None:
    opened: list[Path] = []

    def counted(path: Path, mode: str) -> Any:
        opened.append(path)
        return path.open(mode)

    monkeypatch.setattr(decompressed_content, "open", counted, raising=False)
    for size in (10, BLOCK, BLOCK + 1, 3 * BLOCK):
        data = Random(size).randbytes(size)
        path.write_bytes(pack(data))
        opened.clear()
        content = Content(path)
        with content.kept_open():
            assert content.head == data[:HEAD]
            assert content.is_longer(BLOCK) == (size > BLOCK)
            assert content.whole() == data
        assert len(opened) == 1


@pytest.mark.parametrize("pack", [bytes, *PACK.values()])
@BRISK
@given(data=st.binary(max_size=200), times=st.integers(1, 20_000))
def test_content_in_memory_is_the_same_without_its_file(
    path: Path, pack: Callable[[bytes], bytes], data: bytes, times: int
) -> None:
    unpacked = (b"-" + data) * times
    path.write_bytes(pack(unpacked))
    assert ShortFiles(len(unpacked) - 1).kept(Content(path)) == path
    kept = ShortFiles().kept(Content(path))
    assert isinstance(kept, Content)
    path.unlink()
    assert pickle.loads(pickle.dumps(kept)) == kept  # noqa: S301 (our own)
    assert kept.head == unpacked[:HEAD]
    assert b"".join(kept.blocks()) == kept.whole() == unpacked
    assert kept.is_longer(len(unpacked) - 1)
    assert not kept.is_longer(len(unpacked))
    with kept.seekable() as file:
        assert file.read() == unpacked


@pytest.mark.skipif(not IS_UNIX, reason="Windows replaces no open file")
@pytest.mark.parametrize("size", [HEAD, 3 * BLOCK])
def test_a_file_kept_open_stays_the_same_when_it_is_replaced(path: Path, size: int) -> None:
    before, after = bytes(size), b"x" * size
    path.write_bytes(before)
    content, other = Content(path), path.with_name("other")
    other.write_bytes(after)
    with content.kept_open():
        assert content.head == before[:HEAD]
        other.replace(path)
        assert content.whole() == before
        with content.kept_open(), content.seekable() as file:
            assert file.read() == before
        reader = content.file()
        assert reader.read(9) == before[:9]
        assert content.whole() in {before, after}  # by a second reader at the same time
        assert reader.read() == before[9:]
    assert Content(path).whole() == after
