"""FindReuse as a user has it: two files, one file and a collection, a collection, two."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

import sdtext
from sdtext.fingerprinting.load_and_save import load_evidence

from .command import check_refused, done, here
from .planted import text

pytestmark = pytest.mark.usefixtures("files")


def test_evidence_says_when_it_was_made_on_what_machine_and_by_which_sdtext() -> None:
    for name in ("first.xml", "second.xml"):
        Path(name).write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    evidence, second = load_evidence("first.xml"), load_evidence("second.xml")
    assert evidence.origin.guid != second.origin.guid
    assert datetime.fromisoformat(evidence.origin.created).tzinfo
    assert evidence.origin.system
    assert evidence.origin.system.os_sysname
    assert evidence.parameters["program"] == f"sdtext {sdtext.__version__}"
    assert replace(evidence, origin=second.origin) == second


def written(*sizes: int) -> None:
    """Texts that share more and more words with `all.txt`, and nothing else."""
    copied = " ".join(f"copied{number}" for number in range(400))
    Path("all.txt").write_text(copied, "utf-8")
    for place, size in enumerate(sizes):
        own = " ".join(f"own{place}word{number}" for number in range(200))
        shared = " ".join(copied.split()[:size])
        Path(f"{place}.txt").write_text(f"{own} {shared}", "utf-8")


@pytest.fixture
def joined() -> None:
    """Six texts, in a folder and stored; left and right share boilerplate and other text in one.

    Each part is too short for a passage of its own.
    """
    form, other = text("form", 0, 14), text("other", 0, 7)
    beginnings = {f"{name}.txt": form for name in ("ash", "bay", "elm", "fir")}
    beginnings |= {"right.txt": f"{form} {other}", "left.txt": f"{text('form', 7, 14)} {other}"}
    for name, beginning in beginnings.items():
        Path(name).write_text(f"{beginning} {text(Path(name).stem, 0, 60)}")
    done("AddDocuments", "joined.sdx", *beginnings, "-c", "reuse")
    Path("texts").mkdir()
    for name in beginnings:
        Path(name).rename(f"texts/{name}")


def test_a_file_is_never_compared_with_itself() -> None:
    written(50, 300)
    Path("essays").mkdir()
    for name in ("all.txt", "0.txt", "1.txt"):
        Path(name).rename(Path("essays", name))
    Path("link").symlink_to("essays")
    for folder in ("essays", "link"):
        rows = done("FindReuse", "essays/all.txt", folder).table
        assert [Path(row["right"]).name for row in rows] == ["1.txt", "0.txt"]
    outcome = here("FindReuse", "essays/all.txt", "essays/../essays/all.txt")
    check_refused(outcome, 2)
