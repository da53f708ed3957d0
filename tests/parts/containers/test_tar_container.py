import tarfile
from io import BytesIO
from pathlib import Path

from tests.parts.containers.containing import FILES, Held, held, tar
from tests.support.cases import cases

BLOCK = 512
HOLES = "a sparse file, which is not supported; pack it without --sparse"
OLD = {"a.txt": b"first", "b.txt": b"second " * 100}


def entry(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    result = tarfile.TarInfo(name)
    result.type = kind
    result.size = size
    return result


def with_field(data: bytes, place: int, value: bytes, header: int = 0) -> bytes:
    """An archive with another value in a header, whose checksum is made to fit."""
    begin = header * BLOCK
    block = data[begin : begin + BLOCK]
    block = block[:place] + value + block[place + len(value) :]
    checksum = sum(block[:148] + b" " * 8 + block[156:])
    block = block[:148] + b"%06o\0 " % checksum + block[156:]
    return data[:begin] + block + data[begin + BLOCK :]


def before_files(*blocks: bytes) -> bytes:
    """An archive of `FILES` behind those headers and data."""
    return b"".join(block + bytes(-len(block) % BLOCK) for block in blocks) + tar(FILES)


def oracle(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        return {
            item.name: file.read()
            for item in archive
            if item.isreg() and (file := archive.extractfile(item))
        }


@cases("kind", [
    tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE,
    tarfile.FIFOTYPE, b"V", b"g",
])  # fmt: skip
@cases("size", [0, 700])
def test_links_folders_and_devices_are_left_out(path: Path, kind: bytes, size: int) -> None:
    for file in (tarfile.AREGTYPE, tarfile.CONTTYPE):
        data = before_files(entry("odd", file, 5).tobuf(), b"words")
        assert held("tar", path, data) == Held({"odd": b"words", **FILES})
    has_data = kind in (b"V", b"g")  # whatever size the others tell, there is none
    data = before_files(entry("odd", kind, size).tobuf(), bytes(size if has_data else 0))
    if size == 0 or kind == b"V":
        assert held("tar", path, data) == Held(FILES)
    else:
        assert held("tar", path, data).files == {**oracle(data), **FILES}


def extended(fields: bytes) -> bytes:
    header = entry("x", tarfile.XHDTYPE, len(fields)).tobuf(tarfile.USTAR_FORMAT)
    return header + fields + bytes(-len(fields) % BLOCK)


@cases("fields, name", [
    (b"12 path=new\n", "new"), (b"20 mtime=1700000000\n12 path=new\n", "new"),
    (b"9 path=a\n12 path=new\n", "new"), (b"11 path=\xe4\xf6\n", "äö"),
    (b"12 path=new\n" + b"2000020 odd=" + b"x" * 2_000_007 + b"\n", "new"),
])  # fmt: skip
def test_fields_that_are_whole_are_believed(path: Path, fields: bytes, name: str) -> None:
    data = before_files(extended(fields), entry("odd", size=5).tobuf(), b"words")
    assert held("tar", path, data) == Held({name: b"words", **FILES})


def test_a_file_with_holes_is_left_out(path: Path) -> None:
    fields = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=a.img\n"
    fields += b"27 GNU.sparse.realsize=900\n"
    stored = b"1\n895\n5\n".ljust(BLOCK, b"\0") + b"words"
    data = before_files(extended(fields), entry("odd", size=len(stored)).tobuf(), stored)
    assert held("tar", path, data) == Held(FILES, [f"a.img left out: {HOLES}"])


@cases("size", [b"7" * 11 + b"\0", b"\x80" + b"\xff" * 11, b"\x80" + bytes(7) + b"\x01\0\0\0"])
def test_a_size_that_is_not_there_is_reported(path: Path, size: bytes) -> None:
    data = with_field(tar(OLD), 124, size)
    result = held("tar", path, data)
    assert list(result.files) == ["a.txt"]
    assert result.files["a.txt"] == data[BLOCK:]
    assert result.messages == [
        "a.txt is damaged (it is truncated); read up to the damage",
        "is truncated; read up to its end",
    ]


@cases("size", [b"-0000000001\0", b"\xff" * 12, b"0x000000005\0"])
def test_behind_a_damaged_header_the_next_whole_one_is_found(path: Path, size: bytes) -> None:
    files = {"first": b"", **OLD}
    result = held("tar", path, with_field(tar(files), 124, size, header=1))
    assert result == Held(
        {"first": b"", "b.txt": OLD["b.txt"]}, ["is damaged at byte 512; that part is skipped"]
    )


def test_an_archive_that_breaks_off_is_read_as_far_as_it_goes(path: Path) -> None:
    data = tar(OLD)
    end = 5 * BLOCK  # of two headers and one block and two of data
    for size in range(BLOCK, end, 100):
        result = held("tar", path, data[:size])
        assert result.files["a.txt"] == OLD["a.txt"] or size < BLOCK + 5
        assert b"".join(OLD.values()).startswith(b"".join(result.files.values()))
        assert result.messages[-1] == "is truncated; read up to its end"
        cut = size == BLOCK or 2 * BLOCK < size < 3 * BLOCK + 700
        assert len(result.messages) == (2 if cut else 1)
