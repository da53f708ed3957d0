"""Reader of mails (RFC 5322 and MIME): one message without its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.readers import Reader
from sdtext.parts.readers.hidden_text import KEEP, HiddenText, check_hidden
from sdtext.parts.readers.mail.mime import attached, body, decoded_body, header, is_locked
from sdtext.parts.readers.markup.html import page_text

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LEAST_FIELDS = 3
_HEAD = 4096  # bytes that are looked at; the last line may be cut in the middle of a name
_BEGUN = frozenset({"from", "received", "message-id"})
_KNOWN_FIELDS = _BEGUN | frozenset(
    """
    return-path delivered-to to cc bcc subject date mime-version content-type reply-to sender
    content-transfer-encoding in-reply-to references dkim-signature authentication-results
    """.split()  # noqa: SIM905 (a list of names, not of strings)
)
_FIELD = re.compile(rb"([!-9;-~]{1,76}):")


@dataclass(frozen=True)
class Mail(Reader):
    r"""The text of a mail: the headers From, To, Date and Subject, then the body.

    If the body has alternative forms, plain text is preferred to HTML. Attachments, including
    attached mails, are not read here: they are members of the mail, as files are of an archive.
    Hidden text is read and reported as in HTML; `hidden="drop"` leaves it out.

    >>> from sdtext.io.decompressed_content import Content
    >>> place = folder / "bees.eml"
    >>> place.write_bytes(b"From: a@b.c\nDate: today\nSubject: =?utf-8?q?=E2=82=AC?=\n\nBees.\n")
    62
    >>> "".join(Mail()(Content(place)))
    'From: a@b.c\nDate: today\nSubject: €\n\nBees.\n'
    """

    hidden: str = KEEP
    called: ClassVar[str] = "mail"
    isolated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_hidden("mail", self.hidden)

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins with a mail header: at least three known fields.

        At least one names the sender or identifies the mail. A mailbox begins otherwise.
        """
        lines = content.head.removeprefix(b"\xef\xbb\xbf").splitlines()
        names = []
        for line in lines:
            if not line:
                break
            if field := _FIELD.match(line):
                names.append(field[1].decode("ascii").lower())
            elif not names or line[:1] not in (b" ", b"\t"):
                return line is lines[-1] and len(content.head) == _HEAD and _enough(names)
        return _enough(names)

    def __call__(self, content: Content) -> Iterator[str | Heading | QuotationMark | Problem]:
        message = opened(content)
        yield "".join(_headers(message)) + "\n"
        hidden = HiddenText(self.hidden)
        for part in body(message):
            yield from _shown(part, content, hidden)
        yield from hidden.problems(content.name)
        if is_locked(message):
            what = (
                "its text is encrypted, or signed in an unsupported form; only its header is read"
            )
            yield Problem("warning", "partly-read", f"{content.name}: {what}")


def opened(content: Content) -> Message:
    """The mail in `content`. Raises UnreadableError."""
    data = content.whole().removeprefix(b"\xef\xbb\xbf")
    try:
        return message_from_bytes(data)
    except RecursionError as error:
        raise UnreadableError(
            "is a mail with parts nested too deep, which only malicious files have",
            file=content.name,
        ) from error


def attachments(message: Message) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each file that is attached to a mail.

    An attachment without a name is called `attachment-N` with the extension of its type; an
    attached mail is `message-N.eml`.
    """
    return attached(message)


def _enough(names: list[str]) -> bool:
    known = {name for name in names if name in _KNOWN_FIELDS or name.startswith("x-")}
    return len(known) >= _LEAST_FIELDS and not known.isdisjoint(_BEGUN)


def _headers(message: Message) -> Iterator[str]:
    """A line for each header that mail programs show."""
    for name in _SHOWN:
        for value in header(message, name):
            yield f"{name}: {value}\n"


def _shown(
    part: Message, content: Content, hidden: HiddenText
) -> Iterator[str | Heading | QuotationMark | Problem]:
    text, encoding = decoded_body(part, content)
    yield from encoding.problems(content)
    if part.get_content_type() == "text/html":
        yield from page_text([text], content, hidden)
    else:
        yield text if text.endswith("\n") else text + "\n"
