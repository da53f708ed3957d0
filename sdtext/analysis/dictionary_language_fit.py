"""Whether a text is in the language of a dictionary or recipe.

Only clear cases count: scripts that one language has, or a text of which the commonest words are
those of another language. A text in a related language, a short one, a list of names or of numbers
fits every dictionary. Nothing but the short stop-word lists is needed, so the answer is the same
in every installation.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.text.language import (
    AUTO,
    has_script_of,
    is_bulgarian,
    language_of_script,
    names,
    sample_words,
)
from sdtext.wording import counted, shown

_LEAST_WORDS = 80
_LEAST_SHARE = 0.12  # of all words: texts have 15 to 50 %, lists of names or of terms fewer
_TIMES = 2.5  # as many as there are of the dictionary's language
_SURE_SHARE = 0.25  # of all words, so that no other language has `_TIMES` as many
_EXCERPTS, _PIECES = 1600, 4  # characters of a text, in as many pieces
_COMMON_TERMS = 300  # of a dictionary, those in the most documents
_LEAST_TERMS = 16  # of them that are common words of a language
# Filters of one language that have no option for it.
_OF_ENGLISH = frozenset({"porter", "nltk-porter", "english-possessive"})
# Filters of one script, which leave the words of others as they are.
_OF_ANY_LANGUAGE = frozenset({"arabic-normalization"})
_CJK = frozenset({"chinese", "japanese", "korean"})
_WORDS = PartSpec("words")  # a tokenizer of no language


@dataclass(frozen=True)
class LanguageFit:
    """The languages that a dictionary is for, and the check of texts against them."""

    dictionary: Dictionary

    def foreign(self, beginning: str) -> str:
        """How a text that begins like this does not fit, "" if it does or may."""
        scripts = [self._script] if self._script else []
        name = shown(self.dictionary.name) or self.dictionary.guid
        return _misfit(beginning, self.languages, scripts, f"dictionary {name}")

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that its recipe names, and those of its terms; empty if unknown.

        If nearly all common terms are in the script of one language, it is that language alone:
        recipes for Chinese name English, too, for the English words in Chinese texts. A tokenizer
        for one script also cuts the words of other languages, so that it names its language only
        where some common terms have that script.
        """
        if self._script:
            return frozenset({self._script})
        recipe = self.dictionary.recipe
        named = named_languages(recipe)
        of_tokenizer = named - named_languages(replace(recipe, tokenizer=_WORDS))
        terms = " ".join(self._common)
        unused = {name for name in of_tokenizer if not has_script_of(terms, name)}
        common = _matches(self._common)
        least = max(_LEAST_TERMS, max(common.values(), default=0) / 2)
        return (named - unused) | {name for name, count in common.items() if count >= least}

    @cached_property
    def _common(self) -> Sequence[str]:
        """The terms in the most documents."""
        dictionary = self.dictionary
        least = sorted(dictionary.counts)[-_COMMON_TERMS:][0]
        rows = zip(dictionary.counts, dictionary.terms, strict=True)
        ranked = sorted((row for row in rows if row[0] >= least), reverse=True)
        return [term for _, term in ranked[:_COMMON_TERMS]]

    @cached_property
    def _script(self) -> str:
        """The language whose script nearly all common terms have, "" if there is none."""
        return language_of_script(" ".join(self._common))


@dataclass(frozen=True)
class RecipeFit:
    """The language that a recipe is for, and the check of texts against it."""

    recipe: RecipeSpec

    def foreign(self, beginning: str) -> str:
        """How a text that begins like this does not fit, "" if it does or may."""
        return _misfit(beginning, self.languages, self.languages, "the recipe")

    @cached_property
    def languages(self) -> frozenset[str]:
        """The language that ListRecipes states, three for `cjk`; empty if there are several.

        It is that of the filters and their stop words, else that of the tokenizer.
        """
        parts = self.recipe.filters
        if any(dict(part.options).get("language") == AUTO for part in parts):
            return frozenset()
        general = tuple(part for part in parts if part.name not in _OF_ENGLISH)
        lists = (dict(part.options).get("words") for part in general if part.name == "stop-words")
        given = {frozenset(words) for words in lists if isinstance(words, tuple)}
        named = frozenset[str]()
        for language in languages() if given else ():
            bundled = (frozenset(shipped_list(language, short=short)) for short in (False, True))
            if not given.isdisjoint(bundled):
                named |= _CJK if language == "cjk" else {language}
        if not named <= _CJK and len(named) > 1:
            return frozenset()
        named |= named_languages(RecipeSpec(_WORDS, general))
        named = named or named_languages(RecipeSpec(self.recipe.tokenizer))
        named = named or named_languages(RecipeSpec(_WORDS, parts))
        return named if len(named) == 1 or named == _CJK else frozenset()


def _misfit(beginning: str, languages: frozenset[str], scripts: Collection[str], named: str) -> str:
    """How a text does not fit what is for some languages; one in the `scripts` of some may."""
    language = language_of_text(beginning, languages) if languages else ""
    if not language or language in languages:
        return ""
    if any(has_script_of(beginning, own) for own in scripts):
        return ""
    *names, last = sorted(name.capitalize() for name in languages)
    own = " and ".join(filter(None, [", ".join(names), last]))
    return f"seems to be {language.capitalize()}; {named} is for {own}: results may be misleading"


def in_other_languages(foreign: Iterable[tuple[Path, str]]) -> Iterator[Problem]:
    """A warning for each way in which documents, given with that way, do not fit.

    >>> foreign = [(Path("a"), "seems to be Thai"), (Path("b"), "seems to be Thai")]
    >>> [problem] = in_other_languages(foreign)
    >>> problem.message
    'a: seems to be Thai (and 1 more document)'
    """
    paths: dict[str, list[Path]] = {}
    for path, what in foreign:
        paths.setdefault(what, []).append(path)
    for what, (first, *others) in paths.items():
        more = f" (and {counted(len(others), 'more document')})" if others else ""
        yield Problem.at("warning", "language", first, f"{what}{more}")


def named_languages(recipe: RecipeSpec) -> frozenset[str]:
    """The languages that the parts of a chain are made for.

    >>> from sdtext.model import PartSpec
    >>> sorted(named_languages(RecipeSpec(PartSpec("words"), (PartSpec("porter"),))))
    ['english']
    """
    parts = (recipe.tokenizer, *recipe.filters)
    given = {str(dict(part.options).get("language", "")) for part in parts}
    given |= {"english" for part in parts if part.name in _OF_ENGLISH}
    own = (part.name for part in parts if part.name not in _OF_ANY_LANGUAGE)
    given |= {name.partition("-")[0] for name in own}
    return frozenset(given.intersection(names()))


def language_of_text(beginning: str, expected: Collection[str] = ()) -> str:
    """The language of a text, "" unless it is clear that it is none of those `expected`.

    >>> language_of_text("Il n'y a pas de doute que la lecture de ces pages est utile. " * 10)
    'french'
    """
    if script := language_of_script(beginning):
        return script
    if is_bulgarian(beginning):  # which has many of the common words of Russian
        return "bulgarian"
    if _fits_surely(beginning, expected):
        return ""
    words = sample_words(beginning)
    if len(words) < _LEAST_WORDS:
        return ""
    shares = {name: count / len(words) for name, count in _matches(words).items()}
    language = max(shares, key=lambda name: (shares[name], name), default="")
    if not language or shares[language] < _LEAST_SHARE:
        return ""
    others = max((shares.get(name, 0.0) for name in expected if name != language), default=0.0)
    return language if shares[language] >= _TIMES * others else ""


def _fits_surely(beginning: str, expected: Collection[str]) -> bool:
    """Whether excerpts have so many common words of one of `expected` that none other has more."""
    step, length = len(beginning) // _PIECES, _EXCERPTS // _PIECES
    excerpts = [beginning[:_EXCERPTS]]
    if step > length:  # pieces at equal distances
        places = range(0, step * _PIECES, step)
        excerpts = [beginning[place : place + length] for place in places]
    words = sample_words(" ".join(excerpts))
    if len(words) < _LEAST_WORDS:
        return False
    least = _SURE_SHARE * len(words)
    return any(sum(map(_common_words_of(name).__contains__, words)) >= least for name in expected)


def _matches(words: Sequence[str]) -> Mapping[str, int]:
    """The number of `words` that are common words of each language."""
    counts: dict[str, int] = {}
    lists = _common_words()
    distinct = Counter(words)
    for word in distinct.keys() & lists.keys():
        for name in lists[word]:
            counts[name] = counts.get(name, 0) + distinct[word]
    return counts


@cache
def _common_words() -> Mapping[str, Sequence[str]]:
    """The languages, of those with spaces between words, of which each word is a common one."""
    lists: dict[str, list[str]] = {}
    for name in languages():
        if name in ("cjk", "chinese", "japanese", "thai"):
            continue
        for word in shipped_list(name, short=True):
            # Single Latin letters are no evidence, since formulas and initials have them.
            if len(word) > 1 or not word.isascii():
                lists.setdefault(word, []).append(name)
    return lists


@cache
def _common_words_of(language: str) -> frozenset[str]:
    """The commonest words of a language; none of one that is written without spaces."""
    return frozenset(word for word, names in _common_words().items() if language in names)
