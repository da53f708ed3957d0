"""Whatever a reader in a process of its own does, it costs one error."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import pytest

from sdtext.errors import PackingError, SdtextError, TextlessError, UnreadableError
from sdtext.reading.read_document import Source, read
from sdtext.reading.sandbox import pool

from .processes import WORDS, Odd, process_of, refusal


def test_a_reader_of_another_package_reads_in_a_process_of_its_own(odd: Odd) -> None:
    result = read(odd("'naïve \\U0001f600 words'"))
    assert result.text == "naïve \U0001f600 words"
    assert result.metadata["reader"] == "odd"
    assert result.metadata["engine"].startswith("odd 1.0, process ")
    assert process_of(odd("'text'")) != os.getpid()


def test_blocks_and_problems_arrive_as_they_were_sent(odd: Odd) -> None:
    source = Source.at(odd("with_problem()"))
    assert list(source.blocks()) == ["one"]
    (problem,) = source.problems
    assert (problem.severity, problem.category, problem.message) == (
        "warning", "partly-read", "half of it",
    )  # fmt: skip
    assert problem.path == str(source.content.path)


@pytest.mark.parametrize("does", ["spin()", "time.sleep(1000)", "endless('')", "sys.stdin.read()"])
def test_who_takes_too_long_is_ended(odd: Odd, does: str) -> None:
    began = time.monotonic()
    message = str(refusal(odd(does), max_seconds=0.5))
    assert "odd took more than 0.5 seconds" in message
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("does", "reading"),
    [
        ("hold(2 << 30)", {}),
        ("[bytearray(1 << 20) for _ in range(2048)]", {"max_memory": 300 << 20}),
    ],
)
def test_who_takes_too_much_memory_is_refused(
    odd: Odd, does: str, reading: dict[str, float]
) -> None:
    assert "max_memory" in str(refusal(odd(does), **reading))
    assert read(odd(f"'{WORDS}'")).text == WORDS


@pytest.mark.parametrize(
    ("does", "reported"),
    [
        ("os.abort()", "signal SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
        ("os._exit(0)", "exit code 0"),
        ("os._exit(3)", "exit code 3"),
        ("os.killpg(0, signal.SIGTERM)", "signal SIGTERM"),
    ],
)
def test_a_crash_is_reported_with_its_exit_status(odd: Odd, does: str, reported: str) -> None:
    assert f"odd crashed on it ({reported})" in str(refusal(odd(does)))
    assert read(odd(f"'{WORDS}'")).text == WORDS


@pytest.mark.parametrize(
    "does",
    ["sys.exit(3)", "fail(KeyboardInterrupt)", "fail(GeneratorExit)", "None", "[b'bytes']", "[{}]",
     "[object()]", "fail(RecursionError)", "fail(ValueError('two\\nlines \\x1b[31m'))", "[5]",
     "fail(UnicodeDecodeError('utf-8', b'', 0, 1, 'x'))", "fail(OSError(2, 'x'))", "5", "1 / 0"],
)  # fmt: skip
def test_an_error_that_nobody_thought_of_is_an_unreadable_file(odd: Odd, does: str) -> None:
    with suppress(UnreadableError):
        assert isinstance(read(odd(does)).text, str)
        return
    refusal(odd(does))
    assert read(odd(f"'{WORDS}'")).text == WORDS


@pytest.mark.parametrize("kind", [UnreadableError, TextlessError, PackingError])
def test_an_error_of_ours_arrives_as_it_is(odd: Odd, kind: type[SdtextError]) -> None:
    path = odd(f"fail(__import__('sdtext.errors').errors.{kind.__name__}('the name: the reason'))")
    with pytest.raises(kind) as caught:
        read(path)
    assert type(caught.value) is kind
    assert str(caught.value) == "the name: the reason"


def test_a_text_without_end_is_refused(odd: Odd) -> None:
    error = refusal(odd("endless('text ' * 1000)"), max_bytes=1 << 20)
    assert isinstance(error, PackingError)
    assert "holds more than 1,048,576 characters of text; raise max_bytes" in str(error)
    assert read(odd(f"'{WORDS}'")).text == WORDS


@pytest.mark.parametrize(
    "line",
    [b"nonsense\n", b"\xff\xfe\n", b"5\n", b"null\n", b"[]\n", b"{}\n", b'{"text": "a"}\n',
     b"9" * 5000 + b"\n", b"[" * 200_000 + b"\n", b'{"text":' * 20_000 + b"\n",
     b"[5]\n", b"[[]]\n", b"[{}]\n", b'[{"text": "a"}, "error"]\n', b'[{"error": "Nope"}]\n',
     b'[{"error": "OSError", "what": "x"}]\n', b'[{"error": []}]\n', b'[{"libraries": 5}]\n',
     b'[{"libraries": [[1]]}]\n', b'[{"problem": 1}]\n', b'[{"problem": [1]}]\n'],
    ids=range(21),
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_a_breakdown(
    odd: Odd, line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_EXIT_SECONDS", 0.05)  # it does not exit by itself
    refusal(odd(f"answer({line[:40]!r} * {len(line) // 40} + {line[len(line) // 40 * 40 :]!r})"))
    assert read(odd(f"'{WORDS}'")).text == WORDS
