"""The pages of the web application; each also answers programs, with the values it shows."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from itertools import islice
from pathlib import Path
from secrets import token_hex
from shutil import copyfile, copyfileobj
from typing import Any

from jinja2 import PackageLoader
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response

import sdtext
from sdtext._version import __version__
from sdtext.errors import OptionError, SdtextError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES
from sdtext.parts.containers import Names
from sdtext.reports.collection_record import record_of, rows_of
from sdtext.reports.html.report_page import templates
from sdtext.reports.row_formats import flat
from sdtext.reuse.metadata_similarity import FIELDS
from sdtext.web.jobs import CANCELLED, DONE, Job, Jobs
from sdtext.web.library import Library, lacks
from sdtext.web.work import DICTIONARY, EVIDENCE, FILES, PAGE, RESULT, TEXTS, save_evidence
from sdtext.wording import printable

TEMPLATES = templates().overlay(loader=PackageLoader("sdtext.web"))
_LISTED = 50  # documents of a collection on one page
_LONGEST_TEXT = 20_000  # characters that /terms takes
_LONGEST_NAME = 200
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}(?:\.(?:gz|bz2|xz|zst))?$")
_POLICY = 'http-equiv="Content-Security-Policy" content="'
_SERVED = {  # what a page has that is served, and not opened from a file
    'content="default-src': "content=\"connect-src 'self'; default-src",
    '"save":""': f'"save":"{EVIDENCE}"',
    '<p class="use" hidden>': "<p>",
}
_CHOICES = {
    "matchers": ("cosine", "idf-cosine", "surprise", "jaccard"),
    "step": ("0.1", "0.2", "0.05"),
    "rate": ("0.001", "0.01", "0.05"),
}


def page(
    request: Request,
    name: str,
    title: str,
    values: Mapping[str, Any],
    status: int = 200,
    refresh: str = "",
) -> Response:
    """A page, or for programs its values."""
    if is_api(request):
        return JSONResponse(dict(values), status)
    shown = {"title": printable(title), "version": __version__, "path": request.url.path}
    text = TEMPLATES.get_template(name).render({**shown, **values})
    return HTMLResponse(text, status, {"refresh": refresh} if refresh else None)


def is_api(request: Request) -> bool:
    """Whether a program asks."""
    return request.url.path.startswith("/api/")


def refusal(request: Request, status: int, sentence: str) -> Response:
    """The answer to what is not done, and why."""
    return page(request, "refused.html", "Not done", {"error": sentence}, status)


@dataclass(frozen=True)
class Pages:
    """The handlers; each gets a request and the form that was sent, empty if none was.

    Uploads have at most `max_upload` bytes, and are deleted after so many `days`.
    """

    library: Library
    jobs: Jobs
    max_upload: int
    days: int

    def checks(self, request: Request, form: FormData) -> Response:
        """The form that checks a document, with the latest checks; or start one."""
        if request.method == "POST":
            return self._check(request, form)
        names, asked = [*self.library.paths()], request.query_params
        chosen = asked.get("collection") or next(iter(names), "")
        again = self._job(asked["again"], "check") if "again" in asked else None
        values = {
            "collections": names,
            "chosen": chosen,
            "columns": self.library.columns(chosen) if chosen else [],
            "lacks": lacks(self.library.opened(chosen)) if chosen else "",
            "again": again.facts if again else None,
            "basic": FIELDS,
            "checks": self.jobs.latest("check"),
            "most": self.max_upload >> 20,
            "days": self.days,
        }
        return page(request, "check.html", "Check a document", values)

    def _check(self, request: Request, form: FormData) -> Response:
        """Start a check: of an upload or that of an earlier check, with a collection or a file."""
        name, again = (str(form.get(field, "")) for field in ("collection", "again"))
        earlier = self._job(again, "check").question["files"] if again else {}
        given = [field for field in ("document", "other", "template") if _is_file(form.get(field))]
        kept = [field for field in ("document", "other") if field in earlier and field not in given]
        if "document" not in given + kept:
            raise OptionError("choose a file")
        is_alone = "other" in given + kept
        basic = {field: str(form.get(f"with:{field}", "")).strip() for field in FIELDS}
        question = {
            "of": name,
            "collection": "" if is_alone else str(self.library.path(name)),
            "where": "" if is_alone else self.library.condition(name, form),
            "exclude_quotes": "exclude_quotes" in form,
            "exclude_references": "exclude_references" in form,
            "metadata": {field: text for field, text in basic.items() if text},
        }
        folder = self.jobs.reserve()
        files = {field: _saved(form[field], folder) for field in given}
        for field in kept:
            files[field] = earlier[field]
            copyfile(self.jobs.files(again) / files[field][0], folder / files[field][0])
        question |= {"files": files, "name": files["document"][1]}
        self.jobs.add("check", question, number=folder.name)
        return self._begun(request, f"/checks/{folder.name}")

    def _begun(self, request: Request, address: str) -> Response:
        """The answer that leads to a new job."""
        if is_api(request):
            job = self._job(address.rpartition("/")[2])
            return JSONResponse(job.facts, 202, {"location": f"/api{address}"})
        return RedirectResponse(address, 303)

    def job(self, request: Request, _form: FormData) -> Response:
        """How far a job is, or its result."""
        job, asked = self._job(request.path_params["id"]), request.query_params
        folder = self.jobs.files(job.id)
        result = json.loads((folder / RESULT).read_bytes()) if job.state == DONE else {}
        if is_api(request):
            return JSONResponse(job.facts | ({"result": result} if result else {}))
        values = {
            "job": job,
            "before": sum(other.created < job.created for other in self.jobs.active()),
            "result": result,
            "basic": FIELDS,
            "by": asked.get("by", "whole"),
            "cell": asked.get("cell", ""),
            "files": [name for name in FILES if (folder / name).exists()],
        }
        refresh = "" if job.ended else "1"
        return page(request, "job.html", job.question["name"], values, refresh=refresh)

    def order(self, request: Request, _form: FormData) -> Response:
        """Cancel a job, or delete it with its files."""
        job = self._job(request.path_params["id"])
        order = request.path_params.get("order", "delete")
        if order not in ("cancel", "delete"):
            raise HTTPException(404)
        if order == "cancel":
            self.jobs.end(job.id, CANCELLED, "It was cancelled.")
        else:
            self.jobs.delete(job.id)
        if is_api(request) or request.method == "DELETE":
            return Response(status_code=204)
        return RedirectResponse(f"/jobs/{job.id}" if order == "cancel" else "/", 303)

    def file(self, request: Request, _form: FormData) -> Response:
        """A file of the result, or its page as it is shown."""
        job, name = self._job(request.path_params["id"]), request.path_params["file"]
        folder = self.jobs.files(job.id)
        if name == "page" and (folder / PAGE).exists():
            text = (folder / PAGE).read_text("utf-8")
            for old, new in _SERVED.items():
                text = text.replace(old, new)
            policy = unescape(text.partition(_POLICY)[2].partition('"')[0])  # of styles and scripts
            headers = {"content-security-policy": f"{policy}; frame-ancestors 'none'"}
            return HTMLResponse(text, headers=headers)
        if name in FILES and (folder / name).exists():
            stem = Path(job.question["name"]).stem
            return FileResponse(folder / name, filename=f"{stem}{Path(name).suffix}")
        raise HTTPException(404)

    async def saved(self, request: Request) -> Response:
        """Keep the evidence that the page of a check sends, with its exclusions and reviews."""
        job = self._job(request.path_params["id"])
        if not (self.jobs.files(job.id) / TEXTS).exists():
            raise HTTPException(404)
        await run_in_threadpool(save_evidence, self.jobs, job, await request.body())
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
            "recipes": RECIPES.names(),
            "jobs": self.jobs.latest("add", "remove", "pairs", "duplicates"),
        }
        return page(request, "collections.html", "Collections", values)

    def _add(self, request: Request, form: FormData, name: str, path: Path) -> Response:
        """Add the uploads of a form to the collection at a path."""
        uploads = [item for item in form.getlist("documents") if _is_file(item)]
        recipe = _recipe(form, "reuse")
        if not uploads:
            raise OptionError("choose at least one file")
        folder, metadata, names = self.jobs.reserve(), form.get("metadata"), Names()
        for upload in uploads:
            _saved(upload, folder / "files", names.given(_called(upload)))
        files = {"metadata": _saved(metadata, folder)} if _is_file(metadata) else {}
        question = {"name": name, "recipe": recipe, "files": files}
        self.jobs.add("add", question, writes=str(path), number=folder.name)
        return self._begun(request, f"/jobs/{folder.name}")

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
        path = self.library.path(name)
        if change == "add":
            return self._add(request, form, name, path)
        question: dict[str, Any] = {"name": name, "collection": str(path)}
        if change == "remove":
            ids = [int(str(number)) for number in form.getlist("id") if str(number).isdecimal()]
            if not ids:
                raise OptionError("choose the documents to be removed")
            number = self.jobs.add(change, question | {"ids": ids}, writes=str(path))
        elif change in ("pairs", "duplicates"):
            score = str(form.get("score", ""))
            if score and not (score.isdecimal() and int(score) <= 99):
                raise OptionError("the minimum score is a whole number from 0 to 99")
            least = int(score) / 100 if score else None
            number = self.jobs.add(change, question | {"similarity": least})
        else:
            raise HTTPException(404)
        return self._begun(request, f"/jobs/{number}")

    def terms(self, request: Request, form: FormData) -> Response:
        """What each filter makes of each word of a text, and which terms a dictionary keeps."""
        text, recipe = str(form.get("text", "")), _recipe(form, "english")
        chosen = str(form.get("dictionary", ""))
        files = {name: DICTIONARIES.path(name) for name in DICTIONARIES.names()}
        for job in self.jobs.latest("experiment"):
            if (path := self.jobs.files(job["id"]) / DICTIONARY).exists():
                files["{name}: {sentence}".format_map(job)] = path
        if chosen and chosen not in files:
            raise OptionError(f"there is no dictionary called {chosen[:80]!r}")
        if len(text) > _LONGEST_TEXT:
            raise OptionError(f"the text is longer than {_LONGEST_TEXT:,} characters")
        dictionary = load_dictionary(str(files[chosen])) if chosen else None
        clean = sdtext.Document.of(text).clean
        chain = sdtext.Chain.of(dictionary.recipe if dictionary else recipe).suited_to(clean)
        words = []
        for word in dict.fromkeys(chain.tokenizer.split(clean)):
            steps = [after for _, after in chain.explain(word)]
            if dictionary:
                term = [word, *steps][-1]
                steps.append(term if term in dictionary.places else "")
            words.append({"word": word, "steps": steps})
        values = {
            "recipes": RECIPES.names(),
            "recipe": recipe,
            "dictionaries": [*files],
            "dictionary": chosen,
            "text": text,
            "tokenizer": str(chain.recipe.tokenizer),
            "filters": [*map(str, chain.recipe.filters), *(["dictionary"] if dictionary else [])],
            "words": words,
        }
        return page(request, "terms.html", "Words and terms", values)

    def experiments(self, request: Request, form: FormData) -> Response:
        """Start an experiment, or take a cell of one; the form, and the experiments."""
        if request.method == "POST":
            earlier, name = str(form.get("earlier", "")), str(form.get("collection", ""))
            if earlier:
                question = {"earlier": earlier, **self._job(earlier, "experiment").question}
            else:
                question = {"name": name, "collection": str(self.library.path(name))}
                question["plan"] = _plan(form)
            number = self.jobs.add("experiment", question | {"cell": str(form.get("cell", ""))})
            return self._begun(request, f"/jobs/{number}")
        values = {
            "collections": [*self.library.paths()],
            "choices": _choices(),
            "jobs": self.jobs.latest("experiment"),
        }
        return page(request, "experiments.html", "Parameters", values)

    def _job(self, number: str, kind: str = "") -> Job:
        job = self.jobs.get(number)
        if job is None or kind not in ("", job.kind):
            raise HTTPException(404, "There is no such job; it may have been deleted")
        return job


def _choices() -> dict[str, list[str]]:
    """The values of the fields of the form of an experiment."""
    recipes = [recipe.name for recipe in sdtext.list_recipes("dictionary")]
    return {"tokenizers": recipes, **{field: [*values] for field, values in _CHOICES.items()}}


def _plan(form: FormData) -> str:
    """The plan of an experiment that a form chooses. Raises OptionError."""
    for field, values in _choices().items():
        if not form.getlist(field) or not {*form.getlist(field)} <= {*values}:
            raise OptionError(f"choose {field} of the list")
    tried = {field: form.getlist(field) for field in ("tokenizers", "matchers")}
    return TEMPLATES.get_template("plan.toml").render(**tried, step=form["step"], rate=form["rate"])


def _recipe(form: FormData, default: str) -> str:
    """The name of the recipe that a form chooses. Raises OptionError."""
    name = str(form.get("recipe", "")) or default
    if name not in RECIPES.names():
        raise OptionError(f"there is no recipe called {name[:80]!r}")
    return name


def _is_file(item: object) -> bool:
    return isinstance(item, UploadFile) and bool(item.filename)


def _called(upload: Any) -> str:
    """The name of an upload, without folders and control characters."""
    name = re.split(r"[/\\]", str(upload.filename))[-1]
    return printable(name)[:_LONGEST_NAME].strip(". ") or "document"


def _saved(upload: Any, folder: Path, file: str = "") -> tuple[str, str]:
    """Save an upload, by default under a random name; that name, and what it was called."""
    called = _called(upload)
    suffix = _SUFFIX.search(called)
    file = file or token_hex(8) + (suffix[0].lower() if suffix else "")
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / file).open("xb") as target:
        copyfileobj(upload.file, target)
    return file, called
