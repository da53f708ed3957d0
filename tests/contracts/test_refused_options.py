"""Values of options that a part cannot use are refused, and the option is named."""

from pathlib import Path

import pytest

from sdtext.errors import OptionError
from sdtext.parts.registry import build, parse
from tests.support.cases import cases

REFUSED = Path(__file__).with_name("refused_options.txt").read_text("utf-8").splitlines()
ROWS = [(line.split()[0], text) for line in REFUSED for text in line.split()[1:]]


@cases("kind, text", ROWS)
def test_a_value_that_a_part_cannot_use_is_refused_by_its_option(kind: str, text: str) -> None:
    spec = parse(text)
    ((option, _),) = spec.options
    with pytest.raises(OptionError, match=f"^{spec.name}: {option} is "):
        build(kind, spec)


@cases("kind, text", [
    ("filters", "elision"), ("filters", "elision(language=french,articles=l)"),
    ("filters", "stop-words"), ("filters", "stop-words(language=english,file=words.txt)"),
    ("filters", "stop-words(file=words.txt,short=true)"), ("indexes", "bands(bands=3)"),
    ("indexes", "groups(radius=5,groups=5)"), ("indexes", "groups(radius=6,groups=5,equal=2)"),
    ("indexes", "groups(radius=12,equal=2)"), ("units", "segment(tokens=5,step=6)"),
    ("readers", "text(encoding=x)"), ("readers", "html(encoding=x)"),
    ("readers", "xml(encoding=x)"),
])  # fmt: skip
def test_options_that_do_not_go_together_are_refused(kind: str, text: str) -> None:
    with pytest.raises(OptionError):
        build(kind, parse(text))
