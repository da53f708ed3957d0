"""The pages in Firefox: no errors, and what their scripts do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import done, prose
from tests.support.firefox import Firefox, running_firefox


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    """Firefox, started once."""
    with running_firefox() as started:
        yield started


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two essays that share passages, one quoted, and others."""
    folder = tmp_path_factory.mktemp("essays")
    shared, quoted = prose(1, 120), f"“{prose(2, 60).strip()}”"
    for name, text in {
        "a": f"{prose(3, 150)} {shared} {quoted}",
        "b": f"{shared} {prose(4, 150)} {quoted} (Miller, 1999).",
        **{str(seed): prose(seed, 200) for seed in range(5, 11)},
    }.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_evidence_is_read_left_out_reviewed_and_saved(
    firefox: Firefox, essays: Path, tmp_path: Path
) -> None:
    done("FindReuse", essays, "--html", tmp_path / "page.html")
    firefox.open(tmp_path / "page.html")
    assert firefox.value("byId('verdict').textContent.includes(' stands in ')")
    assert firefox.value("all('.sides mark.now').length > 1")
    before = firefox.value("pairs[0].now")
    firefox.value("(all('#reasons input')[0].click(), 1)")
    assert firefox.value("pairs[0].now") != before
    firefox.value("(all('#notice button')[0].click(), 1)")
    assert firefox.value("pairs[0].now") == before
    firefox.value("(all('#current input')[1].click(), 1)")
    assert firefox.value("all('#changes li').length") == 1
    saved = firefox.value("evidenceFile()")
    assert 'type="SHA256-text"' in saved
    (tmp_path / "saved.xml").write_text(saved)
    done("ShowEvidence", tmp_path / "saved.xml", essays)
    firefox.value("(location.hash = '#d1', 1)")
    firefox.wait_for("all('.whole').length")
    firefox.value("(history.back(), 1)")
    firefox.wait_for("all('.sides').length")
    firefox.value("(byId('language').click(), 1)")
    assert firefox.value("byId('reader-title').textContent") == "雷同段落"
    firefox.value("(onbeforeunload = null, 1)")
    assert firefox.errors == []


def test_comparisons_and_experiments_open(firefox: Firefox, essays: Path, tmp_path: Path) -> None:
    done("CompareDirectory", essays / "a.txt", essays, "--html", tmp_path / "compared.html")
    firefox.open(tmp_path / "compared.html")
    assert firefox.value("all('.text').length > 0")
    firefox.value("(all('#table tbody a')[0].click(), 1)")
    firefox.wait_for("all('.sides').length && location.hash")
    done("FindReuse", essays / "a.txt", essays / "5.txt", "--html", tmp_path / "nothing.html")
    firefox.open(tmp_path / "nothing.html")
    assert firefox.value("all('.text').length === 2 && !byId('old')")
    done("Experiment", essays, "-o", tmp_path / "o", "--report", tmp_path / "experiment.html")
    firefox.open(tmp_path / "experiment.html")
    firefox.value("(all('#ranges figure a')[0].dispatchEvent(new MouseEvent('click')), 1)")
    firefox.value("(location.hash = all('#ranges figure a')[0].getAttribute('href'), 1)")
    firefox.wait_for("all('.cell:target').length")
    assert firefox.errors == []
