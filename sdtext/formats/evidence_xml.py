"""The `<evidence>` element, written and read as a stream: shared text and how it was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from math import isfinite
from typing import IO, BinaryIO, TypeVar, cast

from sdtext.formats import EVIDENCE
from sdtext.formats import hardened_xml as xml
from sdtext.formats.dictionary_xml import system_from, system_xml
from sdtext.formats.hardened_xml import Item
from sdtext.model import (
    FORMAT_VERSION,
    Coverage,
    Edit,
    Evidence,
    Examined,
    Origin,
    Part,
    Passage,
    Problem,
    Shared,
    Similarity,
    Span,
    WordCounts,
)
from sdtext.wording import brief

_RATIO = re.compile(r"([0-9]{1,40})/([0-9]{1,40})")
K = TypeVar("K", str, int)
V = TypeVar("V")
EDITS = ("replace", "delete", "insert", "moved")
_KINDS = "|".join(EDITS)
_SIDES = ("left", "right")
_OF_TEXT = "SHA256-text"
"""The digest of a file that a page saved: of its bytes before this element, which is the last."""
_END = 1 << 14  # bytes: that element, signatures and the end of the file are shorter


def write_evidence(file: BinaryIO, evidence: Evidence) -> None:
    """Write `evidence` as an XML file, passage by passage."""
    xml.write_lines(file, _lines(evidence))


def _lines(evidence: Evidence) -> Iterator[str]:
    guid = evidence.origin.guid
    root = {"xmlns": EVIDENCE, "version": FORMAT_VERSION, "guid": guid or None}
    yield xml.opened("evidence", is_root=True, **root)
    digest = sha256(f"{guid}\n".encode())
    for line in _content(evidence):
        digest.update(line.encode("utf-8"))
        yield line
    yield xml.element("hashdigest", digest.hexdigest(), type="SHA256")
    yield xml.closed("evidence")


def _content(evidence: Evidence) -> Iterator[str]:
    """The lines that the digest covers, after the GUID."""
    origin = evidence.origin
    yield xml.given("created", origin.created)
    yield system_xml(origin.system and replace(origin.system, unknown=()))
    yield xml.given("how", xml.escaped_text(evidence.how))
    yield xml.opened("parameters")
    for name, value in evidence.parameters.items():
        yield xml.element("parameter", xml.escaped_text(value), name=xml.escaped_text(name))
    yield xml.closed("parameters")
    yield xml.opened("documents", count=len(evidence.documents))
    for examined in evidence.documents:
        yield from _document(examined)
    yield xml.closed("documents")
    yield xml.opened("pairs", count=len(evidence.shared))
    for shared in evidence.shared:
        yield from _pair(shared)
    yield xml.closed("pairs")
    for coverage in evidence.coverage:
        yield from _coverage(coverage)
    for problem in evidence.problems:
        yield xml.element(
            "problem",
            xml.escaped_text(problem.message),
            severity=problem.severity,
            category=problem.category,
            path=xml.escaped_text(problem.path) or None,
        )


def _document(examined: Examined) -> Iterator[str]:
    """A `<document>`; lists of numbers are those from which shares can be computed anew."""
    counts, excluded = examined.word_counts, examined.excluded
    yield xml.opened(
        "document",
        words=examined.words,
        length=examined.length or None,
        digest=examined.digest or None,
        short=examined.short or None,
        offsets=_listed(counts.offsets if counts else ()),
        words_before=_listed(counts.words if counts else ()),
        excluded=_listed(n for span in excluded for n in (span.start, span.end - span.start)),
    )
    yield xml.element("name", xml.escaped_text(examined.name))
    for name, value in examined.metadata.items():
        yield _metadata(name, value)
    yield xml.closed("document")


def _listed(numbers: Iterable[int]) -> str | None:
    return " ".join(map(str, numbers)) or None


def _metadata(name: str, value: str | int | float | None) -> str:
    """A metadata field: a text, or another type named by `type`; null for infinity and NaN."""
    kind = None
    if value is None or (isinstance(value, float) and not isfinite(value)):
        kind, text = "null", ""
    elif isinstance(value, str):
        text = xml.escaped_text(value)
    elif isinstance(value, bool):  # which Python takes for a number
        kind, text = "boolean", str(value).lower()
    else:
        kind, text = "number", repr(value)
    return xml.element("metadata", text, name=xml.escaped_text(name), type=kind)


def _pair(shared: Shared) -> Iterator[str]:
    yield xml.opened(
        "pair",
        left=shared.left,
        right=shared.right,
        left_share=float(shared.left_share),
        right_share=float(shared.right_share),
        passages=len(shared.passages),
        review=None if shared.review is None else xml.escaped_text(shared.review),
    )
    for column, score in shared.likeness.items():
        yield xml.element("likeness", field=xml.escaped_text(column), score=score)
    yield from map(_passage, shared.passages)
    yield xml.closed("pair")


def _passage(passage: Passage) -> str:
    """A `<passage>` with its content, in one string, since there may be a million."""
    excluded = (
        f' excluded="{xml.escaped(xml.escaped_text(passage.excluded))}"' if passage.excluded else ""
    )
    verbatim = "" if passage.verbatim is None else f' verbatim="{passage.verbatim}"'
    if passage.review is not None:
        excluded += f' review="{xml.escaped(xml.escaped_text(passage.review))}"'
    similarity = passage.similarity
    root = ' root="true"' if similarity.root else ""
    left, right = passage.terms
    begin = (
        f"<passage {_places(passage.left, passage.right)} "
        f'score="{similarity.score}" similarity="{similarity.top}/{similarity.bottom}"{root} '
        f'common="{passage.common}" left_terms="{left}" right_terms="{right}"{verbatim}{excluded}'
    )
    inside = [
        f'<edit kind="{edit.kind}" {_places(edit.left, edit.right)}/>\n' for edit in passage.edits
    ]
    inside += [
        f'<gap side="{side}" offset="{gap.start}" length="{gap.end - gap.start}"/>\n'
        for side, gaps in zip(_SIDES, passage.gaps, strict=True)
        for gap in gaps
    ]
    return f"{begin}>\n{''.join(inside)}</passage>\n" if inside else f"{begin}/>\n"


def _places(left: Span, right: Span) -> str:
    return (
        f'left_offset="{left.start}" left_length="{left.end - left.start}" '
        f'right_offset="{right.start}" right_length="{right.end - right.start}"'
    )


def _coverage(coverage: Coverage) -> Iterator[str]:
    yield xml.opened(
        "coverage",
        document=coverage.document,
        share=float(coverage.share),
        boilerplate=float(coverage.boilerplate) or None,
    )
    for place, share in coverage.sources.items():
        yield xml.element("source", document=place, share=float(share))
    for part in coverage.parts:
        yield xml.element(
            "part",
            xml.escaped_text(part.span.title),
            offset=part.span.start,
            length=part.span.end - part.span.start,
            words=part.words,
            share=float(part.share),
        )
    yield xml.closed("coverage")


@dataclass(frozen=True, slots=True)
class _Values(Item):
    """An element of the evidence, with its texts unescaped; each method raises FormatError."""

    namespace: str = EVIDENCE

    @property
    def text(self) -> str:
        return xml.unescaped_text(self.element.text or "")

    def string(self, attribute: str, otherwise: str | None = None, pattern: str = "") -> str:
        """An attribute as a text of the form of `pattern`; without `otherwise` it is required."""
        text = self.element.get(attribute, otherwise)
        if text is None:
            raise self.damage(f"has no {attribute}")
        text = xml.unescaped_text(text)
        if pattern and not re.fullmatch(pattern, text):
            raise self.wrong(attribute, text, f"of the form {pattern}")
        return text

    def review(self) -> str | None:
        return self.string("review") if "review" in self.element.attrib else None

    def share(self, attribute: str) -> float:
        """An attribute as a share from 0 to 1."""
        share = self.decimal(attribute)
        if not 0 <= share <= 1:
            raise self.wrong(attribute, share, "a share from 0 to 1")
        return share

    def span(self, side: str = "", title: str = "") -> Span:
        """The span that two attributes describe: an offset and a length."""
        start = self.number(f"{side}offset")
        return Span(start, start + self.number(f"{side}length"), title)

    def spans(self, attribute: str) -> tuple[Span, ...]:
        """An attribute as spans: an offset and a length each."""
        numbers = self.numbers(self.get(attribute))
        if len(numbers) % 2:
            raise self.damage(f"has an offset without a length for {attribute}")
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return tuple(Span(start, start + length) for start, length in pairs)

    def word_counts(self) -> WordCounts | None:
        """The words before offsets, both rising; None where there are none."""
        offsets, words = (self.numbers(self.get(name)) for name in ("offsets", "words_before"))
        if len(offsets) != len(words):
            raise self.damage(f"has {len(offsets)} offsets, but {len(words)} words_before")
        if any(start >= end for start, end in pairwise(offsets)) or words != (*sorted(words),):
            raise self.damage("has offsets or words_before that do not rise")
        if words and (words[0], words[-1]) != (0, self.number("words")):
            raise self.damage(f"has words_before that do not go from 0 to {self.number('words')}")
        return WordCounts(offsets, words) if offsets else None

    def similarity(self) -> Similarity:
        """The ratio, or its root, which must match the score beside it."""
        text = self.string("similarity")
        ratio = _RATIO.fullmatch(text)
        top, bottom = map(int, ratio.groups()) if ratio else (1, 0)
        if top > bottom or not bottom:
            raise self.wrong("similarity", text, "a ratio from 0/1 to 1/1")
        is_root = self.string("root", "false", "true|false") == "true"
        similarity, score = Similarity(top, bottom, is_root), self.number("score")
        if score != similarity.score:
            raise self.damage(f"says its score is {score}; {text} gives {similarity.score}")
        return similarity

    def typed(self) -> str | int | float | None:
        """Its text, converted by its `type`."""
        kind, text = self.element.get("type", "text"), self.text
        if kind == "text":
            return text
        if kind == "null" and not text:
            return None
        if kind == "boolean" and text in ("true", "false"):
            return text == "true"
        if kind == "number" and (number := xml.number_or_none(text)) is not None:
            return number
        raise self.damage(f"holds {brief(text)}, which is not of its type {brief(kind)}")


def _by_key(
    items: Iterable[_Values], key: Callable[[_Values], K], value: Callable[[_Values], V]
) -> dict[K, V]:
    """The values of elements by their keys, which must differ. Raises FormatError."""
    known: dict[K, V] = {}
    for item in items:
        name = key(item)
        if name in known:
            raise item.damage(f"for {brief(name)} is there twice")
        known[name] = value(item)
    return known


def _name(item: _Values) -> str:
    return item.string("name")


class _Text:
    """A file, and the SHA-256 of what stands before its last element, a digest of that text."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest, self._end = file, sha256(), b""

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        data = self._end + block
        self._digest.update(data[:-_END])
        self._end = data[-_END:]
        return block

    def digest(self) -> str:
        """The digest, in hexadecimal, once all is read."""
        whole = self._digest.copy()
        whole.update(self._end.rpartition(f'<hashdigest type="{_OF_TEXT}">'.encode())[0])
        return whole.hexdigest()


def read_evidence(file: IO[bytes], name: str) -> Evidence:
    """The evidence in an XML file; `name` is for messages. Raises FormatError."""
    text = _Text(file)
    stream = xml.events(cast("IO[bytes]", text), name, _TAGS)
    what = "evidence of reused text"
    root = xml.root_in(stream, name, what, "evidence", namespace=EVIDENCE)
    reader = _Reader()
    for event, item in stream:
        if event == "end" and (take := _TAKERS.get(_path(item))):
            take(reader, _Values(item, name))
            item.clear()
    children = Item(root, name, EVIDENCE).children()
    texts = xml.last_texts(children)
    for tag, items in (("documents", reader.documents), ("pairs", reader.shared)):
        if not children[tag]:
            raise xml.damaged(f"it has no <{tag}>", name)
        if (stated := children[tag][-1].number("count")) != len(items):
            raise children[tag][-1].damage(f"states {stated} (count), but there are {len(items)}")
    parameters = [
        _Values(each.element, name)
        for every in children["parameters"][-1:]
        for each in every.children()["parameter"]
    ]
    systems = map(system_from, children["execution_environment"][-1:])
    system = next((replace(each, unknown=()) for each in systems), None)
    evidence = Evidence(
        tuple(reader.documents),
        tuple(reader.shared),
        tuple(reader.coverage),
        _by_key(parameters, _name, lambda each: each.text),
        xml.unescaped_text(texts.get("how", "")),
        tuple(reader.problems),
        Origin(root.get("guid", ""), texts.get("created", "").strip(), system),
    )
    for each in children["hashdigest"][-1:]:
        if each.get("type") == _OF_TEXT:
            digest = text.digest()
        else:
            digest = xml.content_digest(evidence.origin, "".join(_content(evidence)))
        xml.check_digest(each.text or "none", digest, name)
    return evidence


def _path(element: xml.Element) -> str:
    """The names of an element and of those around it, from the root on."""
    names = [xml.local(each, EVIDENCE) for each in (element, *element.iterancestors())]
    return "/".join(reversed(names))


@dataclass
class _Reader:
    """The parts of an `<evidence>` read so far; each method takes an element at its end."""

    documents: list[Examined] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    likeness: dict[str, int] = field(default_factory=dict)
    coverage: list[Coverage] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def take_document(self, item: _Values) -> None:
        children = item.children()
        names = children["name"]
        if len(names) != 1:
            raise item.damage(f"has {len(names)} <name>; it must have 1")
        metadata = _by_key(children["metadata"], _name, _Values.typed)
        self.documents.append(
            Examined(
                names[0].text,
                item.number("words"),
                item.number("length", 0),
                item.string("digest", "", "[0-9a-f]{0,128}"),
                item.number("short", 0),
                metadata,
                excluded=item.spans("excluded"),
                word_counts=item.word_counts(),
            )
        )

    def take_likeness(self, item: _Values) -> None:
        column, score = item.string("field"), item.number("score", most=99)
        if column in self.likeness:
            raise item.damage(f"for {brief(column)} is there twice")
        self.likeness[column] = score

    def take_passage(self, item: _Values) -> None:
        gaps: dict[str, list[Span]] = {side: [] for side in _SIDES}
        children = item.children()
        for each in children["gap"]:
            side, gap = gaps[each.string("side", pattern="left|right")], each.span()
            if side and gap.start < side[-1].end:
                raise each.damage(f"begins at {gap.start}, before the end of the one before it")
            side.append(gap)
        edits = [
            Edit(each.string("kind", pattern=_KINDS), each.span("left_"), each.span("right_"))
            for each in children["edit"]
        ]
        verbatim = item.number("verbatim", most=99) if "verbatim" in item.element.attrib else None
        passage = Passage(
            item.span("left_"),
            item.span("right_"),
            item.similarity(),
            item.number("common"),
            (item.number("left_terms"), item.number("right_terms")),
            tuple(edits),
            item.string("excluded", ""),
            verbatim,
            (tuple(gaps["left"]), tuple(gaps["right"])),
            item.review(),
        )
        self.passages.append(passage)

    def take_pair(self, item: _Values) -> None:
        places = self.place(item, "left"), self.place(item, "right")
        shares = item.share("left_share"), item.share("right_share")
        if (stated := item.number("passages")) != len(self.passages):
            raise item.damage(f"states {stated} passages, but there are {len(self.passages)}")
        for passage in self.passages:
            self.check_inside(item, passage, places)
        pair = Shared(*places, tuple(self.passages), *shares, self.likeness, item.review())
        self.shared.append(pair)
        self.passages, self.likeness = [], {}

    def place(self, item: _Values, attribute: str) -> int:
        """The index of a document, which must have been read."""
        place, number = item.number(attribute), len(self.documents)
        if place >= number:
            raise item.damage(f"says {attribute} is document {place}; there are {number}, from 0")
        return place

    def check_inside(self, pair: _Values, passage: Passage, places: tuple[int, int]) -> None:
        """FormatError if a passage exceeds its document, or an edit or a gap its passage."""
        for side, place, gaps in zip(_SIDES, places, passage.gaps, strict=True):
            length, whole = self.documents[place].length, getattr(passage, side)
            if length and whole.end > length:
                what = f"has a <passage> that ends at {whole.end} of document {place}, which has"
                raise pair.damage(f"{what} {length} characters")
            for span in (*(getattr(edit, side) for edit in passage.edits), *gaps):
                if span.start < span.end and not whole.start <= span.start < span.end <= whole.end:
                    what = f"has an <edit> or <gap> at {span.start} to {span.end}, outside its"
                    raise pair.damage(f"{what} <passage>, {whole.start} to {whole.end}")

    def take_coverage(self, item: _Values) -> None:
        children = item.children()
        sources = _by_key(
            children["source"],
            lambda each: self.place(each, "document"),
            lambda each: each.share("share"),
        )
        parts = tuple(
            Part(each.span(title=each.text), each.number("words"), each.share("share"))
            for each in children["part"]
        )
        place, share = self.place(item, "document"), item.share("share")
        boilerplate = item.share("boilerplate") if item.get("boilerplate") else 0.0
        self.coverage.append(Coverage(place, share, sources, parts, boilerplate))

    def take_problem(self, item: _Values) -> None:
        severity = item.string("severity", pattern="warning|error")
        category = item.string("category", pattern="[a-z][a-z-]{0,40}")
        self.problems.append(Problem(severity, category, item.text, item.string("path", "")))


_TAKERS: dict[str, Callable[[_Reader, _Values], None]] = {
    "evidence/documents/document": _Reader.take_document,
    "evidence/pairs/pair/likeness": _Reader.take_likeness,
    "evidence/pairs/pair/passage": _Reader.take_passage,
    "evidence/pairs/pair": _Reader.take_pair,
    "evidence/coverage": _Reader.take_coverage,
    "evidence/problem": _Reader.take_problem,
}
"""The method that takes each element, by its path."""

_LEAVES = ("parameter", "metadata", "edit", "gap", "source", "part")
_TAGS = sorted({"evidence", *_LEAVES, *(path.rpartition("/")[2] for path in _TAKERS)})
"""The elements that are ours, of which there may be many."""
