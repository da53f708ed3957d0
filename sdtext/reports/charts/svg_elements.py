"""Elements of SVG: attributes and texts are escaped, numbers are short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from markupsafe import Markup, escape

from sdtext.reports.readable_values import distinct_names

Value = str | int | float


def element(name: str, *children: str, **attributes: Value) -> Markup:
    """An element; `view_box` and `stroke_width` become viewBox and stroke-width, `class_` class.

    Texts among the children are escaped.

    >>> element("text", "<b>", x=1 / 3, text_anchor="end")
    Markup('<text x="0.33" text-anchor="end">&lt;b&gt;</text>')
    """
    words = Markup("").join(
        Markup(' {}="{}"').format(_spelled(key), number(value)) for key, value in attributes.items()
    )
    content = Markup("").join(map(escape, children))
    return Markup("<{0}{1}>{2}</{0}>").format(name, words, content)


def number(value: Value) -> str:
    """A number with two digits at most behind the point; a text as it is.

    >>> number(1.0), number(2.345), number("1em")
    ('1', '2.35', '1em')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def joined(elements: Iterable[Markup]) -> Markup:
    """The elements one after the other."""
    return Markup("").join(elements)


def chart(
    name: str, title: str, size: tuple[float, float], *children: Markup, **attributes: Value
) -> Markup:
    """A chart of that size in its own units, which screen readers call by its title."""
    width, height = size
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        *children,
        class_=f"chart {name}",
        viewBox=f"0 0 {number(float(width))} {number(float(height))}",
        width=float(width),
        height=float(height),
        role="img",
        aria_labelledby=f"{name}-title",
        **attributes,
    )


def short_number(count: int) -> str:
    """A count in few characters.

    >>> [short_number(count) for count in (999, 1500, 20_000, 3_000_000)]
    ['999', '1.5k', '20k', '3M']
    """
    for unit, sign in ((1_000_000, "M"), (1000, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{sign}"
    return str(count)


def labels_of(names: Sequence[str], width: int) -> list[str]:
    """Names of files as labels: distinct, and without their middle if they are long.

    `width` is that of `width_of`.

    >>> labels_of(["letters/a.txt", "a-long-name-of-a-file.txt", "关于联邦的论文.txt"], 12)
    ['a.txt', 'a-long…e.txt', '关于联….txt']
    """
    return [_shortened(name, width) for name in distinct_names(names)]


def _shortened(name: str, width: int) -> str:
    if width_of(name) <= width:
        return name
    end = _beginning(name[::-1], width // 2 - 1)[::-1]
    return f"{_beginning(name, width - width // 2)}…{end}"


def _beginning(text: str, width: int) -> str:
    """As many characters as fit."""
    while width_of(text) > width:
        text = text[:-1]
    return text


def width_of(text: str) -> int:
    """The width of a text in Latin letters; Chinese characters have twice that of one."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _spelled(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
