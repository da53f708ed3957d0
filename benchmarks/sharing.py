"""What is shared, at size: a dictionary of a million terms, a container of 100,000 fingerprints.

Run as `python benchmarks/sharing.py`. Each is written and read as the library does it, with all
checks; beside it, in the same run, lxml reads the same file into a tree (the dictionary) or from
element to element (the container) and understands nothing of it. Seconds are those of the
processor; memory is that of a process that does nothing else.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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

TERMS, DOCUMENTS = 1_000_000, 1_000
FINGERPRINTS, BITS = 100_000, 1889  # the terms of the Federalist papers, trimmed to 0.3 to 0.8
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


def seconds(begin: float) -> float:
    """The processor's seconds since `begin`."""
    return time.process_time() - begin


def memory(script: str, path: Path) -> float:
    """The most memory, in MB, of a process that runs `script` on `path`, as Linux tells it."""
    ending = "\nprint(*(line for line in open('/proc/self/status') if 'VmHWM' in line))"
    command = [sys.executable, "-c", script.format(str(path)) + ending]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return int(output.split()[1]) / 1024


def million_terms(folder: Path) -> None:
    """Print how long a dictionary takes."""
    from lxml import etree

    path = folder / "dictionary.xml"
    result = dictionary()
    begin = time.process_time()
    save(result, path)
    print(f"{TERMS:,} terms: written in {seconds(begin):.1f} s, {path.stat().st_size / 1e6:.0f} MB")
    begin = time.process_time()
    load(path)
    ours = seconds(begin)
    begin = time.process_time()
    etree.parse(path)
    theirs = seconds(begin)
    own = memory("from sdtext import load; load({!r})", path)
    tree = memory("from lxml import etree; x = etree.parse({!r})", path)
    print(f"  read in    {ours:5.1f} s and {own:5.0f} MB, its digest checked")
    ratios = f"ours takes {ours / theirs:.1f}× the time, {own / tree:.2f}× the memory"
    print(f"  lxml alone {theirs:5.1f} s and {tree:5.0f} MB, understanding nothing: {ratios}")


def container(folder: Path) -> None:
    """Print how many fingerprints are written and read in a second."""
    from lxml import etree

    path = folder / "fingerprints.xml"
    output = list(fingerprints(FINGERPRINTS))
    begin = time.process_time()
    save(iter(output), path)
    write = FINGERPRINTS / seconds(begin)
    del output
    begin = time.process_time()
    result = sum(1 for _ in load_fingerprints(path))
    read = result / seconds(begin)
    begin = time.process_time()
    for _, item in etree.iterparse(path, tag="{*}fingerprint"):
        item.clear()
    theirs = result / seconds(begin)
    script = (
        "from sdtext.fingerprinting.load_and_save import load_fingerprints\n"
        "for x in load_fingerprints({!r}): pass"
    )
    half = folder / "half.xml"
    save(fingerprints(FINGERPRINTS // 2), half)
    most = memory(script, path), memory(script, half)
    print(f"{FINGERPRINTS:,} fingerprints of {BITS:,} bits, {path.stat().st_size / 1e6:.0f} MB")
    print(f"  written {write:9,.0f} a second")
    print(f"  read    {read:9,.0f} a second, in {most[0]:.0f} MB (half as many: {most[1]:.0f} MB)")
    ratio = f"ours is {read / theirs:.2f}×"
    print(f"  lxml    {theirs:9,.0f} a second, understanding nothing: {ratio}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        million_terms(Path(place))
        container(Path(place))
