"""Who is let in, and what is refused: hosts, tokens, origins, sizes, ids."""

from base64 import b64encode
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from tests.support.cases import cases
from tests.support.command import check_refused, here

from .server import Server

COOKIE = {"Cookie": "sdtext=TOKEN"}


@cases("status, method, path, headers", [
    (200, "GET", "/", COOKIE), (200, "GET", "/", {"Authorization": "Bearer TOKEN"}),
    (401, "GET", "/", {}), (401, "GET", "/", {"Cookie": "sdtext=other"}),
    (401, "GET", "/?token=other", {}),
    (401, "GET", "/api/checks", {"Authorization": "Bearer other"}),
    (400, "GET", "/", {**COOKIE, "Host": "evil.example"}),
    (400, "GET", "/", {**COOKIE, "Host": "127.0.0.1.evil.example:8765"}),
    (403, "POST", "/checks", COOKIE),
    (403, "POST", "/checks", {**COOKIE, "Origin": "http://evil.example"}),
    (403, "POST", "/checks", {**COOKIE, "Origin": "null"}),
    (403, "POST", "/checks", {**COOKIE, "Sec-Fetch-Site": "cross-site"}),
    (403, "POST", "/checks", {**COOKIE, "Sec-Fetch-Site": "same-site"}),
    (403, "DELETE", "/checks/x", {**COOKIE, "Sec-Fetch-Site": "none"}),
    (400, "POST", "/checks", {**COOKIE, "Sec-Fetch-Site": "same-origin"}),
    (404, "GET", "/checks/AAAAAAAAAAAAAAAAAAAAAA", COOKIE),
    (404, "GET", "/api/checks/..%2f..%2fjobs.sqlite", COOKIE),
    (404, "GET", "/static/../pages.py", COOKIE), (401, "GET", "/", {"Authorization": "Basic OnB3"}),
    (401, "GET", "/", {"Authorization": "Basic no"}),
    (411, "POST", "/checks", {"Authorization": "Bearer TOKEN", "Transfer-Encoding": "chunked"}),
    (405, "POST", "/", {**COOKIE, "Sec-Fetch-Site": "same-origin"}),
    (400, "GET", "/collections/other", COOKIE),
])  # fmt: skip
def test_what_is_not_its_own_is_refused_with_a_sentence(
    server: Server, status: int, method: str, path: str, headers: dict[str, str]
) -> None:
    own = {name: value.replace("TOKEN", server.token) for name, value in headers.items()}
    answer = server.ask(path, method, headers=own)
    assert answer.status == status
    assert "Traceback" not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_the_first_address_gives_a_cookie_that_no_script_reads(server: Server) -> None:
    answer = server.ask(f"//evil.example/?token={server.token}&by=basic", headers={})
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert {"httponly", "samesite=strict"} <= {*answer.headers["set-cookie"].lower().split("; ")}


def test_what_is_too_large_gets_an_answer_that_a_browser_shows(server: Server) -> None:
    document = ("document", ("large.txt", b"bees " * 300_000))
    answer = server.ask("/api/checks", parts=[("collection", "archive"), document])
    assert (answer.status, "1 MB" in answer.json["error"]) == (413, True)


def test_another_address_needs_a_password(tmp_path: Path, archive: Path) -> None:
    outcome = here("Serve", archive, "--host", "192.0.2.1", "--folder", tmp_path / "state")
    check_refused(outcome, 2, "host")


@pytest.mark.deep
def test_people_and_programs_give_the_password(tmp_path: Path, archive: Path) -> None:
    (tmp_path / "password").write_text("correct hörse\n")
    with closing(
        Server(tmp_path / "state", archive, "--password-file", tmp_path / "password")
    ) as server:
        assert server.token == ""
        refused = server.ask("/", headers={})
        assert (refused.status, "Basic" in refused.headers["www-authenticate"]) == (401, True)
        known = b64encode("anyone:correct hörse".encode()).decode()
        assert server.ask("/", headers={"Authorization": f"Basic {known}"}).status == 200
        wrong = b64encode(b"anyone:wrong horse").decode()
        begun = monotonic()
        assert server.ask("/", headers={"Authorization": f"Basic {wrong}"}).status == 401
        assert monotonic() - begun >= 1
        browser = {"Authorization": f"Basic {known}", "Sec-Fetch-Site": "cross-site"}
        assert server.ask("/checks", "POST", headers=browser).status == 403
        program = {"Authorization": "Bearer correct hörse".encode().decode("latin-1")}
        assert server.ask("/api/checks", headers=program).status == 200
