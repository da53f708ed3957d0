"""Arguments of public functions that are a text, a document in memory or a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from inspect import currentframe
from os import PathLike
from pathlib import Path

from sdtext.errors import TEXT_HINT, OptionError, UnreadableError, brief, check_type
from sdtext.reading.archive_members import in_archive
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.reading.walk import path_list
from sdtext.text.document import Document

TextOrFile = str | PathLike[str] | Document
"""A text or the path of a file; which of them a string is, the function says."""

DocumentInput = str | Path | Document
"""The path of a file or folder, or a document in memory."""

DocumentInputs = DocumentInput | Sequence[DocumentInput]
"""One of these, or several."""

_DEFAULT = Reading()
_STDIN = "-"
_LONG = 200
_WORDS_OF_A_NAME = 3


def document_of_text(
    function: str, argument: str, given: TextOrFile, reading: Reading = _DEFAULT
) -> Document:
    """The document of an argument: a string is a text, a Path is a file.

    Raises OptionError and UnreadableError, which name the function and the argument. Warns of a
    string that names an existing file.

    >>> document_of_text("similarity", "left", "Bees dance.").clean
    'Bees dance.'
    """
    if isinstance(given, str):
        warn_of_file(function, argument, given)
        return Document.of(given)
    return _document(function, argument, given, reading)


def warn_of_file(function: str, argument: str, text: str) -> None:
    """Warn of a string that is taken as a text but names an existing file.

    Four words or more without a dot or slash are not looked up: that would take a tenth of the time
    of a search among short texts.
    """
    if _is_like_a_path(text) and os.path.isfile(text):  # noqa: PTH113 - is_file raises for some
        what = f"{argument} of {function} is taken as a text, but names an existing file"
        warnings.warn(f"{what}: to read it, give Path({text!r})", stacklevel=frames_here())


def frames_here() -> int:
    """How many frames of this package, this one included, stand above that of the user's code."""
    number, frame = 0, currentframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == "sdtext":
        number, frame = number + 1, frame.f_back
    return number


def _is_like_a_path(text: str) -> bool:
    """Whether a short text has few words, an extension or a folder.

    >>> [*map(_is_like_a_path, ("my old letter", "to my aunt.txt", "Where bees dance at night"))]
    [True, True, False]
    """
    has_few_words = text.count(" ") < _WORDS_OF_A_NAME
    return len(text) <= _LONG and (has_few_words or "." in text or "/" in text or os.sep in text)


def document_in_file(
    function: str, argument: str, given: TextOrFile, reading: Reading = _DEFAULT
) -> Document:
    """The document of an argument: a string is the path of a file. Raises as above.

    >>> document_in_file("search", "document", f"{samples}/union.txt").text[:3]
    'Why'
    """
    if not isinstance(given, str):
        return _document(function, argument, given, reading)
    if not given:
        raise OptionError.of(function, argument, given, "the path of a file")
    hint = "" if is_there(given) else TEXT_HINT
    return _document(function, argument, Path(given), reading, hint)


def check_file(function: str, argument: str, given: str) -> None:
    """UnreadableError that names the argument, where the string is no path of anything.

    >>> check_file("reuse", "documents", f"{samples}/union.txt")
    """
    if given == _STDIN or is_there(given):
        return
    what = f"no such file or folder (argument {argument} of {function}{TEXT_HINT})"
    raise UnreadableError(what, file=brief(given) if len(given) > _LONG else given)


def held_and_named(
    function: str, argument: str, given: DocumentInputs
) -> tuple[list[Document], list[Path]]:
    """The documents in memory and the paths among what is given. OptionError for anything else.

    >>> held_and_named("mangle", "paths", ["a.txt", Document.of("Bees dance.", "b")])
    ([<document 'b' of 11 characters: 'Bees dance.'>], [PosixPath('a.txt')])
    """
    wanted = "a path, an sdtext.Document, or several of these"
    check_type(function, argument, given, (str, PathLike, Document, Iterable), wanted)
    if isinstance(given, Mapping):
        raise OptionError.of(function, argument, given, wanted)
    items = [given] if isinstance(given, _ITEM) else [*given]
    for place, item in enumerate(items):
        wanted = "a path or an sdtext.Document"
        check_type(function, f"{argument}[{place}]", item, _ITEM, wanted)
    held = [item for item in items if isinstance(item, Document)]
    return held, path_list([item for item in items if not isinstance(item, Document)])


_ITEM = (str, PathLike, Document)


def is_there(path: str) -> bool:
    """Whether there is a file or folder of this name, or a member of an archive.

    >>> is_there("no such text")
    False
    """
    try:
        return os.path.lexists(path) or in_archive(Path(path))
    except (OSError, ValueError):
        return False


def _document(
    function: str, argument: str, given: object, reading: Reading, hint: str = ""
) -> Document:
    if isinstance(given, Document):
        return given
    if not isinstance(given, PathLike):
        wanted = "a text, an sdtext.Document or the Path of a file"
        raise OptionError.of(function, argument, given, wanted)
    path = Path(given)
    try:
        return read(path, reading)
    except UnreadableError as error:
        what = f"{error.what} (argument {argument} of {function}{hint})"
        raise type(error)(what, file=path) from error
