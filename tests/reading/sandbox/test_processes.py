"""The processes that read: kept for the next file, begun anew, and gone with their parent."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Timer

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import PartSpec
from sdtext.reading.main_process_limits import ProcessLimits
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.reading.sandbox import pool
from sdtext.reading.sandbox.pool import extract

from .processes import (
    PATIENCE,
    SCRIPT,
    WORDS,
    Odd,
    alive,
    busy,
    children,
    ended,
    gone,
    needs_proc,
    only_child,
    process_of,
    started,
)


def test_one_process_reads_many_files(odd: Odd) -> None:
    path = odd("'text'")
    assert len({process_of(path) for _ in range(20)}) == 1
    with suppress(UnreadableError):
        read(odd("fail(UnreadableError('x: y'))"))
    first = process_of(odd("'text'"))
    assert first == process_of(path)


@needs_proc
def test_a_process_ends_after_so_many_files(odd: Odd, monkeypatch: pytest.MonkeyPatch) -> None:
    pool._end_idle()  # one that has read files before
    monkeypatch.setattr(pool, "_FILES_PER_PROCESS", 3)
    path = odd("'text'")
    processes = [process_of(path) for _ in range(9)]
    assert [processes.count(fromkey) for fromkey in dict.fromkeys(processes)] == [3, 3, 3]
    assert not any(map(alive, processes))


@needs_proc
def test_memory_that_files_leave_used_costs_no_later_file(odd: Odd) -> None:
    """What a file needs is a part of the limit, and the files before it have leaked the rest."""
    pool._end_idle()
    leaked, needed = "sys.__dict__.setdefault('leaked', [])", 200 << 20
    leak = odd(f"({leaked}.append(bytearray({needed})), '{WORDS}')[1]", "leak.odd")
    hold = odd(f"(bytearray({needed}), '{WORDS}')[1]")
    for _ in range(4):
        assert read(leak, reading=Reading(max_memory=700 << 20)).text == WORDS
        assert read(hold, reading=Reading(max_memory=700 << 20)).text == WORDS


def test_a_used_process_that_crashes_is_not_the_fault_of_the_file(odd: Odd) -> None:
    crash = odd(f"(os.abort() if sys.__dict__.setdefault('n', []) else 0, '{WORDS}')[1]")
    mark = odd(f"(sys.__dict__.setdefault('n', []).append(1), '{WORDS}')[1]", "mark.odd")
    for path in (crash, mark, crash):
        assert read(path).text == WORDS


def test_a_limit_of_time_that_passes_with_the_last_answer_does_no_harm_to_the_next_file(
    odd: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(Timer):
        """An alarm that has begun to act when it is asked not to."""

        def cancel(self) -> None:
            super().cancel()
            self.function()

    path = odd(f"'{WORDS}'")
    with monkeypatch.context() as patch:
        patch.setattr(pool, "Timer", Late)
        pool._end_idle()
        with suppress(UnreadableError):
            read(path)
    assert read(path).text == WORDS


@needs_proc
def test_nothing_is_left_of_many_files(odd: Odd) -> None:
    read(odd("'text'"))
    before, begun = len(list(Path("/proc/self/fd").iterdir())), len(children(os.getpid()))
    for turn in range(20):
        does = "os.abort()" if turn % 8 == 5 else "'text'"
        with suppress(UnreadableError):
            read(odd(does))
    read(odd("'text'"))
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert len(children(os.getpid())) == begun


def test_a_file_is_read_after_the_folder_was_changed(
    odd: Odd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        odd(f"'{WORDS} {name}'", f"{name}/x.odd")
        monkeypatch.chdir(tmp_path / name)
        assert read("x.odd").text.endswith(name)
        pool._end_idle() if name == "one" else None


def test_threads_read_their_own_files_within_their_own_limits(odd: Odd) -> None:
    paths = [odd(f"'{WORDS} {place}'", f"{place}.odd") for place in range(8)]

    def work(place: int) -> None:
        for _ in range(25):
            limits = ProcessLimits(20, (1 << 30) + place % 3)
            result = extract(PartSpec("odd"), Content(paths[place]), limits)
            assert result.pieces == [f"{WORDS} {place}"]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))


@needs_proc
def test_a_waiting_process_goes_with_the_one_that_began_it(odd: Odd, package: Path) -> None:
    process = started(["-c", SCRIPT, odd("'text'"), "20"], package)
    try:
        assert process.stdout
        assert process.stdout.readline() == b"text\n"
        child = only_child(process.pid)
    finally:
        ended(process)
    assert gone(child)


@needs_proc
def test_a_busy_process_ends_by_its_own_clock(odd: Odd, package: Path) -> None:
    for does in ("spin()", "time.sleep(1000)"):
        with busy(odd, package, does, 1) as (_, child):
            pass
        try:
            assert gone(child)  # some seconds after its limit
        finally:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)


def test_a_process_whose_parent_is_gone_before_it_asks_ends() -> None:
    parent = started(["-c", ""])
    ended(parent)
    code = f"from sdtext.reading.sandbox.worker import serve; serve(1 << 32, {parent.pid})"
    process = started(["-c", f"import time; {code}; time.sleep(1000)"])
    try:
        assert process.wait(PATIENCE) == -signal.SIGKILL
    finally:
        ended(process)


@needs_proc
def test_ctrl_c_ends_all_at_once(odd: Odd, package: Path) -> None:
    for does in ("time.sleep(1000)", "spin()"):
        with busy(odd, package, does, 900) as (process, child):
            os.killpg(process.pid, signal.SIGINT)
            _, reported = process.communicate(timeout=PATIENCE)
        assert b"KeyboardInterrupt" in reported
        assert gone(child)


def test_a_process_that_cannot_start_leaves_nothing(
    odd: Odd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, scratch = odd("'text'"), tmp_path / "scratch"
    scratch.mkdir()
    pool._end_idle()
    for error in (OSError(12, "no memory"), KeyboardInterrupt()):

        def refuse(*_: object, reason: BaseException = error, **__: object) -> None:
            raise reason

        with monkeypatch.context() as patch:
            patch.setattr("tempfile.tempdir", str(scratch))
            patch.setattr("subprocess.Popen", refuse)
            with pytest.raises((UnreadableError, KeyboardInterrupt)):
                read(path)
        assert list(scratch.iterdir()) == []
    assert read(path).text == "text"
