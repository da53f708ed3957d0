"""Signatures in dictionaries, fingerprints and evidence: who signed which bytes, and when.

A signature is the last line of the file, a processing instruction, which readers of XML pass over:

    <?sdtext-signature version="1.0" signer="A. Person" signed="2026-11-29T09:00:00Z"
    sdtext="0.2.0" key="…" sha256="…" lines="…" sums="…" signature="…"?>

(in one line). `sha256` is the digest of all bytes before this line, uncompressed; `sums` has two
numbers for each block of `lines` lines, by which a change is located: the sum of the bytes, and
that of each times its place, modulo 2^31 - 1. The Ed25519 signature (RFC 8032) by the public key
`key` is over the bytes of the line up to the quotation mark that ends `sums`. A later signature
covers the earlier ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from html import unescape
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sdtext._version import __version__
from sdtext.errors import FormatError, MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.load_and_save import kind_of_file
from sdtext.formats.hardened_xml import CONTROLS, check_version, escaped
from sdtext.io.decompressed_content import Content, packed
from sdtext.io.key_files import read_key, write_key
from sdtext.io.output import written
from sdtext.model import FORMAT_VERSION
from sdtext.parts.filters.stemmers import optional_module
from sdtext.reading.overwrite_guard import PLAIN, Output, check_outputs
from sdtext.wording import shown

_ED25519 = "cryptography.hazmat.primitives.asymmetric.ed25519"
_SIGNED_KINDS = ("dictionary", "fingerprint", "fingerprints", "evidence")
_LINE_END = b"\n"
_BEGIN = b"<?sdtext-signature "
_VERSION = re.compile(rb'<\?sdtext-signature version="([0-9]{1,4}\.[0-9]{1,4})" ')
_LINE = re.compile(
    rb'(?P<covered><\?sdtext-signature version="1\.[0-9]{1,4}" signer="(?P<signer>[^"<>\n]*)"'
    rb' signed="(?P<signed>[^"<>\n]*)" sdtext="(?P<sdtext>[^"<>\n]*)" key="(?P<key>[0-9a-f]{64})"'
    rb' sha256="(?P<sha256>[0-9a-f]{64})" lines="(?P<lines>[1-9][0-9]{0,11})"'
    rb' sums="(?P<sums>(?:[0-9a-f]{16})+)") signature="(?P<signature>[0-9a-f]{128})"\?>\n'
)
_BLOCKS = 64  # at most, so that a signature is short
_PRIME = (1 << 31) - 1  # a block is shorter


class Signature(NamedTuple):
    """A valid signature: its file, who signed it, when, and with which version of sdtext.

    `key` is the public key in hexadecimal; `known` says whether it is one that `verify` was given.
    """

    file: str
    signer: str
    signed: str
    sdtext: str
    key: str
    known: bool


def new_signing_key(path: str | Path) -> list[Path]:
    """Make a key to sign with, for you alone, and its public key for others, at `path`.pub.

    Neither replaces a file. Raises OutputError, and OptionError without the extra `keys`.

    >>> [file.name for file in new_signing_key(folder / "my.key")]
    ['my.key', 'my.key.pub']
    """
    private = optional_module("Sign", "keys", _ED25519).Ed25519PrivateKey.generate()
    paths = [Path(path), Path(f"{path}.pub")]
    outputs = [Output(each, PLAIN) for each in paths]
    check_outputs(outputs, ())
    write_key("signing", private.private_bytes_raw(), paths[0], outputs[0].check_replaced)
    public = private.public_key().public_bytes_raw()
    write_key("public", public, paths[1], outputs[1].check_replaced)
    return paths


def sign(path: str | Path, key: str | Path | None = None, *, signer: str, signed: str) -> Signature:
    """Add a signature to a dictionary, a fingerprint file or evidence, and return it.

    `key` is the file of a key made by `new_signing_key`, by default the one that the environment
    gives; `signer` the name of the person or office, `signed` the time. Raises OptionError,
    UnreadableError, FormatError for a file or a key of another kind, OutputError.

    >>> from sdtext import load, save
    >>> save(load("english"), folder / "english.xml")
    >>> _ = new_signing_key(folder / "office.key")
    >>> time = "2026-11-29T09:00:00Z"
    >>> sign(folder / "english.xml", folder / "office.key", signer="Office 7", signed=time).signer
    'Office 7'
    """
    if not signer.strip() or CONTROLS.search(signer + signed):
        raise OptionError.of("Sign", "signer", signer, "the name of who signs")
    private = optional_module("Sign", "keys", _ED25519).Ed25519PrivateKey.from_private_bytes(
        read_key("signing", key)
    )
    public = private.public_key().public_bytes_raw().hex()
    data = _content(path)
    if kind_of_file(path) not in _SIGNED_KINDS:
        what = "is no dictionary, fingerprint file or evidence of sdtext in XML"
        raise FormatError(what, file=path)
    with open(path, "rb") as file:  # noqa: PTH123 (of any name)
        if not str(path).endswith(".gz") and file.read(4) != data[:4]:
            raise FormatError("is compressed; name it *.gz, or decompress it", file=path)
    data += b"" if data.endswith(_LINE_END) else _LINE_END
    size = -(-data.count(_LINE_END) // _BLOCKS)
    sums = "".join(f"{number:08x}" for block in _blocks(data, size) for number in _sums(block))
    covered = (
        f'{_BEGIN.decode()}version="{FORMAT_VERSION}" signer="{escaped(signer)}"'
        f' signed="{escaped(signed)}" sdtext="{__version__}" key="{public}"'
        f' sha256="{sha256(data).hexdigest()}" lines="{size}" sums="{sums}"'
    ).encode()
    line = covered + f' signature="{private.sign(covered).hex()}"?>\n'.encode()
    with written(path) as plain, packed(plain, path) as file:
        file.writelines([data, line])
    return Signature(shown(path), signer, signed, __version__, public, known=True)


def verify(path: str | Path, public: str | Path | Sequence[str | Path]) -> list[Signature]:
    """The signatures in a file, the last one first, if all bytes are as they were signed.

    `public` are the files of the public keys of those whose signature counts; one of them must have
    signed. Raises FormatError for what was changed, with the place, MismatchError for a file that
    is not signed or by others alone, UnreadableError, OptionError.

    >>> from sdtext import load, save
    >>> save(load("english"), folder / "words.xml")
    >>> key, own = new_signing_key(folder / "unit.key")
    >>> _ = sign(folder / "words.xml", key, signer="Unit", signed="2026-11-29T09:00:00Z")
    >>> [signature.signer for signature in verify(folder / "words.xml", own)]
    ['Unit']
    """
    files = [public] if isinstance(public, str | Path) else public
    known = {read_key("public", each).hex() for each in files}
    data, signatures = _content(path), list[Signature]()
    while begin := data.rfind(_LINE_END + _BEGIN) + 1:
        line, data = data[begin:], data[:begin]
        signatures.append(_valid(line, data, path, known))
    if not signatures:
        raise MismatchError("is not signed, or its signature is damaged", file=path)
    if not any(each.known for each in signatures):
        names = ", ".join(f"{shown(each.signer)} (key {each.key[:16]}…)" for each in signatures)
        what = f"is signed by {names}, with none of the given keys"
        raise MismatchError(what, file=path)
    return signatures


def _valid(line: bytes, data: bytes, path: str | Path, known: set[str]) -> Signature:
    """The signature of `data` in a line. Raises FormatError if either was changed."""
    import_module = partial(optional_module, "Verify", "keys")
    invalid = import_module("cryptography.exceptions").InvalidSignature
    of_bytes = import_module(_ED25519).Ed25519PublicKey.from_public_bytes
    if version := _VERSION.match(line):
        check_version(version[1].decode(), str(path))
    match = _LINE.fullmatch(line)
    try:
        if not match:
            raise ValueError
        key = bytes.fromhex(match["key"].decode())
        of_bytes(key).verify(bytes.fromhex(match["signature"].decode()), match["covered"])
    except (invalid, ValueError) as error:
        place = f"line {data.count(_LINE_END) + 1}"
        what = "the signature was changed, or text was added behind it; get the file again"
        raise FormatError(what, file=path, place=place) from error
    signer, signed, sdtext = (
        unescape(match[name].decode("utf-8")) for name in ("signer", "signed", "sdtext")
    )
    if sha256(data).hexdigest() != match["sha256"].decode():
        what = f"was changed after {shown(signer)} signed it; get the file again"
        digest, sums = match["sha256"].decode(), match["sums"].decode()
        place = _first_change(data, int(match["lines"]), sums, digest)
        raise FormatError(what, file=path, place=place)
    return Signature(shown(path), signer, signed, sdtext, key.hex(), key.hex() in known)


def _blocks(data: bytes, size: int) -> list[bytes]:
    """The data in blocks of `size` lines."""
    lines = data.split(_LINE_END)
    return [_LINE_END.join(lines[at : at + size]) for at in range(0, len(lines), size)]


def _sums(block: bytes) -> tuple[int, int]:
    """The sum of the bytes, and that of each times its place from 1 on."""
    values = np.frombuffer(block, np.uint8).astype(np.int64)
    return int(values.sum()) % _PRIME, int(values @ np.arange(1, len(block) + 1)) % _PRIME


def _first_change(data: bytes, size: int, sums: str, digest: str) -> str:
    """The first byte that was changed, if no other was, else its lines; counted from 1.

    One changed byte changes the second sum by its place times the change of the first.
    """
    blocks = _blocks(data, size)
    signed = [int(sums[at : at + 8], 16) for at in range(0, len(sums), 8)]
    pairs = zip_longest(zip(signed[::2], signed[1::2], strict=True), map(_sums, blocks))
    number = next((number for number, (old, new) in enumerate(pairs) if old != new), 0)
    first, start = number * size + 1, sum(len(block) + 1 for block in blocks[:number])
    if number < min(len(blocks), len(signed) // 2):
        new, old = _sums(blocks[number]), signed[2 * number : 2 * number + 2]
        change = (new[0] - old[0]) % _PRIME
        place = start + (new[1] - old[1]) * pow(change, -1, _PRIME) % _PRIME - 1 if change else 0
        was = (data[place] - change) % _PRIME if place < len(data) else 256
        if was < 256:
            restored = data[:place] + bytes([was]) + data[place + 1 :]
            if sha256(restored).hexdigest() == digest:
                line = data.count(_LINE_END, 0, place) + 1
                values = f"is {data[place]:02x} in hexadecimal and was {was:02x}"
                return f"line {line:,}: byte {place + 1:,} {values}"
    return f"line {first:,}" if size == 1 else f"lines {first:,} to {first + size - 1:,}"


def _content(path: str | Path) -> bytes:
    """The uncompressed bytes of a file."""
    if not os.path.isfile(path):  # noqa: PTH113 (of any name)
        raise UnreadableError("no such file", file=path)
    return Content(path).whole()
