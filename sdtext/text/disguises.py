r"""Disguised text: what hides words from a program and not from a reader, undone with offset maps.

Each step has a name, changes a text only where words of honest texts stay what they are, and
counts what it undid. Not all of that is a disguise: soft hyphens between syllables, or the marks
of writing direction between Arabic words, are taken out without a word.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import name, normalize

from sdtext.model import OffsetMap, Problem
from sdtext.text.confusables import LATIN_VARIANTS, confusable_letters
from sdtext.text.lazy_patterns import LazyPattern
from sdtext.text.marked_letters import STROKED, unmarked_letters
from sdtext.text.normal_form import clean, clean_with_map, with_changes
from sdtext.text.quick_disguise_check import (
    APART,
    CONTROLS,
    MANY_CONTROLS,
    MANY_SPACED,
    OTHER_SPACES,
    SPACED,
    SuspectedText,
)

# Characters without a shape, and the scripts in which they have a meaning.
_BIDI = LazyPattern("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_JOINERS = "\u200c\u200d"
_KEPT_JOINERS = frozenset(_JOINERS)
_SELECTORS = "".join(map(chr, range(0xFE00, 0xFE10)))
_FILLERS = "\u115f\u1160\u3164\uffa0"
_MARKS = LazyPattern(
    f"[\xad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff{_FILLERS}{_SELECTORS}"
    "\U000e0001-\U000e007f\U000e0100-\U000e01ef]+"
)
# Scripts without blanks, in which a zero-width space ends a word.
_WITHOUT_BLANKS = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\uaadf"
_UNSPACED = LazyPattern(f"[{_WITHOUT_BLANKS}]")
# Letters that joiners shape: Arabic and its kin, Indic and further scripts of Asia; emoji.
_SHAPED = LazyPattern(
    f"[{_WITHOUT_BLANKS}\u0600-\u0dff\u1800-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\xa9\xae\u203c-\u3299\U00010800-\U000dffff]"
)
_HANGUL = LazyPattern("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_RIGHT_TO_LEFT = LazyPattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_EAST_ASIAN = LazyPattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# Latin, Greek, Cyrillic and Armenian letters.
_PLAIN = LazyPattern("[A-Za-z\xb5-\u02af\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u1e00-\u1fff]")
_REVERSED = LazyPattern(
    "\u202e([^\n\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069]{2,})(?=\u202c|\n|\\Z)"
)

_SINGLE_STROKES = "\u0305\u0332\u0333\u0334\u033f"  # in formulas and phonetics, on one letter
_STROKES = LazyPattern(f"[{_SINGLE_STROKES}\u0335-\u0338\u0488\u0489\u20d0-\u20df\u20e4-\u20f0]")
_STACKS = LazyPattern("[\u0300-\u036f\u0488\u0489\u20d0-\u20df\u20e4-\u20f0]+")
_MOST_MARKS = 3  # on a letter of an honest text

# Letters in other forms: of mathematics, in rings and boxes, of full width, raised, small capitals.
_LATIN = "A-Za-z\xc0-\u024f"
_OTHER_FORMS = (
    "\u2102\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212c\u212d\u212f-\u2131\u2133\u2134\u2139"
    "\u2145-\u2149\u249c-\u24e9\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a3"
    "\U0001f110-\U0001f129\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
)
_RAISED = "\u02b0-\u02b8\u02e1-\u02e3\u1d00-\u1d6a\u2071\u207f\u2090-\u209c\ua730\ua731"
_SMALL_CAPITALS = "\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f"
_GUISES = f"{_OTHER_FORMS}{_RAISED}{_SMALL_CAPITALS}"
_GUISED = LazyPattern(f"[{_GUISES}]")
_ITALICS = LazyPattern("[\u210e\U0001d434-\U0001d467]")  # the letters of formulas
_WORDS = LazyPattern(f"[{_GUISES}{_LATIN}]+")
_INSIDE = LazyPattern(f"[{_LATIN}][{_OTHER_FORMS}]+[{_LATIN}]|^[{_OTHER_FORMS}][{_LATIN}]{{3}}")
_SIGN = 3  # letters: a longer word is no sign
_PHRASE = LazyPattern(f"[{_GUISES}]+(?:[^\\w\n]{{1,3}}[{_GUISES}]+){{2,}}")
_GUISED_PHRASE = 10  # letters of guised words in a row
_BETWEEN_GUISES = 40  # characters between such words
_NEAR = 40  # characters around a word that may show that it is East Asian

_HAIR_SPACE = LazyPattern("[\u2006\u200a]")
_HAIR = LazyPattern(r"(?<=[^\W\d_])[\u2006\u200a](?=[^\W\d_])")
_SPACED = LazyPattern(r"(?<!\S)\S(?:\s{1,8}\S(?!\S)){11,}+")
_GAPS = LazyPattern(r"\s+")
_WIDE_GAPS = LazyPattern(r"\s*\n\s*|\s{2,}")
_OTHERS_APART = LazyPattern(rf"(?<!\w)[^\W\d_]([{OTHER_SPACES}])[^\W\d_](?:\1[^\W\d_])*+(?!\w)")
_APART = LazyPattern(r"(?<!\w)[^\W\d_](?: [^\W\d_](?!\w))++")
_WORD_BEFORE = LazyPattern(r"[^\W\d_][^\w\n]{1,3}\Z")
_WORD_AFTER = LazyPattern(r"[^\w\n]{1,3}[^\W\d_]")
_BESIDE = 4  # characters in which another word begins
_SHORT = 5  # letters: shorter words may be initials, keys or options
_LONG = 30  # letters: more in a row are several words
_MANY_LETTERS = 10  # different ones: the columns of a table may have fewer
_MEAN_WORD = 15  # letters of words on average; no language has longer ones

_OVERSTRIKE = LazyPattern(r"(?<!\x08)(?:([^\s\x08])\x08(?=\1(?!\x08))|_\x08(?=[^\s\x08](?!\x08)))")
_CONTROL = LazyPattern(f"[{CONTROLS}]+")
# From the beginning of a word on: a search within long words would take the square of their length.
_CONTROLLED = LazyPattern(rf"(?<![^\W\d_])[^\W\d_]++(?:[{CONTROLS}]++[^\W\d_]++)+")
_WORD = LazyPattern(r"[^\W\d_]+")
_PIECE = 3.5  # letters between control characters on average: lists of words have longer ones
_SHARE = 0.15  # of the words: damaged ligatures are in fewer

_SINGLE = frozenset({"reversed words"})
_NO_BORDERS = "spaces between all letters"
_CLOSE = 1000  # characters; three slips do not stand within


class Change(NamedTuple):
    """The range `[start, stop)` of a text, what stands there instead, and the step that does it.

    `disguise` is False for what honest texts hold as well.
    """

    start: int
    stop: int
    text: str
    step: str
    disguise: bool = True


@dataclass(frozen=True, slots=True)
class Undone:
    """What a step undid in a text: how many disguises, the first at the offset `start`.

    A few that stand far from one another are slips, and not counted.
    """

    step: str
    count: int
    start: int


class Disguise(NamedTuple):
    """The range `[start, stop)` of a text that is disguised, and the step that undoes it."""

    start: int
    stop: int
    step: str


class Undisguised(NamedTuple):
    """A text without disguises, its offset map (None if all offsets are equal), what was undone.

    It `is_clean` if `clean` is known to keep it.
    """

    text: str
    offset_map: OffsetMap | None
    undone: tuple[Undone, ...]
    is_clean: bool = False

    def clean_with_map(self, form: str = "NFC") -> tuple[str, OffsetMap | None]:
        """The text in a normal form without control characters, and the offset map of that."""
        if self.is_clean and form == "NFC":
            return self.text, self.offset_map
        return clean_with_map(self.text, form, self.offset_map)

    def clean(self, form: str = "NFC") -> str:
        """The same text without a map, in less time."""
        return self.text if self.is_clean and form == "NFC" else clean(self.text, form)


def undisguised(text: str, to_original: OffsetMap | None = None) -> Undisguised:
    r"""`text` without disguises; offsets are those of the text that `to_original` leads to, if any.

    >>> result = undisguised("Your p\u200ba\u200bp\u200ber is ехсеllеnt")
    >>> result.text, [(step.step, step.count, step.start) for step in result.undone]
    ('Your paper is excellent', [('zero-width characters', 3, 6), ('confusable letters', 5, 17)])
    """
    offset_map = to_original
    undone: list[Undone] = []
    scan = SuspectedText(text)
    if scan.is_plain:
        return Undisguised(text, to_original, (), scan.is_clean)
    for changes, changed, step_map in _undone_by_step(scan):
        for step, some in _disguises(changes):
            first = some[0].start
            undone.append(Undone(step, len(some), offset_map.start(first) if offset_map else first))
        text, offset_map = changed, step_map.followed_by(offset_map)
    return Undisguised(text, offset_map, tuple(undone))


def disguises_in(text: str) -> list[Disguise]:
    r"""The places of the disguises that `undisguised` counts, in order and apart.

    Those of a word by the same step are one place.

    >>> [tuple(place) for place in disguises_in("Your p\u200ba\u200bp\u200ber is ехсеllеnt")]
    [(6, 11, 'zero-width characters'), (17, 24, 'confusable letters')]
    """
    offset_map: OffsetMap | None = None
    places: list[Disguise] = []
    for changes, _, step_map in _undone_by_step(SuspectedText(text)):
        for step, some in _disguises(changes):
            spans = ((change.start, change.stop) for change in some)
            if offset_map:
                spans = ((offset_map.start(start), offset_map.end(stop)) for start, stop in spans)
            places += [Disguise(*span, step) for span in spans]
        offset_map = step_map.followed_by(offset_map)
    joined: list[Disguise] = []  # without places within others
    for place in sorted(places):
        last = joined[-1] if joined else Disguise(0, 0, "")
        between = text[last.stop : place.start]
        if place.step == last.step and len(between) <= _LONG and not _GAPS.search(between):
            joined[-1] = last._replace(stop=max(last.stop, place.stop))
        elif place.start >= last.stop:
            joined.append(place)
    return joined


def _undone_by_step(scan: SuspectedText) -> Iterator[tuple[Sequence[Change], str, OffsetMap]]:
    """For each step that changes the text its changes, the text after it and the offset map."""
    if scan.is_plain:
        return
    text = scan.text
    for sign, step in _STEPS:
        if sign(scan) if callable(sign) else scan.suspects and sign.search(scan.suspects):
            changes = list(step(text))
            text, step_map = with_changes(text, (change[:3] for change in changes))
            if step_map:
                yield changes, text, step_map
                scan = SuspectedText(text)


def problems_of(undone: Collection[Undone], path: str) -> tuple[Problem, ...]:
    """A warning about the disguises of the text at `path`, if there are any.

    >>> problems_of([Undone("confusable letters", 12, 5)], "bees.txt")[0].message
    'bees.txt: is disguised: 12 confusable letters, the first at 5; it is compared as it looks'
    """
    steps = [f"{step.count} {step.step}, the first at {step.start}" for step in undone]
    if not steps:
        return ()
    what = f"is disguised: {'; '.join(steps)}; it is compared as it looks"
    if any(step.step == _NO_BORDERS for step in undone):
        what += ", but words without a border between them are not found"
    return (Problem.at("warning", "disguised", path, what),)


def _disguises(changes: Iterable[Change]) -> Iterator[tuple[str, Sequence[Change]]]:
    """The disguises among changes, by step, without slips."""
    by_step: dict[str, list[Change]] = {}
    for change in changes:
        if change.disguise:
            by_step.setdefault(change.step, []).append(change)
    for step, some in by_step.items():
        if step in _SINGLE or any(
            later.start - change.start < _CLOSE
            for change, later in zip(some, some[2:], strict=False)
        ):
            yield step, some


def _reversed(text: str) -> Iterator[Change]:
    """Words written backwards behind an override of direction, which shows them forwards."""
    for match in _REVERSED.finditer(text):
        yield Change(*match.span(1), match[1][::-1], "reversed words")


def _marks(text: str) -> Iterator[Change]:
    """Characters without a shape, but those that a script needs."""
    for match in _MARKS.finditer(text):
        start, stop = match.span()
        before, after = text[start - 1 : start], text[stop : stop + 1]
        run = match[0]
        kept = (
            run if run in _KEPT_JOINERS and _shaped(before + after) else _kept(run, before, after)
        )
        if kept == run:
            continue
        inside = _is_letter(before) and _is_letter(after)
        if not run.strip("\xad"):
            step, disguise = "soft hyphens", inside and _is_no_syllable(text, start, stop)
        elif _BIDI.match(run):
            to_left = [_RIGHT_TO_LEFT.match(side) is not None for side in (before, after)]
            step, disguise = "bidi marks", inside and to_left[0] is to_left[1]
        else:
            step = "zero-width characters"
            disguise = inside and not _may_break(text, start, stop)
        yield Change(start, stop, kept, step, disguise)


def _shaped(around: str) -> bool:
    return _SHAPED.search(around) is not None


def _kept(run: str, before: str, after: str) -> str:
    """The characters of a run that mean something between these two."""
    around = before + after
    kept = ""
    if _shaped(around):
        kept += _JOINERS + _SELECTORS
        if _UNSPACED.search(around):
            kept += "\u200b"
    if not _PLAIN.match(before):
        kept += _SELECTORS
    if _HANGUL.search(around):
        kept += _FILLERS
    if not _PLAIN.search(around):
        kept += "\u034f"
    return "".join(char for char in run if char in kept or (kept and char >= "\U000e0000"))


def _is_letter(char: str) -> bool:
    return char.isalpha() or bool(_STACKS.match(char))


def _is_no_syllable(text: str, start: int, stop: int) -> bool:
    """Whether a soft hyphen cuts a single letter off a word, as no hyphenation does."""
    if not _PLAIN.match(text[start - 1]):
        return False
    first, last = text[max(0, start - 2) : start - 1], text[stop + 1 : stop + 2]
    return not (first == "\xad" or _is_letter(first)) or not (last == "\xad" or _is_letter(last))


def _may_break(text: str, start: int, stop: int) -> bool:
    """Whether a line may break there, or a ligature is parted, as honest texts mark it."""
    before, after = text[start - 1], text[stop]
    if text[start:stop] == "\u200c":
        return before == "f" and after in "fijltbhk"
    if before.islower() and after.isupper():  # identifiers are parted so
        return True
    if not _EAST_ASIAN.match(before):
        return False
    return not (
        _MARKS.match(text[start - 2 : start - 1]) and _MARKS.match(text[stop + 1 : stop + 2])
    )


def _strokes(text: str) -> Iterator[Change]:
    """Strokes through letters, and more marks on a letter than any orthography puts there."""
    for match in _STACKS.finditer(text):
        start, stop = match.span()
        if not _PLAIN.match(text[start - 1 : start]):
            continue
        stack = match[0]
        if len(stack) > _MOST_MARKS:
            yield Change(start, stop, "", "combining strokes")
            continue
        kept = "".join(char for char in stack if not _STROKES.match(char))
        if kept == stack:
            continue
        # Formulas and phonetics put some strokes on single letters.
        is_sign = all(char in _SINGLE_STROKES or char in kept for char in stack)
        beside = text[max(0, start - 2) : start - 1] + text[stop + 1 : stop + 2]
        if not is_sign or _STROKES.search(beside):
            yield Change(start, stop, kept, "combining strokes")


def _forms(text: str) -> Iterator[Change]:
    """Words in letters of mathematics and the like; single such letters are signs."""
    phrase: list[re.Match[str]] = []
    for match in _WORDS.finditer(text):
        if not _GUISED.search(match[0]):
            continue
        between = text[phrase[-1].end() : match.start()] if phrase else ""
        if len(between) > _BETWEEN_GUISES or "\n\n" in between:
            yield from _unguised(text, phrase)
            phrase = []
        phrase.append(match)
    yield from _unguised(text, phrase)


def _unguised(text: str, phrase: Sequence[re.Match[str]]) -> Iterator[Change]:
    """The changes of guised words near one another, if one of them is no sign."""
    if not phrase:
        return
    start, end = phrase[0].start(), phrase[-1].end()
    if not any(_is_guised(word[0]) for word in phrase) and not any(
        len(_GUISED.findall(match[0])) >= _GUISED_PHRASE
        for match in _PHRASE.finditer(text, start, end)
    ):
        return
    if _EAST_ASIAN.search(text, max(0, start - _NEAR), end + _NEAR):
        return  # where letters of full width are common, and single letters are raised
    for word in phrase:
        for match in _GUISED.finditer(word[0]):
            place = word.start() + match.start()
            yield Change(place, place + 1, _letter(match[0]), "letters in other forms")


def _is_guised(word: str) -> bool:
    """Whether a word by itself is no formula, abbreviation or sound of phonetics."""
    if _INSIDE.search(word):
        return True
    if not _GUISED.search(word[0]) or not _GUISED.search(word[-1]):
        return False
    letters = _GUISED.findall(word)
    return len(letters) == len(word) > _SIGN and not all(map(_ITALICS.match, letters))


def _letter(char: str) -> str:
    """The plain letter that a character of `_GUISED` shows."""
    plain = normalize("NFKC", char)
    if plain != char:
        return plain.strip("()")
    last = name(char, "").rpartition(" ")[2]
    if len(last) != 1:
        return char
    return last if char >= "\U0001f100" else last.lower()


def _letter_forms(text: str) -> Iterator[Change]:
    for place, letter in confusable_letters(text):
        # Many type a Latin i for the Ukrainian one, which older keyboards lack; ı is Turkish.
        is_honest = letter == "\u0456" or text[place] in LATIN_VARIANTS
        yield Change(place, place + 1, letter, "confusable letters", disguise=not is_honest)


def _hair_spaces(text: str) -> Iterator[Change]:
    """Spaces inside words that are too thin to be seen."""
    for match in _HAIR.finditer(text):
        start, stop = match.span()
        is_unit = text[start - 1].islower() and text[stop].isupper()  # a number's, as in "%.1f EB"
        yield Change(start, stop, "", "spaces inside words", disguise=not is_unit)


def _is_table(spaced: str) -> bool:
    """Whether rows of single characters are no words: of one length, too long, or of digits."""
    words = [len(word) // 2 + 1 for word in _WIDE_GAPS.split(spaced)]
    if sum(words) > _MEAN_WORD * len(words) or sum(map(str.isalpha, spaced)) < sum(words) / 2:
        return True
    return "\n" in spaced and len(set(words)) < min(3, len(words))


def _controls(text: str) -> Iterator[Change]:
    """Control characters inside words, where they are in too many to be damage or borders."""
    words = [match[0] for match in _CONTROLLED.finditer(text)]
    pieces = [piece for word in words for piece in _CONTROL.split(word)]
    if len(pieces) - len(words) < MANY_CONTROLS or sum(map(len, pieces)) > _PIECE * len(pieces):
        return
    if len(words) < _SHARE * sum(1 for _ in _WORD.finditer(_CONTROL.sub("", text))):
        return
    for match in _CONTROL.finditer(text):
        yield Change(*match.span(), "", "control characters")


def _overstrikes(text: str) -> Iterator[Change]:
    """Letters struck twice or underlined, as printers show bold and underlined ones."""
    for match in _OVERSTRIKE.finditer(text):
        yield Change(*match.span(), "", "overstrikes", disguise=False)


def _unmarked(text: str) -> Iterator[Change]:
    for place, letter in unmarked_letters(text):
        step = "letters with strokes" if text[place] in STROKED else "marks on letters"
        yield Change(place, place + 1, letter, step)


def _joined(text: str, runs: Sequence[re.Match[str]]) -> Iterator[Change]:
    """The spaces between letters, one each, if many of the runs are words."""
    words = [run for run in runs if _is_word(text, run)]
    giants = [run for run in runs if _letters(run) > _LONG]
    if len(set(map(_letters, giants))) < len(giants) / 2:  # rows of a table
        giants = []
    if not _are_many(words + giants):
        return
    mean = sum(map(_letters, words + giants)) / len(words + giants)
    step = _NO_BORDERS if mean > _MEAN_WORD else "spaces inside words"
    for run in runs:
        if giants or _letters(run) <= _LONG:
            for place in range(run.start() + 1, run.end(), 2):
                yield Change(place, place + 1, "", step)


def _letters(run: re.Match[str]) -> int:
    return len(run[0]) // 2 + 1


def _are_many(runs: Sequence[re.Match[str]]) -> bool:
    """Whether runs of spaced letters are too long, and of too many letters, for keys and tables."""
    if sum(map(_letters, runs)) < MANY_SPACED:
        return False
    letters = "".join(run[0][::2] for run in runs)
    return len(set(letters.lower())) >= _MANY_LETTERS and not letters.isupper()


def _is_word(text: str, run: re.Match[str]) -> bool:
    """Whether spaced letters may be a word: not in the order of the alphabet, beside a word."""
    letters = run[0][::2]
    if not _SHORT <= len(letters) <= _LONG or not letters[1:].islower():
        return False
    if list(letters) == sorted(letters):
        return False
    start, stop = run.span()
    return bool(
        _WORD_AFTER.match(text, stop, stop + _BESIDE)
        or _WORD_BEFORE.search(text[max(0, start - _BESIDE) : start])
    )


def _spaced(text: str) -> Iterator[Change]:
    """The blanks between the letters of words that stand further apart."""
    for match in _SPACED.finditer(text):
        # Counted first: a text of spaced letters alone has millions of gaps.
        gaps = sum(1 for _ in _GAPS.finditer(text, *match.span()))
        single = sum(1 for _ in _single_gaps(text, match))
        if not gaps > single + 1 > gaps // 2 or _is_table(match[0]):
            continue
        disguise = gaps >= MANY_SPACED
        for start in _single_gaps(text, match):
            yield Change(start, start + 1, "", "spaces inside words", disguise)


def _single_gaps(text: str, run: re.Match[str]) -> Iterator[int]:
    """The places of gaps of one character in a run of letters, other than line ends."""
    for gap in _GAPS.finditer(text, *run.span()):
        start, stop = gap.span()
        if stop - start == 1 and text[start] != "\n":
            yield start


_Step = Callable[[str], Iterator[Change]]
_STEPS: Sequence[tuple[LazyPattern | Callable[[SuspectedText], bool], _Step]] = (
    (LazyPattern("\u202e"), _reversed),
    (_MARKS, _marks),
    (lambda scan: scan.is_overstruck, _overstrikes),
    (lambda scan: scan.has_controls, _controls),
    (_STACKS, _strokes),
    (lambda scan: scan.is_marked, _unmarked),
    (_GUISED, _forms),
    (lambda scan: scan.is_mixed, _letter_forms),
    (_HAIR_SPACE, _hair_spaces),
    # Spaces between the letters of words, other than the blanks between these words.
    (lambda scan: scan.has(APART), lambda text: _joined(text, list(_OTHERS_APART.finditer(text)))),
    (lambda scan: scan.has(SPACED), _spaced),
    # Blanks between the letters of words, if other words stand beside them.
    (
        lambda scan: scan.has(SPACED) and scan.has_spaced_words,
        lambda text: _joined(text, list(_APART.finditer(text))),
    ),
)
