"""Keyed dictionaries: fingerprints of organisations that share a key, which others cannot read."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from secrets import token_bytes

from sdtext.errors import OptionError
from sdtext.io.key_files import read_key, write_key
from sdtext.model import Origin, PartSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.filters.keyed import KEYED, check_of, derived, keyed_term, term_key
from sdtext.parts.registry import build, parse
from sdtext.reading.overwrite_guard import PLAIN, Output

CLASSES = 8
"""The largest number of different document frequencies of a keyed dictionary."""


def new_dictionary_key(path: str | Path) -> None:
    """Make the key of a project at `path`, which its owner alone can read.

    Raises OutputError where there is a file already.

    >>> new_dictionary_key(folder / "project.key")
    >>> oct((folder / "project.key").stat().st_mode & 0o777)
    '0o600'
    """
    output = Output(path, PLAIN)
    output.check()
    write_key("dictionary", token_bytes(32), path, output.check_replaced)


def key_dictionary(
    dictionary: Dictionary,
    key: str | Path | None = None,
    *,
    name: str = "",
    origin: Origin | None = None,
) -> Dictionary:
    """The dictionary with its terms under a key, in the order of their digests.

    `key` is the file of a key made by `new_dictionary_key`, by default the one that the environment
    gives. Fingerprints are made with that key in SDTEXT_KEY; scores need none, and are those of
    the open dictionary for matchers without IDF. Document frequencies are replaced by their means
    in at most 8 classes, each of at least an eighth of the terms. Equal keys and dictionaries give
    equal keyed dictionaries. Raises OptionError for a dictionary that is keyed, and as `read_key`.

    >>> new_dictionary_key(folder / "both.key")
    >>> dictionary = create_dictionary(samples, "english")
    >>> keyed = key_dictionary(dictionary, folder / "both.key")
    >>> len(keyed.terms) == len(dictionary.terms), len(keyed.terms[0])
    (True, 32)
    """
    if dictionary.is_keyed:
        raise OptionError("its terms are keyed already; key the open one", place=dictionary.name)
    secret = read_key("dictionary", key)
    # It depends on the content, and tells nothing about it without the key.
    salt = derived(secret, b"", f"sdtext/1/salt/{dictionary.digest}".encode("ascii"), 16).hex()
    of_terms = term_key(secret, salt)
    classes = frequency_classes(dictionary.counts)
    rows = sorted(
        (keyed_term(term, of_terms), classes[count])
        for term, count in zip(dictionary.terms, dictionary.counts, strict=True)
    )
    part = PartSpec.of(KEYED, id=f"{salt}-{check_of(of_terms)}")
    return replace(
        dictionary,
        terms=tuple(term for term, _ in rows),
        counts=array("L", (count for _, count in rows)),
        rarest=dictionary.rarest if dictionary.trimmed else min(classes.values()),
        recipe=replace(dictionary.recipe, filters=(*dictionary.recipe.filters, part)),
        name=name,
        origin=origin or Origin(),
        parent="",
        seen=None,
        calibrations=tuple(
            item
            for item in dictionary.calibrations
            if not build("matchers", parse(item.matcher)).needs_dictionary
        ),
        unknown=(),
    )


def frequency_classes(counts: Sequence[int]) -> Mapping[int, int]:
    """For each document frequency the rounded mean of its class.

    >>> frequency_classes([1] * 8 + [2, 3, 4, 9])
    {1: 1, 2: 2, 3: 2, 4: 6, 9: 6}
    """
    classes: list[Counter[int]] = [Counter()]
    for count, terms in sorted(Counter(counts).items()):
        if classes[-1].total() * CLASSES >= len(counts):
            classes.append(Counter())
        classes[-1][count] = terms
    if len(classes) > 1 and classes[-1].total() * CLASSES < len(counts):
        last = classes.pop()
        classes[-1] += last
    return {
        count: round(sum(n * terms for n, terms in each.items()) / each.total())
        for each in classes
        for count in each
    }
