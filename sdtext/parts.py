"""The catalogue: every part by kind and name, where its class lives, and how it is built.

The classes are loaded when a recipe asks for them. Parts of other packages are found by entry
points of the group `sdtext.<kind>`, when a name is not in the catalogue.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any, get_type_hints

from sdtext.errors import OptionError, brief
from sdtext.formats.recipe_xml import literal
from sdtext.model import PartSpec
from sdtext.option_types import said, typed
from sdtext.original import ORIGINAL_CHAINS, ORIGINAL_NAMES

PARTS: Mapping[str, Mapping[str, str]] = {
    # Readers are asked in this order whether a file is theirs.
    "readers": {
        "html": "sdtext.readers.html:Html",
        "pdf": "sdtext.readers.pdf:Pdf",
        "docx": "sdtext.readers.docx:Docx",
        "odt": "sdtext.readers.odt:Odt",
        "pptx": "sdtext.readers.pptx:Pptx",
        "xlsx": "sdtext.readers.xlsx:Xlsx",
        "epub": "sdtext.readers.epub:Epub",
        "rtf": "sdtext.readers.rtf:Rtf",
        "xml": "sdtext.readers.xml:Xml",
        "mail": "sdtext.readers.mail:Mail",
        "doc": "sdtext.readers.legacy:Doc",
        "xls": "sdtext.readers.legacy:Xls",
        "ppt": "sdtext.readers.legacy:Ppt",
        "compound": "sdtext.readers.legacy:Compound",
        "command": "sdtext.readers.command:Command",
        "text": "sdtext.readers.text:PlainText",
    },
    "containers": {
        "zip": "sdtext.containers.zip:Zip",
        "tar": "sdtext.containers.tar:Tar",
        "7z": "sdtext.containers.seven_zip:SevenZip",
        "mbox": "sdtext.containers.mbox:Mbox",
        "mail": "sdtext.containers.attachments:Attachments",
    },
    "tables": {"parquet": "sdtext.tables.parquet:Parquet"},
    "units": {
        "document": "sdtext.units.document:Whole",
        "page": "sdtext.units.page:Page",
        "chapter": "sdtext.units.chapter:Chapter",
        "paragraph": "sdtext.units.paragraph:Paragraph",
        "sentence": "sdtext.units.sentence:Sentence",
        "segment": "sdtext.units.segment:Segment",
    },
    "tokenizers": {
        "words": "sdtext.tokenizers.words:Words",
        "lines": "sdtext.tokenizers.lines:Lines",
        "unicode": "sdtext.tokenizers.unicode:UnicodeWords",
        "characters": "sdtext.tokenizers.characters:Characters",
        "chinese": "sdtext.tokenizers.chinese:Chinese",
        "japanese": "sdtext.tokenizers.japanese:Japanese",
        "korean": "sdtext.tokenizers.korean:Korean",
        "thai": "sdtext.tokenizers.thai:Thai",
    },
    "filters": {
        "lowercase": "sdtext.filters.case:Lowercase",
        "casefold": "sdtext.filters.case:Casefold",
        "simple-lowercase": "sdtext.filters.simple_case:SimpleLowercase",
        "strip-punctuation": "sdtext.filters.punctuation:StripPunctuation",
        "no-numeric-tokens": "sdtext.filters.numbers:NoNumericTokens",
        "strip-numbers": "sdtext.filters.numbers:StripNumbers",
        "no-tokens-with-numbers": "sdtext.filters.numbers:NoTokensWithNumbers",
        "min-length": "sdtext.filters.length:MinLength",
        "max-length": "sdtext.filters.length:MaxLength",
        "stop-words": "sdtext.filters.stopwords:StopWords",
        "elision": "sdtext.filters.elision:Elision",
        "no-math": "sdtext.filters.mathematics:NoMath",
        "porter": "sdtext.filters.stemmers:Porter",
        "snowball": "sdtext.filters.stemmers:Snowball",
        "decimal-digits": "sdtext.filters.digits:DecimalDigits",
        "arabic-normalization": "sdtext.filters.arabic:ArabicNormalization",
        "arabic-light10": "sdtext.filters.arabic:ArabicLight10",
        "pyarabic": "sdtext.filters.arabic_stemmers:Pyarabic",
        "isri": "sdtext.filters.arabic_stemmers:Isri",
        "arlstem": "sdtext.filters.arabic_stemmers:Arlstem",
        "arlstem2": "sdtext.filters.arabic_stemmers:Arlstem2",
        "cjk-width": "sdtext.filters.chinese:CjkWidth",
        "chinese-letters": "sdtext.filters.chinese:ChineseLetters",
    },
    "shinglers": {
        "words": "sdtext.shinglers.words:WordShingles",
        "characters": "sdtext.shinglers.characters:CharacterShingles",
    },
    "hashes": {
        "mixed": "sdtext.hashes.mixed:Mixed",
        "polynomial": "sdtext.hashes.polynomial:Polynomial",
        "modular": "sdtext.hashes.modular:Modular",
        "multiplicative": "sdtext.hashes.multiplicative:Multiplicative",
        "xxhash": "sdtext.hashes.xxhash:XxHash",
    },
    "fingerprints": {
        "bitvector": "sdtext.fingerprints.bitvector:BitVector",
        "shingles": "sdtext.fingerprints.shingles:Shingles",
        "minhash": "sdtext.fingerprints.minhash:MinHash",
        "bbit": "sdtext.fingerprints.bbit:BBit",
        "digest": "sdtext.fingerprints.digest:Digest",
    },
    "indexes": {
        "bands": "sdtext.indexes.bands:Bands",
        "groups": "sdtext.indexes.groups:Groups",
        "scan": "sdtext.indexes.scan:Scan",
        "windows": "sdtext.indexes.windows:Windows",
    },
    "matchers": {
        "cosine": "sdtext.matchers.sets:Cosine",
        "exact": "sdtext.matchers.sets:Exact",
        "idf-cosine": "sdtext.matchers.idf_cosine:IdfCosine",
        "jaccard": "sdtext.matchers.sets:Jaccard",
        "containment": "sdtext.matchers.sets:Containment",
        "dice": "sdtext.matchers.sets:Dice",
        "overlap": "sdtext.matchers.sets:Overlap",
        "edit": "sdtext.matchers.edit:Edit",
        "hamming": "sdtext.matchers.hamming:Hamming",
    },
    "aligners": {
        "windows": "sdtext.aligners.windows:WindowPassages",
        "sentences": "sdtext.aligners.sentences:SentencePassages",
    },
}

_ONE = {"hashes": "hash", "indexes": "index"}  # as a message calls one part of a kind


def parse(text: str) -> PartSpec:
    """The part that `name` or `name(option=value, …)` spells. Raises OptionError.

    >>> parse("idf-cosine(power=2)")
    PartSpec(name='idf-cosine', options=(('power', 2),))
    """
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return PartSpec(name)
    inside = rest.removesuffix(")")
    pairs = [pair.partition("=") for pair in inside.split(",")] if inside.strip() else []
    if not rest.endswith(")") or not all(key.strip() and sign for key, sign, _ in pairs):
        raise OptionError(f"{brief(text)} names no part; write name(option=value, …)")
    return PartSpec.of(name, **{key.strip(): literal(value.strip()) for key, _, value in pairs})


def translated(kind: str, spec: PartSpec) -> PartSpec:
    """`spec` with the original sdtext's name for a part replaced by ours.

    >>> translated("tokenizers", PartSpec.of("FileTokenizer", mode="lines"))
    PartSpec(name='lines', options=())
    """
    ours = ORIGINAL_NAMES.get(kind, {}).get(spec.name)
    if ours is None:
        return spec
    if isinstance(ours, str):
        return dataclasses.replace(spec, name=ours)
    options = dict(spec.options)
    mode = options.pop("mode", next(iter(ours)))
    if not isinstance(mode, str) or mode not in ours:
        raise OptionError.of(spec.name, "mode", mode, f"one of {', '.join(ours)}")
    if options:
        raise _unknown(spec.name, next(iter(options)), ["mode"])
    return PartSpec(ours[mode])


def names_of(kind: str) -> list[str]:
    """The names of all parts of a kind: ours, then those of other packages."""
    return [*PARTS[kind], *_others(kind)]


@cache
def _others(kind: str) -> list[str]:
    return sorted(entry_points(group=f"sdtext.{kind}").names - set(PARTS[kind]))


def kind_of(name: str) -> str:
    """Whether `name` is one of the "tokenizers" or of the "filters"; OptionError if neither."""
    if name in ORIGINAL_CHAINS:
        return "tokenizers"
    for kind in ("tokenizers", "filters"):
        if name in PARTS[kind] or name in ORIGINAL_NAMES[kind] or _plugin(kind, name):
            return kind
    raise _no_such("tokenizer or filter", name, [*PARTS["tokenizers"], *PARTS["filters"]])


def find(kind: str, name: str) -> Any:
    """The class of the part called `name`; OptionError with the names there are otherwise."""
    if place := PARTS[kind].get(name):
        return _at(place)
    if found := _plugin(kind, name):
        return found
    raise _no_such(_ONE.get(kind, kind.removesuffix("s")), name, list(PARTS[kind]))


@cache
def _at(place: str) -> Any:
    """The class at `place`: a module and a name in it."""
    return resolve_name(place)


@cache
def _types(cls: type) -> Mapping[str, Any]:
    """The types of the options of a part."""
    return get_type_hints(cls)


@cache
def _plugin(kind: str, name: str) -> Any:
    """The class that another package registers under `name`, None if none does."""
    found = list(entry_points(group=f"sdtext.{kind}", name=name))
    return found[0].load() if found else None


def build(kind: str, spec: PartSpec) -> Any:
    """The part that `spec` names, with its options checked against the fields of its class.

    Raises OptionError for an unknown part, an unknown, missing or mistyped option.

    >>> build("filters", PartSpec.of("min-length", length=3))
    MinLength(length=3)
    """
    spec = translated(kind, spec)
    cls = find(kind, spec.name)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    given = dict(spec.options)
    types = _types(cls)
    for key, value in given.items():
        if key not in fields:
            raise _unknown(spec.name, key, list(fields))
        given[key] = typed(spec.name, key, value, types[key])
    for key, field in fields.items():
        if key not in given and field.default is dataclasses.MISSING:
            raise OptionError(f"{spec.name}: option {key} is missing; it takes {said(types[key])}")
    return cls(**given)


def settled(kind: str, spec: PartSpec) -> PartSpec:
    """`spec` in sdtext's own name, checked, without options that equal the defaults."""
    spec = translated(kind, spec)
    part = build(kind, spec)
    options = {
        field.name: getattr(part, field.name)
        for field in dataclasses.fields(part)
        if getattr(part, field.name) != field.default
    }
    return PartSpec.of(spec.name, **options)


def _unknown(part: str, option: str, allowed: list[str]) -> OptionError:
    takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
    return OptionError(f"{part}: there is no option {brief(option)}; {takes}")


def _no_such(kind: str, name: str, known: list[str]) -> OptionError:
    close = get_close_matches(name[:80], known, 1, 0.6)
    hint = f"{close[0]}, perhaps? " if close else ""
    return OptionError(f"there is no {kind} {brief(name)}; {hint}known are {', '.join(known)}")


def described(kind: str, name: str) -> dict[str, str]:
    """The `options` of a part with types and defaults, and what it `does` in a sentence.

    >>> described("filters", "min-length")["options"]
    'length (a whole number)'
    """
    cls = find(kind, name)
    types = _types(cls)
    options = [
        f"{field.name} ({said(types[field.name])}"
        + (")" if field.default in (dataclasses.MISSING, "", ()) else f", else {field.default})")
        for field in dataclasses.fields(cls)
    ]
    does = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    return {"options": ", ".join(options), "does": does}
