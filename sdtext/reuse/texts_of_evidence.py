"""Texts of the documents that a file of evidence names, from the files that it was made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path

from sdtext.model import Evidence, Examined, Problem
from sdtext.reading.inputs import DocumentInputs, documents_and_paths, read_batch, size_and_digest
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.record import InputDocument
from sdtext.reading.walk import walk


def with_texts(
    evidence: Evidence, paths: DocumentInputs = (), *, run: Run | None = None
) -> Evidence:
    """The evidence with the texts of its documents, where these are unchanged.

    A file is that of the document's name, or one of that file name at `paths` or below them, whose
    content has the document's digest. A Document among `paths` is the one of its name, if its text
    is the same. `problems` of the result has a warning for each document that
    shares passages and has no such file. Raises UnreadableError for a path that is not there.

    >>> from sdtext import find_reuse
    >>> evidence = find_reuse(samples / "union-excerpt.txt", samples / "union.txt")
    >>> [document.text[:16] for document in with_texts(evidence).documents]
    ['From the noteboo', 'Why the towns sh']
    """
    run = (run or Run()).anew()
    held, named = documents_and_paths(paths)
    given = {document.source: document for document in held}
    files: dict[str, list[Path]] = defaultdict(list)
    for path in walk(named, run.note, run.reading.selection):
        files[path.name].append(path)
    sharing = {
        place for pair in evidence.shared if pair.passages for place in (pair.left, pair.right)
    }
    documents = list(evidence.documents)
    for place in sorted(sharing):
        document = documents[place]
        own = given.get(document.name)
        blocks = [own.text.encode("utf-8", "surrogatepass")] if own else []
        if own and document.digest == size_and_digest(blocks)[1]:
            documents[place] = replace(document, text=own.text, length=len(own.text))
            continue
        documents[place] = _with_text(document, files, run)
    problems = dict.fromkeys((*evidence.problems, *run.found))
    return replace(evidence, documents=tuple(documents), problems=tuple(problems))


def _with_text(document: Examined, files: Mapping[str, Sequence[Path]], run: Run) -> Examined:
    """The document with its text; a warning says why there is none."""
    own = Path(document.name)
    others = [path for path in files.get(own.name, ()) if path != own]
    others.sort(
        key=lambda path: -len(commonprefix([path.parts[::-1], own.parts[::-1]]))  # noqa: RUF071
    )
    reason = "no file of this name is there; name its folder"
    for path in ([own] if own.is_file() else []) + others:
        item = InputDocument("", path.name, path)
        read = next(read_batch([item], run.reading, [], digests=True), None)
        if read is None:
            reason = "its file cannot be read"
            continue
        text, digest = read.document.text, read.digest
        if document.digest and digest != document.digest:
            reason = "the file of this name has changed since the search"
        elif document.length and len(text) != document.length:
            reason = "its file is read in another way than in the search"
        else:
            return replace(document, text=text, length=len(text))
    what = f"{reason}; its passages are listed without text"
    run.note(Problem.at("warning", "no-text", document.name, what))
    return document
