"""Archives and mailboxes made for the tests, and what is found in them."""

import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED

import py7zr

from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.registry import find
from tests.parts.readers.office import packed

MEGABYTE = 1 << 20
FILES = {"a/b.txt": b"first words", "c.txt": b"second " * 40, "leer": b"", "Größe/中.txt": b"third"}


@dataclass
class Held:
    """What is in a container: the bytes by name, and what is said of the rest."""

    files: dict[str, bytes] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


def held(kind: str, path: Path, data: bytes, max_bytes: int = 256 * MEGABYTE) -> Held:
    """What is in a container of that kind with those bytes, which are written to `path` first."""
    path.write_bytes(data)
    content = Content(path, max_bytes)
    part = find("containers", kind)
    assert part.recognises(content)
    result = Held()
    for member in part().members(content):
        if isinstance(member, Problem):
            assert (member.severity, member.category) == ("warning", "partly-read")
            assert member.message.startswith(f"{path}: ")
            assert member.message.isprintable()
            assert len(member.message) < 500
            result.messages.append(member.message.removeprefix(f"{path}: "))
        else:
            assert member.name not in result.files
            result.files[member.name] = b"".join(member.blocks)
    return result


def tar(files: Mapping[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    file = BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, BytesIO(data))
    return file.getvalue()


def seven_zip(files: Mapping[str, bytes], *methods: int, packs_list: bool = True) -> bytes:
    """A 7z archive of those files, packed by those methods, its list of files too if told."""
    file = BytesIO()
    filters = [{"id": method} for method in methods]
    with py7zr.SevenZipFile(file, "w", filters=filters or None) as archive:
        archive.set_encoded_header_mode(packs_list)
        for name, data in files.items():
            archive.writestr(data, name)
    return file.getvalue()


def mail(attached: Mapping[str, bytes]) -> EmailMessage:
    result = EmailMessage()
    result["From"] = "karl@example.org"
    result["To"] = "anna@example.org"
    result["Subject"] = "May"
    result.set_content("Dear Anna, see what is attached.\n")
    for name, data in attached.items():
        result.add_attachment(data, "application", "octet-stream", filename=name)
    return result


PACKERS: Mapping[str, tuple[str, Callable[[Mapping[str, bytes]], bytes]]] = {
    "zip, deflated": ("zip", lambda files: packed(files, ZIP_DEFLATED)),
    "zip, stored": ("zip", lambda files: packed(files, ZIP_STORED)),
    "zip, bzip2": ("zip", lambda files: packed(files, ZIP_BZIP2)),
    "tar, old": ("tar", lambda files: tar(files, tarfile.GNU_FORMAT)),
    "tar, pax": ("tar", tar),
    "7z, LZMA2 behind x86": ("7z", seven_zip),
    "7z, LZMA": ("7z", lambda files: seven_zip(files, py7zr.FILTER_LZMA)),
    "7z, LZMA2 behind delta": (
        "7z",
        lambda files: seven_zip(files, py7zr.FILTER_DELTA, py7zr.FILTER_LZMA2),
    ),
    "7z, LZMA behind ARM": (
        "7z",
        lambda files: seven_zip(files, py7zr.FILTER_ARM, py7zr.FILTER_LZMA),
    ),
    "7z, bzip2": ("7z", lambda files: seven_zip(files, py7zr.FILTER_BZIP2)),
    "7z, deflate": ("7z", lambda files: seven_zip(files, py7zr.FILTER_DEFLATE)),
    "7z, not packed": ("7z", lambda files: seven_zip(files, py7zr.FILTER_COPY, packs_list=False)),
}
"""How archives are written by other programs: the part that reads them, and what writes."""
