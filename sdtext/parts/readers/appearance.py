"""How text appears, as far as that decides whether a reader of the document sees it.

One rule for all formats: text is not seen that is switched off, of one point or less, or of a
colour that does not stand out from the ground it is on.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple, TypeAlias

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
WHITE: Color = (255, 255, 255)
SMALLEST = 1.0
"""Points: text of this size is not seen, nor is smaller text."""

_LEAST_CONTRAST = 1.05  # near white: gray from 250 on
_MOST_DIFFERENCE = 32  # of one of the three: more is another hue
_LENGTH = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(pt|px|in|cm|mm|pc|pi|r?em|%)")
_POINTS = {
    "pt": 1,
    "px": 0.75,
    "in": 72,
    "cm": 72 / 2.54,
    "mm": 72 / 25.4,
    "pc": 12,
    "pi": 12,
    "em": 12,
    "rem": 12,
    "%": 0.12,
}
_HEX = re.compile(r"#?(?:([0-9a-f]{6})|([0-9a-f]{3}))", re.IGNORECASE)


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
    return (
        float(match[1]) * _POINTS.get(match[2], 0.12 if match[2] == "%" else 12) if match else None
    )


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
    """The relative luminance, from 0 to 1 (WCAG 2.2)."""
    red, green, blue = (
        value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4
        for value in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
