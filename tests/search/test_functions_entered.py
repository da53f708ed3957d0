"""Questions about few documents enter few functions, so that a reader can follow them."""

from pathlib import Path

import pytest

from tests.support.command import ROOT, run_python

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
    assert int(run_python(_COUNT, *arguments).stderr.split()[-1]) <= former // 2
