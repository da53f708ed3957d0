"""The `<calibration>` element of a dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdtext.errors import FormatError, shown
from sdtext.formats.hardened_xml_reader import local, unknown_in
from sdtext.formats.number_syntax import whole_number
from sdtext.formats.xml_writer import closed, element, opened, passed_on
from sdtext.model.calibration import SCORES, Calibration, SizeClass

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_CHILDREN = ("edit", "size")
_MAX_COST = 1e6  # no finite likelihood ratios of a sample cost more
_LISTS = ("unrelated", "related", "independent")


def calibration_lines(calibration: Calibration) -> Iterator[str]:
    """The `<calibration>` element."""
    yield opened(
        "calibration",
        matcher=calibration.matcher,
        created=calibration.created,
        documents=str(calibration.documents),
        left_out=str(calibration.left_out),
    )
    for edit in calibration.edits:
        yield element("edit", edit)
    for item in calibration.classes:
        limit = {"maximum": str(item.most)} if item.most is not None else {}
        taken = {"excerpts": "true"} if item.excerpts else {}
        cost = {"cllr": repr(item.cllr)} if item.cllr is not None else {}
        yield opened("size", is_root=False, minimum=str(item.least), **limit, **taken, **cost)
        for tag in _LISTS:
            yield element(tag, " ".join(map(str, _without_last_zeros(getattr(item, tag)))))
        yield closed("size")
    yield passed_on(tuple(calibration.unknown))
    yield closed("calibration")


def calibration_from(described: Element, name: str) -> Calibration:
    """The calibration that a `<calibration>` describes. Raises FormatError."""
    documents, left_out = (
        whole_number(described.get(key), f"{key} of <calibration>", name)
        for key in ("documents", "left_out")
    )
    classes = [_class_from(child, name) for child in described if local(child) == "size"]
    return Calibration(
        described.get("matcher", ""),
        described.get("created", ""),
        documents,
        left_out,
        tuple((child.text or "").strip() for child in described if local(child) == "edit"),
        tuple(classes),
        unknown_in(described, _CHILDREN),
    )


def _class_from(described: Element, name: str) -> SizeClass:
    texts = {local(child): child.text or "" for child in described}
    unrelated, related, independent = (_numbers(texts.get(tag, ""), tag, name) for tag in _LISTS)
    least = whole_number(described.get("minimum"), "minimum of <size>", name)
    limit = described.get("maximum")
    most = whole_number(limit, "maximum of <size>", name) if limit else None
    excerpts = described.get("excerpts") == "true"
    cost = described.get("cllr")
    cllr = None if cost is None else _cost(cost, name)
    return SizeClass(least, most, unrelated, related, independent, excerpts, cllr)


def _cost(text: str, name: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = -1.0
    if not 0 <= cost < _MAX_COST:
        what = f"is damaged: cllr of <size> is {shown(text)}; it must be a number, 0 or more"
        raise FormatError(what, file=name)
    return cost


def _numbers(text: str, tag: str, name: str) -> tuple[int, ...]:
    words = text.split(maxsplit=SCORES)
    if len(words) > SCORES:
        raise FormatError(f"is damaged: <{tag}> has more than {SCORES} numbers", file=name)
    counts = [whole_number(word, f"a number of <{tag}>", name) for word in words]
    return (*counts, *[0] * (SCORES - len(counts)))


def _without_last_zeros(counts: Sequence[int]) -> Sequence[int]:
    last = max((place for place, count in enumerate(counts) if count), default=-1)
    return counts[: last + 1]
