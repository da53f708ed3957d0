"""The table of jobs and its dispatcher: one writer at a time, retention, what was broken off."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sdtext.errors import OutputError

from .conftest import TEXTS, make_archive
from .server import Part, Server

pytest.importorskip("uvicorn", reason="the extra web is not installed")
from sdtext.web.jobs import DONE, RUNNING, WAITING, Dispatcher, Jobs


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_ended_long_ago_is_deleted_with_its_files(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    old = jobs.add("check", {"name": "old.txt"})
    (jobs.files(old) / "upload").write_text("Bees dance.")
    jobs.end(old, DONE, "Nothing was found.")
    with closing(Dispatcher(jobs, 1, 1)):
        time.sleep(0.5)
        assert jobs.get(old)
    with closing(Dispatcher(jobs, 1, 0)):
        wait_until(lambda: jobs.get(old) is None)
    assert not jobs.files(old).exists()


def test_an_earlier_server_leaves_no_uploads_without_a_job(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    (jobs.reserve() / "upload").write_text("Bees dance.")
    running = jobs.add("check", {"name": "a.txt"})
    jobs.change(running, state=RUNNING, stage="reading", done=7)
    jobs.recover()
    assert [folder.name for folder in (tmp_path / "jobs").iterdir()] == [running]
    job = jobs.get(running)
    assert job
    assert (job.state, job.stage, job.done) == (WAITING, "", 0)


def test_what_is_over_stays_so(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    number = jobs.add("check", {"name": "a.txt"})
    jobs.end(number, "cancelled", "It was cancelled.")
    jobs.change(number, state=WAITING)
    jobs.end(number, DONE, "Nothing was found.")
    job = jobs.get(number)
    assert job
    assert (job.state, job.sentence) == ("cancelled", "It was cancelled.")


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    with closing(Dispatcher(Jobs(tmp_path), 1, 1)), pytest.raises(OutputError):
        Dispatcher(Jobs(tmp_path), 1, 1)


@pytest.mark.deep
def test_a_collection_has_one_writer_and_others_wait(tmp_path: Path) -> None:
    with closing(
        Server(tmp_path / "state", make_archive(tmp_path / "archive.sdx"), "--jobs", "3")
    ) as server:
        numbers = []
        for number in range(3):
            parts: list[Part] = [("documents", (f"{number}.txt", f"{number} {TEXTS[0]}".encode()))]
            numbers.append(server.ask("/api/collections/archive/add", parts=parts).json["id"])
        jobs = Jobs(tmp_path / "state")
        assert "before it" in server.ask(f"/jobs/{numbers[-1]}").text
        while active := jobs.active():
            assert sum(job.state == RUNNING for job in active) <= 1
        assert [server.over(number)["state"] for number in numbers] == ["done"] * 3
        assert len(server.ask("/api/collections/archive").json["documents"]) == 11
