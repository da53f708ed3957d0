"""Work shared by processes: in order, and ended whenever whoever wants it has enough."""

import subprocess
import sys
from pathlib import Path

from tests.reading.sandbox.processes import gone, needs_proc

PROGRAM = """
from sdtext.reading.parallel_run import in_parallel

def large(size):
    return bytes(size << 20)

if __name__ == "__main__":
    made = in_parallel(large, [1] + [100] * 20, 2)
    next(made), next(made)
    made.close()
    print("ended")
"""


def test_processes_that_are_about_to_send_much_are_not_waited_for(tmp_path: Path) -> None:
    """A half-sent result must not be waited for when its sender is gone."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "ended\n"


WAITING = """
import os
from time import sleep
from sdtext.reading.parallel_run import in_parallel

def report_and_sleep(_):
    print(os.getpid(), flush=True)
    sleep(600)

if __name__ == "__main__":
    list(in_parallel(report_and_sleep, range(2), 2))
"""


@needs_proc
def test_processes_end_when_the_one_that_began_them_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(WAITING)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        workers = [int(run.stdout.readline()) for _ in range(2)]
        run.kill()
    assert all(map(gone, workers))
