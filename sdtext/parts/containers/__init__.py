"""Containers: files that hold other files, such as archives, mailboxes and mail."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.file_signatures import FileFormat
from sdtext.parts.readers import partly_read
from sdtext.wording import printable

_MAX_NAME = 4096  # characters, as many as a path has bytes on most systems
_STEP = 1 << 16  # bytes
_SHOWN = 100  # characters of a name or a reason in a message


@dataclass(frozen=True)
class Member:
    """A file in a container: its name there, and its bytes in blocks, which come only once.

    They are to be read before the next member is asked for; what is not read is skipped.
    They end where they are damaged, and a `Problem` follows that says so.
    """

    name: str
    blocks: Iterator[bytes]


class Names:
    r"""Distinct, safe names for the members of one container.

    >>> names = Names()
    >>> [names.given(name) for name in ("a/b.txt", "..\\a//b.txt", "/")]
    ['a/b.txt', 'a/b.txt (2)', 'unnamed']
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._times: Counter[str] = Counter()

    def given(self, stored: str) -> str:
        """The name for the member whose name in the container is `stored`."""
        folders = stored[:_MAX_NAME].replace("\0", "").replace("\\", "/").split("/")
        plain = "/".join(part for part in folders if part not in ("", ".", "..")) or "unnamed"
        name = plain
        while name in self._taken:
            self._times[plain] += 1
            name = f"{plain} ({self._times[plain] + 1})"
        self._taken.add(name)
        return name


def is_fork(stored: str) -> bool:
    """Whether a name is that of a macOS metadata file, not of a text.

    >>> is_fork("__MACOSX/a/._b.txt"), is_fork("a/b.txt")
    (True, False)
    """
    folders = stored.replace("\\", "/").split("/")
    return "__MACOSX" in folders or folders[-1].startswith("._")


def taken(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """Yield the next `size` bytes of a file in blocks. Raises EOFError if there are fewer."""
    while size > 0:
        block = read(min(size, _STEP))
        if not block:
            raise EOFError("it is truncated")
        size -= len(block)
        yield block


class Salvaged(Iterator[bytes]):
    """The blocks of a member until one of `errors` occurs, which is kept as `error`."""

    def __init__(self, blocks: Iterator[bytes], errors: tuple[type[Exception], ...]) -> None:
        self._blocks = blocks
        self._errors = errors
        self.error: Exception | None = None

    def __next__(self) -> bytes:
        try:
            return next(self._blocks)
        except self._errors as error:
            self.error = error
            raise StopIteration from error

    def pass_over(self) -> None:
        """Read the remaining blocks and discard them."""
        for _ in self:
            pass


def members_of(
    content: Content, entries: Iterable[tuple[str, Salvaged | str]]
) -> Iterator[Member | Problem]:
    """The members of an archive: each has its name there and its bytes, or why it is left out.

    Metadata files of macOS are left out; of others, a problem for each reason comes last.
    """
    names, left_out = Names(), dict[str, list[str]]()
    for stored, blocks in entries:
        if is_fork(stored):
            continue
        name = names.given(stored)
        if isinstance(blocks, str):
            left_out.setdefault(blocks, []).append(name)
            continue
        yield Member(name, blocks)
        blocks.pass_over()
        if blocks.error:
            why = _short(str(blocks.error) or "it is truncated")
            yield partly_read(content, f"{_short(name)} is damaged ({why}); read up to the damage")
    for why, some in left_out.items():
        more = f" and {len(some) - 1} more" if len(some) > 1 else ""
        yield partly_read(content, f"{_short(some[0])}{more} left out: {why}")


def _short(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


class Container(FileFormat):
    """A format of files that hold other files: how to recognise one and how to unpack it.

    A container is a frozen dataclass. It must have `called`, `recognises` and `members`; the other
    members have defaults.
    """

    also_text: ClassVar[bool] = False
    """Whether a reader reads the file itself, too."""

    @abstractmethod
    def members(self, content: Content) -> Iterator[Member | Problem]:
        """Yield each file in the container in order, and a problem for each that is left out.

        It is called in a separate process with limits on time and memory, and raises only
        UnreadableError.
        """
