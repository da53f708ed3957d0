"""How long a browser takes to open the pages of 300 documents.

python benchmarks/pages.py (needs Playwright and Chromium): prints the size of each page, and the
processor time of the main thread until the page is ready. Each document is an assignment and words
of its own; a third of them copy passages of others.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

import sdtext
from sdtext.reading.overwrite_guard import Output
from sdtext.reports.html.evidence_page import evidence_page
from sdtext.reports.html.report_page import HTML_REPORT, write_page
from sdtext.reports.html.result_overviews import page_of_pairs
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question

DOCUMENTS, WORDS, ROUNDS = 300, 600, 5


def texts() -> Iterator[str]:
    """The texts of the documents."""
    draw = random.Random(7)  # noqa: S311 (a corpus, not a key)
    assignment = [f"task{place}" for place in range(60)]
    earlier: list[list[str]] = []
    for number in range(DOCUMENTS):
        own = [f"word{draw.randrange(5000)}of{number % 50}" for _ in range(WORDS)]
        if earlier and number % 3 == 0:
            start, source = draw.randrange(WORDS // 2), draw.choice(earlier)
            own[100:100] = source[start : start + draw.randint(60, 250)]
        earlier.append(own)
        yield " ".join([*assignment, *own])


def seconds(browser: Browser, path: Path) -> float:
    """The processor time that the main thread takes, the median of some rounds."""
    times = []
    for _ in range(ROUNDS):
        context = browser.new_context(offline=True)
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.absolute().as_uri())
        metrics = session.send("Performance.getMetrics")["metrics"]
        times += [each["value"] for each in metrics if each["name"] == "TaskDuration"]
        context.close()
    return sorted(times)[ROUNDS // 2]


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as folder, chdir(folder), sync_playwright() as playwright:
        Path("texts").mkdir()
        for number, text in enumerate(texts()):
            Path("texts", f"{number}.txt").write_text(text)
        collection = sdtext.create("a.sdx", recipe="deduplicate", keep_text=True)
        collection.add("texts")
        question, stored = Question.of(0.05), collection
        pages = {
            "passages": evidence_page(sdtext.find_reuse("texts", texts=True)),
            "pairs": page_of_pairs(search_pairs(stored, question), [stored], question),
        }
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, page in pages.items():
            path = Path(f"{name}.html")
            write_page(Output(path, HTML_REPORT), page)
            print(f"{name}: {path.stat().st_size:,} bytes, {seconds(browser, path):.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
