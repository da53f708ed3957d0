"""The files in a zip archive: those that are whole come out, whatever is wrong with the others."""

import struct
import sys
import tarfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import py7zr
import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.containers.archives import SevenZip
from sdtext.parts.registry import find
from tests.parts.containers.containing import FILES, MEGABYTE, Held, held, seven_zip, tar
from tests.parts.readers.office import changed, packed
from tests.support.cases import cases
from tests.support.damaged_bytes import damaged

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


class Streamed(BytesIO):
    """What an archive is written to in one go: sizes then stand behind the data."""

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise OSError


@cases("file, method", [(BytesIO(), ZIP_STORED), (BytesIO(), ZIP_DEFLATED),
                        (Streamed(), ZIP_DEFLATED)])  # fmt: skip
def test_of_a_truncated_archive_what_precedes_the_cut_is_read(
    path: Path, file: BytesIO, method: int
) -> None:
    files = {f"{name}.txt": Random(name).randbytes(30_000) for name in ("a", "b", "c")}
    with ZipFile(file, "w", method) as archive:
        archive.mkdir("folder")
        for name, data in files.items():
            archive.writestr(name, data)
    data = file.getvalue()
    for size in (len(data) // 5, len(data) // 2, data.find(b"PK\1\2"), len(data) - 20):
        result = held("zip", path, data[:size])
        assert all(files[name].startswith(begun) for name, begun in result.files.items())
        assert sum(map(len, result.files.values())) > 0.8 * size
        assert "is truncated; read up to its end" in result.messages[-1]
    for damage in (data[:40], packed({"mimetype": b"x"})[:-22]):
        with pytest.raises(UnreadableError, match="it is truncated"):
            held("zip", path, damage)


BLOCK = 512
HOLES = "a sparse file, which is not supported; pack it without --sparse"
OLD = {"a.txt": b"first", "b.txt": b"second " * 100}


def tar_entry(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
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
        data = before_files(tar_entry("odd", file, 5).tobuf(), b"words")
        assert held("tar", path, data) == Held({"odd": b"words", **FILES})
    has_data = kind in (b"V", b"g")  # whatever size the others tell, there is none
    data = before_files(tar_entry("odd", kind, size).tobuf(), bytes(size if has_data else 0))
    if size == 0 or kind == b"V":
        assert held("tar", path, data) == Held(FILES)
    else:
        assert held("tar", path, data).files == {**oracle(data), **FILES}


def extended(fields: bytes) -> bytes:
    header = tar_entry("x", tarfile.XHDTYPE, len(fields)).tobuf(tarfile.USTAR_FORMAT)
    return header + fields + bytes(-len(fields) % BLOCK)


@cases("fields, name", [
    (b"12 path=new\n", "new"), (b"20 mtime=1700000000\n12 path=new\n", "new"),
    (b"9 path=a\n12 path=new\n", "new"), (b"11 path=\xe4\xf6\n", "äö"),
    (b"12 path=new\n" + b"2000020 odd=" + b"x" * 2_000_007 + b"\n", "new"),
])  # fmt: skip
def test_fields_that_are_whole_are_believed(path: Path, fields: bytes, name: str) -> None:
    data = before_files(extended(fields), tar_entry("odd", size=5).tobuf(), b"words")
    assert held("tar", path, data) == Held({name: b"words", **FILES})


def test_a_file_with_holes_is_left_out(path: Path) -> None:
    fields = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=a.img\n"
    fields += b"27 GNU.sparse.realsize=900\n"
    stored = b"1\n895\n5\n".ljust(BLOCK, b"\0") + b"words"
    data = before_files(extended(fields), tar_entry("odd", size=len(stored)).tobuf(), stored)
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


AGAINST_PASSWORDS = "encrypted with a password; unpack the archive by hand"
TEXTS = (b"first words", b"second words", b"third")
NAMES = ("a.txt", "b.txt", "c.txt")


def seven_zip_of(packed_bytes: bytes, header: bytes) -> bytes:
    """A 7z archive of those packed bytes with that list of files, however wrong it is."""
    reported = struct.pack("<QQI", len(packed_bytes), len(header), zlib.crc32(header))
    start = b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(reported)) + reported
    return start + packed_bytes + header


WHOLE = b"".join(TEXTS)
LIST = seven_zip(dict(zip(NAMES, TEXTS, strict=True)), py7zr.FILTER_COPY, packs_list=False)[
    32 + len(WHOLE) :
]
"""The list of files of an archive of three that are not packed."""


def relisted(old: bytes, new: bytes) -> bytes:
    """That archive with another piece in its list."""
    assert LIST.count(old) == 1
    return seven_zip_of(WHOLE, LIST.replace(old, new))


def test_without_py7zr_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    with pytest.raises(UnreadableError, match=r"sdtext\[7z]"):
        list(SevenZip().members(Content("tests/samples/containers/letters.7z")))


@cases("value, is_read", [
    (0, True), (0x20, True), (0x10, False), (0x400, False), (0x8000 | 0o100644 << 16, True),
    (0x8000 | 0o120777 << 16, False), (0x8000 | 0o010644 << 16, False), (0o120777 << 16, True),
])  # fmt: skip
def test_links_and_devices_in_7z_are_left_out(path: Path, value: int, is_read: bool) -> None:
    attributes = LIST[LIST.index(b"\x15\x0e\x01\0") :][4:16]
    result = held("7z", path, relisted(attributes, struct.pack("<III", 0, value, 0)))
    read = [name for name in NAMES if is_read or name != "b.txt"]
    assert result == Held({name: TEXTS[NAMES.index(name)] for name in read})


def test_files_without_bytes_are_read_wherever_they_are_listed(tmp_path: Path) -> None:
    folder, empty, path = (tmp_path / name for name in ("folder", "empty", "a.7z"))
    folder.mkdir()
    empty.touch()
    for mode, names in (("w", ["folder", "a.txt", "empty"]), ("a", ["b.txt", "none", "c.txt"])):
        with py7zr.SevenZipFile(path, mode) as archive:  # each a compressed block of its own
            for name in names:
                if name in NAMES:
                    archive.writestr(TEXTS[NAMES.index(name)], name)
                else:
                    archive.write(folder if name == "folder" else empty, name)
    expected = {"a.txt": TEXTS[0], "empty": b"", "b.txt": TEXTS[1], "none": b"", "c.txt": TEXTS[2]}
    assert held("7z", path, path.read_bytes()) == Held(expected)


@cases("wrong", [0, 1, 2])
def test_a_wrong_checksum_is_reported_and_the_other_files_are_whole(path: Path, wrong: int) -> None:
    right = zlib.crc32(TEXTS[wrong])
    result = held("7z", path, relisted(struct.pack("<I", right), struct.pack("<I", right ^ 1)))
    assert result.files == dict(zip(NAMES, TEXTS, strict=True))
    assert result.messages == [
        f"{NAMES[wrong]} is damaged (its checksum is wrong); read up to the damage"
    ]


def test_behind_damage_nothing_of_the_same_packing_is_read(path: Path) -> None:
    texts = [Random(seed).randbytes(50_000) for seed in range(4)]
    files = dict(zip("abcd", texts, strict=True))
    data = seven_zip(files)
    assert held("7z", path, data) == Held(files)
    result = held("7z", path, data[:70_000] + b"\xff" * 70_000 + data[140_000:])
    assert result.files["a"] == texts[0]
    assert texts[1].startswith(result.files["b"]) or "checksum" in result.messages[0]
    assert result.messages[0].startswith("b is damaged (")
    assert result.messages[-1].endswith("left out: after damage in the same compressed block")


@cases("methods, why", [
    ("01 24 06f10701 02 1300", AGAINST_PASSWORDS),
    ("02 0100 24 06f10701 02 1300 0001", AGAINST_PASSWORDS),
    ("01 23 030401 05 0600000001", "compressed with PPMd, which is not supported"),
    ("01 04 04f71104", "compressed with LZ4, which is not supported; use LZMA2"),
    ("01 03 abcdef", "compressed with method abcdef, which is not supported"),
])  # fmt: skip
def test_what_cannot_be_unpacked_is_reported_once(path: Path, methods: str, why: str) -> None:
    told, size = bytes.fromhex(methods), bytes([len(WHOLE)])
    copied = b"\x0b\x01\0%s\x0c" % bytes.fromhex("01 0100") + size
    result = held("7z", path, relisted(copied, b"\x0b\x01\0" + told + b"\x0c" + size * told[0]))
    assert not result.files
    assert len(result.messages) == 1
    assert result.messages[0].startswith(f"a.txt and 2 more left out: {why}")


def test_a_damaged_list_is_read_or_refused(path: Path, rounds: Callable[[int], int]) -> None:
    outcomes = [0, 0]
    for seed in range(rounds(1000)):
        draw = Random(seed)
        path.write_bytes(seven_zip_of(WHOLE, damaged(LIST, draw)))
        try:
            for member in SevenZip().members(Content(path, MEGABYTE)):
                if not isinstance(member, Problem):
                    assert sum(map(len, member.blocks)) <= MEGABYTE
            outcomes[0] += 1
        except UnreadableError:
            outcomes[1] += 1
    assert min(outcomes) > rounds(400) // 4


def test_a_list_that_is_encrypted_is_refused_in_words(path: Path) -> None:
    with py7zr.SevenZipFile(path, "w", password="x", header_encryption=True) as archive:  # noqa: S106
        archive.writestr(b"words", "a.txt")
    with pytest.raises(UnreadableError, match=f"its list of files is {AGAINST_PASSWORDS}"):
        held("7z", path, path.read_bytes())


def test_sizes_that_no_archive_has_are_damage(path: Path) -> None:
    size = b"\x0c%c\0" % len(WHOLE)
    huge = b"\x0c\xff" + (1 << 60).to_bytes(8, "little") + b"\0"
    (message,) = held("7z", path, relisted(size, huge), MEGABYTE).messages
    assert "damaged" in message
    with pytest.raises(UnreadableError, match="a file has a negative size"):
        held("7z", path, relisted(b"\x09\x0b\x0c\x0a", b"\x09\x0b\x7f\x0a"))
