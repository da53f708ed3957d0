"""Whatever a reader in a process of its own does, it costs one error."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Timer

import pytest

from sdtext.errors import PackingError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.platform import IS_UNIX
from sdtext.model import PartSpec
from sdtext.reading.main_process_limits import ProcessLimits, waiting, within_limits
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, read
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
    refusal,
    started,
)


def test_a_reader_of_another_package_reads_in_a_process_of_its_own(odd: Odd) -> None:
    result = read(odd("'naïve \\U0001f600 words'"))
    assert result.text == "naïve \U0001f600 words"
    assert result.metadata["reader"] == "odd"
    assert result.metadata["engine"].startswith("odd 1.0, process ")
    assert process_of(odd("'text'")) != os.getpid()


def test_blocks_and_problems_arrive_as_they_were_sent(odd: Odd) -> None:
    source = Source(odd("with_problem()"))
    assert list(source.blocks()) == ["one"]
    (problem,) = source.problems
    assert (problem.severity, problem.category, problem.message) == (
        "warning", "partly-read", "half of it",
    )  # fmt: skip
    assert problem.path == str(source.content.path)


def test_who_takes_too_long_is_ended(odd: Odd) -> None:
    for does in ("spin()", "time.sleep(1000)", "endless('')", "sys.stdin.read()"):
        began = time.monotonic()
        assert "0.5 seconds" in str(refusal(odd(does), max_seconds=0.5))
        assert time.monotonic() - began < PATIENCE


@pytest.mark.skipif(not IS_UNIX, reason="only Unix limits its own process")
def test_the_time_of_a_process_is_time_of_the_file(odd: Odd) -> None:
    path = odd(f"time.sleep(2) or '{WORDS}'")
    process_of(odd("'text'", "first.odd"))
    reading = Reading(max_seconds=600)
    with within_limits(reading.limits, "a file"):
        assert read(path, reading=reading).text == WORDS
        with waiting() as left:
            assert left < 599  # of the two seconds, one is slack for a coarse clock


@pytest.mark.skipif(not IS_UNIX, reason="only Linux limits memory")
def test_who_takes_too_much_memory_is_refused(odd: Odd) -> None:
    many = "[bytearray(1 << 20) for _ in range(2048)]"
    assert "max_memory" in str(refusal(odd("hold(2 << 30)")))
    assert "max_memory" in str(refusal(odd(many), max_memory=300 << 20))
    assert read(odd(f"'{WORDS}'")).text == WORDS


def test_a_crash_is_reported_with_its_exit_status(odd: Odd) -> None:
    for does, reported in (
        ("os.abort()", "SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("os.killpg(0, signal.SIGTERM)", "SIGTERM"),
        ("os._exit(0)", "exit code 0"),
        ("os._exit(3)", "exit code 3"),
    ):
        assert reported in str(refusal(odd(does)))
    assert read(odd(f"'{WORDS}'")).text == WORDS


def test_an_error_that_nobody_thought_of_is_an_unreadable_file(odd: Odd) -> None:
    for does in (
        *("sys.exit(3)", "fail(KeyboardInterrupt)", "fail(GeneratorExit)", "None", "[b'bytes']"),
        *("[{}]", "[object()]", "fail(RecursionError)", "[5]", "5", "1 / 0"),
        *("fail(ValueError('two\\nlines \\x1b[31m'))", "fail(OSError(2, 'x'))"),
        "fail(UnicodeDecodeError('utf-8', b'', 0, 1, 'x'))",
    ):
        with suppress(UnreadableError):
            assert isinstance(read(odd(does)).text, str), does
            continue
        refusal(odd(does))
    for does in ("[b'bytes']", "[5]", "[Problem('warning', 'x', 'y', what=5)]"):
        assert "a bug of sdtext" in str(refusal(odd(does)))
    assert read(odd(f"'{WORDS}'")).text == WORDS


def test_an_error_of_ours_arrives_as_it_is(odd: Odd) -> None:
    for kind in (UnreadableError, TextlessError, PackingError):
        error = f"__import__('sdtext.errors').errors.{kind.__name__}('the name: the reason')"
        with pytest.raises(kind) as caught:
            read(odd(f"fail({error})"))
        assert type(caught.value) is kind
        assert str(caught.value) == "the name: the reason"


def test_a_text_without_end_is_refused(odd: Odd) -> None:
    error = refusal(odd("endless('text ' * 1000)"), max_bytes=1 << 20)
    assert isinstance(error, PackingError)
    assert "max_bytes" in str(error)
    assert read(odd(f"'{WORDS}'")).text == WORDS


@pytest.mark.parametrize("lines", [
    [b"nonsense", b"\xff\xfe", b"null", b"[" * 200_000, b"[[]]", b'[["libraries", [[1]]]]'],
    pytest.param(
        [
            *(b"5", b"[]", b"{}", b'["text", "a"]', b"9" * 5000, b'[["text",' * 20_000),
            *(b"[5]", b"[{}]", b'[["error"]]', b'[["error", "Nope", "", "", ""]]'),
            *(b'[["text", "a"], "error"]', b'[["text", 1]]', b'[["libraries", 5]]'),
            *(b'[["libraries"]]', b'[["nope", 1]]'),
            b'[["problem", "warning", "partly-read", "one"]]',
        ],
        marks=pytest.mark.deep,
    ),
], ids=["few", "many"])  # fmt: skip
def test_an_answer_that_makes_no_sense_is_a_bug(odd: Odd, lines: list[bytes]) -> None:
    for line in lines:
        times = len(line) // 40
        rest = line[40 * times :]
        error = refusal(odd(f"answer({line[:40]!r} * {times} + {rest!r} + bytes([10]))"))
        assert "a bug of sdtext" in str(error)
    assert read(odd(f"'{WORDS}'")).text == WORDS


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
