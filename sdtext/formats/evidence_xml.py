"""The `<evidence>` element, written: where documents share text, and how that was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from sdtext.formats import EVIDENCE
from sdtext.formats.dictionary_xml import system_lines
from sdtext.formats.hardened_xml import escaped_text
from sdtext.formats.xml_writer import closed, element, escaped, given, opened, write_lines
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
)


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
    told = {"words": str(examined.words)}
    if examined.length:
        told["length"] = str(examined.length)
    if examined.digest:
        told["digest"] = examined.digest
    if examined.short:
        told["short"] = str(examined.short)
    yield opened("document", is_root=False, **told)
    yield element("name", escaped_text(examined.name))
    for name, value in examined.metadata.items():
        yield _metadata(name, value)
    yield closed("document")


def _metadata(name: str, value: str | int | float | None) -> str:
    """A text, or what else it is by its `type`."""
    named = {"name": escaped_text(name)}
    if isinstance(value, str):
        return element("metadata", escaped_text(value), **named)
    if value is None:
        return element("metadata", **named, type="null")
    if isinstance(value, bool):  # which Python takes for a number
        return element("metadata", str(value).lower(), **named, type="boolean")
    return element("metadata", _number(value), **named, type="number")


def _number(value: float) -> str:
    """A number in the words of XML Schema."""
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
    for field, score in shared.likeness.items():
        yield element("likeness", field=escaped_text(field), score=str(score))
    yield from map(_passage, shared.passages)
    yield closed("pair")


def _passage(passage: Passage) -> str:
    """A `<passage>`, with what it holds: spelled at once, for there may be a million."""
    excluded = f' excluded="{_attribute(passage.excluded)}"' if passage.excluded else ""
    left, right = passage.terms
    begin = (
        f"<passage {_place(passage.left, passage.right)} {_likeness(passage.similarity)} "
        f'common="{passage.common}" left_terms="{left}" right_terms="{right}"{excluded}'
    )
    if not passage.edits:
        return f"{begin}/>\n"
    return f"{begin}>\n{''.join(map(_edit, passage.edits))}</passage>\n"


def _place(left: Span, right: Span) -> str:
    return (
        f'left_offset="{left.start}" left_length="{left.end - left.start}" '
        f'right_offset="{right.start}" right_length="{right.end - right.start}"'
    )


def _likeness(similarity: Similarity) -> str:
    root = ' root="true"' if similarity.root else ""
    ratio = f"{similarity.top}/{similarity.bottom}"
    return f'score="{similarity.score}" similarity="{ratio}"{root}'


def _attribute(text: str) -> str:
    return escaped(escaped_text(text))


def _edit(edit: Edit) -> str:
    return f'<edit kind="{edit.kind}" {_place(edit.left, edit.right)}/>\n'


def _coverage(coverage: Coverage) -> Iterator[str]:
    yield opened("coverage", document=str(coverage.document), share=repr(float(coverage.share)))
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
    told = {"severity": problem.severity, "category": problem.category}
    if problem.path:
        told["path"] = escaped_text(problem.path)
    return element("problem", escaped_text(problem.message), **told)
