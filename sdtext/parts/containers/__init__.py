"""Containers: files that hold other files, such as archives, mailboxes and mail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import Field
from typing import Any, ClassVar

from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.containers.member import Member
from sdtext.parts.file_signatures import Signatures


class Container(ABC):
    """A format of files that hold other files: how to recognise one and how to unpack it.

    A container is a frozen dataclass. It must have `called`, `recognises` and `members`; the other
    members have defaults. A container that another package registers need not inherit from this
    class: the registry adds the defaults of the members that it lacks when it loads the class.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    called: ClassVar[str]
    """The name of the format in messages, as "zip archive"."""
    signatures: ClassVar[Signatures] = ()
    """The first bytes of such files, or patterns that match at the beginning of the first 1024.

    Only files with one of the signatures are shown to `recognises`. Without signatures, every
    file is, which is slower. Those of the containers of sdtext are in
    `sdtext.parts.file_signatures`.
    """
    also_text: ClassVar[bool] = False
    """Whether a reader reads the file itself, too."""

    @staticmethod
    @abstractmethod
    def recognises(content: Content) -> bool:
        """Whether the file has this format, by its first bytes if they suffice."""

    @abstractmethod
    def members(self, content: Content) -> Iterator[Member | Problem]:
        """Yield each file in the container in order, and a problem for each that is left out.

        It is called in a separate process with limits on time and memory, and raises only
        UnreadableError.
        """
