"""ShowEvidence: what FindReuse wrote as XML, shown as FindReuse shows it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from sdtext.fingerprinting.load_and_save import load_evidence

from .command import check_refused, done, here
from .planted import PLANTED, text

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def evidence(files: Path) -> str:
    """Evidence of a.txt and b.txt, in which one word differs."""
    (files / "b.txt").write_text(PLANTED.replace("cedarak", "changed"))
    Path("e.xml").write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    return "e.xml"


@pytest.mark.parametrize(
    "options", [[], ["--by", "pair"], ["--by", "document"], ["--format", "csv"], ["--show"]]
)
def test_it_is_shown_as_by_the_search(evidence: str, options: list[str]) -> None:
    expected = done("FindReuse", "a.txt", "b.txt", "--all", *options)
    outcome = done("ShowEvidence", evidence, "--all", *options)
    assert outcome.out == expected.out
    assert outcome.errors == expected.errors


def test_xml_is_the_file_itself_and_pan_that_of_the_search(evidence: str) -> None:
    assert done("ShowEvidence", evidence, "--format", "xml").out == Path(evidence).read_bytes()
    pan = done("FindReuse", "a.txt", "b.txt", "--format", "pan").out
    assert done("ShowEvidence", evidence, "--format", "pan").out == pan


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


@pytest.mark.usefixtures("evidence")
def test_the_page_of_a_search_has_the_digests_of_its_files() -> None:
    done("FindReuse", "a.txt", "b.txt", "--html", "out.html")
    page = Path("out.html").read_text("utf-8")
    assert "2 inputs, with SHA-256" in page
    assert "Evidence found" not in page  # but now
    assert all(sha256(Path(name).read_bytes()).hexdigest() in page for name in ("a.txt", "b.txt"))


@pytest.mark.usefixtures("evidence")
def test_the_page_has_no_texts_of_documents_that_share_nothing() -> None:
    Path("essays").mkdir()
    for name in "abc":
        Path(f"essays/{name}.txt").write_text(text(name, 0, 99) + f" {PLANTED}" * (name < "c"))
    lines = ("FindReuse", "essays"), ("FindReuse", "a.txt", "essays")
    Path("essays.xml").write_bytes(done(*lines[0], "--format", "xml").out)
    for line in (*lines, ("ShowEvidence", "essays.xml")):
        done(*line, "--html", "out.html")
        page = Path("out.html").read_text("utf-8")
        assert page.count(text("a", 0, 99)) == page.count(text("b", 0, 99)) == 1
        assert text("c", 9, 12) not in page
        assert "c.txt" in page
        assert "without text" not in page


def test_what_is_no_evidence_is_refused(evidence: str) -> None:
    check_refused(here("ShowEvidence", "a.txt"), 5, "a.txt")
    Path(evidence).write_bytes(Path(evidence).read_bytes()[:-30])
    check_refused(here("ShowEvidence", evidence, "--html", "out.html"), 5, evidence)
    assert not Path("out.html").exists()
    check_refused(here("ShowEvidence", "none.xml"), 3, "none.xml")
