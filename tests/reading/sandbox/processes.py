"""Files that are read by an odd reader, and the processes that read them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.platform import OWN_GROUP
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, read

PATIENCE = 60  # seconds: a net for what hangs, not a measure
WORDS = "words enough to be found at once"

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads /proc")

Odd = Callable[..., Path]
"""What gives a file that makes its reader do something."""


def refusal(path: Path, **reading: float) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        read(path, reading=Reading(**{"max_seconds": 20, **reading}))  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 500
    return caught.value


def process_of(path: Path, **reading: float) -> int:
    source = Source(path, Reading(**{"max_seconds": 20, **reading}))  # type: ignore[arg-type]
    return int(dict(source.libraries)["process"])


def alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def gone(process: int, seconds: float = PATIENCE) -> bool:
    ends = time.monotonic() + seconds
    while alive(process) and time.monotonic() < ends:
        time.sleep(0.01)
    return not alive(process)


def children(process: int) -> list[int]:
    result = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            behind_name = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(behind_name[1]) == process:
                result.append(int(folder.name))
    return result


SCRIPT = """
import sys, time
from sdtext import Reading, read
print(read(sys.argv[1], reading=Reading(max_seconds=float(sys.argv[2]))).text, flush=True)
time.sleep(1000)
"""


def started(
    arguments: Sequence[str | Path], package: Path | None = None, cwd: Path | None = None
) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(package)} if package else dict(os.environ)
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=cwd,
        **OWN_GROUP,
    )


def only_child(process: int) -> int:
    """The process that `process` begins, once it is there."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if result := children(process):
            return result[0]
        time.sleep(0.01)
    raise AssertionError("it begins no process")


def ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@contextmanager
def busy(
    odd: Odd, package: Path, does: str, seconds: int
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A Python that waits, for as long at most, for a reader; and the process of that."""
    mark = package.with_name("mark")
    mark.unlink(missing_ok=True)
    path = odd(f"open({str(mark)!r}, 'w').close() or {does}")
    process = started(["-c", SCRIPT, path, str(seconds)], package)
    try:
        child = only_child(process.pid)
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.01)
        yield process, child
    finally:
        ended(process)
