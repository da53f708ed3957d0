"""Checks of uploads: the same evidence as the library's, and a sentence for what is wrong."""

import csv
import io
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import sdtext
from sdtext.formats.evidence_xml import read_evidence
from sdtext.reports.reuse_report import pair_rows
from tests.parts.readers.office import docx
from tests.parts.readers.pdfs import LOCKED, Stream, bare
from tests.support.cases import cases
from tests.support.command import prose

from .conftest import TEXTS
from .server import Part, Server

UPLOAD = f"A preface that nobody has written before this day.\n\n{TEXTS[3]}\n\n{TEXTS[4][:900]}"
PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
ODD = "<script>alert(1)</script>\u202etxt.docx"


def test_an_upload_gives_the_evidence_that_the_library_gives(
    server: Server, archive: Path, tmp_path: Path
) -> None:
    filters: list[Part] = [("is:organisation", 'CSU\'s "lab"'), ("from:year", "2011")]
    job = server.check("p.txt", UPLOAD.encode(), *filters, ("with:title", "Bees, year 3"))
    (tmp_path / "p.txt").write_text(UPLOAD)
    with sdtext.open(archive) as stored:
        expected = stored.reuse(
            tmp_path / "p.txt",
            where="organisation LIKE 'CSU%' AND year >= 2011",
            unit="chapter",
            edits=False,
        )
    listed = {row["right"]: row for row in pair_rows(expected)}
    found = [row for row in job["result"]["rows"] if row["passages"]]
    assert [row["document"] for row in found] == ["3.txt"] == [*listed]
    assert [row["share"] for row in found] == [listed["3.txt"]["left_share"]]
    assert found[0]["likeness"]["title"] > 80
    assert found[0]["metadata"]["year"] == 2013
    content = server.ask(f"/checks/{job['id']}/evidence.xml").body
    saved = read_evidence(io.BytesIO(content), "evidence.xml")
    passages = [len(pair.passages) for pair in saved.shared if pair.passages]
    assert passages == [len(pair.passages) for pair in expected.shared]
    rows = [*csv.DictReader(io.StringIO(server.ask(f"/checks/{job['id']}/rows.csv").text))]
    assert rows[0]["document"] == "3.txt"
    assert server.ask(f"/checks/{job['id']}/result.json").json == job["result"]
    assert "3.txt" in server.ask(f"/checks/{job['id']}/page.html").text


@pytest.mark.deep
def test_a_check_is_repeated_with_other_filters_and_deleted(server: Server) -> None:
    first = server.check("p.txt", UPLOAD.encode(), ("to:year", "2011"))
    assert (first["result"]["rows"], first["result"]["documents"]) == ([], 2)
    again = server.ask("/api/checks", parts=[("collection", "archive"), ("again", first["id"])])
    second = server.over(again.json["id"])
    assert {row["document"] for row in second["result"]["rows"]} == {"3.txt", "4.txt"}
    assert server.ask(f"/checks/{first['id']}", "DELETE").status == 204
    assert server.ask(f"/checks/{first['id']}").status == 404
    assert server.ask(f"/checks/{second['id']}/page").status == 200


@pytest.mark.deep
def test_quotations_and_the_text_of_a_form_do_not_count(server: Server) -> None:
    text = f"{TEXTS[3][:900]}\n\n“{TEXTS[4][:900]}”\n\n{TEXTS[5][:900]}"
    form = ("template", ("form.txt", TEXTS[3][:900].encode()))
    cases: list[tuple[list[Part], set[str]]] = [
        ([], {"3.txt", "4.txt", "5.txt"}),
        ([("exclude_quotes", "on")], {"3.txt", "5.txt"}),
        ([("exclude_quotes", "on"), form], {"5.txt"}),
    ]
    for parts, expected in cases:
        rows = server.check("p.txt", text.encode(), *parts)["result"]["rows"]
        assert {row["document"] for row in rows} == expected


@pytest.mark.deep
def test_filters_show_the_values_with_their_counts(server: Server) -> None:
    page = server.ask("/").text
    assert ">HUT (4)</option>" in page
    assert 'name="from:year" placeholder="2010"' in page
    parts: list[Part] = [("is:organisation", "HUT"), ("to:year", "2014")]
    rows = server.check("p.txt", UPLOAD.encode(), *parts)["result"]["rows"]
    assert [row["document"] for row in rows] == ["4.txt"]


@pytest.mark.deep
def test_the_list_against_a_thousand_documents_is_a_short_page(tmp_path: Path) -> None:
    with sdtext.create(tmp_path / "large.sdx", recipe="reuse", keep_text=True) as large:
        large.add(
            {"id": str(seed), "text": prose(seed, 300), "title": f"On {prose(seed, 6)}"}
            for seed in range(1000)
        )
    with closing(Server(tmp_path / "state", tmp_path / "large.sdx")) as server:
        document = docx(PARAGRAPH.format(f"{prose(7, 200)} {prose(2000, 300)}"))
        job = server.check("p.docx", document, ("with:title", "On bees"), collection="large")
        assert job["result"]["rows"][0]["document"] == "7"
        assert len(server.ask(f"/checks/{job['id']}").body) < 100_000


@pytest.mark.deep
def test_a_chapter_names_the_document_that_has_most_of_it(server: Server) -> None:
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    own = "Nothing of this stands anywhere else. " * 30
    chapters = {"Aims": own, "Rationale": TEXTS[6]}
    body = "".join(
        heading.format(title) + PARAGRAPH.format(text) for title, text in chapters.items()
    )
    result = server.check("p.docx", docx(body))["result"]
    assert "most in Rationale" in result["sentence"]
    sources = {row["chapter"]: row.get("document", "") for row in result["chapters"]}
    assert (sources["Rationale"], sources["Aims"]) == ("6.txt", "")


def _bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (30 << 20))
    return file.getvalue()


@cases("name, content", [
    ("bomb.docx", _bomb), ("locked.pdf", lambda: LOCKED), ("scan.pdf", lambda: bare([Stream(b"")])),
    ("empty.txt", lambda: b""), (ODD, lambda: b"PK\x03\x04 broken"),
])  # fmt: skip
def test_what_cannot_be_read_is_a_page_with_a_sentence(
    server: Server, name: str, content: Callable[[], bytes]
) -> None:
    job = server.check(name, content())
    assert (job["state"], len(job["sentence"]) > 15) == ("failed", True)
    assert "jobs" not in job["sentence"]  # the upload has the name that it came with
    assert name.rpartition(".")[2] in job["sentence"].partition(":")[0]
    page = server.ask(f"/checks/{job['id']}").text
    assert not [
        word for word in ("Traceback", "bug of sdtext", "<script", "\u202e") if word in page
    ]


@pytest.mark.deep
def test_evidence_that_is_not_of_the_check_is_not_kept(server: Server) -> None:
    number = server.check("p.txt", UPLOAD.encode())["id"]
    address = f"/checks/{number}/evidence.xml"
    kept = server.ask(address).body
    for content in (b"", b"<evidence/>", kept.replace(b'score="', b'score="1'), b"<!DOCTYPE a>"):
        assert server.ask(address, "PUT", body=content).status == 422
    assert server.ask(address).body == kept
    assert server.ask(address, "PUT", body=kept, headers={}).status == 403


@pytest.mark.deep
def test_names_and_texts_of_strangers_are_escaped(server: Server) -> None:
    job = server.check(ODD, docx(PARAGRAPH.format(TEXTS[2])))
    assert job["state"] == "done"
    for address in ("", "?by=basic", "?by=chapters"):
        page = server.ask(f"/checks/{job['id']}{address}").text
        assert not [word for word in ("<script", "\u202e") if word in page]
    assert "alert(1)<" not in server.ask(f"/checks/{job['id']}/page").text.split("<script", 1)[0]
    assert "<script>alert" not in server.ask("/").text


def test_a_check_without_a_file_or_with_a_wrong_number_starts_nothing(server: Server) -> None:
    before = len(server.ask("/api/checks").json["checks"])
    document: Part = ("document", ("a.txt", b"Bees dance."))
    wrong: list[list[Part]] = [
        [],
        [("again", "other")],
        [document, ("from:year", "2011 OR 1=1")],
        [document, ("is:yaer", "2011")],
    ]
    for parts in wrong:
        answer = server.ask("/api/checks", parts=[("collection", "archive"), *parts])
        assert answer.status in (400, 404)
        assert answer.json["error"]
    assert len(server.ask("/api/checks").json["checks"]) == before


@pytest.mark.deep
def test_what_another_job_was_asked_is_no_question_of_this_kind(server: Server) -> None:
    check = server.check("p.txt", UPLOAD.encode())["id"]
    pairs = server.ask("/api/collections/archive/pairs", "POST").json["id"]
    again: list[Part] = [("collection", "archive"), ("again", pairs)]
    assert server.ask("/api/checks", parts=again).status == 404
    cell: list[Part] = [("earlier", check), ("cell", "0-0-0")]
    assert server.ask("/api/experiments", parts=cell).status == 404


@pytest.mark.deep
def test_two_uploads_are_compared_without_a_collection(tmp_path: Path) -> None:
    chinese = ["".join(chr(0x4E00 + ord(c)) for c in text if c.isalpha()) for text in TEXTS[:3]]
    with closing(Server(tmp_path / "state")) as server:
        assert 'name="other" required' in server.ask("/").text
        document = f"{chinese[0][:300]}。{chinese[1]}".encode()
        other: Part = ("other", ("乙.txt", f"{chinese[2][:200]}。{chinese[1]}".encode()))
        job = server.check("甲.txt", document, other, collection="")
        [row] = job["result"]["rows"]
        assert (row["document"], row["longest"] > 100) == ("乙.txt", True)
        again = server.ask("/api/checks", parts=[("again", job["id"]), ("exclude_quotes", "on")])
        assert server.over(again.json["id"])["result"]["rows"] == job["result"]["rows"]
        assert server.ask("/api/checks", parts=[("document", ("a.txt", b"Bees"))]).status == 400


@pytest.mark.deep
def test_a_collection_without_documents_has_nothing_of_an_upload(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sdx"
    with sdtext.create(empty, recipe="reuse") as collection:
        collection.add({"id": "1", "text": TEXTS[1]})
        collection.remove("1")
    with closing(Server(tmp_path / "state", empty)) as started:
        result = started.check("p.txt", TEXTS[0].encode(), collection="empty")["result"]
    assert (result["documents"], result["rows"]) == (0, [])


@pytest.mark.deep
def test_a_check_is_cancelled(server: Server) -> None:
    parts: list[Part] = [("collection", "archive"), ("document", ("a.txt", UPLOAD.encode()))]
    *others, number = [server.ask("/api/checks", parts=parts).json["id"] for _ in range(6)]
    assert server.ask(f"/api/jobs/{number}/cancel", "POST").status == 204
    assert {server.over(each)["state"] for each in others} == {"done"}
    assert server.over(number)["state"] == "cancelled"


@pytest.mark.deep
def test_eight_uploads_at_once_are_all_checked(server: Server) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as threads:
        uploads = [(f"{n}.txt", text.encode()) for n, text in enumerate(TEXTS)]
        before = server.memory()
        jobs = list(threads.map(lambda upload: server.check(*upload), uploads))
    assert server.memory() - before < 50
    assert [job["result"]["same"] for job in jobs] == [[f"{n}.txt"] for n in range(8)]
