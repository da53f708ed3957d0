"""Container for mails: the files attached to one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdtext.io.decompressed_content import Content
from sdtext.parts.containers import Container
from sdtext.parts.containers.member import Member, Names, is_fork
from sdtext.parts.readers.mail.mail import Mail, attachments, opened

# A header longer than what is looked at first may say so later.
_PARTS = re.compile(
    rb"^content-type:\s*(?:multipart|message)/|^content-disposition:|\A.{4096}",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Attachments(Container):
    """The files attached to a mail, including attached mails.

    >>> from sdtext.io.decompressed_content import Content
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
        """Yield the attached files in order."""
        names = Names()
        for name, data in attachments(opened(content)):
            if not is_fork(name):
                yield Member(names.given(name), iter([data]))
