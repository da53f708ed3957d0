"""The `<evidence>` element, read as a stream and checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats.dictionary_xml import SYSTEM
from sdtext.formats.evidence_values import Values, local_name
from sdtext.formats.hardened_xml import check_version, events, forget
from sdtext.model import (
    Coverage,
    Edit,
    Evidence,
    Examined,
    Origin,
    Part,
    Passage,
    Problem,
    Shared,
    System,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

EDITS = ("replace", "delete", "insert")
_SEVERITIES = ("warning", "error")
_CATEGORY = re.compile(r"[a-z][a-z-]{0,40}")
_DIGEST = re.compile(r"[0-9a-f]{0,128}")
_DEEPEST = 4


def read_evidence(file: IO[bytes], name: str) -> Evidence:
    """The evidence in an XML file; `name` is for messages. Raises FormatError."""
    stream = events(file, name, _TAGS)
    for _, root in stream:
        if local_name(root) != "evidence" or root.getparent() is not None:
            break
        check_version(root, name)
        found = _Found(name, Origin(root.get("guid", "")))
        for event, element in stream:
            if event == "end" and (taken := _TAKEN.get(_path(element))):
                taken(found, element)
                forget(element)
        return found.evidence()
    raise FormatError(f"{name}: is not evidence of reused text")


def _path(element: Element) -> str:
    """The names from the first element of the file on; "" deeper than any of ours stands."""
    names: list[str] = []
    here: Element | None = element
    while here is not None and len(names) <= _DEEPEST:
        names.append(local_name(here))
        here = here.getparent()
    return "/".join(reversed(names)) if here is None else ""


@dataclass
class _Found:
    """What was read of an `<evidence>` so far, and of the element of it that is not yet ended."""

    name: str
    origin: Origin
    lists: set[str] = field(default_factory=set)
    how: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    metadata: dict[str, str | int | float | None] = field(default_factory=dict)
    documents: list[Examined] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    likeness: dict[str, int] = field(default_factory=dict)
    sources: dict[int, float] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def values(self, element: Element) -> Values:
        return Values(element, self.name)

    def evidence(self) -> Evidence:
        """All of it, once the file has ended. Raises FormatError where a list is not there."""
        if lacking := sorted({"documents", "pairs"} - self.lists):
            raise FormatError(f"{self.name}: is damaged: it has no <{lacking[0]}>")
        return Evidence(
            tuple(self.documents),
            tuple(self.shared),
            tuple(self.coverage),
            self.parameters,
            self.how,
            tuple(self.problems),
            self.origin,
        )


def _take_created(found: _Found, element: Element) -> None:
    found.origin = replace(found.origin, created=(element.text or "").strip())


def _take_system(found: _Found, element: Element) -> None:
    told = {local_name(one): (one.text or "").strip() for one in element}
    sysname, release, host, arch = (told.get(tag, "") for tag in SYSTEM)
    found.origin = replace(found.origin, system=System(sysname, release, host, arch))


def _take_how(found: _Found, element: Element) -> None:
    found.how = found.values(element).text


def _take_parameter(found: _Found, element: Element) -> None:
    values = found.values(element)
    values.add_to(found.parameters, values.named("name"), values.text)


def _take_name(found: _Found, element: Element) -> None:
    found.names.append(found.values(element).text)


def _take_metadata(found: _Found, element: Element) -> None:
    values = found.values(element)
    values.add_to(found.metadata, values.named("name"), values.typed())


def _take_document(found: _Found, element: Element) -> None:
    values = found.values(element)
    if len(found.names) != 1:
        raise values.damage(f"has {len(found.names)} <name>; it must have 1")
    examined = Examined(
        found.names[0],
        values.number("words"),
        values.number("length", 0),
        values.matching("digest", _DIGEST, "", "hexadecimal"),
        values.number("short", 0),
        found.metadata,
    )
    found.documents.append(examined)
    found.names, found.metadata = [], {}


def _check_documents(found: _Found, element: Element) -> None:
    found.lists.add("documents")
    found.values(element).check_count("count", len(found.documents))


def _take_likeness(found: _Found, element: Element) -> None:
    values = found.values(element)
    score = values.number("score")
    if score > 99:
        raise values.damage(f"has a score of {score}; the highest is 99")
    values.add_to(found.likeness, values.named("field"), score)


def _take_passage(found: _Found, element: Element) -> None:
    values = found.values(element)
    passage = Passage(
        values.span("left_offset", "left_length"),
        values.span("right_offset", "right_length"),
        values.similarity(),
        values.number("common"),
        (values.number("left_terms"), values.number("right_terms")),
        tuple(found.edits),
        values.named("excluded", ""),
    )
    found.passages.append(passage)
    found.edits = []


def _take_edit(found: _Found, element: Element) -> None:
    values = found.values(element)
    edit = Edit(
        values.one_of("kind", EDITS),
        values.span("left_offset", "left_length"),
        values.span("right_offset", "right_length"),
    )
    found.edits.append(edit)


def _take_pair(found: _Found, element: Element) -> None:
    """Add a pair: its documents are there, and its passages lie in them."""
    values = found.values(element)
    left, right = (_place(found, values, side) for side in ("left", "right"))
    values.check_count("passages", len(found.passages))
    for passage in found.passages:
        _check_inside(found, passage, left, right)
    shared = Shared(
        left,
        right,
        tuple(found.passages),
        values.share("left_share"),
        values.share("right_share"),
        found.likeness,
    )
    found.shared.append(shared)
    found.passages, found.likeness = [], {}


def _place(found: _Found, values: Values, attribute: str) -> int:
    place = values.number(attribute)
    if place >= len(found.documents):
        raise values.damage(
            f"says {attribute} is document {place}; there are {len(found.documents)}, from 0"
        )
    return place


def _check_inside(found: _Found, passage: Passage, left: int, right: int) -> None:
    """FormatError where a passage goes beyond its document, or an edit beyond its passage."""
    for side, place in (("left", left), ("right", right)):
        length, whole = found.documents[place].length, getattr(passage, side)
        if length and whole.end > length:
            raise FormatError(
                f"{found.name}: is damaged: a <passage> ends at {whole.end} of document {place}, "
                f"which has {length} characters"
            )
        for span in (getattr(edit, side) for edit in passage.edits):
            if span.start < span.end and not whole.start <= span.start < span.end <= whole.end:
                raise FormatError(
                    f"{found.name}: is damaged: an <edit> at {span.start} to {span.end} is outside "
                    f"of its <passage>, {whole.start} to {whole.end}"
                )


def _check_pairs(found: _Found, element: Element) -> None:
    found.lists.add("pairs")
    found.values(element).check_count("count", len(found.shared))


def _take_coverage(found: _Found, element: Element) -> None:
    values = found.values(element)
    document, share = _place(found, values, "document"), values.share("share")
    found.coverage.append(Coverage(document, share, found.sources, tuple(found.parts)))
    found.sources, found.parts = {}, []


def _take_source(found: _Found, element: Element) -> None:
    values = found.values(element)
    values.add_to(found.sources, _place(found, values, "document"), values.share("share"))


def _take_part(found: _Found, element: Element) -> None:
    values = found.values(element)
    span = values.span("offset", "length", values.text)
    found.parts.append(Part(span, values.number("words"), values.share("share")))


def _take_problem(found: _Found, element: Element) -> None:
    values = found.values(element)
    problem = Problem(
        values.one_of("severity", _SEVERITIES),
        values.matching("category", _CATEGORY, None, "a word"),
        values.text,
        values.named("path", ""),
    )
    found.problems.append(problem)


_Taker = Callable[[_Found, "Element"], None]
_TAKEN: dict[str, _Taker] = {
    "evidence/created": _take_created,
    "evidence/execution_environment": _take_system,
    "evidence/how": _take_how,
    "evidence/parameters/parameter": _take_parameter,
    "evidence/documents/document/name": _take_name,
    "evidence/documents/document/metadata": _take_metadata,
    "evidence/documents/document": _take_document,
    "evidence/documents": _check_documents,
    "evidence/pairs/pair/likeness": _take_likeness,
    "evidence/pairs/pair/passage/edit": _take_edit,
    "evidence/pairs/pair/passage": _take_passage,
    "evidence/pairs/pair": _take_pair,
    "evidence/pairs": _check_pairs,
    "evidence/coverage/source": _take_source,
    "evidence/coverage/part": _take_part,
    "evidence/coverage": _take_coverage,
    "evidence/problem": _take_problem,
}
"""What is done at the end of each element, by the names that lead to it."""

_TAGS = sorted({path.rpartition("/")[2] for path in ("evidence", *_TAKEN)})
