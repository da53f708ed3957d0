"""Collection of distinct documents in one language from texts in packages."""

from __future__ import annotations

import re
import shutil
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from packages import descriptions, fetched

from sdtext.parts.filters.stopwords_and_length import shipped_list

HERE = Path(__file__).parent
RIVALS = {"english": ("german", "french", "spanish")}  # of all others the rival is English
SPREAD = 1.0  # standard deviation of the logarithm of the documents' lengths
SHORTEST, LONGEST = 0.2, 20.0  # in lengths of the median document
REPEATED = 30  # bytes; a line of so many counts once, so that licences and menus do not
DESCRIPTIONS = "package-descriptions"
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True)
class Language:
    """A row of the table in sources.toml.

    `codes` are its names in paths, `letters` what a class of its script holds where that is not
    the Latin one, `length` how many characters the median document has.
    """

    name: str
    codes: tuple[str, ...]
    config: str
    range: tuple[float, float]
    letters: str = ""
    length: int = 5000

    def speaks(self, line: str) -> bool:
        """Whether a line is rather in this language than in another."""
        if self.letters:
            return len(self._script.findall(line)) > len(_LATIN.findall(line))
        words = _WORD.findall(line.lower())
        own = sum(word in self._common[self.name] for word in words)
        rivals = (sum(word in self._common[name] for word in words) for name in self._rivals)
        return (own > 0 or 0 < len(words) < 8) and all(own >= rival for rival in rivals)

    @cached_property
    def _script(self) -> re.Pattern[str]:
        return re.compile(f"[{self.letters}]")

    @cached_property
    def _rivals(self) -> tuple[str, ...]:
        return RIVALS.get(self.name, ("english",))

    @cached_property
    def _common(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(shipped_list(name)) for name in (self.name, *self._rivals)}


@dataclass(frozen=True)
class Used:
    """What a dictionary took from a package."""

    package: str
    version: str
    licence: str
    files: int
    documents: int


@dataclass
class Cleaner:
    """Keeps of a text the lines in one language that no text before it had."""

    language: Language
    seen: set[str] = field(default_factory=set)

    def __call__(self, text: str) -> str:
        lines = (" ".join(line.split()) for line in text.splitlines())
        return "".join(f"{line}\n" for line in lines if self._new(line))

    def _new(self, line: str) -> bool:
        if not self.language.speaks(line):
            return False
        if len(line.encode()) < REPEATED:
            return True
        before = len(self.seen)
        self.seen.add(line)
        return len(self.seen) > before


def parts(texts: Iterable[str], length: int) -> Iterator[str]:
    """The texts in parts of about `length` characters, which FOLDER keeps.

    Long ones are cut into equal parts at the ends of lines, short ones go together in order.
    """
    held = ""
    for text in texts:
        held += text
        if len(held) >= length:
            yield from _cut(held, max(1, round(len(held) / length)))
            held = ""
    if len(held) >= length / 2:
        yield held


def _cut(text: str, number: int) -> Iterator[str]:
    begin = 0
    for part in range(1, number + 1):
        end = _end(text, begin, len(text) * part // number) if part < number else len(text)
        yield text[begin:end]
        begin = end


def documents(text: str, length: int, chance: Random) -> Iterator[str]:
    """The text in documents whose lengths are drawn, as long and short as people's are."""
    begin = 0
    while begin < len(text):
        size = min(max(chance.lognormvariate(0, SPREAD), SHORTEST), LONGEST) * length
        target = begin + round(size)
        end = _end(text, begin, target) if target < len(text) else len(text)
        if end - begin >= length * SHORTEST / 2:
            yield text[begin:end]
        begin = end


def _end(text: str, begin: int, target: int) -> int:
    """Where to cut before `target`: at a line's end that is not far, else at a blank."""
    near = (begin + target) // 2
    line = text.rfind("\n", near, target)
    return (line if line >= 0 else max(text.rfind(" ", near, target), near)) + 1


def evenly(items: list[str], most: int) -> list[str]:
    """At most so many of the items, taken from all over.

    >>> evenly(["a", "b", "c", "d"], 2)
    ['a', 'c']
    """
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]


def languages() -> dict[str, Language]:
    """The languages of sources.toml."""
    return {name: _language(name, row) for name, row in table()["languages"].items()}


def asked(description: str | None, **options: str) -> Namespace:
    """The arguments of a program in this folder: `work`, `languages`, and `options` by their help.

    `languages` are those that are named, or all.
    """
    known = languages()
    parser = ArgumentParser(description=description)
    parser.add_argument("--work", type=Path, required=True, help="a folder for packages and texts")
    for name, words in options.items():
        parser.add_argument(f"--{name}", help=words)
    parser.add_argument("languages", nargs="*", choices=[*known, []], metavar="LANGUAGE")
    given = parser.parse_args()
    given.languages = [known[name] for name in given.languages or known]
    return given


def _language(name: str, row: dict[str, Any]) -> Language:
    tuples: dict[str, Any] = {key: tuple(row[key]) for key in ("codes", "range")}
    return Language(name, **{**row, **tuples})


def patterns(language: Language) -> dict[str, list[str]]:
    """For each package the patterns of the paths that count for a language."""
    rows = table()
    result = {name: _listed(given) for name, given in rows["shared"].items()}
    for name in rows["catalogues"]["packages"]:
        result.setdefault(name, []).append("*/{code}/LC_MESSAGES/*.mo")
    for name, given in rows[language.name].items():
        result.setdefault(name, []).extend(_listed(given))
    return {
        name: [item.replace("{code}", code) for item in given for code in language.codes]
        for name, given in sorted(result.items())
    }


def table() -> dict[str, Any]:
    """The content of sources.toml."""
    return tomllib.loads((HERE / "sources.toml").read_text("utf-8"))


def _listed(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def collect(language: Language, work: Path, folder: Path) -> list[Used]:
    """Write the texts of a language to `folder`, in parts; what was used of each package."""
    wanted = patterns(language)
    clean = Cleaner(language)
    used = []
    for name, package in fetched(wanted, work / "packages").items():
        texts, licence = package.texts(wanted[name])
        number = _written(texts, clean, folder / name)
        used.append(Used(name, package.version, licence, len(texts), number))
    texts = [text for code in language.codes for text in descriptions(code, work)]
    number = _written(texts, clean, folder / DESCRIPTIONS)
    used.append(Used(DESCRIPTIONS, "", "that of each package", len(texts), number))
    return [item for item in used if item.documents]


def _written(texts: Iterable[str], clean: Cleaner, folder: Path) -> int:
    result = list(parts(map(clean, texts), clean.language.length))
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(result):
        (folder / f"{number:05}.txt").write_text(text, "utf-8")
    return len(result)


def laid_out(language: Language, folder: Path, target: Path) -> list[Path]:
    """The documents that count, made anew in `target` of the parts that `folder` keeps."""
    most = table()["most"]
    shutil.rmtree(target, ignore_errors=True)
    paths = []
    for package in sorted(folder.iterdir()):
        chance = Random(package.name)  # noqa: S311 (drawn to be the same each time)
        text = "".join(part.read_text("utf-8") for part in sorted(package.iterdir()))
        number = most["general" if package.name in most["packages"] else "manual"]
        result = evenly(list(documents(text, language.length, chance)), number)
        (target / package.name).mkdir(parents=True)
        for place, document in enumerate(result):
            paths.append(target / package.name / f"{place:05}.txt")
            paths[-1].write_text(document, "utf-8")
    return paths
