"""A comparison of few documents enters few functions, so that a reader can follow it."""

import subprocess
import sys

from tests.support.command import ROOT

_COUNT = """
import inspect, sys
entered = set()
def profile(frame, event, _):
    code = frame.f_code
    if event == "call" and "/sdtext/" in code.co_filename and code.co_flags & inspect.CO_OPTIMIZED:
        if not code.co_name.startswith("<"):
            entered.add((code.co_filename, code.co_qualname))
sys.setprofile(profile)
from sdtext.cli.main import main
code = main(sys.argv[1:])
sys.setprofile(None)
print(len(entered), file=sys.stderr)
"""


def test_a_comparison_of_eight_documents_enters_half_of_the_former_functions() -> None:
    texts = ROOT / "tests" / "samples" / "texts"
    arguments = ["CompareDirectory", "--quiet", texts / "bees.txt", "-p", texts]
    command = [sys.executable, "-c", _COUNT, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(result.stderr.split()[-1]) <= 572 // 2
