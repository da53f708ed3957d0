"""Mails in a mailbox, and files that are attached to a mail."""

import mailbox
import re
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.io.decompressed_content import BLOCK, Content
from sdtext.parts.registry import find
from tests.parts.containers.containing import Held, held, mail
from tests.parts.readers.office import packed
from tests.support.cases import cases
from tests.support.strategies import BRISK

FROM = b"From karl@example.org Fri May  1 12:00:00 2026\n"
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
LINES = st.sampled_from(
    [b"words", b"", b"", b"From here", b">From there", b">>From", b"\t", b"From: x", b"\xff\xfe"]
)


def mails_in(path: Path, data: bytes) -> list[bytes]:
    result = held("mbox", path, data)
    assert not result.messages
    assert list(result.files) == [f"{number}.eml" for number in range(1, len(result.files) + 1)]
    return list(result.files.values())


def written(mails: list[bytes], end: bytes = b"\n") -> bytes:
    """A mailbox of those mails as mboxrd has it: lines that begin with "From " behind a mark."""
    quoted = (
        b"".join(
            b">" + line if line.lstrip(b">").startswith(b"From ") else line
            for line in mail.splitlines(keepends=True)
        )
        for mail in mails
    )
    return b"".join(FROM.replace(b"\n", end) + mail + end for mail in quoted)


@BRISK
@given(
    bodies=st.lists(st.lists(LINES, max_size=9), min_size=1, max_size=5),
    end=st.sampled_from([b"\n", b"\r\n"]),
)
@example(bodies=[[b""], [b"", b"", b""]], end=b"\n")
@example(bodies=[[b"x", b"", b"From here", b"", b"From there"]], end=b"\r\n")
def test_mails_come_out_as_they_went_in(path: Path, bodies: list[list[bytes]], end: bytes) -> None:
    mails = [end.join([b"Subject: s", b"", *body, b""]) for body in bodies]
    assert mails_in(path, written(mails, end)) == mails
    if end == b"\n":
        box = mailbox.mbox(path, create=False)
        try:
            expected = [box.get_bytes(key) for key in box.keys()]  # noqa: SIM118 (no mapping)
        finally:
            box.close()
        # The standard library leaves the marks before quoted lines.
        assert mails == [QUOTED.sub(rb"\1", mail) for mail in expected]


def test_a_line_in_a_text_that_looks_like_a_beginning_parts_nothing(path: Path) -> None:
    mail = b"Subject: s\n\nwords\n\nFrom here to there\nmore words\n"
    assert mails_in(path, FROM + mail) == [mail]
    unquoted = b"Subject: s\n\nwords\nFrom: me\nFrom x\nSubject: y\n"
    assert mails_in(path, FROM + unquoted) == [unquoted]


@cases("first", [
    b"From - Mon Jan 02 15:04:05 2006\nX-Mozilla-Status: 0001\n",
    b"From 1234567890@xxx Mon Jan 02 15:04:05 +0000 2006\r\nX-GM-THRID: 1\r\n",
    b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\n>From other Fri Jul  8 12:08:34 2011\n",
    b"From ???@??? Fri May 01 9:00 2026\nReceived: x\n",
])  # fmt: skip
def test_mailboxes_of_many_programs_are_known(path: Path, first: bytes) -> None:
    data = first + b"\nwords\n\n" + FROM + b"Subject: s\n\nmore\n"
    assert len(mails_in(path, data)) == 2


@cases("data", [
    b"From the sea to 12:30\nwords and more words\n", b"From the sea\nNote: at noon\n",
    b" " + FROM + b"Subject: s\n", FROM, FROM.rstrip(b"\n"), b"Subject: s\nFrom: x\n\n" + FROM,
])  # fmt: skip
def test_what_is_no_mailbox_is_known_as_none(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert not find("containers", "mbox").recognises(Content(path))


def test_a_mailbox_of_many_blocks_comes_out_mail_by_mail(path: Path) -> None:
    line = b"words of a line that says nothing\n"
    mails = [b"Subject: %d\n\n" % number + line * 900 for number in range(300)]
    data = written(mails)
    assert len(data) > 8 * BLOCK
    assert mails_in(path, data) == mails


NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)


@BRISK
@given(attached=st.dictionaries(NAMES, st.binary(max_size=200), min_size=1, max_size=4))
def test_what_was_attached_comes_out(path: Path, attached: dict[str, bytes]) -> None:
    assert held("mail", path, mail(attached).as_bytes()) == Held(attached)


def test_a_mail_of_one_part_holds_no_files(path: Path) -> None:
    path.write_bytes(mail({}).as_bytes())
    assert not find("containers", "mail").recognises(Content(path))
    path.write_bytes(mail({"a.txt": b"x"}).as_bytes())
    assert find("containers", "mail").recognises(Content(path))


def test_a_mail_and_an_archive_may_be_attached(path: Path) -> None:
    outer = mail({"letters.zip": packed({"a": b"words"})})
    outer.add_attachment(mail({"b.txt": b"words"}))
    result = held("mail", path, outer.as_bytes()).files
    (first, _), (_, inside) = result.items()
    assert first == "letters.zip"
    inner = held("mail", path, inside)
    assert inner.files == {"b.txt": b"words"}
