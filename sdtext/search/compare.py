"""Compare documents and fingerprints (the queries) with all that folders hold.

Queries are read first, then folders, a part at a time, into collections in memory. Documents alone
are compared by shingles of five words; where there is a fingerprint on either side, a dictionary or
a matcher of bit vectors, bit vectors are compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from sdtext.errors import OptionError, UnreadableError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import display_name, in_archive
from sdtext.reading.parallel_run import COMPARING, Run
from sdtext.search.comparison_rows import Comparison, ComparisonRows
from sdtext.search.list_files import Given, ListedFiles, list_files
from sdtext.search.results import LevelCheck
from sdtext.search.search_plan import Question
from sdtext.search.shingles_or_bits import ByShingles, SameFiles, choose_comparison
from sdtext.text.document import Document
from sdtext.wording import reason

ComparedItem = Fingerprint | Document | str | Path | Content
"""A fingerprint or document, or the path of a file or folder with such."""


def compare(  # noqa: PLR0913 (the options of a question)
    queries: ComparedItem | Iterable[ComparedItem],
    folder: ComparedItem | Iterable[ComparedItem],
    *,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    similarity: float | None = None,
    top: int | None = None,
    recommended: bool = False,
    min_terms: int = MIN_TERMS,
    segment: Segment | str | None = None,
    explain: int = 0,
    index: str | None = None,
    run: Run | None = None,
) -> Comparison:
    """Compare every document, fingerprint file and container in `folder` with the queries.

    Each of the two may be a fingerprint, a document in memory, a file with either, a folder of such
    files, or a list of these. Documents alone are compared by shingles of five words (the recipe
    `deduplicate`). With a fingerprint on either side, a `dictionary`, or a `matcher` of bit
    vectors, these are compared: those of documents by the dictionary named, else by that which the
    fingerprints were made with, in their files, beside them or bundled. Documents are compared as
    a whole and, where `segment` ("1000/500") says so or a query has segments, by segment.

    `similarity`, 0 to 1, is the minimum, `top` the most rows for each query; `recommended` takes
    the matcher and the minimum from the calibration of the dictionary. Without these, and with the
    similarity 0, all pairs of bit vectors become rows, also those that are not comparable; the
    default minimum is a score of 1, of sketches 6, and shingles leave out pairs that share nothing
    rare. `min_terms` is the minimum number of terms of a bit vector for a score. With `explain`,
    rows have so many `shared_terms`. The `index` "scan" scores all; "columns" (bit vectors)
    and "bands" (shingles) choose candidates.

    Paths in rows are relative to the folder; if several folders are given, they begin with the
    folder as it is given. What is in memory is called by its name, without one by its place, such
    as `queries[0]`. A file of the folder that is a query is not compared with itself. Raises
    OptionError, MismatchError, UnreadableError if no query can be read.

    >>> comparison = compare(samples / "union.txt", samples)
    >>> [(row.score, row.path) for row in comparison.rows]
    [(46, 'union-edited.txt'), (22, 'union-excerpt.txt')]
    """
    question = Question.of(
        similarity,
        matcher=matcher,
        top=top,
        index=index,
        recommended=recommended,
        min_terms=min_terms,
        segment=Segment.parse(segment) if isinstance(segment, str) else segment,
        explain=explain,
    )
    run = run.anew() if run else Run(problems=[])
    named = dictionaries_of(dictionary, run.reading.max_bytes)
    items, searched = _items(queries, "queries", "query"), _items(folder, "folder", "document")
    folders = _existing_folders(searched)
    query_files = list_files(items, run, queries=True)
    folder_files = list_files(searched, run, partial(_path_in_row, folders), queries=False)
    way = choose_comparison(query_files, folder_files, named, question)
    is_same = _same_files(query_files, folders, searched)
    is_selected = similarity is not None or top is not None or recommended
    every = similarity == 0 or not (is_selected or isinstance(way, ByShingles))
    rows = ComparisonRows(way, question, every, LevelCheck(recommended))
    for part in way.read_folder(is_same):
        search = way.search(part)
        own: dict[str, list[int]] = {}  # the documents that are queries, by the query
        for place, path in enumerate(part.names):
            for name in is_same(path):
                own.setdefault(name, []).append(place)
        for query, name in enumerate([item[0] for item in way.queries]):
            rows.add(query, part, way.similar(query, part, search), own.get(name, []))
        rows.documents += len(part.names)
        run.step(len(part.names), rows.documents, COMPARING)
    return rows.comparison(run)


def _items(given: Any, argument: str, lone: str) -> list[Given]:
    """The items of an argument; those in memory with a name of their own."""
    is_one = isinstance(given, Fingerprint | Document | str | PathLike | Content)
    items = [given] if is_one else [*given]
    if not items:
        raise OptionError(f"{argument} is empty; name what is compared", place="compare")
    names = {str(item) for item in items if isinstance(item, str | PathLike)}
    result: list[Given] = []
    for place, item in enumerate(items):
        if not isinstance(item, Fingerprint | Document):
            result.append(item)
            continue
        own = item.source if isinstance(item, Document) else item.name
        where = lone if is_one else f"{argument}[{place}]"
        name = own if own and own not in names else where
        names.add(name)
        result.append((name, item))
    return result


def _existing_folders(searched: Sequence[Given]) -> list[Path]:
    """The paths to search. Raises UnreadableError if the only one is not there."""
    if len(searched) == 1 and isinstance(searched[0], str | PathLike):
        try:
            os.lstat(searched[0])
        except (FileNotFoundError, NotADirectoryError) as error:
            if not in_archive(Path(searched[0])):
                raise UnreadableError("no such file or folder", file=searched[0]) from error
        except OSError as error:
            raise UnreadableError(reason(error), file=searched[0]) from error
    return [Path(item) for item in searched if isinstance(item, str | PathLike)]


def _same_files(
    queries: ListedFiles, folders: Sequence[Path], searched: Sequence[Given]
) -> SameFiles:
    """What names the queries that are the document at a path of a row.

    A file that is named itself in place of a folder is compared with any query, and so is what is
    in memory.
    """
    in_memory = {item[0] for item in searched if isinstance(item, tuple)}
    alone = {os.path.realpath(folder) for folder in folders}
    by_path: dict[str, list[str]] = {}
    for name in queries.named:
        real = os.path.realpath(name)
        if real not in alone:
            by_path.setdefault(real, []).append(name)
    tails = {path.rpartition("/")[2] for path in by_path}
    folder = folders[0] if len(folders) == 1 else Path()

    def same(path: str) -> Sequence[str]:
        if path.rpartition("/")[2] not in tails or path in in_memory:  # the real path takes time
            return ()
        return by_path.get(os.path.realpath(folder / path), ())

    return same


def path_of_row(path: str, folders: Sequence[str]) -> str:
    """Where the file stands that a row calls `path`, in a comparison with `folders`."""
    if len(folders) != 1:
        return path
    is_folder = os.path.isdir(folders[0])  # noqa: PTH112 (raises for some names)
    return os.path.join(folders[0] if is_folder else os.path.dirname(folders[0]), path)  # noqa: PTH118, PTH120


def _path_in_row(folders: Sequence[Path], path: Path) -> str:
    """The path of a file in a row: relative to the folder, whole if there are several folders."""
    if len(folders) != 1:
        return path.as_posix()
    folder = folders[0].parts
    if path.parts[: len(folder)] == folder != path.parts:
        return "/".join(path.parts[len(folder) :])
    return display_name(path)
