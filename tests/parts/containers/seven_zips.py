"""7z archives made by hand, byte by byte, as no program writes them."""

import struct
import zlib
from collections.abc import Sequence

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
