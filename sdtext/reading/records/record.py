"""Documents to read, and the records in rows of any fields: a name, a text and metadata."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from sdtext.errors import OptionError
from sdtext.model import Metadata
from sdtext.text.document import Document
from sdtext.wording import brief, printable

MAX_NAME = 1000
_MAX_FIELDS = 100
_MAX_VALUE = 10_000  # characters; a longer value is a text of its own, not metadata
_PATH_SIGNS = frozenset(".[")
_NO_METADATA: Metadata = {}
_HALVES = re.compile("[\x00\ud800-\udfff]")
_NO_NAME = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Fields:
    """Which fields of a record hold its text and its id.

    `text` may be a path, such as `meta.text` or `messages[].content`. Of a JSON file that is one
    object, `messages[].text` names the list of its records, and the field of these.
    Without `id`, that is the field called "id" where the first record has one, else the number of
    the line (or row).
    """

    text: str = "text"
    id: str = ""


class NoText(str):
    """The reason why a row holds no record: its text is empty. That is no fault of the file."""

    __slots__ = ()


def problem_kind(why: str) -> tuple[str, str]:
    """The severity and the category of the problem that a row holds no record."""
    return ("warning", "empty") if isinstance(why, NoText) else ("error", "unreadable")


class InputDocument(NamedTuple):
    """One document to add: the file at `path`, a record's `text`, or a `document` in memory.

    `stored` tells whether the collection has a document of this name. A document whose content
    still has `digest` stays as it is stored. `place` says where a record stands, for messages:
    "papers.jsonl: line 3".
    """

    root: str
    name: str
    path: Path | None = None
    text: str = ""
    metadata: Metadata = _NO_METADATA
    stored: bool = False
    digest: str = ""
    place: str = ""
    document: Document | None = None

    @property
    def called(self) -> str:
        """The file of the document, or the place of the record, for messages."""
        return str(self.path or self.place or self.name)


def record_of(row: Mapping[str, Any], fields: Fields, place: int) -> InputDocument | str:
    """The record in a row, or the reason why there is none. Without `fields.id`, named by `place`.

    Its text is not in normal form yet.

    >>> record = record_of({"id": 7, "text": "Some words", "year": 2019}, Fields(id="id"), 1)
    >>> record.name, record.text, record.metadata
    ('7', 'Some words', {'year': 2019})
    >>> record_of({"id": 7, "body": "Some words"}, Fields(id="id"), 1)
    "has no field 'text' (it has id, body); name one as text_field"
    >>> record_of({"id": None, "text": "Some words"}, Fields(id="id"), 1)
    'its id is null'
    """
    named = named_text(row, fields, place)
    if isinstance(named, str):
        return named
    name, text = named
    return InputDocument("", name, None, text, metadata_of(row, (fields.text, fields.id)))


def field_of(row: Mapping[str, Any], name: str) -> Any:
    r"""The value of a field; or by a path (JMESPath) the text there, of several a line each.

    None where there is none.

    >>> field_of({"turns": [{"text": "Who dances?"}, {"text": "Bees."}]}, "turns[].text")
    'Who dances?\nBees.'
    """
    if name in row or not _PATH_SIGNS.intersection(name):
        return row.get(name)
    if (path := _compiled(name)) is None:
        return None
    try:
        value = path.search(row)
    except (ValueError, RecursionError):  # of a function that does not fit the value
        return None
    while isinstance(value, list) and any(isinstance(each, list) for each in value):
        parts = (text_in_parts(each) for each in value)
        value = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return value


def text_in_parts(value: Any) -> Any:
    """The text of a list of texts and objects with a `text`, as chats have it; else the value.

    >>> text_in_parts(["Bees ", {"type": "bold", "text": "dance"}, "."])
    'Bees dance.'
    """
    if not isinstance(value, list) or not any(isinstance(each, dict) for each in value):
        return value
    parts: list[Any] = [each.get("text") if isinstance(each, dict) else each for each in value]
    return "".join(parts) if all(isinstance(part, str) for part in parts) else value


@lru_cache(16)
def _compiled(path: str) -> Any:
    """A path, compiled; None for what is none."""
    import jmespath

    try:
        return jmespath.compile(path)
    except jmespath.exceptions.JMESPathError:
        return None


def check_cuts(row: Mapping[str, Any], name: str) -> None:
    """Raise OptionError if the text of a row is not in a field of its own, to be changed there."""
    if not isinstance(row.get(name), str):
        what = f"text_field is {brief(name)}, no field of text; texts are only cut in one"
        raise OptionError(what)


def named_text(row: Mapping[str, Any], fields: Fields, place: int) -> tuple[str, str] | str:
    """The name and the text of the record in a row, or the reason why there is none."""
    text, name = field_of(row, fields.text), row.get(fields.id) if fields.id else place
    if text is None or name is None:
        option, named = ("text", fields.text) if text is None else ("id", fields.id)
        if named not in row:
            return f"has no field {named!r} (it has {listed(row)}); name one as {option}_field"
        return (NoText if text is None else str)(f"its {named} is null")
    if not isinstance(text, str) and not isinstance(text := text_in_parts(text), str):
        return f"field {fields.text!r} is not a string"
    if not text or text.isspace():
        return NoText("holds no text")
    if isinstance(name, bool) or not isinstance(name, str | int):
        why = "neither a text nor a whole number"
    elif fields.id and (not 0 < len(str(name)) <= MAX_NAME or _NO_NAME.search(str(name))):
        why = f"empty, longer than {MAX_NAME:,} characters or holds odd characters"
    else:
        return str(name), whole(text)
    return f"{fields.id} is {why}"


def metadata_of(row: Mapping[str, Any], without: Collection[str] = ()) -> Metadata:
    """The fields of a row that are a short text, a number, true or false; the first 100 of them.

    >>> metadata_of({"year": 2019, "tags": ["a"], "note": None, "text": "…"}, ["text"])
    {'year': 2019}
    """
    metadata: dict[str, str | int | float | None] = {}
    for key, value in row.items():
        if key in without or len(key) > MAX_NAME:
            continue
        if (kept := metadata_value(value)) is not None:
            metadata[whole(key)] = kept
        if len(metadata) == _MAX_FIELDS:
            break
    return metadata


def metadata_value(value: Any) -> str | int | float | None:
    """`value` as metadata; a number of more than 64 bits as a text; None for other types."""
    if isinstance(value, str):
        return whole(value) if len(value) <= _MAX_VALUE else None
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)[:_MAX_VALUE]
    return None


def whole(text: str) -> str:
    """`text` with U+FFFD in place of surrogates and null characters."""
    if text.isascii() and "\0" not in text:
        return text
    return _HALVES.sub("\ufffd", text)


def listed(row: Mapping[str, Any]) -> str:
    """The names of the first fields of a row, on one line.

    >>> listed({"id": 7, "text": "Some words"})
    'id, text'
    """
    names = ", ".join(map(str, list(row)[:8]))
    return printable(names if len(names) <= 200 else names[:200] + "…") or "none"
