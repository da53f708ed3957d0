"""Builds the bundled dictionaries in this folder, as README.md describes.

Run as `python dictionaries/make.py --work FOLDER [LANGUAGE…]` on Debian 12; needs apt, mandoc and
about 4 GB in FOLDER, which keeps packages and texts. What is there is not fetched again: from the
texts a dictionary is made in seconds.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from collecting import HERE, Language, Used, asked, collect, laid_out, table

from sdtext import Dictionary, Run, create_dictionary, save
from sdtext.model import Origin

CONFIGS = HERE.parent / "configs"
_LETTER = re.compile(r"[^\W\d_]")


def documents_of(language: Language, work: Path) -> list[Path]:
    """The documents of a language; its texts are collected in `work` if they are not there."""
    folder = work / language.name
    if not folder.exists():
        making = work / f"{language.name}.making"
        used = collect(language, work, making)
        write_sources(used, work / f"{language.name}.tsv")
        making.rename(folder)
    return laid_out(language, folder, work / f"{language.name}.documents")


def write_sources(used: Iterable[Used], path: Path) -> None:
    """Write the table of packages used, one row each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, dialect="excel-tab", lineterminator="\n")
        rows.writerow(column.name for column in fields(Used))
        rows.writerows(astuple(item) for item in used)


def counted(path: Path, documents: Iterable[Path]) -> Iterator[Used]:
    """The sources in the file at `path`, each with how many of `documents` are from it."""
    numbers = Counter(document.parent.name for document in documents)
    licences = table()["licences"]
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, dialect="excel-tab"):
            name = row["package"]
            licence = licences.get(name, row["licence"])
            yield Used(name, row["version"], licence, int(row["files"]), numbers[name])


def words_of(dictionary: Dictionary) -> Dictionary:
    """The dictionary without terms that are no words: numbers, signs, markup.

    Numbered clauses are the same in all contracts and languages.
    """
    pairs = zip(dictionary.terms, dictionary.counts, strict=True)
    words = {term: count for term, count in pairs if term[0].isalnum() and _LETTER.search(term)}
    result = Dictionary.of(words, dictionary.documents, dictionary.recipe)
    return replace(result, libraries=dictionary.libraries, seen=dictionary.seen)


def make(language: Language, documents: list[Path]) -> tuple[Dictionary, Dictionary]:
    """The dictionary of a language, with all terms and trimmed to its range."""
    run = Run(jobs=os.cpu_count() or 1)
    whole = words_of(create_dictionary(documents, CONFIGS / language.config, run=run))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    trimmed = whole.trim(*language.range, origin=Origin(guid=str(uuid4()), created=now))
    return whole, replace(trimmed, name=language.name)


def main() -> None:
    """Make those that are named, or all, and print a row for the table of README.md for each."""
    given = asked(__doc__)
    for language in given.languages:
        name = language.name
        documents = documents_of(language, given.work)
        whole, trimmed = make(language, documents)
        path = HERE / f"{name}.xml.gz"
        save(trimmed, path)
        used = counted(given.work / f"{name}.tsv", documents)
        write_sources(used, HERE / "sources" / f"{name}.tsv")
        low, high = whole.count_range(*language.range)
        print(
            f"| {name} | {language.config} | {whole.documents:,} | {len(whole.terms):,} | "
            f"{len(trimmed.terms):,} | {low} to {high} | {whole.max_idf:.2f} | "
            f"{path.stat().st_size / 1e3:,.0f} KB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
