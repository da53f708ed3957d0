"""The texts in packages of Debian's archive, fetched by apt and read by sdtext's own readers.

Nothing of a package is installed or unpacked to disk under its own names.
"""

from __future__ import annotations

import bz2
import gettext
import gzip
import io
import json
import os
import re
import subprocess
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from lxml import etree

from sdtext import SdtextError, read

_COPYRIGHT = re.compile(r"usr/share/doc/[^/]+/copyright$")
_LICENCE = re.compile(r"^License: *(\S.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Description(?:-(\w+)\.UTF-8)?: (.*\n(?: .*\n)*)", re.MULTILINE)
_KNOWN_LICENCES = {
    "GNU Free Documentation": "GFDL", "GNU Lesser": "LGPL", "GNU General Public": "GPL",
    "Mozilla Public": "MPL", "public domain": "public domain", "Apache License": "Apache",
    "Creative Commons": "Creative Commons", "Artistic License": "Artistic",
    "Redistribution and use": "BSD", "Permission is hereby granted": "MIT",
    "Permission to use": "permissive",
}  # fmt: skip
_TAG = re.compile(r"<[^<>]*>")
_MARK = re.compile(r"<[^<>]*>|[&_]")
_HTML = b"<html><meta charset=utf-8>"
_NOT_TEXT = (".png", ".svg", ".jpg", ".gif", ".dat", ".css", ".js", ".ogg", ".webm", ".u8")
_APT = """Dir::Etc::parts "/nonexistent";
Dir::State::lists "{lists}";
APT::Sandbox::User "root";
Acquire::Languages {{ "en"; "de"; "fr"; "es"; "ru"; "zh_CN"; "ar"; }};
"""


@dataclass(frozen=True)
class Package:
    """A package file at `path`."""

    path: Path

    @property
    def version(self) -> str:
        """Its version."""
        command = ["dpkg-deb", "--field", str(self.path), "Version"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def texts(self, patterns: Sequence[str]) -> tuple[list[str], str]:
        """The texts of the files that match one of `patterns`, by path, and the licences."""
        result: dict[str, str] = {}
        licence = "see source package"
        for path, content in self._files():
            if _COPYRIGHT.match(path):
                licence = licences(content.decode("utf-8", "replace"))
            elif any(fnmatchcase(path, pattern) for pattern in patterns):
                result[path] = self._text(path, content)
        return [result[path] for path in sorted(result) if result[path]], licence

    def _files(self) -> Iterator[tuple[str, bytes]]:
        for path, content in self._members("--ctrl-tarfile"):
            if path == "templates":
                yield from questions(content.decode("utf-8", "replace"))
        yield from self._members("--fsys-tarfile")

    def _members(self, archive_option: str) -> Iterator[tuple[str, bytes]]:
        command = ["dpkg-deb", archive_option, str(self.path)]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as archive,
        ):
            for member in archive:
                if member.isfile() and not member.name.endswith(_NOT_TEXT):
                    yield member.name.removeprefix("./"), _content(archive, member)

    def _text(self, path: str, content: bytes) -> str:
        try:
            return text_of(path, content, self.path.with_suffix(f".{os.getpid()}"))
        except (SdtextError, etree.XMLSyntaxError, ValueError, OSError, zlib.error):
            return ""  # what cannot be read does not count


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return file.read() if file else b""


def questions(templates: str) -> Iterator[tuple[str, bytes]]:
    """The questions that a package asks on installation, as a file DEBIAN/templates.CODE each."""
    texts: dict[str, list[str]] = {}
    for code, text in _QUESTION.findall(templates):
        lines = [line.removeprefix(" .") for line in text.splitlines()]
        texts.setdefault(code or "en", []).extend(lines)
    for code, lines in texts.items():
        yield f"DEBIAN/templates.{code}", "\n".join(lines).encode()


def help_text(content: bytes) -> str:
    """The text of a page of GNOME's help, without those who wrote it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(content, parser)
    for element in [*root.iterfind(".//{*}info"), *root.iterfind(".//{*}bookinfo")]:
        element.clear()
    return "".join(root.itertext())


def page_of_manual(source: bytes) -> bytes:
    """A manual page as HTML."""
    command = ["mandoc", "-T", "html", "-K", "utf-8"]
    return subprocess.run(command, input=source, check=False, capture_output=True).stdout


def catalogue(content: bytes) -> str:
    """The translations in a .mo file, without the marks of shortcuts and formats."""
    # gettext looks single messages up; all of them are in no public place.
    entries = vars(gettext.GNUTranslations(io.BytesIO(content)))["_catalog"]
    return "\n".join(_MARK.sub("", str(entry)) for key, entry in entries.items() if key)


def messages(content: bytes) -> str:
    """The translations in a JSON file."""
    values = json.loads(content).values()
    return "\n".join(value for value in values if isinstance(value, str))


def module(content: bytes) -> str:
    """The text of a module of SWORD, without its tags."""
    return _TAG.sub(" ", "\n".join(blocks(content)))


def blocks(content: bytes) -> Iterator[str]:
    """The texts in a file of SWORD, which is made of zlib streams with some bytes between."""
    while (begin := content.find(b"x\x9c")) >= 0:
        stream = zlib.decompressobj()
        yield stream.decompress(content[begin:]).decode("utf-8", "replace")
        content = stream.unused_data


_OWN_READERS: Mapping[str, Callable[[bytes], str]] = {
    ".mo": catalogue, ".json": messages, ".page": help_text, ".xml": help_text,
    ".docbook": help_text, ".bzz": module, ".czz": module,
}  # fmt: skip


def text_of(path: str, content: bytes, place: Path) -> str:
    """The text of a file called `path`; `place` is where it may be laid down to be read."""
    if own := _OWN_READERS.get(Path(path).suffix):
        return own(content)
    if path.endswith(".cache.bz2"):
        pages = bz2.decompress(content).split(b"<FILENAME")
        return "\n".join(text_of("page.utf8", b"<p " + page, place) for page in pages if page)
    if path.endswith(".utf8"):
        content = _HTML + content
    elif "/man/" in path:
        content = page_of_manual(gzip.decompress(content))
    place.write_bytes(content)
    text: str = read(place).clean
    place.unlink()
    return text


def licences(text: str) -> str:
    """The short names of the licences in a copyright file."""
    named = dict.fromkeys(name.strip() for name in _LICENCE.findall(text))
    if not named:
        folded = " ".join(text.split())
        named = {name: None for words, name in _KNOWN_LICENCES.items() if words in folded}
    return ", ".join(name[:40] for name in named)[:120] or "see its copyright"


def fetched(names: Iterable[str], folder: Path) -> dict[str, Package]:
    """The packages of these names, downloaded to `folder` unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    have = {path.name.split("_")[0]: Package(path) for path in sorted(folder.glob("*.deb"))}
    if missing := [name for name in names if name not in have]:
        subprocess.run(["apt-get", "download", *missing], cwd=folder, check=True)
        return fetched(names, folder)
    return {name: have[name] for name in names}


def descriptions(code: str, folder: Path) -> list[str]:
    """Descriptions of packages in a language, as translated in the archive."""
    lists = folder / "lists"
    if not lists.exists():
        (lists / "partial").mkdir(parents=True)
        (folder / "apt.conf").write_text(_APT.format(lists=lists.resolve()))
        settings = {**os.environ, "APT_CONFIG": str(folder / "apt.conf")}
        subprocess.run(["apt-get", "update"], env=settings, check=True)
    texts: list[str] = []
    for path in sorted(lists.glob(f"*_main_i18n_Translation-{code.replace('_', '%5f')}*")):
        command = ["/usr/lib/apt/apt-helper", "cat-file", str(path)]
        result = subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8")
        texts += [_described(entry) for entry in result.split("\n\n") if entry.strip()]
    return texts


def _described(entry: str) -> str:
    text = re.split(r"^Description-(?!md5)\w+: ", entry, maxsplit=1, flags=re.MULTILINE)[-1]
    return "\n".join(line.strip(" .") for line in text.splitlines()) + "\n"
