"""Everything sdtext raises on purpose.

SdtextError           a person can correct it: the command line prints it in one line
├── OptionError       a part, a recipe or a command was given something it cannot use
├── UnreadableError   an input is missing, or it yields no text
│   ├── PackingError  a compressed file is damaged or unpacks to too much
│   ├── NotTextError  a file is of a kind that holds no text: a picture, a program
│   └── TextlessError a file is intact but yields no text: a scan, a locked file
├── MismatchError     two things that were made differently cannot be compared
├── FormatError       a dictionary, fingerprint or recipe is damaged, or is something else
└── OutputError       a result cannot be written to its destination
"""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import ClassVar, ParamSpec, TypeVar

from sdtext.wording import brief, counted, printable, reason, shown  # noqa: F401 (their place before)

P = ParamSpec("P")
R = TypeVar("R")


class SdtextError(Exception):
    """A person can correct it: the message says where, what is wrong and what to do.

    `file` names the file and `place` the place in it, where there is one; `what` says what is
    wrong and what to do; the message is the three in this order. `category` is the category of
    the problem that this error is for one input among many (docs/errors).

    >>> error = FormatError("ends too early", file="bees.xml", place="line 3")
    >>> print(error)
    bees.xml: line 3: ends too early
    >>> error.category, error.file, error.place, error.what
    ('damaged', 'bees.xml', 'line 3', 'ends too early')
    """

    category: ClassVar[str] = "unreadable"
    reasons: tuple[str, ...] = ()
    """Messages of problems that this message repeats."""

    def __init__(
        self, what: str = "", *, file: str | os.PathLike[str] = "", place: str = ""
    ) -> None:
        self.what, self.file, self.place = what, shown(file), place
        super().__init__(": ".join(filter(None, (self.file, place, what))))

    def append(self, words: str) -> None:
        """Add words to the end of the message."""
        self.args = (f"{self}{words}",)
        self.what += words

    def replace(self, old: str, new: str) -> None:
        """Put other words at the first place of some in the message."""
        self.args = (str(self).replace(old, new, 1),)
        self.file, self.what = self.file.replace(old, new, 1), self.what.replace(old, new, 1)


class OptionError(SdtextError, ValueError):
    """A part, a recipe or a command was given something it cannot use."""

    @classmethod
    def of(cls, part: str, option: str, given: object, wanted: str) -> OptionError:
        """The error about one value of one option of a part.

        >>> print(OptionError.of("min-length", "length", 0, "1 or more"))
        min-length: length is 0; it must be 1 or more

        A percentage in place of a fraction is recognised:

        >>> print(OptionError.of("pairs", "similarity", 80, "a similarity from 0 to 1"))
        pairs: similarity is 80; it must be a similarity from 0 to 1; for 80 % write 0.8
        """
        what = f"{option} is {brief(given)}; it must be {wanted}"
        if isinstance(given, int | float) and 10 <= given < 100 and _FRACTION.search(wanted):
            what += f"; for {given:g} % write {given / 100:g}"
        return cls(what, place=part)


_FRACTION = re.compile(r"(?:to|below|at most) (?:1|0\.99)(?![\d.])")
"""The end of the range of a fraction."""
PATH = "the path of a file"
_NONE: Mapping[str, str] = MappingProxyType({})


def check_type(
    function: str, argument: str, given: object, types: tuple[type, ...], wanted: str
) -> None:
    """OptionError unless the argument of a function is of one of these types.

    >>> check_type("read", "path", "bees.txt", (str, PathLike), PATH)
    """
    if not isinstance(given, types):
        raise OptionError.of(function, argument, given, wanted)


def check_count(function: str, argument: str, given: object) -> None:
    """OptionError unless the argument of a function is a whole number of 0 or more.

    >>> check_count("pairs", "explain", 3)
    """
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 0:
        raise OptionError.of(function, argument, given, "a whole number of 0 or more")


def check_similarity(function: str, argument: str, given: object) -> None:
    """OptionError unless the argument of a function is a number from 0 to 1.

    >>> check_similarity("pairs", "similarity", 0.8)
    """
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not (is_number and 0 <= float(given) <= 1):  # type: ignore[arg-type]
        raise OptionError.of(function, argument, given, "a similarity from 0 to 1")


def check_path(function: str, argument: str, given: object) -> None:
    """OptionError unless the argument of a function is a string or a path.

    >>> check_path("read", "path", "bees.txt")
    """
    check_type(function, argument, given, (str, PathLike), PATH)
    if given == "":
        raise OptionError.of(function, argument, given, PATH)


def check_options(
    function: str, given: Iterable[str], known: Iterable[str], results: Mapping[str, str] = _NONE
) -> None:
    """OptionError for an option that the function does not have.

    `results` has, by names of options, what the result of the function has in their place.

    >>> check_options("similar", ["top"], ["similarity", "top"])
    """
    if unknown := [name for name in given if name not in known]:
        from difflib import get_close_matches

        known = [*known]
        close = [f"result.{results[unknown[0]]}"] if unknown[0] in results else []
        close += [name for name in known if name == _MEANT.get(unknown[0])]
        close += [name for name in known if name.startswith(unknown[0])]
        close += get_close_matches(unknown[0], known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        what = f"there is no option {brief(unknown[0])}{hint}; available: {', '.join(known)}"
        raise OptionError(what, place=function)


_MEANT = {"config": "recipe", "cut": "action", "mark": "action"}
_MEANT |= dict.fromkeys(("min_score", "minimum", "score", "threshold"), "similarity")
_MEANT |= dict.fromkeys(("k", "n", "limit", "top_k", "max_results"), "top")
"""What other names of options, such as those of the command line, may mean."""


def _check_keywords(function: Callable[..., object], given: Iterable[str]) -> None:
    """OptionError for a keyword that a function does not take, with the one that may be meant."""
    from dataclasses import is_dataclass
    from inspect import Parameter, signature  # slow to load

    parameters = signature(function).parameters
    if any(item.kind is Parameter.VAR_KEYWORD for item in parameters.values()):
        return  # it checks them itself
    for word in (word for word in given if word not in parameters):
        field = _MEANT.get(word, word)
        for name, item in parameters.items():
            kind = function.__globals__.get(str(item.annotation).partition(" ")[0])
            if is_dataclass(kind) and field in kind.__dataclass_fields__:
                value = f"{name}={getattr(kind, '__name__', '')}({field}=…)"
                what = f"there is no option {brief(word)}; write {value}"
                raise OptionError(what, place=_name_of(function))
    check_options(_name_of(function), given, [name for name in parameters if name != "self"])


def naming_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A public function whose errors name the function and the argument that they are about.

    That is the argument that holds the file of the error, or whose name the message mentions. A
    call inside this package is left to the function that the user called. The command line leaves
    these words out.

    >>> @naming_arguments
    ... def compare(folder: str, dictionary: str) -> None:
    ...     raise UnreadableError("no such file", file="bees.xml")
    >>> compare("texts", "bees.xml")
    Traceback (most recent call last):
    sdtext.errors.UnreadableError: bees.xml: no such file (argument dictionary of compare)
    """

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except (TypeError, AttributeError) as error:
            _check_keywords(function, options)
            if not _is_inside():
                _check_types(function, args, options, error)
            raise
        except SdtextError as error:
            is_named = _NAMED.search(error.what) or error.place == _name_of(function)
            if not is_named and not _is_inside():
                _name_argument(function, args, options, error)
            raise

    return call


def _name_argument(
    function: Callable[..., object],
    args: tuple[object, ...],
    options: Mapping[str, object],
    error: SdtextError,
) -> None:
    """Add to the message of an error which argument of a function it is about, if that is known."""
    from inspect import signature  # slow to load

    arguments = {**signature(function).bind(*args, **options).arguments, **options}
    if argument := _argument(error, arguments):
        text = _text_for_path(error, argument, arguments[argument])
        if len(text) > _LONG and " " in text:
            error.replace(shown(text), brief(text))
        hint = TEXT_HINT if text else ""
        error.append(f" ({ARGUMENT_OF}{argument} of {_name_of(function)}{hint})")


def _is_inside() -> bool:
    """Whether a function that names arguments was called by this package, not by a user."""
    from inspect import currentframe  # slow to load

    frame = currentframe()
    for _ in range(_FRAMES):
        frame = frame.f_back if frame else None
    file = frame.f_code.co_filename if frame else ""
    return file.startswith(_PACKAGE)


_FRAMES = 2  # from here to the caller: that of `call` is between
_PACKAGE = os.path.join(os.path.dirname(__file__), "")  # noqa: PTH118, PTH120 (pathlib drops the /)


def _name_of(function: Callable[..., object]) -> str:
    """What messages call a function: `add`, but `Chain.of`."""
    name = function.__name__
    return function.__qualname__ if name == "of" else name


def _check_types(
    function: Callable[..., object],
    args: tuple[object, ...],
    options: Mapping[str, object],
    cause: Exception,
) -> None:
    """OptionError for the first argument that is of another type than its annotation says.

    Annotations that name anything but classes are not looked at.
    """
    from inspect import Parameter, signature  # slow to load

    parameters = signature(function).parameters
    annotations = dict[str, str]()
    for item in parameters.values():
        if item.kind is Parameter.VAR_KEYWORD:
            table = _KEYWORDS.sub(r"\1", str(item.annotation))
            fields = getattr(function.__globals__.get(table), "__annotations__", {})
            annotations |= {name: each.__forward_arg__ for name, each in fields.items()}
        elif item.kind is not Parameter.VAR_POSITIONAL:
            annotations[item.name] = str(item.annotation)
    try:
        given = {**signature(function).bind(*args, **options).arguments, **options}
    except TypeError:
        return
    for name, value in given.items():
        kinds = [_class(word, function) for word in annotations.get(name, "").split(" | ")]
        classes = tuple(kind for kind in kinds if kind is not None)
        if len(classes) == len(kinds) and not isinstance(value, classes):
            wanted = " or ".join(_called(kind) for kind in classes if kind is not NoneType)
            raise OptionError.of(_name_of(function), name, value, wanted) from cause


_KEYWORDS = re.compile(r"^Unpack\[(\w+)\]$")


def _class(word: str, function: Callable[..., object]) -> type | None:
    """The class that a word of the annotation of a function names, None for anything else."""
    if word == "None":
        return NoneType
    name = word.partition("[")[0]
    found = function.__globals__.get(name) or _NUMBERS.get(name) or getattr(builtins, name, None)
    return found if isinstance(found, type) and not getattr(found, "_is_protocol", False) else None


def _called(kind: type) -> str:
    """What messages call the values of a class."""
    if kind in _CALLED:
        return _CALLED[kind]
    return f"an sdtext.{kind.__name__}" if kind.__module__.startswith("sdtext") else kind.__name__


_CALLED: Mapping[object, str] = {
    str: "a text",
    Integral: "a whole number",
    Real: "a number",
    bool: "True or False",
    Path: "a Path",
    Sequence: "several of these",
    Callable: "a function",
}
_NUMBERS: Mapping[str, type] = {"int": Integral, "float": Real}
ARGUMENT_OF = "argument "
TEXT_HINT = "; a string is a path here; a text is given as Document.of(text, name='a')"
_NAMED = re.compile(rf"\({ARGUMENT_OF}[^() ]+ of [\w.]+({re.escape(TEXT_HINT)})?\)$")
_LONG = 200  # characters of a path
_OF_DOCUMENTS = ("document", "documents", "left", "right", "queries", "paths")  # arguments


def _argument(error: SdtextError, arguments: dict[str, object]) -> str:
    """The name of the argument that an error is about, "" if none is known to be."""
    for name, given in arguments.items():
        items = given if isinstance(given, list | tuple) else [given]
        paths = [item for item in items if item and isinstance(item, str | PathLike)]
        if any(str(error).startswith(f"{shown(path)}: ") for path in paths):
            return name
        if any(error.what.startswith(f"a path is {_as_path(item)}; ") for item in items):
            return name
    named = (name for name in arguments if re.match(rf"(there is no )?{name}\b", error.what))
    return next(named, "") if not error.file else ""


def _as_path(given: object) -> str:
    """How a message names what is no path."""
    return brief(given) if given != "" else "empty, as of a variable that is not set"


def _text_for_path(error: SdtextError, argument: str, given: object) -> str:
    """The string that may be meant as a text where the path of a document is expected, or ""."""
    signs = ("no such file", "name too long")
    if argument not in _OF_DOCUMENTS or type(error) is not UnreadableError:
        return ""
    if not any(sign in error.what for sign in signs):
        return ""
    items = given if isinstance(given, list | tuple) else [given]
    strings = (item for item in items if isinstance(item, str))
    return next((text for text in strings if str(error).startswith(f"{shown(text)}: ")), "")


class UnreadableError(SdtextError):
    """An input is missing, or it yields no text."""


class PackingError(UnreadableError):
    """A compressed file is damaged or unpacks to too much."""


class NotTextError(UnreadableError):
    """A file is of a kind that holds no text: empty, a picture, a program, other binary data."""

    category: ClassVar[str] = "no-text"


class TextlessError(UnreadableError):
    """A file is intact but yields no text: it is a scan, or locked."""


class MismatchError(SdtextError):
    """Two things that were made differently cannot be compared."""


class FormatError(SdtextError):
    """A dictionary, fingerprint or recipe is damaged, or is something else."""

    category: ClassVar[str] = "damaged"


class OutputError(SdtextError):
    """A result cannot be written to its destination."""
