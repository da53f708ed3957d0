"""Whatever a reader in a process of its own does, it costs one error."""

import os
import time
from contextlib import suppress

import pytest

from sdtext.errors import PackingError, TextlessError, UnreadableError
from sdtext.io.platform import IS_UNIX
from sdtext.reading.main_process_limits import waiting, within_limits
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, read

from .processes import PATIENCE, WORDS, Odd, process_of, refusal


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
