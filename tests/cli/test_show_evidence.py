"""ShowEvidence: what FindReuse wrote as XML, shown as FindReuse shows it."""

from pathlib import Path

import pytest

from sdtext.fingerprinting.load_and_save import load_evidence
from tests.support.command import done, here
from tests.support.planted import PLANTED

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def evidence(files: Path) -> str:
    """Evidence of a.txt and b.txt, in which one word differs."""
    (files / "b.txt").write_text(PLANTED.replace("cedarak", "changed"))
    Path("e.xml").write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    return "e.xml"


def test_texts_come_from_files_of_the_same_name_and_content(evidence: str) -> None:
    Path("kept/b").mkdir(parents=True)
    Path("b.txt").rename("kept/b/b.txt")
    Path("kept/b.txt").write_text(PLANTED)  # another one of this name
    outcome = here("ShowEvidence", evidence, "--show")
    assert outcome.code == 0
    assert "b.txt: no file of this name is there; name its folder" in outcome.err
    assert "no text" in outcome.text
    outcome = done("ShowEvidence", evidence, "kept", "--show")
    assert "{+changed+}" in outcome.text
    Path("kept/b/b.txt").unlink()
    assert "has changed since" in done("ShowEvidence", evidence, "kept", "--show").err


def test_the_page_has_the_texts_or_places_alone(evidence: str) -> None:
    done("ShowEvidence", evidence, "--html", "out.html")
    assert PLANTED in Path("out.html").read_text("utf-8")
    done("ShowEvidence", evidence, "--html", "out.html", "--places")
    page = Path("out.html").read_text("utf-8")
    assert "cedar" not in page
    assert "2 documents without text" in page
    created = load_evidence(evidence).origin.created
    assert f'<dt>Evidence found</dt><dd dir="auto">{created}</dd>' in page
    printed = done("ShowEvidence", evidence, "--format", "html").text
    assert printed.count(PLANTED) == 1
