"""The pages in the system's Firefox, by WebDriver BiDi (W3C), which needs no driver.

Playwright starts its own build of Firefox, or by BiDi (channel `moz-firefox`) newer ones than the
long-term release: at each start it sends emulation.setMediaFeaturesOverride, which that lacks.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import done, prose

PROGRAMS = ("firefox-esr", "firefox")
_LISTENS = "WebDriver BiDi listening on "
_PATIENCE = 60  # seconds


class Firefox:
    """One window of Firefox; `errors` has what its pages complained about."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._numbers = socket, count(1)
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        [tree] = self.ask("browsingContext.getTree")["contexts"]
        self._window = tree["context"]

    def ask(self, method: str, **parameters: Any) -> Any:
        """The result of a command."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self._socket.recv(_PATIENCE))).get("id") != number:
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(str(answer["params"]["text"]))
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, path: Path) -> None:
        """Open the page in a file."""
        page = {"context": self._window, "url": path.as_uri()}
        self.ask("browsingContext.navigate", **page, wait="complete")

    def value(self, expression: str) -> Any:
        """The value of an expression on the page, by way of JSON."""
        result = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._window},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _PATIENCE
        while not self.value(f"Boolean({expression})"):
            assert time.monotonic() < end, expression
            time.sleep(0.05)


@contextmanager
def running_firefox() -> Iterator[Firefox]:
    """Firefox without a network; the test is skipped where it is not installed."""
    client = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("Firefox is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        settings = {"network.proxy.type": 1, "network.proxy.http": "127.0.0.1"}
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in settings.items()]
        Path(profile, "user.js").write_text("\n".join(lines))
        words = ["--headless", "--no-remote", "--profile", profile]
        process = subprocess.Popen(
            [program, *words, "--remote-debugging-port", "0", "about:blank"],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={"HOME": profile, "PATH": "/usr/bin:/bin"},
        )
        try:
            assert process.stderr
            address = next(line for line in process.stderr if _LISTENS in line)
            url = address.partition(_LISTENS)[2].strip() + "/session"
            with client.connect(url, max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.kill()
            process.wait()
            if process.stderr:
                process.stderr.close()


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
