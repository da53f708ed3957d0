"""Elements of an HTML page that a browser does not show, by their own styles or simple rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_NONE: Mapping[str, re.Pattern[str]] = {
    "display": re.compile("none"),
    "visibility": re.compile("hidden|collapse"),
    "opacity": re.compile(r"0*\.?0*%?"),
    "font-size": re.compile(r"(?:0*\.?0+|0*\.\d+(?:px|pt)|1px)(?:[a-z]+|%)?"),
    "color": re.compile(r"transparent|rgba\(.*,\s*0*\.?0*\s*\)"),
}
_WHITE = re.compile(r"white|#f{3}|#f{6}|rgb\(255,255,255\)")
_GROUND = re.compile(r"background[\w-]*\s*:([^;{}]*)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PART = re.compile(r"[^{}]+|[{}]")
_SELECTOR = re.compile(r"\s*(?:[\w-]*([.#][\w-]+)|([a-z][\w-]*))\s*", re.IGNORECASE)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "wbr"}
)
_MAX_STYLES = 1000
_MAX_RULES = 1 << 20  # characters of the rules of a page that are looked at


class HiddenElements:
    """Follows the tags of a page; `inside` is true within an element that is not shown.

    `names` are the tags, classes and ids that a rule hides.

    >>> elements = HiddenElements()
    >>> elements.rules(".x { display: none }")
    >>> elements.start("p", {"class": "a x"}), elements.start("b", {}), elements.inside
    (None, None, True)
    >>> elements.end("b"), elements.inside, elements.end("p"), elements.inside
    (None, True, None, False)
    """

    def __init__(self) -> None:
        self._depth: int = 0
        self.names: set[str] = set()
        self._white_names: set[str] = set()
        self._length = 0
        self._known: dict[tuple[str, bool], bool] = {}
        self._has_grounds = False  # one that is not white may make white text visible

    @property
    def inside(self) -> bool:
        """Whether the text here is hidden."""
        return self._depth > 0

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if tag in _VOID:
            self._has_grounds = self._has_grounds or tag == "link"
        elif self._depth:
            self._depth += 1
        else:
            self._depth = self._is_hidden(tag, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if self._depth and tag not in _VOID:
            self._depth -= 1

    def rules(self, sheet: str) -> None:
        """Add the rules of a style sheet: those for one tag, class or id, outside of conditions."""
        self._length += len(sheet)
        if self._length > _MAX_RULES:
            return
        sheet = _COMMENT.sub("", sheet)
        self._has_grounds = self._has_grounds or "@import" in sheet or _has_ground(sheet)
        for selectors, style in _rules(sheet):
            declarations = _declarations(style)
            if _hides(declarations, grounds=True):
                self.names |= _named(selectors)
            elif _hides(declarations, grounds=False):
                self._white_names |= {name for name in _named(selectors) if name[0] in ".#"}

    def _is_hidden(self, tag: str, attrib: Mapping[str, str]) -> bool:
        style = attrib.get("style", "")
        if tag == "font":
            style = f"color:{attrib.get('color', '')};{style}"
        ground = f"background:{attrib['bgcolor']};{style}" if "bgcolor" in attrib else style
        self._has_grounds = self._has_grounds or "background" in attrib or _has_ground(ground)
        if "hidden" in attrib or (style and self._hides(style)):
            return True
        names = self.names if self._has_grounds else self.names | self._white_names
        return bool(names) and not names.isdisjoint(_selectors(tag, attrib))

    def _hides(self, style: str) -> bool:
        """Whether an element of this style is hidden; pages repeat their styles."""
        key = style, self._has_grounds
        if key not in self._known:
            if len(self._known) >= _MAX_STYLES:
                self._known.clear()
            self._known[key] = _hides(_declarations(style), grounds=self._has_grounds)
        return self._known[key]


def _named(selectors: str) -> set[str]:
    """The tags, classes and ids that the simple ones of these selectors select."""
    matches = map(_SELECTOR.fullmatch, selectors.split(","))
    return {(match[1] or match[2]).lower() for match in matches if match}


def _has_ground(style: str) -> bool:
    """Whether declarations name a background that is not white."""
    values = ("".join(value.lower().split()) for value in _GROUND.findall(style))
    return not all(_is_white(value.removesuffix("!important")) for value in values)


def _selectors(tag: str, attrib: Mapping[str, str]) -> Iterator[str]:
    """The names by which a simple rule may select the element."""
    yield tag
    if "id" in attrib:
        yield f"#{attrib['id'].lower()}"
    for name in attrib.get("class", "").lower().split():
        yield f".{name}"


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and the declarations of each rule that holds without a condition."""
    depth, before = 0, ""
    for match in _PART.finditer(sheet):
        part = match[0]
        if part == "{":
            depth += 1
        elif part == "}":
            depth = max(0, depth - 1)
            before = ""
        elif depth == 0:
            before = part
        elif depth == 1 and before and not before.lstrip().startswith("@"):
            yield before, part


def _declarations(style: str) -> dict[str, str]:
    """The values of a style by property, in lower case and without blanks."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {
        name.strip(): "".join(value.replace("!important", "").split()) for name, _, value in pairs
    }


def _hides(style: Mapping[str, str], *, grounds: bool) -> bool:
    """Whether text of this style is not seen; `grounds`: there may be any background."""
    if any(name in style and pattern.fullmatch(style[name]) for name, pattern in _NONE.items()):
        return True
    color = style.get("color", "")
    ground = style.get("background-color", style.get("background", ""))
    if ground:
        return bool(color) and (color == ground or (_is_white(color) and _is_white(ground)))
    return _is_white(color) and not grounds


def _is_white(color: str) -> bool:
    return _WHITE.fullmatch(color) is not None
