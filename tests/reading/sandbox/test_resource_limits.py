"""Work in this process is limited in time and memory, and one file costs no other."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sdtext.errors import UnreadableError
from sdtext.reading.sandbox.pool import ProcessLimits
from sdtext.reading.sandbox.resource_limits import within_limits, work_on_each
from tests.cli.command import CONFIGS, Argument, check_partly, here

NAMED = [word for name in ("one", "two", "long") for word in ("-i", f"texts/{name}.txt")]
LIMITS = ProcessLimits(0.2, 300 << 20)


def spin() -> None:
    while True:
        try:
            sum(range(1000))
        except Exception:  # noqa: S112 (as some library does)
            continue


def hold() -> None:
    assert len(bytearray(2 << 30)) == 0


def total(numbers: Sequence[int]) -> int:
    """The sum of numbers; -1 takes forever, -2 all memory."""
    if -1 in numbers:
        spin()
    if -2 in numbers:
        hold()
    return sum(numbers)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (spin, "bees.txt: takes too long; raise the limit of 0.2 seconds with --max-seconds"),
        (hold, "bees.txt: needs more than 300 MB of memory; raise the limit with --max-memory"),
    ],
)
def test_work_beyond_a_limit_is_refused(work: Callable[[], None], message: str) -> None:
    began = time.process_time()
    with pytest.raises(UnreadableError, match=message), within_limits(LIMITS, "bees.txt"):
        work()
    assert time.process_time() - began < 2


def test_nothing_of_the_limits_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGPROF)
    for _ in range(3):
        with pytest.raises(UnreadableError), within_limits(LIMITS, ""):
            spin()
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert len(bytearray(400 << 20)) == 400 << 20


@pytest.mark.parametrize("numbers", [[], [1, 2, 3], [1, -1, 3], [-2], [1, -2, -1, 4]])
def test_only_the_item_that_exceeds_a_limit_is_left_out(numbers: list[int]) -> None:
    resets: list[int] = []
    result, kept, errors = work_on_each(total, numbers, LIMITS, str, lambda: resets.append(1))
    honest = [number for number in numbers if number > 0]
    assert list(kept) == honest
    assert (result or 0) == sum(honest)
    assert [item for item, _ in errors] == [number for number in numbers if number < 0]
    assert all(str(error).startswith(f"{item}: ") for item, error in errors)
    assert bool(resets) == bool(errors)


@pytest.mark.parametrize(
    "words",
    [
        ("CreateDictionary", "-p", "texts", "-c", "unicode.toml", "-o", "out.xml"),
        ("AddDocuments", "out.sdx", "texts", "-c", CONFIGS / "reuse.toml"),
        ("FindReuse", *NAMED, "-c", CONFIGS / "reuse.toml"),
    ],
    ids=["CreateDictionary", "AddDocuments", "FindReuse"],
)
def test_a_file_that_takes_too_long_costs_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[Argument, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    for name in ("one", "two"):
        Path("texts", f"{name}.txt").write_text("The bees dance in the hive of my neighbour. " * 9)
    Path("texts", "long.txt").write_text(" ".join(f"w{n}x" for n in range(900_000)))
    Path("unicode.toml").write_text('tokenizer = "unicode"\nfilters = ["lowercase"]\n')
    outcome = here(*words, "--max-seconds", "0.25")
    check_partly(outcome, 3, "long.txt")
