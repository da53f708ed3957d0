"""What the header of a mail says, in characters, however it is written or damaged."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from email.message import Message
from quopri import decodestring

from sdtext.errors import UnreadableError
from sdtext.io.content import BytesContent, Content
from sdtext.text.encoding import check_encoding, decoded, find_encoding

_MAX_VALUE = 1 << 16
# RFC 2047, 2, and the language that RFC 2231, 5, lets stand behind the character set.
_WORD = re.compile(r"=\?([^?*\s]{1,40})(?:\*[^?\s]{0,20})?\?([BbQq])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(\?=)[ \t]+(?==\?)")
_FOLD = re.compile(r"[\r\n\t ]+")
# A subset of each is named where the whole is meant, by old programs without number.
_MEANT = {
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
}


def header(message: Message, name: str) -> Iterator[str]:
    """The values of the header called `name`, each in one line; those without words left out."""
    for key, value in message.raw_items():
        if key.lower() == name.lower() and (words := words_of(str(value))):
            yield words


def words_of(value: str) -> str:
    r"""What a value says, with its encoded words decoded; bytes in it stand as half characters.

    >>> words_of("=?iso-8859-1?Q?caf=E9?= =?utf-8?b?4oKs?=\n now")
    'café€ now'
    """
    raw = value[:_MAX_VALUE].encode("utf-8", "surrogateescape")
    line = _BETWEEN.sub(r"\1", _FOLD.sub(" ", text_of(raw)))
    return _WORD.sub(_decoded_word, line).strip()


def meant(charset: str) -> str:
    """The encoding that a mail means by the name of a character set, "" where it is unknown.

    >>> meant("ISO-8859-1"), meant("x-unknown")
    ('cp1252', '')
    """
    name = charset.strip().strip("\"'").lower()
    try:
        return check_encoding(_MEANT.get(name, name))
    except ValueError:  # OptionError is one
        return ""


def text_of(data: bytes, charset: str = "", content: Content | None = None) -> str:
    r"""The text in `data`: as is declared, as UTF-8, or as is guessed; never refused.

    >>> text_of(b"caf\xe9"), text_of("café".encode(), "us-ascii")
    ('café', 'café')
    """
    held = BytesContent("", called=content.name if content else "", data=data)
    try:
        encoding = find_encoding(held, meant(charset))
        return "".join(decoded(held, encoding))
    except UnreadableError:
        return data.decode(meant(charset) or "cp1252", "replace")


def _decoded_word(match: re.Match[str]) -> str:
    charset, form, text = match.groups()
    written = text.encode("ascii", "replace")
    try:
        data = b64decode(written + b"=" * (-len(written) % 4)) if form in "Bb" else _q(written)
    except Error:
        return match[0]
    return _FOLD.sub(" ", text_of(data, charset))


def _q(written: bytes) -> bytes:
    return decodestring(written, header=True)
