"""Work in this process is limited in time and memory, and one file costs no other."""

import json
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path

import pytest

import sdtext
from sdtext.errors import UnreadableError
from sdtext.model import Problem
from sdtext.reading.main_process_limits import ProcessLimits, within_limits, work_on_each
from sdtext.reading.read_document import Source
from tests.support.command import CONFIGS, check_partly, here

resource = pytest.importorskip("resource", reason="only Unix limits its own process")
# The signal may come within the callback by which Hypothesis measures garbage collection, where
# the exception is lost; it is repeated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*gc_callback:pytest.PytestUnraisableExceptionWarning"
)

LIMITS = ProcessLimits(0.05, 300 << 20)


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


def test_work_beyond_a_limit_is_refused() -> None:
    for work, message in ((spin, "bees.txt: .* 0.05 seconds"), (hold, "bees.txt: .* 300 MB")):
        began = time.process_time()
        with pytest.raises(UnreadableError, match=message), within_limits(LIMITS, "bees.txt"):
            work()
        assert time.process_time() - began < 2


def burn(seconds: float) -> None:
    ends = time.process_time() + seconds
    while time.process_time() < ends:
        sum(range(1000))


def test_limits_within_limits_are_those_of_the_file() -> None:
    def work() -> None:
        with within_limits(ProcessLimits(60), "wasps.txt"):
            burn(0.03)
        with within_limits(ProcessLimits(60), "wasps.txt"):
            spin()

    began = time.process_time()
    with pytest.raises(UnreadableError, match=r"bees\.txt"), within_limits(LIMITS, "bees.txt"):
        work()
    assert time.process_time() - began < 2


def test_the_stages_of_the_work_on_a_file_share_its_time() -> None:
    limits = ProcessLimits(0.6)
    with within_limits(limits, "bees.txt"):
        burn(0.3)
    problems: list[Problem] = []
    began = time.process_time()
    work_on_each(lambda _: spin(), ["bees.txt"], limits, str, problems.append)
    assert time.process_time() - began < 0.5
    assert [problem.path for problem in problems] == ["bees.txt"]


def test_python_programs_have_these_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source, "document", lambda _: spin())
    monkeypatch.setattr(Source, "clean_pieces", lambda *_: spin())
    reading = sdtext.Reading(max_seconds=0.2)
    with pytest.raises(UnreadableError, match=r"^README\.md: .* 0\.2"):
        sdtext.read("README.md", reading=reading)
    with pytest.raises(UnreadableError, match=r"^README\.md: .* 0\.2"):
        sdtext.fingerprint("README.md", "english", run=sdtext.Run(reading=reading))


def test_threads_set_no_limits() -> None:
    def limited(_: int) -> tuple[object, object]:
        with within_limits(ProcessLimits(0.01, 1 << 20), "bees.txt"):
            return len(bytearray(64 << 20)), resource.getrlimit(resource.RLIMIT_AS)

    before = resource.getrlimit(resource.RLIMIT_AS)
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(limited, range(4))] == [(64 << 20, before)] * 4


def test_nothing_of_the_limits_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGPROF)
    for _ in range(3):
        with pytest.raises(UnreadableError), within_limits(LIMITS, ""):
            spin()
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert len(bytearray(400 << 20)) == 400 << 20


def test_only_the_item_that_exceeds_a_limit_is_left_out() -> None:
    resets: list[int] = []
    problems: list[Problem] = []
    for numbers in ([], [1, 2, 3], [1, -1, 3], [-2], [1, -2, -1, 4]):
        resets.clear()
        problems.clear()
        result, kept = work_on_each(
            total, numbers, LIMITS, str, problems.append, lambda: resets.append(1)
        )
        honest = [number for number in numbers if number > 0]
        assert list(kept) == honest
        assert (result or 0) == sum(honest)
        assert [item.path for item in problems] == [str(each) for each in numbers if each < 0]
        assert all(item.message.startswith(f"{item.path}: ") for item in problems)
        assert bool(resets) == bool(problems)


@pytest.mark.parametrize("words", [
    ("AddDocuments", "out.sdx", "records.jsonl"),
    pytest.param(("FindReuse", "records.jsonl", "one.txt"), marks=pytest.mark.deep),
    pytest.param(("Deduplicate", "records.jsonl", "-o", "o.jsonl"), marks=pytest.mark.deep),
], ids=itemgetter(0))  # fmt: skip
def test_a_record_that_takes_too_long_costs_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    short = "The bees dance in the hive of my neighbour. " * 9
    texts = {"one": short, "long": " ".join(f"w{n}x" for n in range(600_000)), "two": short}
    rows = [json.dumps({"id": name, "text": text}) for name, text in texts.items()]
    Path("one.txt").write_text(short)
    Path("records.jsonl").write_text("\n".join(rows))
    monkeypatch.setenv("SDTEXT_MAX_SECONDS", "0.2")
    recipe = CONFIGS / ("shingles.toml" if words[0] == "Deduplicate" else "reuse.toml")
    check_partly(here(*words, "-c", recipe), 3, "records.jsonl: line 2: takes more than")
