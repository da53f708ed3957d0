"""The `<dictionary>` element: written and read as a stream."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import islice
from typing import IO, TYPE_CHECKING, BinaryIO

from sdtext.errors import FormatError
from sdtext.formats.calibration_xml import calibration_from, calibration_lines
from sdtext.formats.dictionary_term_lines import TermLines, cut_term_lines
from sdtext.formats.hardened_xml_reader import (
    check_version,
    events,
    forget,
    joined,
    kept,
    local,
    unknown_in,
)
from sdtext.formats.number_syntax import decimal_number, whole_number
from sdtext.formats.tokenizer_chain_xml import chain_from, chain_lines
from sdtext.formats.xml_writer import (
    closed,
    element,
    escaped,
    given,
    opened,
    passed_on,
    write_lines,
)
from sdtext.model import FORMAT_VERSION, Origin, PartSpec, RecipeSpec, System
from sdtext.model.calibration import Calibration
from sdtext.model.dictionary import Dictionary
from sdtext.model.drift import Seen

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TAGS = ("dictionary", "term")
"""The elements that the reader of a dictionary handles as events."""

SYSTEM = ("os_sysname", "os_release", "host", "arch")
"""The fields of a system, in the order of their elements."""
_MOST_SEEN, _MOST_OCTAVES = 1001, 64
_SHORT = 10  # digits
_MOST_COUNTED = (1 << 32) - 1  # the largest number of an array
_BLOCK, _BLOCKS = 1 << 20, 64
_TEXTS = ("created", "parent", "hashdigest", "documents", "rarest")


def write_dictionary(file: BinaryIO, dictionary: Dictionary) -> None:
    """Write `dictionary` as an XML file."""
    write_lines(file, dictionary_lines(dictionary, is_root=True))


def dictionary_lines(dictionary: Dictionary, *, is_root: bool = False) -> Iterator[str]:
    """The `<dictionary>` element."""
    named = {"version": FORMAT_VERSION, "guid": dictionary.guid, "name": dictionary.name}
    yield opened("dictionary", is_root=is_root, **named)
    yield given("created", dictionary.origin.created)
    yield from system_lines(dictionary.origin.system)
    yield given("parent", dictionary.parent)
    yield element("hashdigest", dictionary.digest, type="SHA256")
    yield element("documents", str(dictionary.documents))
    yield element("rarest", str(dictionary.rarest))
    if dictionary.trimmed:
        low, high = map(repr, dictionary.trimmed)
        yield element("trimmed", minimum=low, maximum=high)
    yield from chain_lines(dictionary.recipe.chain())
    for name, version in dictionary.libraries:
        yield element("library", name=name, version=version)
    if dictionary.seen:
        yield from _seen_lines(dictionary.seen)
    for calibration in dictionary.calibrations:
        yield from calibration_lines(calibration)
    yield opened("terms", count=str(len(dictionary.terms)))
    for term, count in zip(dictionary.terms, dictionary.counts, strict=True):
        yield f'<term df="{count}">{escaped(term)}</term>\n'
    yield closed("terms")
    yield passed_on(dictionary.unknown)
    yield closed("dictionary")


def system_lines(system: System | None) -> Iterator[str]:
    """DFXML's `<execution_environment>`; nothing without a system."""
    if system:
        yield opened("execution_environment")
        for tag in SYSTEM:
            yield given(tag, getattr(system, tag))
        yield passed_on(system.unknown)
        yield closed("execution_environment")


def system_from(described: Element) -> System:
    """The system that an `<execution_environment>` describes."""
    texts = {local(child): (child.text or "").strip() for child in described}
    sysname, release, host, arch = (texts.get(tag, "") for tag in SYSTEM)
    return System(sysname, release, host, arch, unknown_in(described, SYSTEM))


def read_dictionary(file: IO[bytes], name: str) -> Dictionary:
    """The dictionary in an XML file; `name` is for messages. Raises FormatError."""
    begin = b"".join(islice(iter(partial(file.read, _BLOCK), b""), _BLOCKS))
    if lines := cut_term_lines(begin):
        with suppress(FormatError):  # the parser says where in the whole file the damage is
            return _parsed(BytesIO(lines.rest), name, lines)
    return _parsed(joined(begin, file), name)


def _parsed(file: IO[bytes], name: str, lines: TermLines | None = None) -> Dictionary:
    stream = events(file, name, TAGS)
    for _, root in stream:
        if local(root) != "dictionary" or root.getparent() is not None:
            break
        dictionary = dictionary_from(root, stream, name, lines)
        deque(stream, 0)  # what stands behind its end is an error
        return dictionary
    raise FormatError("is not a dictionary", file=name)


@dataclass
class _DictionaryDraft:
    """The parts of a `<dictionary>` read so far."""

    texts: dict[str, str] = field(default_factory=dict)
    system: System | None = None
    trimmed: tuple[float, float] | None = None
    chain: tuple[PartSpec, ...] = ()
    libraries: list[tuple[str, str]] = field(default_factory=list)
    declared: int = -1
    terms: list[str] = field(default_factory=list)
    counts: array[int] = field(default_factory=lambda: array("L"))
    unknown: list[str] = field(default_factory=list)
    seen: Seen | None = None
    calibrations: list[Calibration] = field(default_factory=list)


def dictionary_from(
    root: Element,
    stream: Iterator[tuple[str, Element]],
    name: str,
    lines: TermLines | None = None,
) -> Dictionary:
    """The dictionary whose `<dictionary>` has just begun; reads to its end.

    `lines` are terms that were cut out of the file.
    """
    check_version(root, name)
    draft = _DictionaryDraft()
    if lines:
        draft.terms, draft.counts = lines.terms, lines.counts
    for event, item in stream:
        if event == "end":
            if item is root:
                break
            if local(item) == "term" and _in_terms(item, root):
                _take_term(draft, item, name)
    for child in root:
        _take(draft, child, name)
    dictionary = _dictionary(root, draft, name)
    root.clear()
    return dictionary


def _in_terms(item: Element, root: Element) -> bool:
    parent = item.getparent()
    return parent is not None and parent.getparent() is root and local(parent) == "terms"


def _take_term(draft: _DictionaryDraft, item: Element, name: str) -> None:
    """Add a `<term>`. Terms must be in ascending order, which also rules out repeats."""
    term = item.text or ""
    last = draft.terms[-1] if draft.terms else ""
    if term <= last:
        fault = "is there twice" if term == last else "is out of order"
        raise FormatError(
            f"is damaged: term {len(draft.terms) + 1} ({term!r:.60}) {fault}", file=name
        )
    draft.terms.append(term)
    draft.counts.append(_frequency(item.get("df", ""), draft, name))
    forget(item)


def _frequency(text: str, draft: _DictionaryDraft, name: str) -> int:
    """The document frequency of the term that was added last."""
    if text.isdigit() and text.isascii() and len(text) < _SHORT:  # without a name for messages
        return int(text)
    number = whole_number(text or None, f"df of term {len(draft.terms)}", name)
    return min(number, _MOST_COUNTED)


def _take(draft: _DictionaryDraft, child: Element, name: str) -> None:
    """Add a child of `<dictionary>`; elements unknown to this version are kept unchanged."""
    tag = local(child)
    if tag in _TEXTS:
        draft.texts[tag] = (child.text or "").strip()
    elif tag in _READ:
        field_name, read = _READ[tag]
        setattr(draft, field_name, read(child, name))
    elif tag == "library":
        draft.libraries.append((child.get("name", ""), child.get("version", "")))
    elif tag == "calibration":
        draft.calibrations.append(calibration_from(child, name))
    elif tag == "terms":
        draft.declared = whole_number(child.get("count"), "the count of <terms>", name)
    else:
        draft.unknown.append(kept(child))


def _range(described: Element, name: str) -> tuple[float, float]:
    low, high = (
        decimal_number(described.get(key), f"{key} of <trimmed>", name)
        for key in ("minimum", "maximum")
    )
    return low, high


def _seen_lines(seen: Seen) -> Iterator[str]:
    """The `<seen>` element: numbers for each octave, of all documents and of the sample."""
    yield opened("seen")
    yield element("totals", " ".join(map(str, seen.totals)))
    for row in seen.rows:
        yield element("document", " ".join(map(str, row)))
    yield closed("seen")


def _seen_from(described: Element, name: str) -> Seen:
    rows = [_numbers(child, name) for child in described]
    if not rows or len(rows) > _MOST_SEEN or len({len(row) for row in rows}) > 1:
        raise FormatError("is damaged: the rows of <seen> have different lengths", file=name)
    return Seen(tuple(rows[1:]), rows[0])


def _numbers(child: Element, name: str) -> tuple[int, ...]:
    words = (child.text or "").split(maxsplit=_MOST_OCTAVES)
    what = f"a number of <{local(child)}> in <seen>"
    return tuple(whole_number(word, what, name) for word in words)


_READ: dict[str, tuple[str, Callable[[Element, str], object]]] = {
    "execution_environment": ("system", lambda child, _: system_from(child)),
    "trimmed": ("trimmed", _range),
    "tokenizers": ("chain", chain_from),
    "seen": ("seen", _seen_from),
}
"""Other elements: the field of `_DictionaryDraft` and the function that reads it."""


def _dictionary(root: Element, draft: _DictionaryDraft, name: str) -> Dictionary:
    documents = whole_number(draft.texts.get("documents"), "<documents>", name)
    rarest = whole_number(draft.texts.get("rarest"), "<rarest>", name)
    if not draft.chain:
        raise FormatError("is damaged: it has no <tokenizers>", file=name)
    _check_terms(draft, documents, rarest, name)
    dictionary = Dictionary(
        tuple(draft.terms),
        draft.counts,
        documents,
        rarest,
        RecipeSpec(draft.chain[0], draft.chain[1:]),
        root.get("name", ""),
        Origin(root.get("guid", ""), draft.texts.get("created", ""), draft.system),
        draft.trimmed,
        draft.texts.get("parent", ""),
        tuple(draft.libraries),
        tuple(draft.unknown),
        draft.seen,
        tuple(draft.calibrations),
    )
    if dictionary.digest != draft.texts.get("hashdigest"):
        raise FormatError(
            "is damaged or was changed: its content does not match the digest it states; "
            "get a new copy from where it was made",
            file=name,
        )
    return dictionary


def _check_terms(draft: _DictionaryDraft, documents: int, rarest: int, name: str) -> None:
    counts = draft.counts
    if not counts or len(counts) != draft.declared:
        raise FormatError(
            f"is damaged: it declares {draft.declared} terms and holds {len(draft.terms)}",
            file=name,
        )
    rarest_left = rarest if draft.trimmed else min(counts)
    if not 1 <= rarest == rarest_left <= min(counts) or max(counts) > documents:
        raise FormatError(
            f"is damaged: a document frequency lies outside {rarest} (the rarest term) "
            f"to {documents} (all documents)",
            file=name,
        )
