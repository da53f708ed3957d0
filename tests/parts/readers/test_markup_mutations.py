"""RTF, XML and mails, damaged in every way that chance finds: nothing but our own errors leaves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import BytesContent, Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.readers.mail import Mail, attachments, opened
from sdtext.parts.readers.markup import Xml
from sdtext.parts.readers.rtf import Rtf
from tests.parts.readers.test_mutations import damaged

Read = Callable[[Content], Iterator[str | Heading | QuotationMark | Problem]]

RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}}
{\info{\title t}}\pard\outlinelevel0 One\par\pard caf\'e9 {\f1 \'93\'fa\'96{\b\'7b}}
\uc2\u26085\'93\'fa.\par{\footnote A note.}{\header Top}{\*\shpinst{\shptxt Box}}
{\pict\bin4 abcd}\trowd x\cell\row}"""
XML = b"""<?xml version='1.0' encoding='utf-8'?><!DOCTYPE a SYSTEM 'a.dtd'><!-- c --><a x='1'>
<p>Gr\xc3\xb6\xc3\x9fe <b>and</b> &amp; &eacute; <![CDATA[<more>]]></p>
<p>&#233;<lb/>two</p><x:c xmlns:x='u'/></a>"""
MAIL = b"""From: =?utf-8?Q?Gr=C3=B6=C3=9Fe?= <a@b.org>
To: c@d.org
Subject: =?iso-8859-1?B?R3L232U=?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/plain; charset=utf-8; format=flowed
Content-Transfer-Encoding: quoted-printable

Gr=C3=B6=C3=9Fe and =
more
--y
Content-Type: text/html

<p>Page</p>
--y--
--x
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename*0*=utf-8''%E2%82; filename*1=x.png

iVBORw==
--x
Content-Type: message/rfc822

From: e@f.org
Subject: inner

Words
--x--
"""


def held(data: bytes) -> Content:
    """A file with this content."""
    return BytesContent("", 1 << 20, "damaged file", data=data)


def _mail(content: Content) -> Iterator[str | Heading | QuotationMark | Problem]:
    """Of a mail, the text and then the names of what is attached."""
    yield from Mail()(content)
    for name, data in attachments(opened(content)):
        assert isinstance(data, bytes)
        assert name
        assert "/" not in name
        yield name


def _printable(first: str | Heading | QuotationMark | Problem) -> str:
    """What stands in a block, fit to be sent on and to be shown."""
    if isinstance(first, Problem):
        assert first.message.isprintable()
        return "damaged"
    if isinstance(first, QuotationMark):
        return "quotation"
    text = first.title if isinstance(first, Heading) else first
    text.encode("utf-8")
    return "text" if text.strip() else "blank"


@pytest.mark.parametrize(
    ("sample", "recognises", "read", "number"),
    [
        (RTF, Rtf.recognises, Rtf(), 4000),
        (XML, Xml.recognises, Xml(), 3000),
        (MAIL, Mail.recognises, _mail, 3000),
    ],
    ids=["rtf", "xml", "mail"],
)
def test_a_damaged_file_is_read_or_refused(
    sample: bytes,
    recognises: Callable[[Content], bool],
    read: Read,
    number: int,
    rounds: Callable[[int], int],
) -> None:
    number = rounds(number)
    assert recognises(held(sample))
    assert {_printable(item) for item in read(held(sample))} <= {"text", "blank"}
    chance = random.Random(9)
    result: Counter[str] = Counter()
    for _ in range(number):
        content = held(damaged(sample, chance))
        result[str(recognises(content))] += 1
        result.update(_outcome(content, read))
    assert result["True"] > number // 2, result
    assert result["text"] > number // 3, result
    # Of a mail no damage is noticed: all of it may be meant as it stands.
    assert result["damaged"] + result["refused"] > number // 50 or read is _mail, result


def _outcome(content: Content, read: Read) -> list[str]:
    """What is had of a file; of one that is refused, a message for a person."""
    try:
        return list(map(_printable, read(content)))
    except UnreadableError as error:
        message = str(error)
    assert message.startswith("damaged file: ")
    assert message.isprintable()
    return ["refused"]
