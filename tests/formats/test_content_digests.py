"""Fingerprints and evidence state the digest of their content: no change to it goes unseen."""

import io
import re
from dataclasses import replace

from sdtext.errors import FormatError
from sdtext.formats.evidence_xml import read_evidence, write_evidence
from sdtext.formats.fingerprint_xml import (
    read_container,
    read_fingerprints,
    write_fingerprint,
    write_fingerprints,
)
from sdtext.model import Fingerprint
from tests.formats.evidence import example
from tests.formats.released import RELEASED
from tests.support.cases import cases
from tests.support.dictionaries import written

_READ = read_fingerprints(io.BytesIO((RELEASED / "fingerprint-evidence.xml").read_bytes()), "f")
PRINT = next(each for each in _READ if isinstance(each, Fingerprint))
OTHER = replace(PRINT, origin=replace(PRINT.origin, guid="0b5e2f3c-0000-4000-8000-000000000000"))
DIGEST = re.compile(rb"<hashdigest[^>]*>[0-9a-f]*</hashdigest>\n")


FILES = {
    "fingerprint": written(write_fingerprint, PRINT),
    "container": written(write_fingerprints, [PRINT, OTHER]),
    "evidence": written(write_evidence, example()),
}


def content(data: bytes) -> object:
    try:
        if b"evidence" in data[:80]:
            return read_evidence(io.BytesIO(data), "e.xml")
        return list(read_container(io.BytesIO(data), "e.xml"))
    except FormatError as error:
        return str(error)


@cases("kind", FILES)
def test_a_flipped_bit_is_refused_or_changes_nothing(kind: str) -> None:
    data = bytearray(FILES[kind])
    whole, refused = content(bytes(data)), 0
    assert not isinstance(whole, str)
    for place in range(0, 8 * len(data), 7):  # any byte, and all of its bits
        data[place // 8] ^= 1 << place % 8
        read = content(bytes(data))
        refused += isinstance(read, str)
        assert read == whole or str(read).startswith("e.xml: "), data[place // 8 - 20 :][:40]
        data[place // 8] ^= 1 << place % 8
    assert refused > len(data) / 2


@cases("kind", FILES)
def test_a_digest_may_be_missing_but_not_wrong_and_the_layout_is_free(kind: str) -> None:
    whole = content(FILES[kind])
    data, number = DIGEST.subn(b"", FILES[kind])
    assert number == (2 if kind == "container" else 1)
    assert content(data) == whole
    for stated in (b"0" * 64, b"", b"f" * 63):
        element = b'<hashdigest type="SHA256">' + stated + b"</hashdigest>\n"
        assert "digest" in str(content(DIGEST.sub(element, FILES[kind])))
    if kind == "fingerprint":
        for blank in (b" ", b"\n"):
            assert content(FILES[kind].replace(b">\n<", b">" + blank + b"<")) == whole
