"""Key files: a line with the kind of the key, its 32 bytes and a check of them.

A secret key comes out of a file that its owner alone can read, or out of the environment, so that
it never stands on a command line, which others see. Messages name files, never keys.
"""

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sdtext.errors import FormatError, OptionError, UnreadableError
from sdtext.io.output import MayReplace, written
from sdtext.io.platform import IS_UNIX
from sdtext.wording import reason

Kind = Literal["signing", "public", "dictionary"]

KEY, KEY_TEXT = "SDTEXT_KEY", "SDTEXT_KEY_TEXT"
"""The variables that name the file of a secret key, or else hold the content of one."""

_BEGIN = "sdtext-"
_NEWER = re.compile(rf"{_BEGIN}[a-z]+-key-(?!1 )([0-9]{{1,4}}) ")
_LINE = re.compile(rf"{_BEGIN}([a-z]+)-key-1 ([0-9a-f]{{64}}) ([0-9a-f]{{8}})\s*")
_MOST = 1000  # bytes


def write_key(kind: Kind, key: bytes, path: str | Path, may_replace: MayReplace) -> None:
    """Write a key of 32 bytes; a secret one for its owner alone. Raises OutputError."""
    with written(path, may_replace, private=kind != "public") as file:
        file.write(f"{_BEGIN}{kind}-key-1 {key.hex()} {_check(kind, key)}\n".encode("ascii"))


def read_key(kind: Kind, path: str | Path | None = None) -> bytes:
    """The 32 bytes of the key in the file at `path`; without one, in the environment.

    Raises OptionError where no key is named, UnreadableError for a file that is not there or that
    others can read, FormatError for one that is damaged or of another kind.
    """
    path, text = path or os.environ.get(KEY), os.environ.get(KEY_TEXT, "")
    if not path and not text:
        raise OptionError(f"no {kind} key is named; name its file, by {KEY} or as key")
    if str(path).startswith(_BEGIN):  # without the key
        raise OptionError("a key is given where a file is named; name the file of the key")
    name = str(path or KEY_TEXT)
    text = _content(Path(path), private=kind != "public") if path else text
    if newer := _NEWER.match(text):
        what = f"is a key in version {newer[1]} of the format; update sdtext to read it"
        raise FormatError(what, file=name)
    line = _LINE.fullmatch(text)
    if not line or _check(line[1], key := bytes.fromhex(line[2])) != line[3]:
        raise FormatError(f"is no {kind} key, or is damaged; get or make it anew", file=name)
    if line[1] != kind:
        raise FormatError(f"is a {line[1]} key, where a {kind} key is needed", file=name)
    return key


def _content(path: Path, *, private: bool) -> str:
    try:
        with path.open("rb") as file:
            others = os.fstat(file.fileno()).st_mode & 0o077
            if private and others and IS_UNIX:
                what = "can be read by others, which a secret key must not be: chmod 600 it"
                raise UnreadableError(what, file=path)
            return file.read(_MOST).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "invalid file name"
        raise UnreadableError(why, file=path) from error


def _check(kind: str, key: bytes) -> str:
    return sha256(kind.encode("ascii") + key).hexdigest()[:8]
