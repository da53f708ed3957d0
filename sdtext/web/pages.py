"""The pages of the web application; each also answers programs, with the values it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from io import BytesIO
from itertools import islice
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError, SdtextError
from sdtext.parts.bundled_dictionaries_and_recipes import list_recipes
from sdtext.parts.containers import Names
from sdtext.reports.collection_record import record_of, rows_of
from sdtext.reports.row_formats import flat, write_rows
from sdtext.reuse.metadata_similarity import FIELDS
from sdtext.text.document import Document
from sdtext.web.answers import is_api, page, state
from sdtext.web.guard import POLICY
from sdtext.web.jobs import DONE, WAITING, Dispatcher, Job
from sdtext.web.library import Library, condition, lacks
from sdtext.web.work import (
    COMMANDS,
    DICTIONARY,
    EVIDENCE,
    PAGE,
    PLAN,
    RECIPE,
    RESULT,
    TEXTS,
    save_evidence,
)
from sdtext.wording import printable

_LISTED = 50  # documents of a collection on one page
_LONGEST_TEXT = 20_000  # characters that /terms takes
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}(?:\.(?:gz|bz2|xz|zst))?$")
_META_POLICY = re.compile(r'Content-Security-Policy" content="([^"]+)"')
_SAVES = {
    "default-src &#39;none&#39;;": "default-src &#39;none&#39;; connect-src &#39;self&#39;;",
    '"save":""': f'"save":"{EVIDENCE}"',
}
_TABS = ("whole", "basic", "chapters")
_LONGEST_NAME = 200
_FILES = (PAGE, EVIDENCE, PLAN, RECIPE, DICTIONARY, COMMANDS)
_MATCHERS = ("cosine", "idf-cosine", "surprise", "jaccard")
_STEPS, _RATES = ("0.1", "0.2", "0.05"), ("0.001", "0.01", "0.05")
_CELL = re.compile(r"\d{1,4}-\d{1,4}-\d{1,6}")


@dataclass(frozen=True)
class Settings:
    """How the server runs: its collections, its folder, its limits."""

    collections: Sequence[Path]
    folder: Path
    hosts: frozenset[str]
    max_upload: int
    kept_seconds: float
    most_jobs: int
    password: str = ""


@dataclass(frozen=True)
class Pages:
    """The handlers; each gets a request and the form that was sent, empty if none was."""

    settings: Settings
    library: Library
    dispatcher: Dispatcher

    def start(self, request: Request, _form: FormData) -> Response:
        """The form that checks a document."""
        names, asked = [*self.library.paths()], request.query_params
        chosen = asked.get("collection") or (names[0] if names else "")
        values = {
            "collections": names,
            "chosen": chosen,
            "columns": self.library.columns(chosen) if chosen else [],
            "lacks": lacks(self.library.opened(chosen)) if chosen else "",
            "again": self._job(asked["again"]) if "again" in asked else None,
            "basic": FIELDS,
            "checks": self.dispatcher.jobs.latest("check"),
            "most": self.settings.max_upload >> 20,
            "days": round(self.settings.kept_seconds / 86_400),
        }
        return page(request, "check.html", "Check a document", values)

    def checks(self, request: Request, form: FormData) -> Response:
        """Start a check, or list the checks."""
        jobs = self.dispatcher.jobs
        if request.method == "GET":
            if is_api(request):
                return JSONResponse({"checks": [*map(state, jobs.latest("check"))]})
            return RedirectResponse("/", 303)
        name = str(form.get("collection", ""))
        path, columns = self.library.path(name), self.library.columns(name)
        fields = {key: [*map(str, form.getlist(key))] for key in form}
        where = condition(columns, fields)
        number = jobs.reserve()
        folder, again = jobs.files(number), str(form.get("again", ""))
        if again:
            earlier = self._job(again)
            file, called = str(earlier.question["file"]), str(earlier.question["name"])
            (folder / file).hardlink_to(jobs.files(again) / file)
        else:
            file, called = _saved(form.get("document"), folder)
        template = form.get("template")
        basic = {key: fields[f"with:{key}"][0].strip() for key in FIELDS if f"with:{key}" in fields}
        question = {
            "collection": str(path),
            "of": name,
            "file": file,
            "name": called,
            "where": where,
            "exclude_quotes": "exclude_quotes" in form,
            "exclude_references": "exclude_references" in form,
            "template": _saved(template, folder)[0] if _is_file(template) else "",
            "metadata": {key: text for key, text in basic.items() if text},
        }
        return self._begun(request, jobs.add("check", question, number=number), "checks")

    def _begun(self, request: Request, number: str, kind: str = "jobs") -> Response:
        """The answer for a job that waits."""
        self.dispatcher.look()
        address = f"/{kind}/{number}"
        if is_api(request):
            return JSONResponse(state(self._job(number)), 202, {"location": f"/api{address}"})
        return RedirectResponse(address, 303)

    def job(self, request: Request, _form: FormData) -> Response:
        """How far a job is, or its result; DELETE deletes it."""
        job, jobs = self._job(request.path_params["id"]), self.dispatcher.jobs
        if request.method == "DELETE":
            jobs.delete(job.id)
            return Response(status_code=204)
        folder = jobs.files(job.id)
        path, by = folder / RESULT, request.query_params.get("by", _TABS[0])
        result = json.loads(path.read_bytes()) if job.state == DONE and path.exists() else {}
        if is_api(request):
            return JSONResponse(state(job) | ({"result": result} if result else {}))
        before = [other.id for other in jobs.active() if other.created < job.created]
        values = {
            "job": job,
            "before": len(before) if job.state == WAITING else 0,
            "result": result,
            "basic": FIELDS,
            "by": by if by in _TABS else _TABS[0],
            "rows": _sorted(result.get("rows", []), by),
            "files": [name for name in _FILES if (folder / name).exists()],
        }
        title = str(job.question.get("name") or job.question.get("of"))
        return page(request, "job.html", title, values, {} if job.is_over else {"refresh": "1"})

    def order(self, request: Request, _form: FormData) -> Response:
        """Cancel or delete a job."""
        job, order = self._job(request.path_params["id"]), request.path_params["order"]
        if order == "cancel":
            self.dispatcher.cancel(job.id)
            return RedirectResponse(request.url.path.rpartition("/")[0], 303)
        if order == "delete":
            self.dispatcher.jobs.delete(job.id)
            return RedirectResponse("/" if job.kind == "check" else "/collections", 303)
        raise HTTPException(404)

    def file(self, request: Request, _form: FormData) -> Response:
        """A file of the result: its page, shown or saved, its evidence, its rows."""
        job, name = self._job(request.path_params["id"]), request.path_params["file"]
        folder = self.dispatcher.jobs.files(job.id)
        stem = Path(str(job.question.get("name") or job.kind)).stem
        if name == "page" and (folder / PAGE).exists():
            text = (folder / PAGE).read_text("utf-8")
            if (folder / TEXTS).exists():  # what a reader changes is kept here
                for old, new in _SAVES.items():
                    text = text.replace(old, new, 1)
            found = _META_POLICY.search(text)  # of its styles and scripts
            policy = f"{unescape(found[1])}; frame-ancestors 'none'" if found else POLICY
            return Response(
                text, media_type="text/html", headers={"content-security-policy": policy}
            )
        if name in _FILES and (folder / name).exists():
            return FileResponse(folder / name, filename=f"{stem}{Path(name).suffix}")
        if name in ("rows.json", "rows.csv") and (folder / RESULT).exists():
            result = json.loads((folder / RESULT).read_bytes())
            rows = [dict(flat(row)) for row in result.pop("rows", [])]
            columns = [*dict.fromkeys(key for row in rows for key in row)] or ["document"]
            form, content = name.removeprefix("rows."), BytesIO()
            write_rows(content, form, columns, rows, result)
            kind = "application/json" if form == "json" else "text/csv"
            return Response(content.getvalue(), media_type=kind)
        raise HTTPException(404)

    def saved(self, request: Request, content: bytes) -> Response:
        """Keep the evidence that the page of a check sends, with its exclusions and reviews."""
        job = self._job(request.path_params["id"])
        folder = self.dispatcher.jobs.files(job.id)
        if job.kind != "check" or not (folder / TEXTS).exists():
            raise HTTPException(404)
        save_evidence(folder, content)
        return Response(status_code=204)

    def collections(self, request: Request, form: FormData) -> Response:
        """List the collections, or make one of uploads."""
        if request.method == "POST":
            name = str(form.get("name", "")).strip()
            return self._add(request, form, name, self.library.new_path(name))
        listed: list[dict[str, Any]] = []
        for name in self.library.paths():
            try:
                with self.library.opened(name) as stored:
                    row = {"name": name, "documents": len(stored), "lacks": lacks(stored)}
            except SdtextError as error:
                row = {"name": name, "documents": 0, "lacks": str(error)}
            listed.append(row)
        values = {
            "collections": listed,
            "recipes": [recipe.name for recipe in list_recipes()],
            "jobs": self.dispatcher.jobs.latest("add", "remove", "pairs", "duplicates"),
        }
        return page(request, "collections.html", "Collections", values)

    def _add(self, request: Request, form: FormData, name: str, path: Path) -> Response:
        """Add the uploads of a form to the collection at a path."""
        uploads = [item for item in form.getlist("documents") if _is_file(item)]
        recipe = str(form.get("recipe", "")) or "reuse"
        if not uploads:
            raise OptionError("choose at least one file")
        _check_recipe(recipe)
        number = self.dispatcher.jobs.reserve()
        folder, metadata = self.dispatcher.jobs.files(number), form.get("metadata")
        names = Names()
        for upload in uploads:
            _copied(upload, folder / "files" / names.given(_called(upload)))
        question = {
            "name": name,
            "recipe": recipe,
            "metadata": _saved(metadata, folder)[0] if _is_file(metadata) else "",
        }
        jobs = self.dispatcher.jobs
        return self._begun(request, jobs.add("add", question, writes=str(path), number=number))

    def collection(self, request: Request, _form: FormData) -> Response:
        """What a collection holds, and its documents page by page."""
        name, number = request.path_params["name"], request.query_params.get("page", "")
        place = max(1, int(number[:9])) if number.isdecimal() else 1
        with self.library.opened(name) as stored:
            first = (place - 1) * _LISTED
            documents = [*islice(rows_of(stored), first, first + _LISTED)]
            record, lacking = record_of(stored), lacks(stored)
        values = {
            "name": name,
            "record": {key: value for key, value in flat(record) if not key.startswith("curve")},
            "documents": documents,
            "metadata": [*dict.fromkeys(key for each in documents for key in each["metadata"])],
            "page": place,
            "pages": -(-record["documents"] // _LISTED),
            "lacks": lacking,
        }
        return page(request, "collection.html", name, values)

    def change(self, request: Request, form: FormData) -> Response:
        """Add to a collection, remove from it, or search it, as a job."""
        name, change = request.path_params["name"], request.path_params["change"]
        path, jobs = self.library.path(name), self.dispatcher.jobs
        if change == "add":
            return self._add(request, form, name, path)
        if change == "remove":
            ids = [int(str(number)) for number in form.getlist("id") if str(number).isdecimal()]
            if not ids:
                raise OptionError("choose the documents to be removed")
            question: dict[str, Any] = {"name": name, "ids": ids}
            return self._begun(request, jobs.add("remove", question, writes=str(path)))
        if change in ("pairs", "duplicates"):
            score = str(form.get("score", ""))
            if score and not (score.isdecimal() and int(score) <= 99):
                raise OptionError("the minimum score is a whole number from 0 to 99")
            least = int(score) / 100 if score else None
            question = {"of": name, "collection": str(path), "similarity": least}
            return self._begun(request, jobs.add(change, question))
        raise HTTPException(404)

    def terms(self, request: Request, form: FormData) -> Response:
        """What each filter of a recipe makes of each word of a text."""
        text, name = str(form.get("text", "")), str(form.get("recipe", "english"))
        _check_recipe(name)
        if len(text) > _LONGEST_TEXT:
            raise OptionError(f"the text is longer than {_LONGEST_TEXT:,} characters")
        clean = Document.of(text).clean
        chain = Chain.of(name).suited_to(clean)
        words = dict.fromkeys(chain.tokenizer.split(clean))
        values = {
            "recipes": [recipe.name for recipe in list_recipes()],
            "recipe": name,
            "text": text,
            "tokenizer": str(chain.recipe.tokenizer),
            "filters": [str(part) for part in chain.recipe.filters],
            "words": [
                {"word": word, "steps": [after for _, after in chain.explain(word)]}
                for word in words
            ],
        }
        return page(request, "terms.html", "Words and terms", values)

    def experiments(self, request: Request, form: FormData) -> Response:
        """Start an experiment, or take a cell of one; the form, and the experiments."""
        jobs = self.dispatcher.jobs
        if request.method == "POST":
            earlier, name = str(form.get("earlier", "")), str(form.get("collection", ""))
            question = {"earlier": earlier, "cell": str(form.get("cell", ""))}
            if earlier:
                known = self._job(earlier).question
                if not _CELL.fullmatch(question["cell"]):
                    raise OptionError("choose a cell of the experiment")
                question |= {key: known[key] for key in ("of", "collection", "plan")}
            else:
                question |= {"of": name, "collection": str(self.library.path(name))}
                question["plan"] = _plan(form)
            return self._begun(request, jobs.add("experiment", question))
        values = {
            "collections": [*self.library.paths()],
            "tokenizers": [recipe.name for recipe in list_recipes("dictionary")],
            "matchers": _MATCHERS,
            "steps": _STEPS,
            "rates": _RATES,
            "jobs": jobs.latest("experiment"),
        }
        return page(request, "experiments.html", "Parameters", values)

    def api(self, request: Request, _form: FormData) -> Response:
        """How programs use the server."""
        return page(request, "api.html", "For programs", {})

    def _job(self, number: str) -> Job:
        job = self.dispatcher.jobs.get(number)
        if job is None:
            raise HTTPException(404)
        return job


def _sorted(rows: Sequence[Mapping[str, Any]], by: str) -> list[Mapping[str, Any]]:
    """The rows of a tab, the most similar first."""
    if by == "basic":
        rows = [row for row in rows if row["likeness"]]
        return sorted(rows, key=lambda row: -sum(row["likeness"].values()) / len(row["likeness"]))
    return sorted(rows, key=lambda row: -row["share"])


def _plan(form: FormData) -> str:
    """The plan of an experiment that a form chooses. Raises OptionError."""
    groups, matchers = form.getlist("tokenizers"), form.getlist("matchers")
    step, rate = str(form.get("step", "")), str(form.get("rate", ""))
    if not (groups and matchers and {*matchers} <= {*_MATCHERS}):
        raise OptionError("choose at least one recipe and one matcher")
    if step not in _STEPS or rate not in _RATES:
        raise OptionError("choose a step and a rate of the list")
    for name in groups:
        _check_recipe(str(name))
    ranges = {"min_idf": (0.0, 0.8), "max_idf": (0.6, 1.0)}
    return "\n".join(
        [
            f"groups = {json.dumps(groups)}",
            f"matcher = {json.dumps(matchers)}",
            *(
                f"{key} = {{ from = {low}, to = {high}, step = {step} }}"
                for key, (low, high) in ranges.items()
            ),
            'manglers = [{ name = "keep-lines", share = [0.5, 0.2] }, "fragment(share=0.25)"]',
            "sample = 1000",
            "queries = 200",
            f"false_positive_rate = {rate}",
        ]
    )


def _check_recipe(name: str) -> None:
    if name not in {recipe.name for recipe in list_recipes()}:
        raise OptionError(f"there is no recipe called {name[:80]!r}")


def _is_file(item: object) -> bool:
    return isinstance(item, UploadFile) and bool(item.filename)


def _called(upload: Any) -> str:
    """The name of an upload, without folders and control characters."""
    name = re.split(r"[/\\]", str(upload.filename))[-1]
    return printable(name)[:_LONGEST_NAME].strip(". ") or "document"


def _saved(upload: Any, folder: Path) -> tuple[str, str]:
    """Save an upload under a random name; that name, and what it was called."""
    if not _is_file(upload):
        raise OptionError("choose a file")
    called = _called(upload)
    suffix = _SUFFIX.search(called)
    file = token_hex(8) + (suffix[0].lower() if suffix else "")
    _copied(upload, folder / file)
    return file, called


def _copied(upload: Any, path: Path) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("xb") as file:
        copyfileobj(upload.file, file)
