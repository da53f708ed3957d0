"""Commands that are interrupted in the middle of their work."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.reading.sandbox.processes import children
from tests.support.command import PATIENCE, SDTEXT, Argument, Outcome, prose, words

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def processor_seconds(process: int) -> float:
    """How long a process has been computing, 0 if it is gone."""
    with suppress(OSError):
        behind_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(behind_name[11]) + int(behind_name[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def interrupted(
    condition: Callable[[int], bool],
    *arguments: Argument,
    kind: signal.Signals = signal.SIGINT,
    to_group: bool = False,
) -> Outcome:
    """The outcome of a command that is interrupted once `condition` is true of it.

    Its whole group gets Ctrl-C, as from a terminal; other signals go to it alone, as by `kill`,
    or `to_group`, as by `timeout` or a terminal that is closed.
    """
    process = subprocess.Popen(
        words([*SDTEXT, *arguments]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        ends = time.monotonic() + PATIENCE
        while not condition(process.pid):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < ends
            time.sleep(0.02)
        if to_group or kind is signal.SIGINT:
            os.killpg(process.pid, kind)
        else:
            process.send_signal(kind)
        out, err = process.communicate(timeout=PATIENCE)
        while any(alive(process.pid)):  # none may outlive the command for long
            assert time.monotonic() < ends
            time.sleep(0.02)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    # Click ends the line in which a terminal shows ^C.
    return Outcome(process.returncode, out, err.decode().removeprefix("\n"))


def alive(group: int) -> Iterator[int]:
    """The processes of a group that have not ended."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                yield int(folder.name)


def begins_to_work(process: int) -> bool:
    return len(children(process)) >= 2


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 300 MB of text, all of it the same file on the disk."""
    texts = tmp_path_factory.mktemp("much")
    text = "".join(prose(seed, 3000) for seed in range(8))
    (texts / "0").write_text(text, "utf-8")
    for number in range(1, 300 * 10**6 // len(text)):
        os.link(texts / "0", texts / str(number))
    return texts
