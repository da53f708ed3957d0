"""The answers of a sandboxed process: each is a list of its kind and its values.

They travel as JSON, many in a line. The process that makes an answer and the one that receives it
check it by the same function, so that no side can send what the other does not read.
"""

from collections.abc import Mapping
from typing import Any

from sdtext.errors import UnreadableError

# A type; [form] for any number of values of one form; (form, form) for one value of each.
_FORMS: Mapping[str, Any] = {
    "text": (str,),
    "heading": (int, str),  # level, title
    "quotation": (bool,),  # whether it opens
    "problem": (str, str, str, str, [str]),  # severity, category, message, what, texts
    "member": (str, int),  # name, size
    "error": (str, str, str, str),  # class, what, file, place
    "libraries": ([(str, str)],),  # name and version: the last answer to a request
}


class ExhaustedError(UnreadableError):
    """A process crashed, or lacked memory or time: at another time it might read the file."""


class ProtocolError(Exception):
    """An answer that no form allows: a bug of sdtext, or of a package that brings a part."""


def answer(kind: object = None, *values: object) -> list[Any]:
    """The answer of that kind with these values, in one of the forms. Raises ProtocolError.

    >>> answer("member", "a.txt", 11)
    ['member', 'a.txt', 11]
    """
    if not (isinstance(kind, str) and kind in _FORMS and _fits(values, _FORMS[kind])):
        raise ProtocolError(f"an answer {str(kind)[:20]!r} of {len(values)} values")
    return [kind, *values]


def _fits(value: Any, form: Any) -> bool:
    if isinstance(form, type):
        return isinstance(value, form)
    if not isinstance(value, list | tuple):
        return False
    if isinstance(form, list):
        return all(_fits(each, form[0]) for each in value)
    return len(value) == len(form) and all(map(_fits, value, form))
