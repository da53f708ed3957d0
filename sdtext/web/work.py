"""The process of one job: does what is asked, and leaves the result in the folder of the job.

`result.json` has rows and facts for the pages, `page.html` the page of a report, `evidence.xml` the
evidence. Files of strangers are read in the sandboxed processes of `reading`, as ever.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import numpy as np

from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.deduplicate import deduplicate
from sdtext.errors import FormatError, SdtextError, UnreadableError
from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.histograms import CUTS
from sdtext.experiment.plan import load_plan
from sdtext.experiment.run_experiment import ExperimentResult, described, run_experiment
from sdtext.formats.evidence_xml import read_evidence, write_evidence
from sdtext.io.decompressed_content import Content
from sdtext.model import Evidence, Examined, Origin, Passage
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import find
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reading.recognise_file import container_of
from sdtext.reading.records.record import Fields
from sdtext.reading.sandbox.worker import exit_with_parent
from sdtext.reports.html.evidence_page import evidence_page
from sdtext.reports.html.experiment_page import experiment_page
from sdtext.reports.html.report_page import ReportPage, rendered
from sdtext.reports.html.result_overviews import (
    page_of_deduplication,
    page_of_hits,
    page_of_pairs,
)
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import by_weight, chapter_names
from sdtext.reuse import find_reuse
from sdtext.search import Question, within
from sdtext.search.similar_documents import search_files
from sdtext.text.document import Document
from sdtext.web.jobs import DONE, FAILED, Job, Jobs
from sdtext.wording import counted, printable

RESULT, PAGE, EVIDENCE, TEXTS = "result.json", "page.html", "evidence.xml", "texts.json"
PLAN, RECIPE, DICTIONARY, COMMANDS = "plan.toml", "recipe.toml", "dictionary.xml", "commands.txt"
DATABASE = "experiment.sqlite"
_STEP = 0.2  # seconds between two notes of how far a job is
_BEST_CELLS = 25  # cells of an experiment that are listed
_FEW = 50  # similar documents that are listed of a collection without places

Result = dict[str, Any]


def work(folder: Path, number: str) -> None:
    """Do a job, and note how it ended."""
    jobs = Jobs(folder)
    job = jobs.get(number)
    if job is None:
        return
    run = Run(problems=[], stages=_Steps(jobs, number))
    try:
        result = _KINDS[job.kind](job, jobs.files(number), run)
    except SdtextError as error:
        jobs.end(number, FAILED, _sentence(job, jobs.files(number), error.file, error.what))
    except Exception as error:
        traceback.print_exc()
        what = f"A bug of sdtext stopped it ({type(error).__name__}); the server's log has details."
        jobs.end(number, FAILED, what)
    else:
        files = jobs.files(number)
        result["problems"] = [_sentence(job, files, p.path, p.what) for p in run.found]
        _write(jobs.files(number) / RESULT, json.dumps(result).encode())
        jobs.end(number, DONE, result["sentence"])


def _sentence(job: Job, folder: Path, file: str, what: str) -> str:
    """What is wrong with an upload, by the name that it came with, or with another file."""
    if folder.name in file:
        file = job.question["name"] if job.kind == "check" else file.rpartition("files/")[2]
    return f"{printable(file)}: {what}" if file else what


class _Steps:
    """Notes how far a job is, a few times a second."""

    def __init__(self, jobs: Jobs, number: str) -> None:
        self._jobs, self._number, self._last = jobs, number, 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if monotonic() - self._last > _STEP:
            self._jobs.step(self._number, stage, done, total or 0)
            self._last = monotonic()


def check(job: Job, folder: Path, run: Run) -> Result:
    """Compare an upload with a collection; the passages, or the similar documents alone."""
    asked = job.question
    stored = StoredCollection.open(asked["collection"])
    upload = Content(folder / asked["file"])
    container = container_of(upload)
    if container and not find("containers", container).also_text:
        raise UnreadableError("is an archive; choose one of the documents in it", file=upload.path)
    document = replace(read(upload.path, reading=run.reading), source=asked["name"])
    run.note(*(replace(item, path=str(folder / asked["file"])) for item in document.problems))
    if not passages_of(stored):
        return _similar(document, stored, asked, folder, run)
    metadata = folder / "metadata.jsonl"
    fields = {name: value for name, value in asked["metadata"].items() if value}
    metadata.write_text(json.dumps({"document": asked["name"], **fields}) + "\n", "utf-8")
    evidence = find_reuse(
        document,
        stored,
        method=passages_of(stored),
        where=asked["where"] or None,
        unit="chapter",
        texts=True,
        exclude_quotes=asked["exclude_quotes"],
        exclude_references=asked["exclude_references"],
        template=[folder / asked["template"]] if asked["template"] else (),
        metadata=metadata if fields else None,
        run=run,
    )
    evidence = by_weight(replace(evidence, origin=_origin()))
    with (folder / EVIDENCE).open("wb") as file:
        write_evidence(file, evidence)
    texts = [document.text for document in evidence.documents]
    _write(folder / TEXTS, json.dumps(texts).encode())
    write_page(folder, evidence_page(evidence))
    digest = evidence.documents[0].digest
    return {
        "how": evidence.how,
        "sentence": _verdict(evidence, asked["name"], len(stored)),
        "documents": len(stored),
        "same": [each.name for each in stored.documents() if each.digest == digest],
        "rows": [*_rows(evidence)],
        "chapters": [*_chapters(evidence)],
    }


def save_evidence(folder: Path, content: bytes) -> None:
    """Keep the evidence that a page sends back, and make the page anew. Raises FormatError."""
    evidence = read_evidence(BytesIO(content), EVIDENCE)
    texts = json.loads((folder / TEXTS).read_bytes())
    if len(texts) != len(evidence.documents):
        raise FormatError("has other documents than the check", file=EVIDENCE)
    documents = zip(evidence.documents, texts, strict=True)
    shown = replace(evidence, documents=tuple(replace(d, text=text) for d, text in documents))
    _write(folder / EVIDENCE, content)
    write_page(folder, evidence_page(shown))


def _verdict(evidence: Evidence, name: str, number: int) -> str:
    """How much of the upload is found, and in how many documents."""
    [coverage] = evidence.coverage
    if not coverage.sources:
        return f"Nothing of {name} is found in {counted(number, 'stored document')}."
    where = f"{len(coverage.sources):,} of {counted(number, 'stored document')}"
    titled = [
        (title, part)
        for title, part in zip(chapter_names(coverage), coverage.parts, strict=True)
        if part.span.title
    ]
    best = max(titled, key=lambda item: item[1].share, default=None)
    most = f"; most in {best[0]}, {percent(best[1].share)}" if best else ""
    return f"{percent(coverage.share)} of {name} is found in {where}{most}."


def _rows(evidence: Evidence) -> Iterator[Result]:
    """A row for each stored document that shares text, or has similar metadata."""
    for place, pair in enumerate(evidence.shared, 1):
        source = evidence.documents[pair.right]
        counting = [passage for passage in pair.passages if not passage.excluded]
        if counting or pair.likeness:
            yield {
                "document": source.name,
                "metadata": dict(source.metadata),
                "share": pair.left_share,
                "source_share": pair.right_share,
                "passages": len(counting),
                "longest": max(
                    (_words(passage, evidence.documents[pair.left]) for passage in counting),
                    default=0,
                ),
                "likeness": dict(pair.likeness),
                "target": f"#p{place}" if pair.passages else "",
            }


def _words(passage: Passage, document: Examined) -> int:
    """The words of a passage on the left."""
    return len(document.text[passage.left.start : passage.left.end].split())


def _chapters(evidence: Evidence) -> Iterator[Result]:
    """A row for each chapter of the upload: its share, and the document that shares most of it."""
    for coverage in evidence.coverage:
        for title, part in zip(chapter_names(coverage), coverage.parts, strict=True):
            inside: dict[int, int] = {}
            for place, pair in enumerate(evidence.shared):
                inside[place] = sum(
                    max(
                        0, min(item.left.end, part.span.end) - max(item.left.start, part.span.start)
                    )
                    for item in pair.passages
                    if not item.excluded
                )
            best = max(inside, key=inside.__getitem__, default=0)
            most = evidence.shared[best] if inside.get(best) else None
            yield {
                "chapter": title,
                "words": part.words,
                "share": part.share,
                "source": evidence.documents[most.right].name if most else "",
                "metadata": dict(evidence.documents[most.right].metadata) if most else {},
                "target": f"#p{best + 1}" if most else "",
            }


def _similar(
    document: Document, stored: StoredCollection, asked: Mapping[str, Any], folder: Path, run: Run
) -> Result:
    """The documents that are similar to the upload, of a collection without places."""
    question = Question.of(None, where=asked["where"] or None, top=_FEW)
    path = folder / asked["file"]
    [hits] = search_files(stored, Inputs([path]), question, run)
    known = {each.id: each for each in stored.documents(asked["where"] or None)}
    rows = [
        {
            "document": row.document,
            "metadata": dict(known[row.id].metadata),
            "share": row.score / 100,
            "likeness": {},
            "target": "",
        }
        for row in hits.rows
    ]
    named = replace(hits, rows=tuple(replace(row, query=document.source) for row in hits.rows))
    write_page(folder, page_of_hits(named, stored, [], question))
    return {
        "how": hits.how,
        "sentence": f"{counted(len(rows), 'document')} of {len(stored):,} are similar.",
        "documents": len(stored),
        "same": [],
        "rows": rows,
        "chapters": [],
    }


def add(job: Job, folder: Path, run: Run) -> Result:
    """Add uploads to a collection, which is made if it is not there."""
    asked, path = job.question, Path(job.writes)
    spec = CollectionSpec(text=True, origin=_origin())
    if not path.exists():
        spec = replace(spec, recipe=load_recipe(asked["recipe"]))
    else:
        spec = replace(spec, text=StoredCollection.open(path).keeps_text)
    metadata = folder / asked["metadata"] if asked["metadata"] else None
    inputs = Inputs([folder / "files"], Fields(), metadata)
    added = add_documents(path, inputs, spec, run)
    return {
        "sentence": str(replace(added, collection=Path(asked["name"]))),
        "address": f"/collections/{asked['name']}",
    }


def remove(job: Job, _folder: Path, _run: Run) -> Result:
    """Remove documents of a collection by their ids."""
    with StoredCollection.open(job.writes) as stored:
        number = stored.remove(sorted(job.question["ids"]))
    return {
        "sentence": f"{counted(number, 'document')} removed.",
        "address": f"/collections/{job.question['name']}",
    }


def pairs(job: Job, folder: Path, run: Run) -> Result:
    """The similar pairs of a collection, as a page."""
    asked = job.question
    stored = StoredCollection.open(asked["collection"])
    question = Question.of(asked["similarity"])
    found = within(stored, question, run)
    write_page(folder, page_of_pairs(found, [stored], question))
    return {"sentence": f"{counted(len(found.rows), 'similar pair')} found.", "how": found.how}


def duplicates(job: Job, folder: Path, run: Run) -> Result:
    """What Deduplicate would remove of a collection, as a page; nothing is removed."""
    asked = job.question
    with StoredCollection.open(asked["collection"]) as stored:
        documents = _texts(stored)
    done = deduplicate(documents, similarity=asked["similarity"], run=run)
    write_page(folder, page_of_deduplication(done, [], run.found))
    names = [row.document for row in done.removed]
    return {"sentence": done.summary, "how": done.how, "removed": names}


def experiment(job: Job, folder: Path, run: Run) -> Result:
    """Try parameters on the documents of a collection; the recipe of the choice, or of a cell."""
    asked = job.question
    with StoredCollection.open(asked["collection"]) as stored:
        documents = _texts(stored)
    (folder / PLAN).write_text(asked["plan"], "utf-8")
    plan = load_plan(folder / PLAN, dataset=documents)
    earlier = folder.parent / asked["earlier"] / DATABASE if asked["earlier"] else None
    files = ChosenFiles(folder, database=str(earlier or folder / DATABASE))
    result = run_experiment(plan, database=files.results, resume=bool(earlier), run=run)
    choice = result.choice
    if asked["cell"]:
        group, matcher, cell = map(int, asked["cell"].split("-"))
        [row] = [row for row in _cells(result) if row["cell"] == asked["cell"]]
        choice = ChosenCell(group, matcher, cell, row["score"], row["value"])
    files.write(result.plan, choice, _origin(), run)
    write_page(folder, experiment_page(result, files, run.found))
    group_name = plan.groups[choice.group].name
    what = f"{group_name}, matcher {plan.matchers[choice.matcher]}, {plan.cells[choice.cell]}"
    return {
        "sentence": f"Chosen: {what}, scores of {choice.cut} or more.",
        "how": described(result)[0],
        "cells": [*_cells(result)],
    }


def _cells(result: ExperimentResult) -> Iterator[Result]:
    """The best cells, each with its figures at its cut, and the place by which it is chosen."""
    plan, curve = result.plan, result.measurements.curve()
    values, cuts = curve.value(plan.target), curve.best_cut(plan.target)
    order = np.argsort(-values, axis=None, kind="stable")[:_BEST_CELLS]
    for place in zip(*np.unravel_index(order, values.shape), strict=True):
        group, matcher, cell = map(int, place)
        yield {
            "cell": f"{group}-{matcher}-{cell}",
            "tokenizers": plan.groups[group].name,
            "matcher": str(plan.matchers[matcher]),
            "range": str(plan.cells[cell]),
            "score": int(CUTS[cuts[place]]),
            "value": float(values[place]),
        }


def _texts(stored: StoredCollection) -> list[Document]:
    """The documents of a collection. Raises MismatchError if it keeps no texts."""
    stored.check_keeps_text()
    return [
        Document.of(stored.text_of(each), each.name, offsets=False) for each in stored.documents()
    ]


_KINDS: dict[str, Callable[[Job, Path, Run], Result]] = {
    "check": check,
    "add": add,
    "remove": remove,
    "pairs": pairs,
    "duplicates": duplicates,
    "experiment": experiment,
}


def passages_of(stored: StoredCollection) -> str:
    """The method that finds passages in a collection, "" if it keeps no places of words."""
    if keeps_places(stored.recipe):
        return "windows"
    return "sentences" if keeps_codes(stored.recipe) else ""


def write_page(folder: Path, page: ReportPage) -> None:
    """Write the page of a report into the folder of a job; the server says where it saves."""
    made = replace(page.provenance, created=_now())
    page = replace(page, provenance=made, embedded={**page.embedded, "save": ""})
    _write(folder / PAGE, rendered(page).encode("utf-8", "replace"))


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)


def _origin() -> Origin:
    return Origin(str(uuid4()), _now())


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    folder_of_jobs, number_of_job, parent = sys.argv[1:]
    exit_with_parent(int(parent), lambda: os._exit(1))
    work(Path(folder_of_jobs), number_of_job)
