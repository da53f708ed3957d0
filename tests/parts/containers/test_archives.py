"""The files in a zip archive: those that are whole come out, whatever is wrong with the others."""

import lzma
import struct
import sys
import tarfile
import zlib
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZipFile, ZipInfo

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.containers.archives import SevenZip
from sdtext.parts.registry import find
from tests.parts.containers.containing import FILES, MEGABYTE, PACKERS, Held, held, tar
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


def number(value: int) -> bytes:
    """A number in the form of the format, the shortest or the longest."""
    return bytes([value]) if value < 0x80 else b"\xff" + value.to_bytes(8, "little")


def files_of(names: Sequence[str], *properties: tuple[int, bytes]) -> bytes:
    text = b"\0" + b"".join(name.encode("utf-16-le") + b"\0\0" for name in names)
    rows = [(0x19, bytes(3)), (0x11, text), *properties]
    reported = b"".join(bytes([kind]) + number(len(data)) + data for kind, data in rows)
    return b"\x05" + number(len(names)) + reported + b"\0"


def coder(method: str, properties: bytes = b"", inputs: int = 1) -> bytes:
    """What tells of one method, whose number is in hexadecimal digits."""
    name = bytes.fromhex(method)
    flags = len(name) | 0x10 * (inputs != 1) | 0x20 * bool(properties)
    complex_form = number(inputs) + number(1) if inputs != 1 else b""
    reported = number(len(properties)) + properties if properties else b""
    return bytes([flags]) + name + complex_form + reported


def chain(*coders: bytes) -> bytes:
    """What tells of methods each of which reads what the next puts out."""
    bound = b"".join(bytes([place, place + 1]) for place in range(len(coders) - 1))
    return number(len(coders)) + b"".join(coders) + bound


COPY = chain(coder("00"))


def streams(
    packed: Sequence[int], coders: bytes, sizes: Sequence[int], parts: bytes = b"\x08\0"
) -> bytes:
    """What tells of one packing of so many stretches, whose outputs have those sizes."""
    stretches = b"\x06\0" + number(len(packed)) + b"\x09" + b"".join(map(number, packed)) + b"\0"
    packing = b"\x07\x0b\x01\0" + coders + b"\x0c" + b"".join(map(number, sizes)) + b"\0"
    return stretches + packing + parts + b"\0"


def parts_of(texts: Sequence[bytes], wrong: int = -1) -> bytes:
    """What tells into which files the packing is cut; the CRC-32 of one may be wrong."""
    sizes = b"".join(number(len(text)) for text in texts[:-1])
    sums = b"".join(
        struct.pack("<I", zlib.crc32(text) ^ (place == wrong)) for place, text in enumerate(texts)
    )
    return b"\x08\x0d" + number(len(texts)) + b"\x09" + sizes + b"\x0a\x01" + sums + b"\0"


def archive(
    names: Sequence[str] = NAMES, *properties: tuple[int, bytes], main: bytes | None = None
) -> bytes:
    whole = b"".join(TEXTS)
    reported = main or streams([len(whole)], COPY, [len(whole)], parts_of(TEXTS))
    return seven_zip_of(whole, b"\x01\x04" + reported + files_of(names, *properties) + b"\0")


def packed_by(folder: bytes, packed: bytes, *sizes: int) -> bytes:
    main = streams([len(packed)], folder, sizes)
    return seven_zip_of(packed, b"\x01\x04" + main + files_of(["a"]) + b"\0")


def attributes(*values: int) -> tuple[int, bytes]:
    return 0x15, b"\x01\0" + b"".join(struct.pack("<I", value) for value in values)


def test_without_py7zr_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    with pytest.raises(UnreadableError, match=r"sdtext\[7z]"):
        list(SevenZip().members(Content("tests/samples/containers/letters.7z")))


@cases("value, is_read", [
    (0, True), (0x20, True), (0x10, False), (0x400, False), (0x8000 | 0o100644 << 16, True),
    (0x8000 | 0o120777 << 16, False), (0x8000 | 0o010644 << 16, False), (0o120777 << 16, True),
])  # fmt: skip
def test_links_and_devices_in_7z_are_left_out(path: Path, value: int, is_read: bool) -> None:
    result = held("7z", path, archive(NAMES, attributes(0, value, 0)))
    read = [name for name in NAMES if is_read or name != "b.txt"]
    assert result == Held({name: TEXTS[NAMES.index(name)] for name in read})


def test_files_without_bytes_are_read_wherever_they_are_listed(path: Path) -> None:
    names = ["folder", "a.txt", "empty", "b.txt", "none", "c.txt"]
    marks = [(0x0E, b"\xa8"), (0x0F, b"\x60"), attributes(0x10, 0, 0, 0, 0, 0)]
    expected = {"a.txt": TEXTS[0], "empty": b"", "b.txt": TEXTS[1], "none": b"", "c.txt": TEXTS[2]}
    assert held("7z", path, archive(names, *marks)) == Held(expected)
    sizes = [len(TEXTS[0]) + len(TEXTS[1]), len(TEXTS[2])]
    stretches = b"\x06\0\x02\x09" + bytes(sizes) + b"\0"
    folders = b"\x07\x0b\x02\0" + COPY * 2 + b"\x0c" + bytes(sizes) + b"\0"
    parts = b"\x08\x0d\x02\x01\x09" + number(len(TEXTS[0])) + b"\0\0"
    two = archive(names, *marks, main=stretches + folders + parts)
    assert held("7z", path, two) == Held(expected)


@cases("wrong", [0, 1, 2])
def test_a_wrong_checksum_is_reported_and_the_other_files_are_whole(path: Path, wrong: int) -> None:
    size = len(b"".join(TEXTS))
    main = streams([size], COPY, [size], parts_of(TEXTS, wrong))
    result = held("7z", path, archive(main=main))
    assert result.files == dict(zip(NAMES, TEXTS, strict=True))
    assert result.messages == [
        f"{NAMES[wrong]} is damaged (its checksum is wrong); read up to the damage"
    ]


def test_behind_damage_nothing_of_the_same_packing_is_read(path: Path) -> None:
    texts = [Random(seed).randbytes(50_000) for seed in range(4)]
    raw = lzma.compress(
        b"".join(texts), lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]
    )
    broken = raw[:70_000] + b"\xff" * 70_000 + raw[140_000:]
    main = streams([len(raw)], chain(coder("21", b"\x10")), [200_000], parts_of(texts))
    header = b"\x01\x04" + main + files_of("abcd") + b"\0"
    assert held("7z", path, seven_zip_of(raw, header)).files == dict(
        zip("abcd", texts, strict=True)
    )
    result = held("7z", path, seven_zip_of(broken, header))
    assert result.files["a"] == texts[0]
    assert texts[1].startswith(result.files["b"]) or "checksum" in result.messages[0]
    assert result.messages[0].startswith("b is damaged (")
    assert result.messages[-1].endswith("left out: after damage in the same compressed block")


@cases("folder, why", [
    (chain(coder("06f10701", b"\x13\0")), AGAINST_PASSWORDS),
    (chain(coder("00"), coder("06f10701", b"\x13\0")), AGAINST_PASSWORDS),
    (chain(coder("030401", b"\x06\0\0\0\1")), "compressed with PPMd, which is not supported"),
    (chain(coder("04f71104")), "compressed with LZ4, which is not supported; use LZMA2"),
    (chain(coder("abcdef")), "compressed with method abcdef, which is not supported"),
])  # fmt: skip
def test_what_cannot_be_unpacked_is_reported_once(path: Path, folder: bytes, why: str) -> None:
    size = len(b"".join(TEXTS))
    main = streams([size], folder, [size] * folder[0], parts_of(TEXTS))
    result = held("7z", path, archive(main=main))
    assert not result.files
    assert len(result.messages) == 1
    assert result.messages[0].startswith(f"a.txt and 2 more left out: {why}")


def test_a_damaged_list_is_read_or_refused(path: Path, rounds: Callable[[int], int]) -> None:
    lists = []
    for data in (PACKERS["7z, not packed"][1](FILES), archive(NAMES, attributes(0, 32, 0))):
        offset = int.from_bytes(data[12:20], "little")
        lists.append((data[32 : 32 + offset], data[32 + offset :]))
    outcomes = [0, 0]
    for seed in range(rounds(1000)):
        draw = Random(seed)
        packed, header = draw.choice(lists)
        path.write_bytes(seven_zip_of(packed, damaged(header, draw)))
        try:
            for member in SevenZip().members(Content(path, MEGABYTE)):
                if not isinstance(member, Problem):
                    assert sum(map(len, member.blocks)) <= MEGABYTE
            outcomes[0] += 1
        except UnreadableError:
            outcomes[1] += 1
    assert min(outcomes) > rounds(400) // 4


def test_a_list_that_is_encrypted_is_refused_in_words(path: Path) -> None:
    header = b"\x17" + streams([9], chain(coder("06f10701", b"\x13\0")), [99])
    with pytest.raises(UnreadableError, match=f"its list of files is {AGAINST_PASSWORDS}"):
        held("7z", path, seven_zip_of(bytes(9), header))


def test_sizes_that_no_archive_has_are_damage(path: Path) -> None:
    (message,) = held("7z", path, packed_by(COPY, b"words", 1 << 60), MEGABYTE).messages
    assert "damaged" in message
    main = streams([5], COPY, [5], b"\x08\x0d\2\x09\6\0")
    with pytest.raises(UnreadableError, match="a file has a negative size"):
        held("7z", path, seven_zip_of(b"words", b"\x01\x04" + main + files_of("ab") + b"\0"))
