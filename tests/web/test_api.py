"""The commands on the page for programs do what it says."""

import json
import shlex
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from tests.parts.readers.office import docx
from tests.parts.readers.pdfs import pdf
from tests.support.command import prose

from .conftest import TEXTS, make_archive, zipped
from .server import Server

PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    (tmp_path / "proposal.docx").write_bytes(docx(PARAGRAPH.format(TEXTS[0])))
    (tmp_path / "papers.zip").write_bytes(zipped(TEXTS))
    (tmp_path / "papers.csv").write_text("document,year\n0.txt,2020\n")
    (tmp_path / "new.pdf").write_bytes(pdf([prose(99, 90)]))
    server = Server(tmp_path / "state", make_archive(tmp_path / "archive.sdx"))
    try:
        page = unescape(server.ask("/api").text).replace("\\\n", " ")
        commands = [line[line.index("curl ") :] for line in page.splitlines() if "curl -H" in line]
        assert len(commands) >= 15
        number = ""
        for command in commands:
            text = command.partition("</pre>")[0].replace("127.0.0.1:8765", server.host)
            text = text.replace("$TOKEN", server.token).replace("/ID", f"/{number}")
            asked = [*shlex.split(text.replace("=ID", f"={number}")), "--fail", "--silent"]
            answer = subprocess.run(asked, cwd=tmp_path, capture_output=True, check=False)
            # A new collection cannot have the name of one that is there.
            expected = 22 if "name=archive" in command else 0
            assert answer.returncode == expected, command
            if b'"state"' in answer.stdout and "-F" in asked:
                number = json.loads(answer.stdout)["id"]
                assert server.over(number)["state"] == "done", command
        saved = {"evidence.xml", "recipe.toml"}
        assert saved <= {path.name for path in tmp_path.iterdir()}
    finally:
        server.stop()
