"""What the attributes of an element of evidence say, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sdtext.errors import FormatError, brief
from sdtext.formats import EVIDENCE
from sdtext.formats.hardened_xml import local, unescaped_text, whole_number
from sdtext.model import Similarity, Span

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_USUAL = re.compile(r"[0-9]{1,15}")
_RATIO = re.compile(r"([0-9]{1,40})/([0-9]{1,40})")
_SHARE = re.compile(r"[0-9]{1,3}(\.[0-9]{1,30})?(e-[0-9]{1,3})?")
_WHOLE = re.compile(r"-?[0-9]{1,400}")
_BROKEN = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,3})?|-?INF|NaN")
_LOGICAL = {"true": True, "false": False}

Key = TypeVar("Key", str, int)
Value = TypeVar("Value")


def local_name(element: Element) -> str:
    """The element's name if it is in the namespace of evidence or in none, else ""."""
    return local(element, EVIDENCE)


@dataclass(frozen=True)
class Values:
    """An element of the evidence in the file called `name`; each method raises FormatError."""

    element: Element
    name: str

    def damage(self, what: str) -> FormatError:
        """The error that says what is wrong with this element."""
        return FormatError(f"{self.name}: is damaged: a <{local_name(self.element)}> {what}")

    @property
    def text(self) -> str:
        """The text it holds."""
        return unescaped_text(self.element.text or "")

    def named(self, attribute: str, otherwise: str | None = None) -> str:
        """An attribute as a text; without `otherwise` it must be there."""
        text = self.element.get(attribute, otherwise)
        if text is None:
            raise self.damage(f"has no {attribute}")
        return unescaped_text(text)

    def number(self, attribute: str, otherwise: int | None = None) -> int:
        """An attribute as a whole number of zero or more."""
        text = self.element.get(attribute)
        if text is None and otherwise is not None:
            return otherwise
        if text and _USUAL.fullmatch(text):  # sooner than its name for a message is made
            return int(text)
        return whole_number(text, f"{attribute} of <{local_name(self.element)}>", self.name)

    def matching(
        self, attribute: str, pattern: re.Pattern[str], otherwise: str | None, wanted: str
    ) -> str:
        """An attribute of that form."""
        text = self.named(attribute, otherwise)
        if not pattern.fullmatch(text):
            raise self.damage(f"has {brief(text)} for {attribute}; it must be {wanted}")
        return text

    def one_of(self, attribute: str, known: tuple[str, ...]) -> str:
        """An attribute that is one of the words `known`."""
        text = self.named(attribute)
        if text not in known:
            raise self.damage(f"has {brief(text)} for {attribute}; known are {', '.join(known)}")
        return text

    def share(self, attribute: str) -> float:
        """An attribute as a share from 0 to 1."""
        text = self.matching(attribute, _SHARE, None, "a share from 0 to 1")
        if (share := float(text)) > 1:
            raise self.damage(f"has {text} for {attribute}; it must be a share from 0 to 1")
        return share

    def span(self, offset: str, length: str, title: str = "") -> Span:
        """The stretch that two attributes describe."""
        start = self.number(offset)
        return Span(start, start + self.number(length), title)

    def similarity(self) -> Similarity:
        """The ratio, or its root; it must give the score that stands beside it."""
        text = self.named("similarity")
        found = _RATIO.fullmatch(text)
        top, bottom = map(int, found.groups()) if found else (1, 0)
        if top > bottom or not bottom:
            raise self.damage(
                f"has {brief(text)} for similarity; it must be a ratio from 0/1 to 1/1"
            )
        root = self.element.get("root") is not None and self.one_of("root", tuple(_LOGICAL))
        similarity, score = Similarity(top, bottom, root == "true"), self.number("score")
        if score != similarity.score:
            raise self.damage(f"says its score is {score}; {text} gives {similarity.score}")
        return similarity

    def typed(self) -> str | int | float | None:
        """The text it holds as what its `type` says."""
        kind = self.element.get("type", "text")
        text = self.text
        if kind == "text":
            return text
        if kind == "null" and not text:
            return None
        if kind == "boolean" and text in _LOGICAL:
            return _LOGICAL[text]
        if kind == "number" and _WHOLE.fullmatch(text):
            return int(text)
        if kind == "number" and _BROKEN.fullmatch(text):
            return float(text)
        raise self.damage(f"holds {brief(text)}, which is not of its type {brief(kind)}")

    def add_to(self, known: dict[Key, Value], key: Key, value: Value) -> None:
        """Keep a value that must not be there twice."""
        if key in known:
            raise self.damage(f"for {brief(key)} is there twice")
        known[key] = value

    def check_count(self, attribute: str, found: int) -> None:
        """FormatError where the element holds another number of others than it says."""
        said = self.number(attribute)
        if said != found:
            raise self.damage(f"says it holds {said} ({attribute}), and there are {found}")
