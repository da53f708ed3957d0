"""The `<dictionary>` element with its `<calibration>`: written and read as a stream.

A dictionary is a short description and an element for each of many thousand terms, which are taken
in groups.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import IO, BinaryIO

from sdtext.formats import NAMESPACE
from sdtext.formats import hardened_xml as xml
from sdtext.formats.configuration_xml import chain_from, chain_lines
from sdtext.formats.hardened_xml import Item
from sdtext.model import FORMAT_VERSION, Origin, RecipeSpec, System
from sdtext.model.calibration import SCORES, Calibration, SizeClass
from sdtext.model.dictionary import Dictionary, Seen

TAGS = ("dictionary", "terms")
"""The elements that the reader of a dictionary handles as events."""

SYSTEM = ("os_sysname", "os_release", "host", "arch")
"""The fields of a system, in the order of their elements."""
_MOST_SEEN, _MOST_OCTAVES = 1001, 64
_SHORT = 10  # digits
_TOGETHER = 1000  # terms
_MOST_COUNTED = (1 << 32) - 1  # the largest number of an array
_TERM = ("term", f"{{{NAMESPACE}}}term")
_CHILDREN = ("edit", "size")
_MAX_COST = 1e6  # no finite likelihood ratios of a sample cost more
_LISTS = ("unrelated", "related", "independent")


def write_dictionary(file: BinaryIO, dictionary: Dictionary) -> None:
    """Write `dictionary` as an XML file."""
    xml.write_lines(file, dictionary_lines(dictionary, is_root=True))


def dictionary_lines(dictionary: Dictionary, *, is_root: bool = False) -> Iterator[str]:
    """The `<dictionary>` element."""
    origin = {"version": FORMAT_VERSION, "guid": dictionary.guid, "name": dictionary.name}
    yield xml.opened("dictionary", is_root=is_root, **origin)
    yield xml.given("created", dictionary.origin.created)
    yield system_xml(dictionary.origin.system)
    yield xml.given("parent", dictionary.parent)
    yield xml.element("hashdigest", dictionary.digest, type="SHA256")
    yield xml.element("documents", str(dictionary.documents))
    yield xml.element("rarest", str(dictionary.rarest))
    if dictionary.trimmed:
        low, high = dictionary.trimmed
        yield xml.element("trimmed", minimum=low, maximum=high)
    yield from chain_lines(dictionary.recipe.chain())
    for name, version in dictionary.libraries:
        yield xml.element("library", name=name, version=version)
    if dictionary.seen:
        yield xml.opened("seen")
        yield xml.element("totals", _listed(dictionary.seen.totals))
        for row in dictionary.seen.rows:
            yield xml.element("document", _listed(row))
        yield xml.closed("seen")
    for calibration in dictionary.calibrations:
        yield from calibration_lines(calibration)
    yield xml.opened("terms", count=len(dictionary.terms))
    for start in range(0, len(dictionary.terms), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        terms: Iterable[str] = dictionary.terms[some]
        if xml.needs_escape("".join(terms)):  # a search of many terms together is fast
            terms = map(xml.escaped, terms)
        rows = zip(dictionary.counts[some], terms, strict=True)
        yield "".join(f'<term df="{count}">{term}</term>\n' for count, term in rows)
    yield xml.closed("terms")
    yield xml.passed_on(dictionary.unknown)
    yield xml.closed("dictionary")


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


@lru_cache(64)
def system_xml(system: System | None) -> str:
    """DFXML's `<execution_environment>`, "" without a system; one run has one for all files."""
    if system is None:
        return ""
    fields = [xml.given(tag, getattr(system, tag)) for tag in SYSTEM]
    begin, end = xml.opened("execution_environment"), xml.closed("execution_environment")
    return "".join([begin, *fields, xml.passed_on(system.unknown), end])


def system_from(described: Item) -> System:
    """The system that an `<execution_environment>` describes."""
    texts = xml.last_texts(described.children())
    sysname, release, host, arch = (texts.get(tag, "").strip() for tag in SYSTEM)
    return System(sysname, release, host, arch, xml.unknown_in(described.element, SYSTEM))


def read_dictionary(file: IO[bytes], name: str) -> Dictionary:
    """The dictionary in an XML file; `name` is for messages. Raises FormatError."""
    stream = xml.events(file, name, TAGS, crowded="terms")
    root = xml.root_in(stream, name, "a dictionary", "dictionary")
    dictionary = dictionary_from(root, stream, name)
    deque(stream, 0)  # what stands behind its end is an error
    return dictionary


def dictionary_from(root: xml.Element, stream: xml.Events, name: str) -> Dictionary:
    """The dictionary whose `<dictionary>` has just begun; reads to its end."""
    xml.check_version(root.get("version"), name)
    terms, counts = list[str](), array("L")
    for event, child in stream:
        if event == "end" and child is root:
            break
        if event != "start" and child.getparent() is root and xml.local(child) == "terms":
            items = [*child.iterchildren(*_TERM)]
            if event == "some" and items and items[-1] is child[-1]:
                del items[-1]
            _take_terms(terms, counts, items, name)
            del child[:-1]
    item = Item(root, name)
    children = item.children()
    last = {tag: items[-1] for tag, items in children.items()}
    texts = {tag: text.strip() for tag, text in xml.last_texts(children).items()}
    declared = last["terms"].number("count") if "terms" in last else -1
    documents = xml.whole_number(texts.get("documents"), "<documents>", name)
    rarest = xml.whole_number(texts.get("rarest"), "<rarest>", name)
    chain = chain_from(last["tokenizers"].element, name) if "tokenizers" in last else ()
    if not chain:
        raise xml.damaged("it has no <tokenizers>", name)
    trimmed = _trimmed_from(last["trimmed"]) if "trimmed" in last else None
    if not counts or len(counts) != declared:
        raise xml.damaged(f"it declares {declared} terms and holds {len(terms)}", name)
    if not 1 <= rarest == (rarest if trimmed else min(counts)) <= min(counts) or (
        max(counts) > documents
    ):
        what = f"{rarest} (the rarest term) to {documents} (all documents)"
        raise xml.damaged(f"a document frequency lies outside {what}", name)
    system = last.get("execution_environment")
    dictionary = Dictionary(
        tuple(terms),
        counts,
        documents,
        rarest,
        RecipeSpec(chain[0], chain[1:]),
        item.get("name"),
        Origin(item.get("guid"), texts.get("created", ""), system_from(system) if system else None),
        trimmed,
        texts.get("parent", ""),
        tuple((child.get("name"), child.get("version")) for child in children["library"]),
        xml.unknown_in(root, _READ),
        _seen_from(last["seen"]) if "seen" in last else None,
        tuple(map(calibration_from, children["calibration"])),
    )
    xml.check_digest(texts.get("hashdigest") or "none", dictionary.digest, name)
    root.clear()
    return dictionary


_READ = {
    *("created", "parent", "hashdigest", "documents", "rarest", "execution_environment"),
    *("trimmed", "tokenizers", "seen", "library", "calibration", "terms"),
}


def _trimmed_from(described: Item) -> tuple[float, float]:
    """The range of normalized IDF that a dictionary was trimmed to."""
    low, high = described.decimal("minimum"), described.decimal("maximum")
    if not -1 <= low <= high <= 1:
        raise described.damage(f"goes from {low} to {high}")
    return low, high


def _take_terms(
    terms: list[str], counts: array[int], items: Iterable[xml.Element], name: str
) -> None:
    """Add some `<term>`s. They must be in ascending order, which also rules out repeats."""
    last = terms[-1] if terms else ""
    for item in items:
        term = item.text or ""
        if term <= last:
            fault = "is there twice" if term == last else "is out of order"
            raise xml.damaged(f"term {len(terms) + 1} ({term!r:.60}) {fault}", name)
        terms.append(term)
        last, count = term, item.get("df", "")
        if count.isdigit() and count.isascii() and len(count) < _SHORT:  # the fast path
            counts.append(int(count))
        else:
            number = xml.whole_number(count, f"df of term {len(terms)}", name)
            counts.append(min(number, _MOST_COUNTED))


def _seen_from(described: Item) -> Seen:
    """The `<seen>` element: numbers for each octave, of all documents and of the sample."""
    items = [Item(child, described.name) for child in described.element]
    rows = [item.numbers(item.text, _MOST_OCTAVES) for item in items]
    if not rows or len(rows) > _MOST_SEEN or len({len(row) for row in rows}) > 1:
        raise described.damage("has no rows, or rows of different lengths")
    return Seen(tuple(rows[1:]), rows[0])


def calibration_lines(calibration: Calibration) -> Iterator[str]:
    """The `<calibration>` element."""
    yield xml.opened(
        "calibration",
        matcher=calibration.matcher,
        created=calibration.created,
        documents=calibration.documents,
        left_out=calibration.left_out,
        bundled="true" if calibration.bundled else None,
    )
    for edit in calibration.edits:
        yield xml.element("edit", edit)
    for item in calibration.classes:
        excerpts = "true" if item.excerpts else None
        yield xml.opened(
            "size", minimum=item.least, maximum=item.most, excerpts=excerpts, cllr=item.cllr
        )
        for tag in _LISTS:
            counts = getattr(item, tag)
            while counts and not counts[-1]:
                counts = counts[:-1]
            yield xml.element(tag, _listed(counts))
        yield xml.closed("size")
    yield xml.passed_on(calibration.unknown)
    yield xml.closed("calibration")


def calibration_from(described: Item) -> Calibration:
    """The calibration that a `<calibration>` describes. Raises FormatError."""
    children = described.children()
    return Calibration(
        described.get("matcher"),
        described.get("created"),
        described.number("documents"),
        described.number("left_out"),
        tuple(edit.text.strip() for edit in children["edit"]),
        tuple(map(_class_from, children["size"])),
        xml.unknown_in(described.element, _CHILDREN),
        described.get("bundled") == "true",
    )


def _class_from(described: Item) -> SizeClass:
    children = described.children()
    histograms = []
    for tag in _LISTS:
        numbers = [n for item in children[tag][-1:] for n in item.numbers(item.text, SCORES)]
        histograms.append((*numbers, *[0] * (SCORES - len(numbers))))
    cllr = described.decimal("cllr") if described.get("cllr") else None
    if cllr is not None and not 0 <= cllr < _MAX_COST:
        raise described.wrong("cllr", cllr, "a number, 0 or more")
    unrelated, related, independent = histograms
    return SizeClass(
        described.number("minimum"),
        described.number("maximum") if described.get("maximum") else None,
        unrelated,
        related,
        independent,
        described.get("excerpts") == "true",
        cllr,
    )
