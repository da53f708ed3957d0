"""What is found of disguised copies: texts and files that look like another to a reader alone.

Each of the eight sample texts (tests/samples/texts) is disguised in each of the ways below and
written as plain text and as an HTML page. Printed is the mean of CompareDirectory's score of the
copy as a percentage of the score that the plain original gets, the share of its words that
FindReuse finds, in how many of the eight files the disguise is reported, and score and share of the
plain text if nothing is undone.

    python benchmarks/disguises.py      (a minute on one core)

With files or folders of honest texts (*.txt) and catalogues of messages (*.mo) as arguments it
counts their words by language, the name of a text's folder or a catalogue's locale, and prints what
would be reported: `python benchmarks/disguises.py /usr/share/locale`.
"""

from __future__ import annotations

import gettext
import html
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from unittest import mock

import sdtext
from sdtext.text import disguises

SAMPLES = Path(__file__).parent.parent / "tests/samples/texts"

_CYRILLIC = str.maketrans("aceopxyijsABCEHKMOPTXYIJS", "асеорхуіјѕАВСЕНКМОРТХУІЈЅ")
_ARMENIAN = str.maketrans("dghjlnoquOLSU", "ժցհյլոօգսՕԼՏՍ")
_STROKED = str.maketrans("oldthbiOLDTHBI", "øłđŧħƀɨØŁĐŦĦɃƗ")
_GREEK = str.maketrans("oABEHIKMNOPTXYZ", "οΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")


def _between(mark: str) -> Callable[[str], str]:
    """Puts `mark` between all letters of a word."""
    return lambda text: "".join(
        char + mark if char.isalpha() and after.isalpha() else char
        for char, after in zip(text, text[1:] + " ", strict=True)
    )


def _behind(marks: str) -> Callable[[str], str]:
    """Puts `marks` behind each letter."""
    return lambda text: "".join(char + marks * char.isalpha() for char in text)


def _every_second(mark: str) -> Callable[[str], str]:
    """Puts `mark` on every second letter."""

    def marked(text: str) -> str:
        places = range(len(text))
        return "".join(
            char + mark * (char.isalpha() and place % 2 == 0)
            for place, char in zip(places, text, strict=True)
        )

    return marked


def _third_words(space: str) -> Callable[[str], str]:
    """Puts `space` between the letters of every third word."""
    third = re.compile(r"(\w+\W+\w+\W+)(\w+)")
    return lambda text: third.sub(lambda match: match[1] + space.join(match[2]), text)


def _letters(capital: int, small: int) -> Callable[[str], str]:
    """Writes letters in another form, whose alphabets begin at these code points."""

    def written(char: str) -> str:
        if not (char.isascii() and char.isalpha()):
            return char
        first, start = ("A", capital) if char.isupper() else ("a", small)
        return chr(start + ord(char) - ord(first))

    return lambda text: "".join(map(written, text))


def _some_letters(text: str) -> str:
    """Every third letter as a Cyrillic one, if one looks like it."""
    return "".join(
        char.translate(_CYRILLIC) if place % 3 == 0 else char for place, char in enumerate(text)
    )


def _backwards(text: str) -> str:
    """Each line backwards, behind an override of the writing direction."""
    return "\n".join(f"\u202e{line[::-1]}\u202c" if line else "" for line in text.split("\n"))


DISGUISES: Mapping[str, Callable[[str], str]] = {
    "homoglyphs, Cyrillic": lambda text: text.translate(_CYRILLIC),
    "homoglyphs, Greek": lambda text: text.translate(_GREEK),
    "homoglyphs, some": _some_letters,
    "zero-width spaces": _between("\u200b"),
    "word joiners": _between("\u2060"),
    "zero-width non-joiners": _between("\u200c"),
    "soft hyphens": _between("\u00ad"),
    "bidi marks": _between("\u200e"),
    "written backwards": _backwards,
    "combining strokes": _behind("\u0336"),
    "piled marks": _behind("\u0301\u0323\u0334\u0315\u0316\u0357"),
    "bold mathematical letters": _letters(0x1D400, 0x1D41A),
    "italic mathematical letters": _letters(0x1D468, 0x1D482),
    "full-width letters": _letters(0xFF21, 0xFF41),
    "letters in circles": _letters(0x24B6, 0x24D0),
    "hair spaces in words": _between("\u200a"),
    "thin spaces in words": _between("\u2009"),
    "no-break spaces in words": _between("\xa0"),
    "tabs in words": _between("\t"),
    "line separators in words": _between("\u2028"),
    "backspaces in words": _between("\b"),
    "other control characters in words": _between("\x81"),
    "blanks in words": " ".join,
    "dots below every second letter": _every_second("\u0323"),
    "accents on every second letter": _every_second("\u0301"),
    "letters with strokes": lambda text: text.translate(_STROKED),
    "homoglyphs, Armenian": lambda text: text.translate(_ARMENIAN),
}
"""Functions that disguise an English text, by name."""

AMBIGUOUS: Mapping[str, Callable[[str], str]] = {
    "blanks in every third word": _third_words(" "),
    "blanks between all letters": lambda text: " ".join(text.replace(" ", "")),
}
"""Disguises that hide where some or all words end: not all words can be told apart again."""


def _as_text(text: str) -> bytes:
    return text.encode("utf-8")


def _as_page(text: str) -> bytes:
    return f"<html><body><pre>{html.escape(text)}</pre></body></html>".encode()


KINDS: Mapping[str, Callable[[str], bytes]] = {"txt": _as_text, "html": _as_page}
"""Functions that write a text as a file, by the kind of file."""


def measured(disguise: Callable[[str], str], kind: str) -> tuple[float, float, int]:
    """The mean score and the mean share found, in percent, and how many files are reported."""
    scores, shares, reported = [], [], 0
    for sample in sorted(SAMPLES.glob("*.txt")):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, f"copy.{kind}")
            copy.write_bytes(KINDS[kind](disguise(sample.read_text("utf-8"))))
            run = sdtext.Run(problems=[])
            comparison = sdtext.compare(sample, folder, dictionary="english", run=run)
            scores.append(100 * (comparison.rows[0].score or 0) / 99)
            reported += any(problem.category == "disguised" for problem in run.problems or ())
            evidence = sdtext.find_reuse(copy, sample, run=run)
            shares.append(100 * sum(item.share for item in evidence.coverage))
    return sum(scores) / len(scores), sum(shares) / len(shares), reported


def measured_without(disguise: Callable[[str], str]) -> tuple[float, float]:
    """The score and the share found if no disguise is undone, in percent."""
    with mock.patch.object(disguises, "_STEPS", ()):
        return measured(disguise, "txt")[:2]


def _print_table() -> None:
    kinds = [f"{what}, {kind}" for what in ("score", "reuse", "reported") for kind in KINDS]
    names = ["disguise", *kinds, "without"]
    print("|", " | ".join(names), "|")
    print("|---" * len(names) + "|")
    for name, disguise in {**DISGUISES, **AMBIGUOUS}.items():
        figures = zip(*(measured(disguise, kind) for kind in KINDS), strict=True)
        cells = [f"{figure:.0f}" for kinds_of_one in figures for figure in kinds_of_one]
        score, share = measured_without(disguise)
        print("|", " | ".join([name, *cells, f"{score:.0f}, {share:.0f}"]), "|", flush=True)


def _texts(places: Sequence[str]) -> Iterator[tuple[str, Path, str]]:
    """The texts and catalogues of messages in files and folders, each with its language."""
    for place in map(Path, places):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix == ".mo":
                yield path.parts[-3].partition("@")[0], path, _messages(path)
            elif path.suffix == ".txt":
                yield path.parent.name, path, path.read_text("utf-8", "replace")


def _messages(path: Path) -> str:
    """The messages of a catalogue, nothing of a damaged one."""
    try:
        with path.open("rb") as file:
            catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
    except (UnicodeDecodeError, IndexError):
        return ""
    return "\n".join(message for key, message in catalogue.items() if key)


def _print_honest(places: Sequence[str]) -> None:
    """The words of honest texts in each language, and the texts that would be reported."""
    words: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for language, path, text in _texts(places):
        files[language] += 1
        words[language] += len(re.findall(r"\w+", text))
        for step in disguises.undisguised(text).undone:
            print(f"{path}: {step}: {text[step.start - 20 : step.start + 20]!r}")
    for language, number in sorted(words.items()):
        print(f"{language}: {number} words in {files[language]} files")
    print(f"{words.total()} words in {files.total()} files in {len(words)} languages")


if __name__ == "__main__":
    if sys.argv[1:]:
        _print_honest(sys.argv[1:])
    else:
        _print_table()
