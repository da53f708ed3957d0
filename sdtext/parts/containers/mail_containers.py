"""Containers of mails: mbox mailboxes (RFC 4155, with mboxrd quoting), and the files attached."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import ClassVar

from sdtext.errors import PackingError
from sdtext.io.decompressed_content import BLOCK, Content
from sdtext.parts.containers import Container, Member, Names, is_fork
from sdtext.parts.readers.mail import Mail, attachments, opened

_FROM = b"From "
_QUOTED = re.compile(rb">+From ")
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:|>From ")
# The line tells who and when: no sentence that begins with "From" has a time and a year.
_BEGIN = re.compile(rb"From [^\n]*\d\d?:\d\d[^\n]*\n(?:[!-9;-~]+[ \t]*:|>From )")
_BLANK = (b"\n", b"\r\n")
# A header longer than what is looked at first may say so later.
_PARTS = re.compile(
    rb"^content-type:\s*(?:multipart|message)/|^content-disposition:|\A.{4096}",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Mbox(Container):
    """The mails in a mailbox, called 1.eml, 2.eml and so on.

    A mail begins with a line "From …" after a blank line and before a header field, so that such a
    line inside of a text does not start a new mail.

    >>> letters = Content("tests/samples/containers/letters.mbox")
    >>> [(member.name, len(b"".join(member.blocks))) for member in Mbox().members(letters)]
    [('1.eml', 125), ('2.eml', 126)]
    """

    called: ClassVar[str] = "mailbox"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins with a line "From …" that has a time, and then a header field."""
        return _BEGIN.match(content.head) is not None

    def members(self, content: Content) -> Iterator[Member]:
        for number, lines in groupby(_numbered_lines(content), itemgetter(0)):
            yield Member(f"{number}.eml", (line for _, line in lines if line))


def _numbered_lines(content: Content) -> Iterator[tuple[int, bytes]]:
    """The lines with the number of their mail; an empty one begins each mail.

    The blank line before the next mail, and that at the end, belongs to none.
    """
    number, blank = 0, b""
    for line, following in pairwise(chain(_lines(content.blocks()), [b""])):
        if not number or (blank and line.startswith(_FROM) and _FIELD.match(following)):
            number, blank = number + 1, b""
            yield number, b""
        else:
            if blank:
                yield number, blank
            blank = line if line in _BLANK else b""
            if not blank:
                yield number, line[1:] if _QUOTED.match(line) else line


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines, with their ends; one that is longer than a block in pieces."""
    rest = b""
    for block in blocks:
        rest += block
        *lines, rest = rest.splitlines(keepends=True)
        yield from lines
        if len(rest) > BLOCK:
            yield rest
            rest = b""
    yield rest


@dataclass(frozen=True)
class Attachments(Container):
    """The files attached to a mail, including attached mails.

    >>> letter = Content("tests/samples/containers/letter.eml")
    >>> [(member.name, b"".join(member.blocks)[:10]) for member in Attachments().members(letter)]
    [('may.txt', b'Dear Anna,'), ('message-2.eml', b'From: Anna')]
    """

    called: ClassVar[str] = "mail with attachments"
    also_text: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a mail of several parts, or another mail within one."""
        return _PARTS.search(content.head) is not None and Mail.recognises(content)

    def members(self, content: Content) -> Iterator[Member]:
        message, limit = opened(content)
        members = [*_attached(message)]
        if limit:
            yield from members[:-1]  # the last one may be cut off
            raise PackingError(limit, file=content.name)
        yield from members


@dataclass(frozen=True)
class OutlookAttachments(Container):
    """The files attached to an Outlook mail (MSG, TNEF), and its body if it is in RTF alone.

    >>> OutlookAttachments.also_text
    True
    """

    called: ClassVar[str] = "Outlook mail with attachments"
    also_text: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is an Outlook mail that can be opened; its reader says why another cannot."""
        from sdtext.parts.readers.outlook import Outlook, can_open

        return Outlook.recognises(content) and can_open(content)

    def members(self, content: Content) -> Iterator[Member]:
        from sdtext.parts.readers.outlook import outlook_opened

        yield from _attached(outlook_opened(content))


def _attached(message: Message) -> Iterator[Member]:
    names = Names()
    for name, data in attachments(message):
        if not is_fork(name):
            yield Member(names.given(name), iter([data]))
