"""What is shared, at size: a dictionary of a million terms, a container of 100,000 fingerprints.

Run as `python benchmarks/sharing.py`. Each is written and read as the library does it, with all
checks; beside it, in the same run, lxml reads the same file into a tree (the dictionary) or from
element to element (the container) and understands nothing of it. Seconds are those of the
processor; memory is that of a process that does nothing else.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from measuring import command, seconds, size, table

from sdtext import load, save
from sdtext.fingerprinting.load_and_save import load_fingerprints
from sdtext.model import (
    DataSource,
    DictionarySource,
    Fingerprint,
    Origin,
    PartSpec,
    RecipeSpec,
    System,
    Vector,
)
from sdtext.model.dictionary import Dictionary

TERMS, DOCUMENTS = size(1_000_000, 10_000), 1_000
FINGERPRINTS, BITS = (
    size(100_000, 1_000),
    1889,
)  # the terms of the Federalist papers, trimmed to 0.3 to 0.8
SYSTEM = System("Linux", "6.1", "desk", "x86_64")
GUID = "8c4e1f52-0000-4000-8000-{:012x}"


def dictionary() -> Dictionary:
    """A dictionary of made-up words."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    letters = "abcdefghijklmnopqrstuvwxyz"
    terms: dict[str, int] = {}
    while len(terms) < TERMS:
        word = "".join(chance.choices(letters, k=chance.randint(4, 12)))
        terms[word] = chance.randint(1, DOCUMENTS)
    recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
    return Dictionary.of(terms, DOCUMENTS, recipe)


def fingerprints(number: int) -> Iterator[Fingerprint]:
    """Fingerprints of profile evidence: with all fields except the dictionary itself."""
    chance = random.Random(2)  # noqa: S311 (as above)
    words = {f"t{place}": 1 for place in range(BITS)}
    over = Dictionary.of(words, 1000, RecipeSpec(PartSpec("words")))
    named = replace(over, name="letters", origin=Origin(GUID.format(0), "", SYSTEM))
    reference = named.reference("/cases")
    home = DictionarySource(reference.guid, "/cases/letters.xml", SYSTEM)
    for place in range(number):
        packed = chance.getrandbits(BITS).to_bytes((BITS + 7) // 8, "little")
        yield Fingerprint(
            "bitvector",
            (Vector(packed, BITS, reference.guid),),
            (reference,),
            Origin(GUID.format(place), "2026-01-02T03:04:05Z", SYSTEM),
            DataSource(f"letter {place}.txt", dictionaries=(home,)),
        )


def memory(script: str, path: Path) -> float:
    """The most memory, in MB, of a process that runs `script` on `path`."""
    return command(sys.executable, "-c", script.format(str(path)))[2]


def million_terms(folder: Path) -> list[str]:
    """The row of a dictionary."""
    from lxml import etree

    path = folder / "dictionary.xml"
    save(dictionary(), path)
    ours, theirs = (seconds(lambda read=read: read(path))[0] for read in (load, etree.parse))
    own = memory("from sdtext import load; load({!r})", path)
    tree = memory("from lxml import etree; x = etree.parse({!r})", path)
    what = f"read a dictionary of {TERMS:,} terms"
    return [what, f"{ours:.1f} s, {own:.0f} MB", f"{theirs:.1f} s, {tree:.0f} MB"]


def container(folder: Path) -> Iterator[list[str]]:
    """The rows of a container: how many fingerprints are read and written in a second."""
    from lxml import etree

    path = folder / "fingerprints.xml"
    made = [*fingerprints(FINGERPRINTS)]
    write = FINGERPRINTS / seconds(lambda: save(iter(made), path))[0]
    read = FINGERPRINTS / seconds(lambda: sum(1 for _ in load_fingerprints(path)))[0]

    def parse() -> None:
        for _, item in etree.iterparse(path, tag="{*}fingerprint"):
            item.clear()

    theirs = FINGERPRINTS / seconds(parse)[0]
    script = (
        "from sdtext.fingerprinting.load_and_save import load_fingerprints\n"
        "for x in load_fingerprints({!r}): pass"
    )
    most = memory(script, path)
    what = f"read a container of {FINGERPRINTS:,} fingerprints of {BITS:,} bits"
    yield [what, f"{round(read, -3):,.0f}/s, {most:.0f} MB", f"{round(theirs, -3):,.0f}/s"]
    yield ["write it", f"{round(write, -3):,.0f}/s", ""]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        rows = [million_terms(Path(place)), *container(Path(place))]
        table(("", "sdtext", "lxml alone"), rows)
