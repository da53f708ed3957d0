"""Misread texts and time of encoding detectors, on texts written in each encoding of a language.

    python benchmarks/encodings.py FOLDER

FOLDER has a folder for each language, called as in configs/ (czech, french, …), with UTF-8 texts.
Pieces of 130 and of 2,600 characters with letters beyond ASCII are taken from each text, encoded in
every encoding that the language was used in, and read again. A piece is misread if one character of
it is another one; quotation marks and dashes that an encoding lacks are replaced first.
"""

from __future__ import annotations

import argparse
import codecs
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.text.encoding import find_encoding

WEST = "cp1252 iso8859-15 / mac-roman cp850"
CENTRE = "cp1250 iso8859-2 / mac-latin2 cp852"
BALTIC = "cp1257 iso8859-13 / iso8859-4 cp775"
CYRILLIC = "cp1251 iso8859-5 koi8-r / mac-cyrillic cp866"
# The encodings of the web and of Windows, then those of MS-DOS and of the old Macintosh.
USED = {
    **dict.fromkeys(
        [
            *("basque", "catalan", "danish", "dutch", "english", "finnish", "french", "galician"),
            *("german", "indonesian", "irish", "italian", "norwegian", "portuguese", "sesotho"),
            *("spanish", "swedish"),
        ],
        WEST,
    ),
    **dict.fromkeys(
        ["croatian", "czech", "hungarian", "polish", "romanian", "serbian", "slovak", "slovenian"],
        CENTRE,
    ),
    **dict.fromkeys(["latvian", "lithuanian"], BALTIC),
    **dict.fromkeys(["bulgarian", "russian"], CYRILLIC),
    "ukrainian": "cp1251 iso8859-5 koi8-u / mac-cyrillic cp1125",
    "estonian": "cp1257 iso8859-13 iso8859-15 cp1252 /",
    "esperanto": "/ iso8859-3",
    "turkish": "cp1254 / mac-turkish cp857",
    "greek": "cp1253 iso8859-7 / mac-greek cp737",
    "hebrew": "cp1255 iso8859-8 / cp862",
    "yiddish": "cp1255 iso8859-8 / cp862",
    "arabic": "cp1256 iso8859-6 /",
    "persian": "cp1256 /",
    "thai": "cp874 /",
    "vietnamese": "cp1258 /",
    "japanese": "cp932 euc-jp /",
    "korean": "cp949 / johab",
    "chinese": "gb18030 /",
    "chinese-traditional": "big5 gb18030 /",
}
# Engines name some encodings by a subset of the one that texts are in.
MEANT = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932",
    "shift_jis_2004": "cp932", "big5": "big5hkscs",
}  # fmt: skip
PLAIN = str.maketrans(
    dict(zip("“”„‘’‚‐‑–−•·«»‹›\u00a0", '"""\'\',----**<><> ', strict=True))
    | {"—": "--", "…": "...", "→": "->", "€": "EUR", "©": "(C)", "®": "(R)", "°": "", "\u200b": ""}
)
CEDILLAS = str.maketrans("șțȘȚ", "şţŞŢ")
LETTER = re.compile(r"[^\W\d_\x00-\x7f]")  # beyond ASCII
PIECES = 10


class Sample(NamedTuple):
    """A piece of a text, the encoding it is in, and its bytes."""

    language: str
    encoding: str
    is_old: bool
    text: str
    data: bytes


def samples(folder: Path, length: int) -> Iterator[Sample]:
    """Pieces of all texts in all encodings of their languages."""
    for path in sorted(folder.glob("*/*.txt")):
        language, text = path.parent.name, path.read_text("utf-8")
        new, _, old = USED.get(language, "").partition("/")
        for piece in pieces(text, length, path.stem):
            for encoding in [*new.split(), *old.split()]:
                if coded := encoded(piece, encoding, language):
                    yield Sample(language, encoding, encoding in old.split(), *coded)


def pieces(text: str, length: int, seed: str) -> Iterator[str]:
    """Pieces with letters beyond ASCII from random places."""
    if len(text) <= length:
        yield (f"{text}\n" * (length // len(text) + 1))[:length]
        return
    chance = random.Random(seed)  # noqa: S311
    starts = [chance.randrange(len(text) - length) for _ in range(8 * PIECES)]
    words = (start + text[start : start + 60].find(" ") + 1 for start in starts)
    drawn = (text[start : start + length] for start in words)
    yield from islice((piece for piece in drawn if LETTER.search(piece)), PIECES)


def encoded(text: str, encoding: str, language: str) -> tuple[str, bytes] | None:
    """The text as far as the encoding has its characters, and its bytes."""
    text = text.translate(CEDILLAS) if language == "romanian" else text
    for form in (text, text.translate(PLAIN)):
        with suppress(UnicodeError):
            data = form.encode(encoding)
            return data.decode(encoding), data
    return None


def engines() -> Iterator[tuple[str, Callable[[bytes], str | None]]]:
    """The detectors that are installed."""
    yield "sdtext", lambda data: find_encoding(Content("", called="text", data=data)).name
    with suppress(ImportError):
        import chardet

        yield "chardet", lambda data: chardet.detect(data, compat_names=False)["encoding"]
    with suppress(ImportError):
        import chardetng_py as chardetng

        yield "chardetng", chardetng.detect
    with suppress(ImportError):
        import cchardet

        yield "uchardet", lambda data: cchardet.detect(data)["encoding"]
    with suppress(ImportError):
        import icu

        yield "ICU", lambda data: icu.CharsetDetector(data).detect().getName()
    with suppress(ImportError):
        import charset_normalizer

        yield "charset-normalizer", lambda data: charset_normalizer.detect(data)["encoding"]


def read(data: bytes, engine: Callable[[bytes], str | None]) -> str:
    """The text that an engine's encoding gives, "" if it gives none."""
    with suppress(LookupError, UnicodeError, UnreadableError):
        name = codecs.lookup(engine(data) or "").name
        return data.decode(MEANT.get(name, name))
    return ""


def main() -> None:
    """Print the shares of misread pieces, and the encodings in which they were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for length in (130, 2600):
        every = list(samples(folder, length))
        for is_old in (False, True):
            group = [sample for sample in every if sample.is_old is is_old]
            if not group:
                continue
            print(
                f"\n{length} characters, {'MS-DOS, Mac and rare' if is_old else 'web and Windows'}"
            )
            for name, engine in engines():
                engine(group[0].data)
                begin = process_time()
                texts = [read(sample.data, engine) for sample in group]
                each = 1000 * (process_time() - begin) / len(group)
                wrong = Counter(
                    sample.encoding
                    for sample, text in zip(group, texts, strict=True)
                    if text != sample.text
                )
                where = ", ".join(f"{key} {count}" for key, count in wrong.most_common(6))
                print(f"{name:20}{wrong.total():5} of {len(group)}{each:8.2f} ms  {where}")


if __name__ == "__main__":
    main()
