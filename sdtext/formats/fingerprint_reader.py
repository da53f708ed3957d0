"""The `<fingerprint>` element and the container `<fingerprints>`, read as a stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats.dictionary_xml import TAGS, dictionary_from
from sdtext.formats.fingerprint_element import fingerprint_from
from sdtext.formats.hardened_xml import check_version, events, forget, local
from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Vectors and digests, too, so that each is known to have an end: a fingerprint can be very long.
_TAGS = ("fingerprint", "fingerprints", "vector", "digest", *TAGS)


def read_fingerprints(
    file: IO[bytes], name: str, first: int = 1
) -> Iterator[Fingerprint | Dictionary]:
    """What a `<fingerprint>` or `<fingerprints>` file holds, one by one, in its order.

    An embedded dictionary comes as a Dictionary: at the head of a container, behind the
    fingerprint it stands in otherwise. `name` and the number of the `first` fingerprint are for
    messages. Raises FormatError.
    """
    stream = events(file, name, _TAGS)
    for _, root in stream:
        if local(root) not in ("fingerprint", "fingerprints"):
            break
        check_version(root, name)
        if local(root) == "fingerprint":
            whole = list(_fingerprint(root, stream, name))
            deque(stream, 0)  # what stands behind its end is an error
            yield from whole
        else:
            yield from _contained(root, stream, name, first)
        return
    raise FormatError(f"{name}: is not a fingerprint")


def _contained(
    root: Element, stream: Iterator[tuple[str, Element]], name: str, first: int
) -> Iterator[Fingerprint | Dictionary]:
    """What a `<fingerprints>` that has just begun holds."""
    count = first - 1
    for event, element in stream:
        tag = local(element)
        if event != "start" or element.getparent() is not root:
            continue
        if tag == "fingerprint":
            count += 1
            yield from _fingerprint(element, stream, f"{name}: fingerprint {count}")
        elif tag == "dictionary":
            yield dictionary_from(element, stream, name)
        forget(element)


def _fingerprint(
    root: Element, stream: Iterator[tuple[str, Element]], name: str
) -> Iterator[Fingerprint | Dictionary]:
    """The fingerprint whose element has just begun, and the dictionaries in it."""
    check_version(root, name)
    embedded = []
    for event, element in stream:
        if event == "end" and element is root:
            break
        if event == "start" and element.getparent() is root and local(element) == "dictionary":
            embedded.append(dictionary_from(element, stream, name))
    fingerprint = fingerprint_from(root, name)
    named = [one.digest for one in fingerprint.dictionaries]
    if any(one.digest not in named for one in embedded):
        raise FormatError(f"{name}: is damaged: the dictionary inside is not the one it names")
    yield fingerprint
    yield from embedded
