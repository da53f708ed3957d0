"""Types of option values that people write in several ways: scores, fractions, sizes, times.

What is meant beyond doubt is understood; anything else is refused with what to write instead.
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdtext.deduplication.rule_names import FieldChoice
from sdtext.model.record_formats import BINARY_ENDINGS, TEXT_ENDINGS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

STANDARD_OUTPUT = "-"
_STREAM_NAMES = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

_KIB, _MINUTE = 1024, 60.0
SIZES = {"": 1.0, "b": 1.0} | {
    f"{letter}{ending}": float(_KIB**power)
    for power, letter in enumerate("kmgt", 1)
    for ending in ("", "b", "ib")
}
"""Bytes in each unit of size; as everywhere in sdtext, a kilobyte has 1024."""
TIMES = {"": 1.0, "ms": 0.001} | {
    name: seconds
    for names, seconds in (("s sec", 1.0), ("m min", _MINUTE), ("h", 60 * _MINUTE))
    for name in names.split()
}
"""Seconds in each unit of time."""

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(.*)", re.DOTALL | re.IGNORECASE)
_COMMA = re.compile(r"(?<=\d),(?=\d)")


class _Value(click.ParamType[Any]):
    """A type that refuses a text in one sentence: what it is, what it must be."""

    @property
    @abstractmethod
    def wanted(self) -> str:
        """What is allowed, with an example."""

    @abstractmethod
    def parse(self, text: str) -> float | int | None:
        """The value of a text, None if it is not allowed."""

    def hint(self, _text: str) -> str:
        """What the person may have meant: the end of the message."""
        return ""

    def _with_point(self, text: str) -> str:
        """What to write for a number with a decimal comma, "" for other texts."""
        pointed = _COMMA.sub(".", text)
        return f"; write {pointed}" if pointed != text and self.parse(pointed) is not None else ""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | int:
        text = _bare(value)
        result = self.parse(text)
        if result is None:
            hint = self._with_point(text) or self.hint(text)
            self.fail(f"{text or repr(text)} is not {self.wanted}{hint}.", param, ctx)
        return result


class MinimumScore(_Value):
    """A score: a whole number from 0 to 99; 80% and 0.8 mean 80.

    The score of equal documents is 99, so that 100, 100% and 1.0 are none.

    >>> [MinimumScore().parse(text) for text in ("80", "80%", "0.8", "0.805", "100%", "1.0")]
    [80, 80, 80, None, None, None]
    """

    name = "score"
    wanted = "a score: a whole number from 0 to 99, such as 80"

    def parse(self, text: str) -> int | None:
        """The value of a text, None if it is not allowed."""
        number, unit = _split(text)
        if unit == "" and "." in text and number < 1:
            number, unit = round(100 * number, 9), "%"
        whole = isfinite(number) and number == int(number) and (unit == "%" or "." not in text)
        return int(number) if whole and unit in ("", "%") and 0 <= number <= 99 else None

    def hint(self, text: str) -> str:
        number, unit = _split(text)
        if (unit, number) in (("", 1), ("", 100), ("%", 100)):
            return "; for the highest score write 99"
        return ""


@dataclass(frozen=True)
class Fraction(_Value):
    """A number from `least` to `most`; 30% means 0.3.

    >>> Fraction(0, 1).parse("0.3"), Fraction(0, 1).parse("30%"), Fraction(0, 1).parse("30")
    (0.3, 0.3, None)
    """

    least: float = -inf
    most: float = inf
    least_excluded: bool = False
    most_excluded: bool = False
    name = "fraction"

    @property
    def wanted(self) -> str:
        if self.least == -inf:
            return "a number, such as 0.3 or 30%"
        if not self.least_excluded:
            return f"a number from {self.least:g} to {self.most:g}"
        high = f"{'below' if self.most_excluded else 'at most'} {self.most:g}"
        return f"a number above {self.least:g} and {high}"

    def parse(self, text: str) -> float | None:
        number, unit = _split(text)
        if unit == "%":
            number = round(number / 100, 12)
        elif unit:
            return None
        above = number > self.least if self.least_excluded else number >= self.least
        below = number < self.most if self.most_excluded else number <= self.most
        return number if above and below else None

    def hint(self, text: str) -> str:
        number, unit = _split(text)
        if unit == "" and 10 <= number < 100:  # 1.2 is no share in per cent
            return f"; write {number / 100:g} or {number:g}%"
        return ""


@dataclass(frozen=True)
class Quantity(_Value):
    """A number above 0 from `least` to `most`, with one of the `units` or without.

    >>> Quantity("time", TIMES).parse("2m"), SIZE.parse("1GB"), SIZE.parse("1 parsec")
    (120.0, 1073741824, None)
    """

    name: str
    units: Mapping[str, float]
    least: float = 0
    most: float = inf

    @property
    def wanted(self) -> str:
        """What is allowed, with an example."""
        examples = "256MB or 1GB" if self.units is SIZES else "90, 90s or 2m"
        return f"a {self.name} such as {examples}"

    def parse(self, text: str) -> float | int | None:
        """The value of a text, None if it is not allowed."""
        value = self._value(text)
        if not (value > 0 and self.least <= value <= self.most):
            return None
        return int(value) if self.units is SIZES else value

    def hint(self, text: str) -> str:
        """The limit that the value exceeds."""
        value = self._value(text)
        if 0 < value < self.least:
            return f"; the least is {_with_unit(self.least, self.units)}"
        return f"; the most is {_with_unit(self.most, self.units)}" if value > self.most else ""

    def _value(self, text: str) -> float:
        number, unit = _split(text)
        return number * self.units.get(unit.lower(), 0)


SIZE = Quantity("size", SIZES, 1)


def _bare(value: object) -> str:
    """The text of a value without blanks around it, and without the sign of -s=80.

    >>> _bare("=0.8"), _bare(" 80 ")
    ('0.8', '80')
    """
    return str(value).strip().removeprefix("=").strip()


_MOST = 10**15 - 1


class WholeNumber(click.IntRange):
    """A whole number of `min` or more, refused in the same words as other values."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number in a text."""
        text = _bare(value)
        if re.fullmatch(r"\+?\d{16,}", text):
            self.fail(f"{text} is too large; the most is {_MOST:,}.", param, ctx)
        number = int(text) if re.fullmatch(r"[+-]?\d{1,15}", text) else None
        if number is None or number < (self.min or 0):
            self.fail(
                f"{text or repr(text)} is not a whole number of {self.min:g} or more.", param, ctx
            )
        return number


class FieldChoiceType(click.ParamType[str]):
    """One of some choices; NAME:FIELD names a field of records, [:FIELD] need not be there."""

    name = "choice"

    def __init__(self, forms: Sequence[str]) -> None:
        self.forms = forms

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 (click's)
        """The choices."""
        return "|".join(self.forms)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The same, if it is a choice."""
        if value and FieldChoice.parsed(value, self.forms) is None:
            known = ", ".join(map(repr, self.forms))
            self.fail(f"{value!r} is not one of {known}.", param, ctx)
        return str(value)

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        param: click.Parameter,  # noqa: ARG002 (click's)
        incomplete: str,
    ) -> list[CompletionItem]:
        """The choices that begin so, up to the name of a field."""
        names = [form.partition("[")[0].partition("FIELD")[0] for form in self.forms]
        return _beginning(names, incomplete)


class _CompletedText(click.types.StringParamType):
    """A text that a shell completes. The help says what a required option is that is missing."""

    def get_missing_message(
        self,
        param: click.Parameter,
        ctx: click.Context | None,  # noqa: ARG002 (as click calls it)
    ) -> str | None:
        """What a required option is for, as its help says."""
        text = param.help if isinstance(param, click.Option) else None
        return text and text.split("  [")[0].removesuffix(" Repeatable.")


@dataclass(frozen=True)
class PartName(_CompletedText):
    """The name of a part of a kind, such as matchers, perhaps with options."""

    kind: str

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The parts that begin like `incomplete`."""
        from sdtext.parts.registry import PARTS

        return _beginning(sorted(PARTS[self.kind]), incomplete)


@dataclass(frozen=True)
class InputPath(_CompletedText):
    """The path of an input, or the name of what is bundled: `recipes` or `dictionaries`.

    Verbs refuse it if it is empty.
    """

    bundled: str = ""

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names of files, first: bash offers them where no name fits. Then those bundled."""
        from click.shell_completion import CompletionItem

        from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES

        names = {"recipes": RECIPES.names, "dictionaries": DICTIONARIES.names}
        bundled = names[self.bundled]() if self.bundled else ()
        return [CompletionItem(incomplete, type="file"), *_beginning(bundled, incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@dataclass(frozen=True)
class OutputPath(click.ParamType[str]):
    """The path of an output; all names of the standard output become "-".

    A name that says another format than what is written, `called` in messages, is refused. Names
    of that format end in one of `endings`; without these, all names are taken.
    """

    called: str = ""
    endings: tuple[str, ...] = ()
    name = "path"

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names of files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = Path(value)
        is_folder = str(value).endswith(("/", os.sep)) or path.is_dir()
        ending = "" if is_folder else path.suffix.lower()
        if (
            self.endings
            and ending in (*BINARY_ENDINGS, *TEXT_ENDINGS)
            and ending not in self.endings
        ):
            name = path.with_suffix(self.endings[0])
            self.fail(
                f"{value} is the name of another format, and the output is {self.called}; name it "
                f"{name}.",
                param,
                ctx,
            )
        return STANDARD_OUTPUT if value in _STREAM_NAMES else str(value)


XML_PATH = OutputPath("XML", (".xml",))
HTML_PATH = OutputPath("HTML", (".html", ".htm", ".xhtml"))
TEXT_PATH = OutputPath("plain text", (".txt", *TEXT_ENDINGS))


def _split(text: str) -> tuple[float, str]:
    """The number at the beginning of a text, and its unit; NaN if there is no number."""
    match = _NUMBER.fullmatch(text)
    return (float(match[1]), match[2].strip()) if match else (float("nan"), text)


def _with_unit(value: float, units: Mapping[str, float]) -> str:
    """A limit in the unit that messages use: megabytes or seconds."""
    return f"{value / units['mb']:,.0f} MB" if units is SIZES else f"{value:,.0f} seconds"
