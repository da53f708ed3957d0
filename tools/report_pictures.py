"""The pictures of reports in the documentation: real pages, photographed in Chromium.

    python -m tools.report_pictures [FOLDER]

writes `*.png` into the folder, else into `docs/pictures`. The class of 60 essays is made here:
eight students write the texts in `tests/samples/texts`, nine take parts of these over, the others
write pseudo-English of their own. Each essay begins with the text of the assignment; that of one
more student is damaged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from random import Random
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.support.browser import running_browser, visited
from tests.support.command import ROOT, here, prose
from tests.web.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURES = ROOT / "docs" / "pictures"
SAMPLES = ROOT / "tests" / "samples" / "texts"

NAMES = """
Abara Adeyemi Almeida Andersson Baptiste Bauer Becker Bianchi Bielak Castro Chandra Cho Costa Dang
Diallo Dubois Eriksen Falk Farah Fischer Fontaine Garcia Goncalves Haddad Hansen Hoffmann Horvat
Ivanova Jansen Johansson Kaya Keller Kim Kovacs Kowalska Laurent Lindqvist Lopez Marin Mensah Moreau
Nagy Nakamura Novak Okafor Olsen Pereira Petrov Popescu Ribeiro Rossi Sato Schmidt Silva Singh
Suzuki Tanaka Torres Wagner Zhang"""

COPIES = {
    "Bielak": [("bees", 0.0, 0.6)],
    "Farah": [("bees", 0.3, 0.9), ("bread", 0.0, 0.25)],
    "Kaya": [("bread", 0.1, 1.0)],
    "Moreau": [("harbour", 0.5, 0.9)],
    "Novak": [("harbour", 0.4, 1.0), ("observatory", 0.6, 0.9)],
    "Petrov": [("observatory", 0.0, 0.5)],
    "Sato": [("letter", 0.2, 0.7)],
    "Torres": [("letter", 0.1, 0.8), ("bread", 0.5, 0.8)],
    "Wagner": [("union", 0.0, 0.7)],
}
"""Who took which part of which text over."""


ASSIGNMENT = (
    "Assignment 4. Describe one thing that people share, and what becomes of it when each of them "
    "takes more than the others. State your view in the first paragraph, support it with three "
    "examples, and name all sources that you use."
)

_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")  # the end of a line within a paragraph

DAMAGED = "Zimmer.docx"


def write_essays(folder: Path) -> None:
    """The essays of a class, a file each."""
    folder.mkdir()
    samples = {path.stem: path.read_text("utf-8") for path in sorted(SAMPLES.iterdir())}
    texts = {name: _WRAPPED.sub(" ", text) for name, text in samples.items()}
    originals = iter(texts.values())
    for number, name in enumerate(NAMES.split()):
        if name in COPIES:
            text = "\n\n".join(_copied(name, texts, number))
        elif number % 7 == 0 and (own := next(originals, "")):
            text = own
        else:
            text = _own(number, 340)
        (folder / f"{name}.txt").write_text(f"{ASSIGNMENT}\n\n{text}", "utf-8")
    (folder / DAMAGED).write_bytes(b"PK\3\4 the rest was lost on the way")


def _copied(name: str, texts: dict[str, str], number: int) -> Iterator[str]:
    """Words of one's own, then parts of other texts with some words changed."""
    draw = Random(number)
    yield _own(number, 120)
    for source, start, end in COPIES[name]:
        words = texts[source].split(" ")
        part = words[int(start * len(words)) : int(end * len(words))]
        yield " ".join(draw.choice(words) if draw.random() < 0.05 else word for word in part)
        yield _own(number, 60)


def _own(number: int, words: int) -> str:
    """Pseudo-English in words that no other student has."""
    ending = f"{ascii_lowercase[number % 26]}{ascii_lowercase[number // 26]}"
    return re.sub(r"\b(?=[.\s])", ending, prose(number, words))


def take_pictures(browser: Browser, file: Path, folder: Path) -> None:
    """The overview and the passages of the page."""
    shots = (("overview", 1180, ""), ("passages", 900, "#p1"))
    for name, height, place in shots:
        size = {"width": 1200, "height": height}
        with visited(browser, file, viewport=size, reduced_motion="reduce") as page:
            if place:
                page.goto(f"{file.as_uri()}{place}")
                page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")


def take_pictures_of_application(browser: Browser, folder: Path) -> None:
    """The three stories of the web application: a check, two documents, a square of parameters."""
    rows = ["document,title,organisation,year"]
    asked, *others = NAMES.split()
    names = others[:25]
    rows += [f"{name}.txt,On {name},HUT,{2000 + n}" for n, name in enumerate(names)]
    Path("essays.csv").write_text("\n".join(rows))
    files = [f"essays/{name}.txt" for name in names]
    here("AddDocuments", "archive.sdx", *files, "--metadata", "essays.csv", "--keep-text")
    server = Server(Path("state"), "archive.sdx")
    context = browser.new_context(viewport={"width": 1000, "height": 560}, reduced_motion="reduce")
    page = context.new_page()

    def wait_for_result() -> None:
        page.get_by_role("button", name="Delete now").wait_for(timeout=300_000)

    try:
        page.goto(server.first)
        page.set_input_files("input[name=document]", f"essays/{asked}.txt")
        page.get_by_role("button", name="Check", exact=True).click()
        wait_for_result()
        page.screenshot(path=folder / "check.png")
        page.goto(f"http://{server.host}/")
        page.set_input_files("input[name=document]", "essays/Novak.txt")
        page.set_input_files("input[name=other]", "essays/Moreau.txt")
        page.set_input_files("input[name=template]", "assignment.txt")
        page.get_by_role("button", name="Check", exact=True).click()
        wait_for_result()
        page.get_by_role("link", name="Details").click()
        page.wait_for_timeout(500)
        page.screenshot(path=folder / "compare.png")
        page.goto(f"http://{server.host}/experiments")
        page.get_by_label("Recipes").select_option("english")
        page.get_by_role("button", name="Start").click()
        wait_for_result()
        page.get_by_role("link", name="Open the page").click()
        page.locator("#ranges svg a", has_text="IDF 0.3 to 0.9:").click()
        page.set_viewport_size({"width": 600, "height": 900})
        page.locator("#ranges figure").first.screenshot(path=folder / "parameters.png")
    finally:
        context.close()
        server.close()


def main(folder: Path = PICTURES) -> None:
    """Write the pictures into a folder."""
    folder = folder.absolute()
    folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as name, chdir(name):
        write_essays(Path("essays"))
        Path("assignment.txt").write_text(ASSIGNMENT, "utf-8")
        here("FindReuse", "essays", "--exclude", "assignment.txt", "--html", "essays.html")
        with running_browser() as browser:
            take_pictures(browser, Path("essays.html").absolute(), folder)
            take_pictures_of_application(browser, folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
