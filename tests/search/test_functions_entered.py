"""Questions about few documents enter few functions, so that a reader can follow them."""

import subprocess
import sys
from pathlib import Path

import pytest

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


TEXTS = ROOT / "tests" / "samples" / "texts"


@pytest.mark.parametrize(
    ("arguments", "former"),
    [
        (["CompareDirectory", "--quiet", TEXTS / "bees.txt", "-p", TEXTS], 572),
        (["FindReuse", "--quiet", TEXTS], 682),
        (["FindReuse", "--quiet", TEXTS / "bees.txt", TEXTS], 682),
    ],
)
def test_verbs_enter_half_of_the_former_functions(arguments: list[str | Path], former: int) -> None:
    command = [sys.executable, "-c", _COUNT, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(result.stderr.split()[-1]) <= former // 2
