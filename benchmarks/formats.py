"""Completeness and speed of sdtext's readers, beside independent readers.

Run as `python benchmarks/formats.py [FOLDER]`; needs the extra `benchmarks` and the programs
pandoc, soffice (LibreOffice) and pdftotext (poppler). Pages (HTML) and PDF files are drawn from
FOLDER (/usr/share/doc if not given; the Debian packages debian-handbook, debian-policy, nodejs-doc,
texlive-latex-recommended-doc and texlive-science-doc bring many). Each page is made a DOCX, ODT,
RTF and EPUB file by pandoc; LibreOffice opens these and saves them again as DOCX, ODT and RTF, in
which styles, lists and tables look quite different. EPUB, DOCX, ODT and RTF files in FOLDER are
read, too.

A word is two letters or more in a row, so the numbers and bullets of lists, which programs generate
and no file holds, do not count. F1 is that of the two bags of words, of all files together and file
by file, where the measure finds any word. Its text is brought to our normal form, that of PDF rid
of hyphens at line ends, too. What the measures do otherwise: pandoc also tells what a picture shows
(`alt`), and leaves out sections within sections (ODT) and a book's page with its title; LibreOffice
leaves out notes, headers, footers, and sections within lists.

Times are CPU seconds, those of child processes included; all readers read each file in turn, and
the shortest of several turns counts. Beside `sdtext` (with the process of its own that it reads in,
begun before) stands `within`: the same readers without that process.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, median

import html_text
from documents import by_python_docx, clean, pdfs
from ebooklib import ITEM_DOCUMENT, epub
from lxml import html
from similarity import WordOverlap, pooled, words
from striprtf.striprtf import rtf_to_text

from sdtext.reading.read_document import Source
from sdtext.text import line_joins
from sdtext.text import normal_form as normal

PAGES = 40
LEAST, MOST = 8_000, 250_000  # bytes of a page: neither a menu nor a whole book
TURNS = 3
TRIED = 40  # files of a kind whose reading is timed
SECONDS = 900  # that a program may take for all files of a kind
_MADE = ("docx", "odt", "rtf", "epub")
_SAVED = {"docx": "odt", "odt": "docx", "rtf": "docx"}  # what LibreOffice saves, and from what

Reader = Callable[[Path], str]


# The readers: ours, those of others, and those that are the measure.


def within(path: Path) -> str:
    """What `clean` gives, without a process of its own."""
    source = Source(path)
    reader = source.reader
    text = "".join(block for block in reader(source.content) if isinstance(block, str))
    whole = (
        line_joins.dehyphenated_with_map(text)[0] if getattr(reader, "paginated", False) else text
    )
    return normal.clean(whole, reader.normal_form)


def by_html_text(path: Path) -> str:
    """The text by html-text, with the encoding given."""
    return html_text.extract_text(path.read_text("utf-8", "replace"))


def by_striprtf(path: Path) -> str:
    """The text by striprtf."""
    return str(rtf_to_text(path.read_text("latin-1"), errors="replace"))


def by_ebooklib(path: Path) -> str:
    """The pages by ebooklib, the text of each by lxml."""
    pages = epub.read_epub(path).get_items_of_type(ITEM_DOCUMENT)
    return "\n".join(html.document_fromstring(page.get_content()).text_content() for page in pages)


def by_pdftotext(path: Path) -> str:
    """The text by poppler's program."""
    return _output(["pdftotext", path, "-"])


def by_pandoc(path: Path) -> str:
    """The plain text of pandoc."""
    kind = path.suffix.removeprefix(".")
    # It takes the title of a document for metadata, which it writes only if asked; in pages and
    # books that is what no page shows, the title of the window or of the book's record.
    whole = ["-s"] if kind in ("docx", "odt") else []
    return _output(["pandoc", "-f", kind, "-t", "plain", "--wrap=none", *whole, path])


def by_libreoffice(files: Sequence[Path]) -> list[str]:
    """LibreOffice's own text export, of all files in one run; "" where there is none."""
    with tempfile.TemporaryDirectory() as place:
        texts = [Path(place, f"{number}.txt") for number in range(len(files))]
        named = [Path(place, f"{number}{path.suffix}") for number, path in enumerate(files)]
        for path, name in zip(files, named, strict=True):
            name.symlink_to(path)
        _save(named, "txt:Text (encoded):UTF8", Path(place))
        return [text.read_text("utf-8-sig") if text.exists() else "" for text in texts]


def each(reader: Reader) -> Callable[[Sequence[Path]], list[str]]:
    """`reader` for one file after the other."""
    return lambda files: [reader(path) for path in files]


PEERS: Mapping[str, tuple[str, Reader]] = {
    "html": ("html-text", by_html_text),
    "docx": ("python-docx", by_python_docx),
    "rtf": ("striprtf", by_striprtf),
    "epub": ("ebooklib", by_ebooklib),
    "pdf": ("pdftotext", by_pdftotext),
}
MEASURES: Mapping[str, Mapping[str, Callable[[Sequence[Path]], list[str]]]] = {
    "html": {"pandoc": each(by_pandoc)},
    "docx": {"LibreOffice": by_libreoffice, "pandoc": each(by_pandoc)},
    "odt": {"LibreOffice": by_libreoffice, "pandoc": each(by_pandoc)},
    # pandoc 2.17 loses letters and blanks beside the characters that RTF writes as numbers.
    "rtf": {"LibreOffice": by_libreoffice},
    "epub": {"pandoc": each(by_pandoc)},
    "pdf": {"pdftotext": each(by_pdftotext)},
}


def _output(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    return done.stdout.decode("utf-8", "replace")


def _save(files: Sequence[Path], form: str, folder: Path) -> None:
    """Let LibreOffice save `files` in another form in `folder`."""
    with tempfile.TemporaryDirectory() as profile:  # a running one would take the work over
        own = f"-env:UserInstallation={Path(profile).as_uri()}"
        _output(["soffice", own, "--headless", "--convert-to", form, "--outdir", folder, *files])


# The files.


def pages(folder: Path) -> list[Path]:
    """HTML pages below `folder`, drawn at random."""
    paths = [
        path
        for path in sorted(folder.rglob("*.html"))
        if path.is_file() and LEAST <= path.stat().st_size <= MOST
    ]
    random.Random(1).shuffle(paths)  # noqa: S311 (drawn to be the same each time)
    return paths[:PAGES]


def converted_files(sources: Sequence[Path], place: Path) -> dict[str, list[Path]]:
    """Files of each kind with the text of `sources`, by pandoc and by LibreOffice."""
    first, second = place / "pandoc", place / "libreoffice"
    first.mkdir()
    for kind in _MADE:
        for number, path in enumerate(sources):
            _output(["pandoc", "--quiet", "-s", path, "-o", first / f"{number:03}.{kind}"])
    for kind, origin in _SAVED.items():
        _save(sorted(first.glob(f"*.{origin}")), kind, second)
    return {
        kind: [*sorted(first.glob(f"*.{kind}")), *sorted(second.glob(f"*.{kind}"))]
        for kind in _MADE
    }


def files_of_all_kinds(folder: Path, place: Path) -> dict[str, list[Path]]:
    """The files to read, by kind."""
    sources = pages(folder)
    further = {kind: sorted(folder.rglob(f"*.{kind}")) for kind in _MADE}
    files = converted_files(sources, place)
    return {
        "html": sources,
        **{kind: files[kind] + further[kind] for kind in _MADE},
        "pdf": pdfs(folder)[0],
    }


# How much of the text.


def measured(kind: str, text: str) -> str:
    """A reference's text in our normal form."""
    return (
        normal.clean(line_joins.dehyphenated_with_map(text)[0], "NFKC")
        if kind == "pdf"
        else normal.clean(text)
    )


def print_quality(kind: str, files: Sequence[Path]) -> None:
    """A row for each reader and each measure, and the least similar file."""
    readers = {"sdtext": clean, **dict([PEERS[kind]] if kind in PEERS else [])}
    texts = {name: [words(read(path)) for path in files] for name, read in readers.items()}
    for measure, reference in MEASURES[kind].items():
        theirs = [words(measured(kind, text)) for text in reference(files)]
        for name, ours in texts.items():
            if name == measure:
                continue
            overlaps = [
                WordOverlap(*triple)
                for triple in zip(files, ours, theirs, strict=True)
                if triple[2]
            ]
            print_row(kind, name, measure, overlaps)
            if name == "sdtext":
                print_least(min(overlaps, key=lambda overlap: overlap.score))


def print_row(kind: str, name: str, measure: str, overlaps: Sequence[WordOverlap]) -> None:
    """The figures of one reader beside one measure."""
    scores = [overlap.score for overlap in overlaps]
    total = sum(overlap.theirs.total() for overlap in overlaps)
    print(
        f"{kind:5} {len(overlaps):4} {total:8,} {name:12} {measure:12} {pooled(overlaps):.4f}"
        f" {mean(scores):.4f} {median(scores):.4f} {min(scores):.4f}"
    )


def print_least(overlap: WordOverlap) -> None:
    """What one has more and the other."""
    more, less = (
        (overlap.ours - overlap.theirs).most_common(5),
        (overlap.theirs - overlap.ours).most_common(5),
    )
    name = "/".join(overlap.path.parts[-2:])
    print(
        f"      least similar: {name}: {_word_list(more)} only in sdtext; "
        f"{_word_list(less)} missing"
    )


def _word_list(counts: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{word} {count}×" for word, count in counts) or "nothing"


# How fast.


def of_children() -> float:
    """CPU seconds of the child processes, those that still run (where /proc tells) and others."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = [
        int(task.read_text().split()[0])
        for children in Path("/proc/self/task").glob("*/children")
        for child in children.read_text().split()
        for task in Path("/proc", child, "task").glob("*/schedstat")
    ]
    return ended.ru_utime + ended.ru_stime + sum(running) / 1e9


def spent(reader: Reader, path: Path) -> float:
    """CPU seconds that `reader` takes for a file."""
    children, own = of_children(), time.process_time()
    reader(path)
    own = time.process_time() - own
    return own + of_children() - children


def print_speed(kind: str, files: Sequence[Path]) -> None:
    """How long each reader takes for all files, and how many times as long as sdtext."""
    readers = {"sdtext": clean, "within": within, **dict([PEERS[kind]] if kind in PEERS else [])}
    tried = random.Random(1).sample(files, min(TRIED, len(files)))  # noqa: S311 (as above)
    clean(tried[0])  # the process that reads is begun once for many files
    taken: dict[str, list[float]] = {name: [] for name in readers}
    for path in tried:
        turns = [{name: spent(read, path) for name, read in readers.items()} for _ in range(TURNS)]
        for name, times in taken.items():
            times.append(min(turn[name] for turn in turns))
    for name, times in taken.items():
        ratio = sum(times) / sum(taken["sdtext"])
        middle = median(theirs / ours for theirs, ours in zip(times, taken["sdtext"], strict=True))
        print(
            f"{kind:5} {len(tried):4} {name:12} {len(tried) / sum(times):8.1f} {ratio:6.2f}×"
            f" {middle:6.2f}×"
        )


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/doc")
    with tempfile.TemporaryDirectory() as place:
        files = files_of_all_kinds(folder, Path(place))
        print("F1 of the bags of words: of all words, and of the files the mean, median and least")
        print("kind files    words reader       beside       all    mean   median least")
        for kind, some in files.items():
            print_quality(kind, some)
        print(
            "\nCPU time: files a second; how many times as long as sdtext, and in the median file"
        )
        for kind, some in files.items():
            print_speed(kind, some)


if __name__ == "__main__":
    main()
