"""The `<dictionary>` element: written and read as a stream."""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, BinaryIO

from sdtext.dictionary import Dictionary
from sdtext.errors import FormatError
from sdtext.formats import NAMESPACE
from sdtext.formats.recipe_xml import chain_from, write_chain
from sdtext.formats.xml import check_version, events, forget, line, local, whole_number
from sdtext.model import FORMAT_VERSION, Origin, PartSpec, RecipeSpec, System

if TYPE_CHECKING:
    from lxml.etree import _Element as Element
    from lxml.etree._serializer import _IncrementalFileWriter as Writer

SYSTEM = ("os_sysname", "os_release", "host", "arch")


def write_dictionary(file: BinaryIO, dictionary: Dictionary) -> None:
    """Write `dictionary` as an XML file."""
    from lxml import etree

    with etree.xmlfile(file, encoding="utf-8") as out:
        out.write_declaration()
        dictionary_element(out, dictionary)
    file.write(b"\n")


def dictionary_element(out: Writer, dictionary: Dictionary) -> None:
    """Write the `<dictionary>` element."""
    attributes = {"version": FORMAT_VERSION, "guid": dictionary.guid, "name": dictionary.name}
    with out.element("dictionary", attributes, nsmap={None: NAMESPACE}):
        text_element(out, "created", dictionary.origin.created)
        system_element(out, dictionary.origin.system)
        text_element(out, "parent", dictionary.parent)
        text_element(out, "hashdigest", dictionary.digest, type="SHA256")
        text_element(out, "documents", str(dictionary.documents))
        text_element(out, "rarest", str(dictionary.rarest))
        if dictionary.trimmed:
            low, high = map(repr, dictionary.trimmed)
            with line(out, "trimmed", minimum=low, maximum=high):
                pass
        write_chain(out, dictionary.recipe.chain())
        for name, version in dictionary.libraries:
            with line(out, "library", name=name, version=version):
                pass
        with line(out, "terms", count=str(len(dictionary.terms))):
            for term, count in zip(dictionary.terms, dictionary.counts, strict=True):
                out.write("\n")
                with out.element("term", df=str(count)):
                    out.write(term)


def text_element(out: Writer, tag: str, text: str, **attributes: str) -> None:
    """Write an element with a text; nothing where the text is empty."""
    if text:
        with line(out, tag, **attributes):
            out.write(text)


def system_element(out: Writer, system: System | None) -> None:
    """Write DFXML's `<execution_environment>`; nothing where there is no system."""
    if system:
        with line(out, "execution_environment"):
            for tag in SYSTEM:
                text_element(out, tag, getattr(system, tag))


def system_from(element: Element) -> System:
    """The system that an `<execution_environment>` describes."""
    found = {local(child): (child.text or "").strip() for child in element}
    return System(**{tag: found.get(tag, "") for tag in SYSTEM})


def read_dictionary(file: IO[bytes], name: str) -> Dictionary:
    """The dictionary in an XML file; `name` is for messages. Raises FormatError."""
    stream = events(file, name)
    for _, root in stream:
        if local(root) != "dictionary":
            raise FormatError(f"{name}: is not a dictionary: it begins with <{root.tag!s}>")
        dictionary = dictionary_from(root, stream, name)
        deque(stream, 0)  # what stands behind its end is an error
        return dictionary
    raise FormatError(f"{name}: is empty")


@dataclass
class _Found:
    """What was read of a `<dictionary>` so far."""

    texts: dict[str, str] = field(default_factory=dict)
    system: System | None = None
    trimmed: tuple[float, float] | None = None
    chain: tuple[PartSpec, ...] = ()
    libraries: list[tuple[str, str]] = field(default_factory=list)
    declared: int = -1
    terms: list[str] = field(default_factory=list)
    counts: array[int] = field(default_factory=lambda: array("L"))


def dictionary_from(root: Element, stream: Iterator[tuple[str, Element]], name: str) -> Dictionary:
    """The dictionary whose `<dictionary>` has just begun; reads to its end."""
    check_version(root, name)
    found = _Found()
    for event, element in stream:
        if event == "end":
            if element is root:
                break
            if element.getparent() is root:
                _take(found, element, name)
                forget(element)
            elif local(element) == "term" and _in_terms(element):
                _take_term(found, element, name)
    dictionary = _dictionary(root, found, name)
    root.clear()
    return dictionary


def _in_terms(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and local(parent) == "terms"


def _take_term(found: _Found, element: Element, name: str) -> None:
    """Add a `<term>`: they must rise, which also finds a term that is there twice."""
    term = element.text or ""
    last = found.terms[-1] if found.terms else ""
    if term <= last:
        fault = "is there twice" if term == last else "is out of order"
        raise FormatError(f"{name}: is damaged: term {len(found.terms) + 1} ({term!r:.60}) {fault}")
    found.terms.append(term)
    count = element.get("df", "")
    found.counts.append(int(count) if count.isdecimal() and len(count) < 10 else 0)
    forget(element)


def _take(found: _Found, element: Element, name: str) -> None:
    """Keep a child of `<dictionary>`; elements of later minor versions are passed over."""
    tag = local(element)
    if tag == "execution_environment":
        found.system = system_from(element)
    elif tag == "trimmed":
        found.trimmed = (_number(element, "minimum", name), _number(element, "maximum", name))
    elif tag == "tokenizers":
        found.chain = chain_from(element, name)
    elif tag == "library":
        found.libraries.append((element.get("name", ""), element.get("version", "")))
    elif tag == "terms":
        found.declared = whole_number(element.get("count"), "the count of <terms>", name)
    else:
        found.texts[tag] = (element.text or "").strip()


def _number(element: Element, attribute: str, name: str) -> float:
    text = element.get(attribute, "")
    if not re.fullmatch(r"-?[0-9.]{1,30}(e[+-]?[0-9]{1,3})?|-?inf", text):
        raise FormatError(f"{name}: {attribute} of <trimmed> is {text[:40]!r}; it must be a number")
    return float(text)


def _dictionary(root: Element, found: _Found, name: str) -> Dictionary:
    documents = whole_number(found.texts.get("documents"), "<documents>", name)
    rarest = whole_number(found.texts.get("rarest"), "<rarest>", name)
    if not found.chain:
        raise FormatError(f"{name}: is damaged: it has no <tokenizers>")
    _check_terms(found, documents, rarest, name)
    dictionary = Dictionary(
        tuple(found.terms),
        found.counts,
        documents,
        rarest,
        RecipeSpec(found.chain[0], found.chain[1:]),
        root.get("name", ""),
        Origin(root.get("guid", ""), found.texts.get("created", ""), found.system),
        found.trimmed,
        found.texts.get("parent", ""),
        tuple(found.libraries),
    )
    if dictionary.digest != found.texts.get("hashdigest"):
        raise FormatError(
            f"{name}: is damaged or was changed: its content does not give the digest it states; "
            "get it anew from where it was made"
        )
    return dictionary


def _check_terms(found: _Found, documents: int, rarest: int, name: str) -> None:
    counts = found.counts
    if not counts or len(counts) != found.declared:
        raise FormatError(
            f"{name}: is damaged: it declares {found.declared} terms and holds {len(found.terms)}"
        )
    rarest_left = rarest if found.trimmed else min(counts)
    if not 1 <= rarest == rarest_left <= min(counts) or max(counts) > documents:
        raise FormatError(
            f"{name}: is damaged: a document frequency lies outside {rarest} (the rarest term) "
            f"to {documents} (all documents)"
        )
