"""RTF, XML and mails, damaged in every way that chance finds: nothing but our own errors leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.mail import Mail, attachments, opened
from sdtext.parts.readers.markup import Xml
from sdtext.parts.readers.rtf import Rtf
from tests.parts.readers.test_mutations import outcomes

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


def whole(reader: Reader, content: Content) -> None:
    """What stands in a file is fit to be shown; of a mail, what is attached too."""
    for block in reader(content):
        text = getattr(block, "title", "") or getattr(block, "message", "") or block
        assert str(text).encode("utf-8")
        assert not isinstance(block, Problem) or block.message.isprintable()
    if isinstance(reader, Mail):
        for name, data in attachments(opened(content)):
            assert isinstance(data, bytes)
            assert name
            assert "/" not in name


@pytest.mark.parametrize(
    ("sample", "reader", "number"), [(RTF, Rtf(), 4000), (XML, Xml(), 3000), (MAIL, Mail(), 3000)],
    ids=["rtf", "xml", "mail"],
)  # fmt: skip
def test_a_damaged_file_is_read_or_refused(
    path: Path, sample: bytes, reader: Reader, number: int, rounds: Callable[[int], int]
) -> None:
    path.write_bytes(sample)
    assert reader.recognises(Content(path))
    assert not [item for item in reader(Content(path)) if isinstance(item, Problem)]
    recognised: Counter[bool] = Counter()

    def read() -> None:
        content = Content(path, 1 << 20)
        recognised[reader.recognises(content)] += 1
        whole(reader, content)

    result = outcomes(path, [sample], rounds(number), read)
    assert recognised[True] > rounds(number) // 2
    assert result["read"] > rounds(number) // 3, result
