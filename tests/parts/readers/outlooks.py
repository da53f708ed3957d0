"""Outlook mails for tests: MSG files, and TNEF as in winmail.dat."""

import struct
from collections.abc import Mapping, Sequence

from tests.support.compound_files import Tree, compound_of


def msg(subject: str, body: str, files: Mapping[str, bytes | Tree] | None = None) -> bytes:
    """An Outlook mail (MSG) from Ann to Bob, with attached files, or the storages of mails."""
    return compound_of(message(subject, body, files or {}, 32))


def message(subject: str, body: str, files: Mapping[str, bytes | Tree], offset: int) -> Tree:
    """The storage of a mail, whose properties begin at `offset` of their stream."""
    texts = {0x37: subject, 0x1000: body, 0xC1A: "Ann", 0xC1F: "ann@example.org"}
    tree: dict[str, bytes | Tree] = {**properties(texts, offset)}
    tree["__recip_version1.0_#00000000"] = properties({0x3001: "Bob", 0x3003: "bob@x.org"}, 8)
    for place, (name, data) in enumerate(files.items()):
        tree[f"__attach_version1.0_#{place:08X}"] = properties({0x3707: name, 0x3701: data}, 8)
    return tree


def properties(values: Mapping[int, str | bytes | Tree], offset: int) -> dict[str, bytes | Tree]:
    """The streams of properties of a storage: texts and bytes, or the storage of a mail."""
    tree: dict[str, bytes | Tree] = {}
    rows = struct.pack("<HHIQ", 3, 0x3FFD, 6, 1252)  # the code page
    rows += struct.pack("<HHIQ", 3, 0x340D, 6, 0x40000)  # UTF-16
    for number, value in values.items():
        kind = 0x1F if isinstance(value, str) else 0x102 if isinstance(value, bytes) else 0x0D
        data = value.encode("utf-16-le") if isinstance(value, str) else value
        tree[f"__substg1.0_{number:04X}{kind:04X}"] = data
        rows += struct.pack("<HHIQ", kind, number, 6, len(data) + 2 * (kind == 0x1F))
    tree["__properties_version1.0"] = bytes(offset) + rows
    return tree


def tnef(
    subject: str, body: str, files: Sequence[tuple[str, bytes]] = (), rtf: bytes = b""
) -> bytes:
    parts = [
        (1, 0x089006, struct.pack("<I", 0x10000)), (1, 0x069007, struct.pack("<II", 1252, 0)),
        (1, 0x018004, subject.encode() + b"\0"), (1, 0x02800C, body.encode("cp1252") + b"\0"),
    ]  # fmt: skip
    if rtf:
        row = struct.pack("<IHHII", 1, 0x102, 0x1009, 1, len(rtf)) + rtf + bytes(-len(rtf) % 4)
        parts[-1] = (1, 0x069003, row)
    for name, data in files:
        parts += [
            (2, 0x069002, bytes(14)),
            (2, 0x018010, name.encode() + b"\0"),
            (2, 0x06800F, data),
        ]
    written = struct.pack("<IH", 0x223E9F78, 1)
    for level, number, data in parts:
        written += struct.pack("<BII", level, number, len(data)) + data
        written += struct.pack("<H", sum(data) & 0xFFFF)
    return written + bytes(16)
