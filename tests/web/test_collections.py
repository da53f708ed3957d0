"""Collections made, filled, emptied and searched; jobs that are killed; commands for programs."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

import sdtext
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from tests.parts.readers.office import docx
from tests.parts.readers.pdfs import pdf
from tests.support.command import prose

from .conftest import TEXTS, make_archive, zipped
from .server import Part, Server

METADATA = b"document,title,year\n0.txt,Bees,2020\n1.txt,Wasps,2021\n"


@pytest.mark.deep
def test_a_collection_is_made_of_a_zip_searched_and_emptied(server: Server) -> None:
    parts: list[Part] = [
        ("name", "Größe 1"),
        ("documents", ("texts.zip", zipped([*TEXTS[:3], TEXTS[0]]))),
        ("metadata", ("m.csv", METADATA)),
    ]
    job = server.over(server.ask("/api/collections", parts=parts).json["id"])
    assert job["state"] == "done", job
    at = "/api/collections/Gr%C3%B6%C3%9Fe%201"
    listed = server.ask(at).json
    assert [row["document"].rpartition("!")[2] for row in listed["documents"]] == [
        *("0.txt", "1.txt", "2.txt", "3.txt")
    ]
    assert listed["documents"][0]["metadata"] == {"title": "Bees", "year": 2020}
    pairs = server.over(server.ask(f"{at}/pairs", parts=[("score", "80")]).json["id"])
    assert pairs["sentence"].startswith("1 similar pair")
    doubles = server.over(server.ask(f"{at}/duplicates", "POST").json["id"])
    assert len(doubles["result"]["removed"]) == 1
    page = server.ask(f"/jobs/{doubles['id']}/page")
    assert page.status == 200
    assert page.text.count(TEXTS[0].splitlines()[0]) == 2  # side by side
    some: list[Part] = [("documents", ("new.txt", TEXTS[n].encode())) for n in (6, 7)]
    server.over(server.ask(f"{at}/add", parts=some).json["id"])
    last = server.ask(at).json["documents"][-1]
    assert last["document"] == "new.txt (2)"
    same = server.over(server.ask(f"{at}/add", parts=some).json["id"])
    assert same["sentence"].startswith("2 unchanged; 6 documents")
    both: list[Part] = [("id", str(last["id"] - n)) for n in (0, 1)]
    server.over(server.ask(f"{at}/remove", parts=both).json["id"])
    assert len(server.ask(at).json["documents"]) == 4


@pytest.mark.parametrize("name", ["archive", "../up", "a/b", "", ".", "x" * 65])
def test_a_name_that_is_taken_or_wrong_makes_nothing(server: Server, name: str) -> None:
    parts: list[Part] = [("name", name), ("documents", ("a.txt", b"Bees dance."))]
    assert server.ask("/api/collections", parts=parts).status == 400


@pytest.mark.deep
def test_what_a_collection_cannot_do_is_said_and_its_similar_documents_are_listed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plain.sdx"
    with sdtext.create(path, recipe="deduplicate") as plain:
        plain.add({"id": str(number), "text": text} for number, text in enumerate(TEXTS))
    with closing(Server(tmp_path / "state", path)) as server:
        assert "AddDocuments" in server.said[0]
        job = server.check("p.txt", TEXTS[3].encode(), collection="plain")
        assert [row["document"] for row in job["result"]["rows"]] == ["3"]


def test_terms_are_those_of_the_chain(server: Server) -> None:
    text = "The running of the dogs is 42 <b>Größe</b>"
    words = server.ask("/api/terms", parts=[("recipe", "english"), ("text", text)]).json["words"]
    chain = Chain.of("english")
    terms = [row["steps"][-1] for row in words if row["steps"][-1]]
    assert terms == [*dict.fromkeys(chain.terms(text))]


def test_a_dictionary_keeps_the_terms_that_are_in_it(server: Server) -> None:
    parts: list[Part] = [("dictionary", "english"), ("text", "Whales and zzyzx are honey")]
    answer = server.ask("/api/terms", parts=parts).json
    known = load_dictionary(str(DICTIONARIES.path("english"))).places
    assert answer["filters"][-1] == "dictionary"
    for row in answer["words"]:
        *_, term, kept = row["steps"]
        assert kept == (term if term in known else ""), row
    assert {bool(row["steps"][-1]) for row in answer["words"]} == {True, False}
    assert server.ask("/api/terms", parts=[("dictionary", "../x")]).status == 400


@pytest.mark.deep
@pytest.mark.parametrize("what", ["worker", "server"])
def test_a_job_finishes_after_its_process_or_the_server_is_killed(
    tmp_path: Path, what: str
) -> None:
    path, state = make_archive(tmp_path / "archive.sdx"), tmp_path / "state"
    server = Server(state, path)
    texts = [prose(seed, 300) for seed in range(20, 28)]
    parts: list[Part] = [("documents", (f"{n}.txt", text.encode())) for n, text in enumerate(texts)]
    number = server.ask("/api/collections/archive/add", parts=parts).json["id"]
    worker = _worker(server)
    if what == "worker":
        os.kill(worker, signal.SIGKILL)
    else:
        server.kill()
        server = Server(state, path)
    try:
        assert server.over(number)["state"] == "done"
        assert len(server.ask("/api/collections/archive").json["documents"]) == 16
        with sdtext.open(path) as stored:
            assert not [*stored.verify()]
    finally:
        server.close()


def _worker(server: Server) -> int:
    while True:
        tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        children = [int(child) for task in tasks for child in task.read_text().split()]
        if children:
            return children[0]
        time.sleep(0.01)


@pytest.mark.deep
def test_a_cell_of_an_experiment_is_used_and_one_that_is_not_there_refused(server: Server) -> None:
    parts: list[Part] = [
        *(("collection", "archive"), ("tokenizers", "english"), ("matchers", "cosine")),
        *(("step", "0.2"), ("rate", "0.05")),
    ]
    job = server.over(server.ask("/api/experiments", parts=parts).json["id"])
    assert job["state"] == "done", job
    chosen: list[Part] = [("earlier", job["id"]), ("cell", "0-0-1")]
    used = server.over(server.ask("/api/experiments", parts=chosen).json["id"])
    assert job["result"]["cells"][1] in used["sentence"]
    for cell in ("0-0-999", "0-1-0", "x"):
        parts = [("earlier", job["id"]), ("cell", cell)]
        wrong = server.over(server.ask("/api/experiments", parts=parts).json["id"])
        assert wrong["state"] == "failed", cell
    assert server.ask(f"/jobs/{used['id']}/dictionary.xml").status == 200


PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    (tmp_path / "proposal.docx").write_bytes(docx(PARAGRAPH.format(TEXTS[0])))
    (tmp_path / "papers.zip").write_bytes(zipped(TEXTS))
    (tmp_path / "papers.csv").write_text("document,year\n0.txt,2020\n")
    (tmp_path / "new.pdf").write_bytes(pdf([prose(99, 90)]))
    with closing(Server(tmp_path / "state", make_archive(tmp_path / "archive.sdx"))) as server:
        page = unescape(server.ask("/api").text).replace("\\\n", " ")
        commands = [line[line.index("curl ") :] for line in page.splitlines() if "curl -H" in line]
        assert len(commands) >= 15
        number = ""
        for command in commands:
            text = command.partition("</pre>")[0].replace("127.0.0.1:8765", server.host)
            text = text.replace("$TOKEN", server.token).replace("/ID", f"/{number}")
            asked = [*shlex.split(text.replace("=ID", f"={number}")), "--fail", "--silent"]
            answer = subprocess.run(asked, cwd=tmp_path, capture_output=True, check=False)
            # A new collection cannot have the name of one that is there.
            expected = 22 if "name=archive" in command else 0
            assert answer.returncode == expected, command
            if b'"state"' in answer.stdout and "-F" in asked:
                number = json.loads(answer.stdout)["id"]
                assert server.over(number)["state"] == "done", command
        saved = {"evidence.xml", "recipe.toml"}
        assert saved <= {path.name for path in tmp_path.iterdir()}
