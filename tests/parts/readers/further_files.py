"""Files of formats that packages of the extra `formats` read, for tests."""

import gzip
import struct
from io import BytesIO
from zipfile import ZipFile


def dbase(version: int = 3) -> bytes:
    link = bytes(263 * (version == 0x30))  # to a database of Visual FoxPro
    rows = b"".join(b" " + words.ljust(20) for words in (b"Bees dance", b"in hives"))
    field = b"TEXT".ljust(11, b"\0") + b"C" + bytes(4) + bytes([20, 0]) + bytes(14)
    head = struct.pack("<B3BIHH20x", version, 124, 3, 1, 2, 65 + len(link), 21)
    return head + field + b"\r" + link + rows + b"\x1a"


PAGE = (
    b"<html><head><title>x</title></head><body><p>Bees =E2=80=9Cdance=E2=80=9D.</p></body></html>"
)
MHTML = (
    b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://bees.example/\r\n"
    b"Subject: Bees\r\nDate: Mon, 2 May 2022 10:00 +0200\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/related;\r\n\ttype="text/html"; boundary="x"\r\n\r\n\r\n--x\r\n'
    b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n"
    b"Content-Location: https://bees.example/\r\n\r\n" + PAGE + b"\r\n--x\r\n"
    b"Content-Type: text/css\r\nContent-Location: a.css\r\n\r\np { color: red }\r\n--x--\r\n"
)


def record(kind: str, address: str, body: bytes) -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {address}\r\n"
    head += "WARC-Date: 2024-03-01T10:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    head += f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body + b"\r\n\r\n"


def answer(kind: str, body: bytes, code: str = "200 OK", *fields: str) -> bytes:
    lines = [f"HTTP/1.1 {code}", f"Content-Type: {kind}", *fields, "", ""]
    return "\r\n".join(lines).encode() + body


def warc() -> bytes:
    """A web archive, each record of it compressed alone."""
    packed = gzip.compress(b"<html><body><p>Hives.</p></body></html>")
    records = [
        record("warcinfo", "", b"software: x\r\n"),
        record("request", "http://a.example/", b"GET / HTTP/1.1\r\n\r\n"),
        record("response", "http://a.example/", answer("text/html", b"<html><p>Bees.</p></html>")),
        record("response", "http://a.example/b.png", answer("image/png", b"\x89PNG")),
        record("response", "http://a.example/gone", answer("text/html", b"Gone", "404 Not Found")),
        record(
            "response",
            "http://a.example/c/hives.html?x=1",
            answer("text/html", packed, "200 OK", "Content-Encoding: gzip"),
        ),
    ]
    return b"".join(map(gzip.compress, records))


def wacz() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("pages/pages.jsonl", "{}")
        archive.writestr("archive/data.warc.gz", warc())
    return file.getvalue()
