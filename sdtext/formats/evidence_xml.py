"""The `<evidence>` element, written and read as a stream: shared text and how it was found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from sdtext.errors import FormatError, brief
from sdtext.formats import EVIDENCE
from sdtext.formats.dictionary_xml import system_lines
from sdtext.formats.hardened_xml import (
    closed,
    damaged,
    element,
    escaped,
    escaped_text,
    given,
    local,
    number_or_none,
    opened,
    unescaped_text,
    whole_number,
    write_lines,
)
from sdtext.model import (
    FORMAT_VERSION,
    Coverage,
    Edit,
    Evidence,
    Examined,
    Passage,
    Problem,
    Shared,
    Similarity,
    Span,
    WordCounts,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element
from collections.abc import Callable
from dataclasses import field, replace
from itertools import pairwise
from typing import IO, TYPE_CHECKING

from sdtext.formats.dictionary_xml import SYSTEM
from sdtext.formats.hardened_xml import check_version, events, forget
from sdtext.model import Origin, Part, System

_SHORT_NUMBER = re.compile(r"[0-9]{1,15}")
_RATIO = re.compile(r"([0-9]{1,40})/([0-9]{1,40})")
_LOGICAL = {"true": True, "false": False}
Key = TypeVar("Key", str, int)
Value = TypeVar("Value")
EDITS = ("replace", "delete", "insert")
_SIDES = ("left", "right")
_SEVERITIES = ("warning", "error")
_CATEGORY = re.compile(r"[a-z][a-z-]{0,40}")
_DIGEST = re.compile(r"[0-9a-f]{0,128}")
_DEEPEST = 4


def write_evidence(file: BinaryIO, evidence: Evidence) -> None:
    """Write `evidence` as an XML file, passage by passage."""
    write_lines(file, _lines(evidence))


def _lines(evidence: Evidence) -> Iterator[str]:
    origin = evidence.origin
    guid = {"guid": origin.guid} if origin.guid else {}
    yield opened("evidence", is_root=True, xmlns=EVIDENCE, version=FORMAT_VERSION, **guid)
    yield given("created", origin.created)
    yield from system_lines(origin.system)
    yield given("how", escaped_text(evidence.how))
    yield opened("parameters")
    for name, value in evidence.parameters.items():
        yield element("parameter", escaped_text(value), name=escaped_text(name))
    yield closed("parameters")
    yield opened("documents", count=str(len(evidence.documents)))
    for examined in evidence.documents:
        yield from _document(examined)
    yield closed("documents")
    yield opened("pairs", count=str(len(evidence.shared)))
    for shared in evidence.shared:
        yield from _pair(shared)
    yield closed("pairs")
    for coverage in evidence.coverage:
        yield from _coverage(coverage)
    for problem in evidence.problems:
        yield _problem(problem)
    yield closed("evidence")


def _document(examined: Examined) -> Iterator[str]:
    attributes = {"words": str(examined.words)}
    if examined.length:
        attributes["length"] = str(examined.length)
    if examined.digest:
        attributes["digest"] = examined.digest
    if examined.short:
        attributes["short"] = str(examined.short)
    attributes |= _word_counts(examined)
    yield opened("document", is_root=False, **attributes)
    yield element("name", escaped_text(examined.name))
    for name, value in examined.metadata.items():
        yield _metadata(name, value)
    yield closed("document")


def _word_counts(examined: Examined) -> dict[str, str]:
    """The attributes from which shares can be computed anew: lists of numbers."""
    counts, excluded = examined.word_counts, examined.excluded
    lists = {
        "offsets": counts.offsets if counts else (),
        "words_before": counts.words if counts else (),
        "excluded": [place for span in excluded for place in (span.start, span.end - span.start)],
    }
    return {name: " ".join(map(str, numbers)) for name, numbers in lists.items() if numbers}


def _metadata(name: str, value: str | int | float | None) -> str:
    """A metadata field: a text, or another type named by `type`."""
    named = {"name": escaped_text(name)}
    if isinstance(value, str):
        return element("metadata", escaped_text(value), **named)
    if value is None:
        return element("metadata", **named, type="null")
    if isinstance(value, bool):  # which Python takes for a number
        return element("metadata", str(value).lower(), **named, type="boolean")
    return element("metadata", _number(value), **named, type="number")


def _number(value: float) -> str:
    """A number as XML Schema writes it."""
    return repr(value).replace("inf", "INF").replace("nan", "NaN")


def _pair(shared: Shared) -> Iterator[str]:
    yield opened(
        "pair",
        left=str(shared.left),
        right=str(shared.right),
        left_share=repr(float(shared.left_share)),
        right_share=repr(float(shared.right_share)),
        passages=str(len(shared.passages)),
    )
    for column, score in shared.likeness.items():
        yield element("likeness", field=escaped_text(column), score=str(score))
    yield from map(_passage, shared.passages)
    yield closed("pair")


def _passage(passage: Passage) -> str:
    """A `<passage>` with its content, in one string, since there may be a million."""
    excluded = f' excluded="{_attribute(passage.excluded)}"' if passage.excluded else ""
    verbatim = "" if passage.verbatim is None else f' verbatim="{passage.verbatim}"'
    left, right = passage.terms
    begin = (
        f"<passage {_place_attributes(passage.left, passage.right)} "
        f"{_similarity(passage.similarity)} "
        f'common="{passage.common}" left_terms="{left}" right_terms="{right}"{verbatim}{excluded}'
    )
    inside = [*map(_edit, passage.edits), *_gaps(passage)]
    if not inside:
        return f"{begin}/>\n"
    return f"{begin}>\n{''.join(inside)}</passage>\n"


def _place_attributes(left: Span, right: Span) -> str:
    return (
        f'left_offset="{left.start}" left_length="{left.end - left.start}" '
        f'right_offset="{right.start}" right_length="{right.end - right.start}"'
    )


def _similarity(similarity: Similarity) -> str:
    root = ' root="true"' if similarity.root else ""
    ratio = f"{similarity.top}/{similarity.bottom}"
    return f'score="{similarity.score}" similarity="{ratio}"{root}'


def _attribute(text: str) -> str:
    return escaped(escaped_text(text))


def _edit(edit: Edit) -> str:
    return f'<edit kind="{edit.kind}" {_place_attributes(edit.left, edit.right)}/>\n'


def _gaps(passage: Passage) -> Iterator[str]:
    for side, gaps in zip(_SIDES, passage.gaps, strict=True):
        for gap in gaps:
            yield f'<gap side="{side}" offset="{gap.start}" length="{gap.end - gap.start}"/>\n'


def _coverage(coverage: Coverage) -> Iterator[str]:
    shares = {"share": repr(float(coverage.share))}
    if coverage.boilerplate:
        shares["boilerplate"] = repr(float(coverage.boilerplate))
    yield opened("coverage", is_root=False, document=str(coverage.document), **shares)
    for place, share in coverage.sources.items():
        yield element("source", document=str(place), share=repr(float(share)))
    for part in coverage.parts:
        yield element(
            "part",
            escaped_text(part.span.title),
            offset=str(part.span.start),
            length=str(part.span.end - part.span.start),
            words=str(part.words),
            share=repr(float(part.share)),
        )
    yield closed("coverage")


def _problem(problem: Problem) -> str:
    attributes = {"severity": problem.severity, "category": problem.category}
    if problem.path:
        attributes["path"] = escaped_text(problem.path)
    return element("problem", escaped_text(problem.message), **attributes)


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
        return damaged(f"a <{local_name(self.element)}> {what}", self.name)

    @property
    def text(self) -> str:
        """Its text."""
        return unescaped_text(self.element.text or "")

    def named(self, attribute: str, otherwise: str | None = None) -> str:
        """An attribute as a text; without `otherwise` it is required."""
        text = self.element.get(attribute, otherwise)
        if text is None:
            raise self.damage(f"has no {attribute}")
        return unescaped_text(text)

    def number(self, attribute: str, otherwise: int | None = None) -> int:
        """An attribute as a whole number of zero or more."""
        text = self.element.get(attribute)
        if text is None and otherwise is not None:
            return otherwise
        if text and _SHORT_NUMBER.fullmatch(text):  # fast path, without a name for messages
            return int(text)
        return whole_number(text, f"{attribute} of <{local_name(self.element)}>", self.name)

    def percentage(self, attribute: str) -> int | None:
        """An attribute as a whole number from 0 to 99; None where it is missing."""
        if attribute not in self.element.attrib:
            return None
        if (number := self.number(attribute)) > 99:
            raise self.damage(f"has {number} for {attribute}; the highest is 99")
        return number

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
            raise self.damage(f"has {brief(text)} for {attribute}; available: {', '.join(known)}")
        return text

    def share(self, attribute: str, otherwise: str | None = None) -> float:
        """An attribute as a share from 0 to 1; without `otherwise` it is required."""
        text = self.named(attribute, otherwise)
        share = number_or_none(text)
        if share is None or not 0 <= share <= 1:
            raise self.damage(f"has {brief(text)} for {attribute}; it must be a share from 0 to 1")
        return float(share)

    def span(self, offset: str, length: str, title: str = "") -> Span:
        """The span that two attributes describe."""
        start = self.number(offset)
        return Span(start, start + self.number(length), title)

    def numbers(self, attribute: str) -> list[int]:
        """An attribute as a list of whole numbers, empty where it is missing."""
        numbers = self.element.get(attribute, "").split()
        if not all(map(_SHORT_NUMBER.fullmatch, numbers)):
            raise self.damage(f"has something else than whole numbers for {attribute}")
        return [int(number) for number in numbers]

    def spans(self, attribute: str) -> Iterator[Span]:
        """An attribute as spans: an offset and a length each."""
        numbers = self.numbers(attribute)
        if len(numbers) % 2:
            raise self.damage(f"has an offset without a length for {attribute}")
        return (
            Span(start, start + length)
            for start, length in zip(numbers[::2], numbers[1::2], strict=True)
        )

    def word_counts(self) -> WordCounts | None:
        """The words before offsets, both rising; None where there are none."""
        offsets, words = self.numbers("offsets"), self.numbers("words_before")
        if len(offsets) != len(words):
            raise self.damage(f"has {len(offsets)} offsets, but {len(words)} words_before")
        if any(start >= end for start, end in pairwise(offsets)) or words != sorted(words):
            raise self.damage("has offsets or words_before that do not rise")
        if words and (words[0], words[-1]) != (0, self.number("words")):
            raise self.damage(f"has words_before that do not go from 0 to {self.number('words')}")
        return WordCounts(tuple(offsets), tuple(words)) if offsets else None

    def similarity(self) -> Similarity:
        """The ratio, or its root, which must match the score beside it."""
        text = self.named("similarity")
        ratio = _RATIO.fullmatch(text)
        top, bottom = map(int, ratio.groups()) if ratio else (1, 0)
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
        """Its text, converted by its `type`."""
        kind = self.element.get("type", "text")
        text = self.text
        if kind == "text":
            return text
        if kind == "null" and not text:
            return None
        if kind == "boolean" and text in _LOGICAL:
            return _LOGICAL[text]
        if kind == "number" and (number := number_or_none(text, finite=False)) is not None:
            return number
        raise self.damage(f"holds {brief(text)}, which is not of its type {brief(kind)}")

    def add_to(self, known: dict[Key, Value], key: Key, value: Value) -> None:
        """Add a value whose key must be new."""
        if key in known:
            raise self.damage(f"for {brief(key)} is there twice")
        known[key] = value

    def check_count(self, attribute: str, count: int) -> None:
        """Raise FormatError if the stated number of children is wrong."""
        stated = self.number(attribute)
        if stated != count:
            raise self.damage(f"states {stated} ({attribute}), but there are {count}")


def read_evidence(file: IO[bytes], name: str) -> Evidence:
    """The evidence in an XML file; `name` is for messages. Raises FormatError."""
    stream = events(file, name, _TAGS)
    for _, root in stream:
        if local_name(root) != "evidence" or root.getparent() is not None:
            break
        check_version(root, name)
        draft = _EvidenceDraft(name, Origin(root.get("guid", "")))
        for event, item in stream:
            if event == "end" and (take := _TAKERS.get(_path(item))):
                take(draft, item)
                forget(item)
        return draft.evidence()
    raise FormatError("is not evidence of reused text", file=name)


def _path(element: Element) -> str:
    """The path from the root element; "" for deeper elements than evidence has."""
    names: list[str] = []
    here: Element | None = element
    while here is not None and len(names) <= _DEEPEST:
        names.append(local_name(here))
        here = here.getparent()
    return "/".join(reversed(names)) if here is None else ""


@dataclass
class _EvidenceDraft:
    """The parts of an `<evidence>` read so far, and those of its open element."""

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
    gaps: dict[str, list[Span]] = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    likeness: dict[str, int] = field(default_factory=dict)
    sources: dict[int, float] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def values(self, element: Element) -> Values:
        return Values(element, self.name)

    def evidence(self) -> Evidence:
        """The complete evidence at the end of the file. Raises FormatError if a list is missing."""
        if lacking := sorted({"documents", "pairs"} - self.lists):
            raise damaged(f"it has no <{lacking[0]}>", self.name)
        return Evidence(
            tuple(self.documents),
            tuple(self.shared),
            tuple(self.coverage),
            self.parameters,
            self.how,
            tuple(self.problems),
            self.origin,
        )


def _take_created(draft: _EvidenceDraft, element: Element) -> None:
    draft.origin = replace(draft.origin, created=(element.text or "").strip())


def _take_system(draft: _EvidenceDraft, element: Element) -> None:
    texts = {local_name(child): (child.text or "").strip() for child in element}
    sysname, release, host, arch = (texts.get(tag, "") for tag in SYSTEM)
    draft.origin = replace(draft.origin, system=System(sysname, release, host, arch))


def _take_how(draft: _EvidenceDraft, element: Element) -> None:
    draft.how = draft.values(element).text


def _take_parameter(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    values.add_to(draft.parameters, values.named("name"), values.text)


def _take_name(draft: _EvidenceDraft, element: Element) -> None:
    draft.names.append(draft.values(element).text)


def _take_metadata(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    values.add_to(draft.metadata, values.named("name"), values.typed())


def _take_document(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    if len(draft.names) != 1:
        raise values.damage(f"has {len(draft.names)} <name>; it must have 1")
    examined = Examined(
        draft.names[0],
        values.number("words"),
        values.number("length", 0),
        values.matching("digest", _DIGEST, "", "hexadecimal"),
        values.number("short", 0),
        draft.metadata,
        excluded=tuple(values.spans("excluded")),
        word_counts=values.word_counts(),
    )
    draft.documents.append(examined)
    draft.names, draft.metadata = [], {}


def _check_documents(draft: _EvidenceDraft, element: Element) -> None:
    draft.lists.add("documents")
    draft.values(element).check_count("count", len(draft.documents))


def _take_likeness(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    score = values.number("score")
    if score > 99:
        raise values.damage(f"has a score of {score}; the highest is 99")
    values.add_to(draft.likeness, values.named("field"), score)


def _take_passage(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    passage = Passage(
        values.span("left_offset", "left_length"),
        values.span("right_offset", "right_length"),
        values.similarity(),
        values.number("common"),
        (values.number("left_terms"), values.number("right_terms")),
        tuple(draft.edits),
        values.named("excluded", ""),
        values.percentage("verbatim"),
        (tuple(draft.gaps.get("left", ())), tuple(draft.gaps.get("right", ()))),
    )
    draft.passages.append(passage)
    draft.edits, draft.gaps = [], {}


def _take_edit(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    edit = Edit(
        values.one_of("kind", EDITS),
        values.span("left_offset", "left_length"),
        values.span("right_offset", "right_length"),
    )
    draft.edits.append(edit)


def _take_gap(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    gaps = draft.gaps.setdefault(values.one_of("side", _SIDES), [])
    gap = values.span("offset", "length")
    if gaps and gap.start < gaps[-1].end:
        raise values.damage(f"begins at {gap.start}, before the end of the one before it")
    gaps.append(gap)


def _take_pair(draft: _EvidenceDraft, element: Element) -> None:
    """Add a pair after checking its documents and passages."""
    values = draft.values(element)
    left, right = (_place(draft, values, side) for side in ("left", "right"))
    values.check_count("passages", len(draft.passages))
    for passage in draft.passages:
        _check_inside(draft, passage, left, right)
    shared = Shared(
        left,
        right,
        tuple(draft.passages),
        values.share("left_share"),
        values.share("right_share"),
        draft.likeness,
    )
    draft.shared.append(shared)
    draft.passages, draft.likeness = [], {}


def _place(draft: _EvidenceDraft, values: Values, attribute: str) -> int:
    place = values.number(attribute)
    if place >= len(draft.documents):
        raise values.damage(
            f"says {attribute} is document {place}; there are {len(draft.documents)}, from 0"
        )
    return place


def _check_inside(draft: _EvidenceDraft, passage: Passage, left: int, right: int) -> None:
    """Raise FormatError if a passage exceeds its document, or an edit or a gap its passage."""
    for side, place, gaps in zip(_SIDES, (left, right), passage.gaps, strict=True):
        length, whole = draft.documents[place].length, getattr(passage, side)
        if length and whole.end > length:
            raise damaged(
                f"a <passage> ends at {whole.end} of document {place}, "
                f"which has {length} characters",
                draft.name,
            )
        spans = [("edit", getattr(edit, side)) for edit in passage.edits]
        spans += [("gap", gap) for gap in gaps]
        for name, span in spans:
            if span.start < span.end and not whole.start <= span.start < span.end <= whole.end:
                raise damaged(
                    f"{'an' if name == 'edit' else 'a'} <{name}> at {span.start} to "
                    f"{span.end} is outside its <passage>, {whole.start} to {whole.end}",
                    draft.name,
                )


def _check_pairs(draft: _EvidenceDraft, element: Element) -> None:
    draft.lists.add("pairs")
    draft.values(element).check_count("count", len(draft.shared))


def _take_coverage(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    document, share = _place(draft, values, "document"), values.share("share")
    boilerplate = values.share("boilerplate", "0")
    draft.coverage.append(Coverage(document, share, draft.sources, tuple(draft.parts), boilerplate))
    draft.sources, draft.parts = {}, []


def _take_source(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    values.add_to(draft.sources, _place(draft, values, "document"), values.share("share"))


def _take_part(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    span = values.span("offset", "length", values.text)
    draft.parts.append(Part(span, values.number("words"), values.share("share")))


def _take_problem(draft: _EvidenceDraft, element: Element) -> None:
    values = draft.values(element)
    problem = Problem(
        values.one_of("severity", _SEVERITIES),
        values.matching("category", _CATEGORY, None, "a word"),
        values.text,
        values.named("path", ""),
    )
    draft.problems.append(problem)


_Taker = Callable[[_EvidenceDraft, "Element"], None]
_TAKERS: dict[str, _Taker] = {
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
    "evidence/pairs/pair/passage/gap": _take_gap,
    "evidence/pairs/pair/passage": _take_passage,
    "evidence/pairs/pair": _take_pair,
    "evidence/pairs": _check_pairs,
    "evidence/coverage/source": _take_source,
    "evidence/coverage/part": _take_part,
    "evidence/coverage": _take_coverage,
    "evidence/problem": _take_problem,
}
"""The function that takes each element at its end, by path."""

_TAGS = sorted({path.rpartition("/")[2] for path in ("evidence", *_TAKERS)})
