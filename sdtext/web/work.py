"""The process of one job: does what is asked, and leaves the result in the folder of the job.

Files of strangers are read in the sandboxed processes of `reading`, as ever.
"""

import json
import os
import sys
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import sdtext
from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.histograms import CUTS
from sdtext.experiment.run_experiment import described
from sdtext.formats.evidence_xml import read_evidence, write_evidence
from sdtext.io.decompressed_content import Content
from sdtext.io.output import written
from sdtext.io.platform import exit_with_parent
from sdtext.model import Evidence, Examined, Origin, Span, WordCounts
from sdtext.parts.registry import find
from sdtext.reading.parallel_run import Run
from sdtext.reading.recognise_file import container_of
from sdtext.reports.html import result_overviews as overviews
from sdtext.reports.html.evidence_page import evidence_page
from sdtext.reports.html.experiment_page import experiment_page
from sdtext.reports.html.report_page import ReportPage, rendered
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import by_weight, chapter_names
from sdtext.reports.row_formats import flat, write_rows
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from sdtext.text.document import Document
from sdtext.web.jobs import DONE, FAILED, Job, Jobs
from sdtext.wording import counted, printable

RESULT, ROWS, PAGE, EVIDENCE = "result.json", "rows.csv", "page.html", "evidence.xml"
PLAN, DICTIONARY = "plan.toml", "dictionary.xml"
FILES = (PAGE, EVIDENCE, RESULT, ROWS, "recipe.toml", DICTIONARY, "commands.txt", PLAN)
"""The files of results that people save."""
TEXTS = "texts.json"
_DATABASE = "experiment.sqlite"
_STEP = 0.2  # seconds between two notes of how far a job is
_FEW = 50  # similar documents that are listed of a collection without places

Result = dict[str, Any]


def work(folder: Path, number: str) -> None:
    """Do a job, and note how it ended."""
    jobs = Jobs(folder)
    job, files, noted = jobs.get(number), jobs.files(number), 0.0
    if job is None:
        return

    def note(stage: str, done: int, total: int | None) -> None:
        nonlocal noted
        if monotonic() - noted > _STEP:
            jobs.change(number, stage=stage, done=done, total=total or 0)
            noted = monotonic()

    run = Run(problems=[], stages=note)
    try:
        result = _KINDS[job.kind](job, files, run)
        result["problems"] = [_sentence(job, item.path, item.what) for item in run.found]
        _write_result(files, result)
        jobs.end(number, DONE, result["sentence"])
    except SdtextError as error:
        jobs.end(number, FAILED, _sentence(job, error.file, error.what))
    except Exception as error:
        traceback.print_exc()
        what = f"A bug of sdtext stopped it ({type(error).__name__}); the server's log has details."
        jobs.end(number, FAILED, what)


def _sentence(job: Job, path: str, what: str) -> str:
    """What is wrong with an upload, by the name that it came with, or with another file."""
    called = dict(job.question.get("files", {}).values())
    name = called.get(Path(path).name) or path.rpartition("/files/")[2]
    return f"{printable(name)}: {what}" if name else what


def check(job: Job, folder: Path, run: Run) -> Result:
    """Compare an upload with a collection, or with another upload."""
    asked, files = job.question, job.question["files"]
    uploads = [files[field] for field in ("document", "other") if field in files]
    document, *others = [_document(folder, upload, run) for upload in uploads]
    stored = None if others else StoredCollection.open(asked["collection"])
    where = asked["where"] or None
    if stored is not None and not shows_passages(stored):
        return _similar(document, stored, where, folder, run)
    metadata = folder / "metadata.jsonl"
    metadata.write_text(json.dumps({"document": asked["name"], **asked["metadata"]}), "utf-8")
    evidence = sdtext.find_reuse(
        document,
        others if stored is None else stored,
        where=where,
        unit="chapter",
        texts=True,
        exclude_quotes=asked["exclude_quotes"],
        exclude_references=asked["exclude_references"],
        template=[folder / files["template"][0]] if "template" in files else (),
        metadata=metadata if asked["metadata"] else None,
        run=run,
    )
    evidence = by_weight(replace(evidence, origin=_origin()))
    texts = [each.text for each in evidence.documents]
    (folder / TEXTS).write_text(json.dumps(texts), "utf-8")
    digest = evidence.documents[0].digest
    compared = 1 if stored is None else len(stored.ids(where))
    same = [each.name for each in stored or () if each.digest == digest]
    return {"documents": compared, "same": same, **_kept(folder, evidence, compared)}


def _document(folder: Path, saved: tuple[str, str], run: Run) -> Document:
    """The document in an upload, called as it came. Raises UnreadableError."""
    upload = Content(folder / saved[0])
    container = container_of(upload)
    if container and not find("containers", container).also_text:
        raise UnreadableError("is an archive; choose one of the documents in it", file=upload.path)
    document = sdtext.read(upload.path, reading=run.reading)
    run.note(*(replace(item, path=str(upload.path)) for item in document.problems))
    return replace(document, source=saved[1])


def save_evidence(jobs: Jobs, job: Job, content: bytes) -> None:
    """Keep the evidence that a page sends back, and what follows from it. Raises FormatError."""
    folder = jobs.files(job.id)
    evidence = read_evidence(BytesIO(content), EVIDENCE)
    texts = json.loads((folder / TEXTS).read_bytes())
    if (len(texts), 1) != (len(evidence.documents), len(evidence.coverage)):
        raise FormatError("has other documents than the check", file=EVIDENCE)
    documents = zip(evidence.documents, texts, strict=True)
    shown = replace(evidence, documents=tuple(replace(d, text=text) for d, text in documents))
    result = json.loads((folder / RESULT).read_bytes())
    result |= _kept(folder, shown, result["documents"])
    _write_result(folder, result)
    jobs.change(job.id, is_over=True, sentence=result["sentence"])


def _kept(folder: Path, evidence: Evidence, compared: int) -> Result:
    """Write the evidence of a check, and its page; what is listed of documents and chapters."""
    with written(folder / EVIDENCE) as file:
        write_evidence(file, evidence)
    _write_page(folder, evidence_page(evidence))
    [coverage], documents, shared = evidence.coverage, evidence.documents, evidence.shared
    asked = documents[coverage.document]
    counts = asked.word_counts or WordCounts((0,), (0,))
    counting = [[item.left for item in pair.passages if not item.excluded] for pair in shared]
    rows: list[Result] = []
    for place, (pair, spans) in enumerate(zip(shared, counting, strict=True), 1):
        if spans or pair.likeness:
            about = {
                "share": pair.left_share,
                "source_share": pair.right_share,
                "passages": len(spans),
                "longest": max((counts.within(span) or 0 for span in spans), default=0),
                "basic": sum(pair.likeness.values()) / max(1, len(pair.likeness)),
                "likeness": dict(pair.likeness),
            }
            rows.append(_named(documents[pair.right], place if pair.passages else 0) | about)
    chapters: list[Result] = []
    for title, part in zip(chapter_names(coverage), coverage.parts, strict=True):
        row = {"chapter": title, "words": part.words, "share": part.share}
        common = [sum(_common(span, part.span) for span in spans) for spans in counting]
        if best := max(common, default=0):
            place = common.index(best)
            row |= _named(documents[shared[place].right], place + 1)
        chapters.append(row)
    which = counted(compared, "document")
    verdict = f"Nothing of {asked.name} is found in {which}."
    if coverage.sources:
        where = f"{len(coverage.sources):,} of {which}" if compared > 1 else documents[-1].name
        verdict = f"{percent(coverage.share)} of {asked.name} is found in {where}"
        if any(part.span.title for part in coverage.parts):
            most = max(chapters, key=itemgetter("share"))
            verdict += f"; most in {most['chapter']}, {percent(most['share'])}"
        verdict += "."
    return {"how": evidence.how, "sentence": verdict, "rows": rows, "chapters": chapters}


def _common(one: Span, other: Span) -> int:
    """The characters that two spans have in common."""
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _named(document: Examined, place: int) -> Result:
    """What a row has of a stored document, with the place of its pair in the page, if any."""
    target = f"#p{place}" if place else ""
    return {"document": document.name, "metadata": dict(document.metadata), "target": target}


def _similar(
    document: Document, stored: StoredCollection, where: str | None, folder: Path, run: Run
) -> Result:
    """The documents that are similar to the upload, of a collection without places."""
    question = Question.of(None, where=where, top=_FEW)
    hits = similar(stored, [document], question, run)
    _write_page(folder, overviews.page_of_hits(hits, stored, [], question))
    rows = [
        {"document": row.document, "metadata": dict(row.metadata), "share": row.score / 100}
        for row in hits.rows
    ]
    compared = len(stored.ids(where))
    verdict = f"{counted(len(rows), 'document')} of {compared:,} are similar."
    facts = {"documents": compared, "same": [], "chapters": []}
    return {"how": hits.how, "sentence": verdict, "rows": rows, **facts}


def add(job: Job, folder: Path, run: Run) -> Result:
    """Add uploads that a collection does not have; it is made if it is not there."""
    asked, path = job.question, Path(job.writes)
    metadata = folder / asked["files"]["metadata"][0] if asked["files"] else None
    made = {"recipe": asked["recipe"], "keep_text": True}
    with sdtext.open(path) if path.exists() else sdtext.create(path, **made) as to:
        known, last = {each.digest for each in to}, max((each.id for each in to), default=0)
        added = to.add(folder / "files", metadata=metadata, run=run)
        again = [each.id for each in to if each.id > last and each.digest in known]
        with to.writing() as writer:
            writer.remove(again)
    added = replace(added, collection=Path(asked["name"]), documents=added.documents - len(again))
    added = replace(added, added=added.added - len(again), unchanged=added.unchanged + len(again))
    return {"sentence": str(added), "to": asked["name"]}


def remove(job: Job, _folder: Path, _run: Run) -> Result:
    """Remove documents of a collection by their ids."""
    with StoredCollection.open(job.writes) as stored:
        number = stored.remove_ids(sorted(job.question["ids"]))
    return {"sentence": f"{counted(number, 'document')} removed.", "to": job.question["name"]}


def pairs(job: Job, folder: Path, run: Run) -> Result:
    """The similar pairs of a collection, as a page."""
    stored = StoredCollection.open(job.question["collection"])
    question = Question.of(job.question["similarity"])
    found = search_pairs(stored, question, run=run)
    _write_page(folder, overviews.page_of_pairs(found, [stored], question))
    return {"sentence": f"{counted(len(found.rows), 'similar pair')} found.", "how": found.how}


def duplicates(job: Job, folder: Path, run: Run) -> Result:
    """What Deduplicate would remove of a collection, as a page; nothing is removed."""
    documents = _texts(job.question["collection"])
    done = sdtext.deduplicate(documents, similarity=job.question["similarity"], run=run)
    stored = [StoredCollection.open(job.question["collection"])]
    page = overviews.page_of_deduplication(done, [], run.found, collections=stored)
    _write_page(folder, page)
    names = [row.document for row in done.removed]
    return {"sentence": done.summary, "how": done.how, "removed": names}


def experiment(job: Job, folder: Path, run: Run) -> Result:
    """Try parameters on the documents of a collection; the recipe of the choice, or of a cell."""
    asked = job.question
    (folder / PLAN).write_text(asked["plan"], "utf-8")
    plan = sdtext.load_plan(folder / PLAN, dataset=_texts(asked["collection"]))
    earlier = folder.parent / asked["earlier"] / _DATABASE if "earlier" in asked else None
    files = ChosenFiles(folder, replaces=True, database=str(earlier or folder / _DATABASE))
    result = sdtext.run_experiment(plan, database=files.results, resume=bool(earlier), run=run)
    choice, curve = result.choice, result.measurements.curve()
    if asked["cell"]:
        values, cuts = curve.value(plan.target), curve.best_cut(plan.target)
        try:
            group, matcher, cell = map(int, asked["cell"].split("-"))
            value, cut = float(values[group, matcher, cell]), int(cuts[group, matcher, cell])
        except (ValueError, IndexError) as error:
            raise OptionError("choose a cell of the experiment") from error
        choice = ChosenCell(group, matcher, cell, int(CUTS[cut]), value)
    files.write(result.plan, choice, _origin(), run)
    _write_page(folder, experiment_page(result, files, run.found))
    names = plan.groups[choice.group].name, plan.matchers[choice.matcher], plan.cells[choice.cell]
    tried = {
        "tokenizers": [group.name for group in plan.groups],
        "matchers": [*map(str, plan.matchers)],
        "cells": [*map(str, plan.cells)],
    }
    verdict = "Chosen: {}, matcher {}, {}, scores of {} or more.".format(*names, choice.cut)
    return {"sentence": verdict, "how": described(result)[0], **tried}


def _texts(path: str) -> list[Document]:
    """The documents of a collection. Raises MismatchError if it keeps no texts."""
    with sdtext.open(path) as stored:
        return [Document.of(text, each.name, offsets=False) for each, text in stored.texts()]


_KINDS = {kind.__name__: kind for kind in (check, add, remove, pairs, duplicates, experiment)}


def shows_passages(stored: StoredCollection) -> bool:
    """Whether passages can be found in a collection: it keeps places or codes of sentences."""
    return keeps_places(stored.recipe) or keeps_codes(stored.recipe)


def _write_page(folder: Path, page: ReportPage) -> None:
    """Write the page of a report into the folder of a job; the server says where it saves."""
    made = replace(page.provenance, created=_origin().created)
    data, embedded = {**page.data, "job": folder.name}, {**page.embedded, "save": ""}
    text = rendered(replace(page, provenance=made, data=data, embedded=embedded))
    with written(folder / PAGE) as file:
        file.write(text.encode("utf-8", "replace"))


def _write_result(folder: Path, result: Result) -> None:
    """Write a result, and its rows as CSV."""
    with written(folder / RESULT) as file:
        file.write(json.dumps(result).encode())
    if "rows" in result:
        rows = [dict(flat(row)) for row in result["rows"]]
        columns = [*dict.fromkeys(key for row in rows for key in row)] or ["document"]
        with written(folder / ROWS) as file:
            write_rows(file, "csv", columns, rows, {})


def _origin() -> Origin:
    return Origin(str(uuid4()), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


if __name__ == "__main__":
    folder_of_jobs, number_of_job, parent = sys.argv[1:]
    exit_with_parent(int(parent), lambda: os._exit(1))
    work(Path(folder_of_jobs), number_of_job)
