"""Text that a document does not show: how it is recognised, and what becomes of it.

One rule for all formats: a reader of the document does not see text that is switched off, of one
point or less, or of a colour that does not stand out from the ground it is on. Such text is kept
behind the paragraph it stands in, or left out, and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from sdtext.model import Problem
from sdtext.wording import printable

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
WHITE: Color = (255, 255, 255)
SMALLEST = 1.0
"""Points: text of this size is not seen, nor is smaller text."""

_LEAST_CONTRAST = 1.05  # near white: gray from 250 on
_MOST_DIFFERENCE = 32  # of one of the three: more is another hue
_LENGTH = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(pt|px|in|cm|mm|pc|pi|r?em|%)")
# Of "em" and the like, 12 points are assumed.
_POINTS = {"pt": 1, "px": 0.75, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "%": 0.12}
_HEX = re.compile(r"#?(?:([0-9a-f]{6})|([0-9a-f]{3}))", re.IGNORECASE)
KEEP, DROP = "keep", "drop"
"""What becomes of hidden text: it is read, or left out."""


_QUOTED = 40  # characters
_MOST_TEXT = 1 << 20  # characters of hidden text that a problem quotes


class Appearance(NamedTuple):
    """How text appears. A colour or ground of None is chosen by the program, or not known.

    `is_clear`: it is painted without opacity. `is_within_hidden`: it is a part of what is hidden as
    a whole, whatever its own style.

    >>> Appearance(color=(254, 254, 254)).is_unseen, Appearance(color=(255, 255, 0)).is_unseen
    (True, False)
    """

    is_hidden: bool = False
    color: Color | None = None
    ground: Color | None = WHITE
    points: float = 12.0
    is_clear: bool = False
    is_within_hidden: bool = False

    def with_style(self, says: Mapping[str, Any]) -> Appearance:
        """The appearance in a style that says some of these fields; a ground of () is that around.

        >>> Appearance().with_style({"points": 8.0, "ground": (), "level": 1}).points
        8.0
        """
        own = {key: says[key] for key in self._fields if says.get(key, ()) != ()}
        return self._replace(**own)

    @property
    def is_unseen(self) -> bool:
        """Whether a reader of the document does not see the text."""
        is_off = self.is_hidden or self.is_within_hidden or self.is_clear
        if is_off or self.points <= SMALLEST:
            return True
        return (
            self.color is not None
            and self.ground is not None
            and is_indistinct(self.color, self.ground)
        )


def hex_color(value: str) -> Color | None:
    """The colour written as "#rrggbb" or "#rgb", also without "#"; None for anything else.

    >>> hex_color("#fff"), hex_color("000080"), hex_color("auto")
    ((255, 255, 255), (0, 0, 128), None)
    """
    match = _HEX.fullmatch(value)
    if not match:
        return None
    red, green, blue = bytes.fromhex(match[1] or "".join(2 * digit for digit in match[2]))
    return red, green, blue


def points_of(length: str) -> float | None:
    """A length with its unit in points, or a share or multiple of 12 points; None if it is neither.

    >>> points_of("0.5in"), points_of("50%"), points_of("2em"), points_of("big")
    (36.0, 6.0, 24.0, None)
    """
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _POINTS.get(match[2], 12) if match else None


@cache
def is_indistinct(color: Color, ground: Color) -> bool:
    """Whether text of the colour does not stand out from the ground.

    Its contrast ratio (WCAG 2.2, "contrast ratio", from 1 to 21) is below 1.05, and its hue is
    nearly that of the ground.

    >>> is_indistinct((250, 250, 250), WHITE), is_indistinct((204, 204, 204), WHITE)
    (True, False)
    """
    if max(abs(own - other) for own, other in zip(color, ground, strict=True)) > _MOST_DIFFERENCE:
        return False
    dark, light = sorted((_luminance(color), _luminance(ground)))
    return (light + 0.05) / (dark + 0.05) < _LEAST_CONTRAST


def _luminance(color: Color) -> float:
    red, green, blue = (
        value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4
        for value in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class HiddenText:
    """Gathers hidden text apart from the text that is shown, so that it parts no words there.

    >>> hidden = HiddenText()
    >>> hidden.add("not  seen")
    >>> hidden.take(), [problem.category for problem in hidden.problems("a.html")]
    ('not seen', ['hidden-text'])
    """

    def __init__(self, hidden: str = KEEP) -> None:
        self._is_kept = hidden == KEEP
        self.waiting: list[str] = []  # what was added since it was last taken
        self._kept: list[str] = []
        self._characters = 0
        self._first = ""

    def add(self, text: str) -> None:
        """Note hidden text, for `take`."""
        self.waiting.append(text)

    def keeps(self, text: str) -> bool:
        """Note text that is not shown and stays in its place; whether it is to be read.

        White space stays: nobody sees it anyway, and it parts words.
        """
        if text.isspace():
            return True
        self._first = (self._first + text)[:_QUOTED]
        self._keep(text)
        return self._is_kept

    def _keep(self, text: str) -> None:
        self._characters += len(text)
        if self._is_kept and self._characters <= _MOST_TEXT:
            self._kept.append(text)

    def take(self) -> str:
        """The text added since the last call, on one line; "" if it is to be left out."""
        if not self.waiting:
            return ""
        text = " ".join(" ".join(self.waiting).split())
        self.waiting.clear()
        self._first = self._first or text[:_QUOTED]
        self._keep(text)
        return text if self._is_kept else ""

    def problems(self, name: str) -> Iterator[Problem]:
        """A warning about what was hidden in the file of that name."""
        if self._characters:
            done = "read as well; hidden=drop leaves it out" if self._is_kept else "left out"
            what = (
                f"{self._characters:,} characters are hidden from readers, from "
                f"“{printable(self._first)}” on; {done}"
            )
            message, kept = f"{name}: {what}", tuple(self._kept)
            yield Problem("warning", "hidden-text", message, what=what, texts=kept)
