"""The registry: every part by kind and name, the place of its class, and how it is built.

A class is loaded when a recipe asks for it. A name that is not in the registry is looked up among
the entry points of the group `sdtext.<kind>`, by which other packages register parts.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pkgutil import resolve_name
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from sdtext.errors import OptionError
from sdtext.formats.configuration_xml import literal
from sdtext.io.installed_packages import may_register
from sdtext.model import Option, PartSpec
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.file_signatures import LENGTH, SIGNATURES, Signatures
from sdtext.parts.option_values import Within
from sdtext.parts.original_names import (
    ORIGINAL_CHAINS,
    ORIGINAL_NAMES,
    settled_mode,
    unknown_option,
)
from sdtext.wording import brief

PARTS: Mapping[str, Mapping[str, str]] = {
    # Readers are asked in this order whether a file is theirs.
    "readers": {
        "html": "sdtext.parts.readers.markup:Html",
        "pdf": "sdtext.parts.readers.pdf:Pdf",
        "docx": "sdtext.parts.readers.office_open_xml:Docx",
        "odt": "sdtext.parts.readers.opendocument:Odt",
        "pptx": "sdtext.parts.readers.office_open_xml:Pptx",
        "xlsx": "sdtext.parts.readers.office_open_xml:Xlsx",
        "epub": "sdtext.parts.readers.markup:Epub",
        "rtf": "sdtext.parts.readers.rtf:Rtf",
        "alto": "sdtext.parts.readers.recognised_pages:RecognisedPages",
        "xml": "sdtext.parts.readers.markup:Xml",
        "mhtml": "sdtext.parts.readers.mail:Mhtml",
        "mail": "sdtext.parts.readers.mail:Mail",
        "outlook": "sdtext.parts.readers.outlook:Outlook",
        "notebook": "sdtext.parts.readers.text_structure:Notebook",
        "doc": "sdtext.parts.readers.legacy_office:Doc",
        "xls": "sdtext.parts.readers.legacy_office:Xls",
        "ppt": "sdtext.parts.readers.legacy_office:Ppt",
        "other": "sdtext.parts.readers.other_formats:Other",
        "compound": "sdtext.parts.readers.legacy_office:Compound",
        "command": "sdtext.parts.readers.external_programs:Command",
        "text": "sdtext.parts.readers.plain_text:PlainText",
    },
    "containers": {
        "office": "sdtext.parts.containers.embedded_files:OfficeFiles",
        "old-office": "sdtext.parts.containers.embedded_files:OldOfficeFiles",
        "pdf": "sdtext.parts.containers.embedded_files:PdfFiles",
        "warc": "sdtext.parts.containers.web_archives:Warc",
        "wacz": "sdtext.parts.containers.web_archives:Wacz",
        "outlook": "sdtext.parts.containers.mail_containers:OutlookAttachments",
        "zip": "sdtext.parts.containers.archives:Zip",
        "tar": "sdtext.parts.containers.archives:Tar",
        "7z": "sdtext.parts.containers.archives:SevenZip",
        "mbox": "sdtext.parts.containers.mail_containers:Mbox",
        "mail": "sdtext.parts.containers.mail_containers:Attachments",
    },
    "tables": {"parquet": "sdtext.parts.record_tables:Parquet"},
    "units": {
        "document": "sdtext.parts.units.pages_chapters_paragraphs:Whole",
        "page": "sdtext.parts.units.pages_chapters_paragraphs:Page",
        "chapter": "sdtext.parts.units.pages_chapters_paragraphs:Chapter",
        "paragraph": "sdtext.parts.units.pages_chapters_paragraphs:Paragraph",
        "sentence": "sdtext.parts.units.sentence:Sentence",
        "segment": "sdtext.parts.units.term_segments:Segment",
    },
    "tokenizers": {
        "words": "sdtext.parts.tokenizers.words_lines_characters:Words",
        "words-or-characters": "sdtext.parts.tokenizers.words_lines_characters:WordsOrCharacters",
        "lines": "sdtext.parts.tokenizers.words_lines_characters:Lines",
        "unicode": "sdtext.parts.tokenizers.unicode_words:UnicodeWords",
        "characters": "sdtext.parts.tokenizers.words_lines_characters:Characters",
        "chinese": "sdtext.parts.tokenizers.chinese_japanese_korean_thai:Chinese",
        "japanese": "sdtext.parts.tokenizers.chinese_japanese_korean_thai:Japanese",
        "korean": "sdtext.parts.tokenizers.chinese_japanese_korean_thai:Korean",
        "thai": "sdtext.parts.tokenizers.chinese_japanese_korean_thai:Thai",
    },
    "filters": {
        "lowercase": "sdtext.parts.filters.case_and_elision:Lowercase",
        "fold": "sdtext.parts.filters.fold:Fold",
        "casefold": "sdtext.parts.filters.case_and_elision:Casefold",
        "simple-lowercase": "sdtext.parts.filters.case_and_elision:SimpleLowercase",
        "strip-punctuation": "sdtext.parts.filters.characters:StripPunctuation",
        "no-numeric-tokens": "sdtext.parts.filters.characters:NoNumericTokens",
        "strip-numbers": "sdtext.parts.filters.characters:StripNumbers",
        "no-tokens-with-numbers": "sdtext.parts.filters.characters:NoTokensWithNumbers",
        "min-length": "sdtext.parts.filters.stopwords_and_length:MinLength",
        "max-length": "sdtext.parts.filters.stopwords_and_length:MaxLength",
        "stop-words": "sdtext.parts.filters.stopwords_and_length:StopWords",
        "elision": "sdtext.parts.filters.case_and_elision:Elision",
        "no-math": "sdtext.parts.filters.characters:NoMath",
        "porter": "sdtext.parts.filters.stemmers:Porter",
        "nltk-porter": "sdtext.parts.filters.stemmers:NltkPorter",
        "snowball": "sdtext.parts.filters.stemmers:Snowball",
        "decimal-digits": "sdtext.parts.filters.characters:DecimalDigits",
        "arabic-normalization": "sdtext.parts.filters.arabic:ArabicNormalization",
        "arabic-light10": "sdtext.parts.filters.arabic:ArabicLight10",
        "pyarabic": "sdtext.parts.filters.arabic:Pyarabic",
        "isri": "sdtext.parts.filters.arabic:Isri",
        "arlstem": "sdtext.parts.filters.arabic:Arlstem",
        "arlstem2": "sdtext.parts.filters.arabic:Arlstem2",
        "cjk-width": "sdtext.parts.filters.characters:CjkWidth",
        "chinese-letters": "sdtext.parts.filters.characters:ChineseLetters",
        "keyed": "sdtext.parts.filters.keyed:Keyed",
    },
    "shinglers": {
        "words": "sdtext.parts.shinglers:WordShingles",
        "characters": "sdtext.parts.shinglers:CharacterShingles",
    },
    "hashes": {
        "mixed": "sdtext.parts.hashes:Mixed",
        "polynomial": "sdtext.parts.hashes:Polynomial",
        "modular": "sdtext.parts.hashes:Modular",
        "multiplicative": "sdtext.parts.hashes:Multiplicative",
        "xxhash": "sdtext.parts.hashes:XxHash",
    },
    "fingerprints": {
        "bitvector": "sdtext.parts.fingerprints.bitvector_and_shingles:BitVector",
        "shingles": "sdtext.parts.fingerprints.bitvector_and_shingles:Shingles",
        "minhash": "sdtext.parts.fingerprints.minhash:MinHash",
        "bbit": "sdtext.parts.fingerprints.minhash:BBit",
        "bottom-k": "sdtext.parts.fingerprints.bottom_k:BottomK",
        "digest": "sdtext.parts.fingerprints.compressed_tokens:Digest",
    },
    "indexes": {
        "bands": "sdtext.parts.indexes:Bands",
        "columns": "sdtext.parts.indexes:ColumnIndex",
        "groups": "sdtext.parts.code_groups:Groups",
        "scan": "sdtext.parts.indexes:Scan",
        "windows": "sdtext.parts.indexes:Windows",
    },
    "matchers": {
        "cosine": "sdtext.parts.matchers.set_matchers:Cosine",
        "exact": "sdtext.parts.matchers.set_matchers:Exact",
        "idf-cosine": "sdtext.parts.matchers.set_matchers:IdfCosine",
        "idf-jaccard": "sdtext.parts.matchers.set_matchers:IdfJaccard",
        "jaccard": "sdtext.parts.matchers.set_matchers:Jaccard",
        "containment": "sdtext.parts.matchers.set_matchers:Containment",
        "dice": "sdtext.parts.matchers.set_matchers:Dice",
        "overlap": "sdtext.parts.matchers.set_matchers:Overlap",
        "surprise": "sdtext.parts.matchers.surprise:Surprise",
        "edit": "sdtext.parts.matchers.edit_and_hamming_matchers:Levenshtein",
        "hamming": "sdtext.parts.matchers.edit_and_hamming_matchers:Hamming",
    },
    "aligners": {
        "windows": "sdtext.parts.aligners.window_passages:WindowPassages",
        "sentences": "sdtext.parts.aligners.sentence_passages:SentencePassages",
        "weighted-words": "sdtext.parts.aligners.weighted_words:WeightedWords",
    },
    "manglers": {
        "keep-lines": "sdtext.parts.manglers:KeepLines",
        "fragment": "sdtext.parts.manglers:Fragment",
        "shuffle": "sdtext.parts.manglers:Shuffle",
        "ocr": "sdtext.parts.manglers:Ocr",
    },
}

_ONE = {"hashes": "hash", "indexes": "index"}  # as a message calls one part of a kind
_BASES = {
    "readers": "sdtext.parts.readers:Reader",
    "containers": "sdtext.parts.containers:Container",
    "tokenizers": "sdtext.parts.tokenizers:Tokenizer",
    "filters": "sdtext.parts.filters:Filter",
    "shinglers": "sdtext.parts.shinglers:Shingler",
    "hashes": "sdtext.parts.hashes:ShingleHash",
    "indexes": "sdtext.parts.indexes:Index",
    "matchers": "sdtext.parts.matchers:Matcher",
    "manglers": "sdtext.parts.manglers:Mangler",
}
"""The classes that every part of a kind is a subclass of."""


def parse(text: str) -> PartSpec:
    """Parse a part given as `name` or `name(option=value, …)`. Raises OptionError.

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
    return PartSpec(ours[settled_mode(spec, ours)])


def names_of(kind: str) -> list[str]:
    """The names of all parts of a kind: ours, then those of other packages."""
    return [*PARTS[kind], *_others(kind)]


@cache
def _others(kind: str) -> list[str]:
    return sorted(_entry_points().select(group=f"sdtext.{kind}").names - set(PARTS[kind]))


@cache
def _entry_points() -> Any:  # of another type before Python 3.12
    """Those of all packages, which takes some milliseconds to list."""
    from importlib.metadata import entry_points  # slow to import

    return entry_points()


def names_for(kind: Literal["readers", "containers"], head: bytes) -> list[str]:
    """The names of the parts whose signatures fit the first bytes of a file, in order.

    >>> names_for("readers", b"%PDF-1.7 "), names_for("containers", b"Bees dance.")
    (['pdf', 'text'], [])
    """
    begin = head[:LENGTH]
    by_name, every = _signatures(kind)
    fitting = {
        each
        for each in every
        if (begin.startswith(each) if isinstance(each, bytes) else each.match(begin))
    }
    return [name for name, some in by_name.items() if not fitting.isdisjoint(some)]


@cache
def _signatures(kind: str) -> tuple[dict[str, Signatures], frozenset[bytes | re.Pattern[bytes]]]:
    """Those of each part of a kind, and all of them; every file fits one without any."""
    ours = {name: SIGNATURES[kind].get(name, ()) for name in PARTS[kind]}
    names = _others(kind) if may_register("sdtext.") else ()
    others = {name: find(kind, name).signatures for name in names}
    by_name = {name: given or (b"",) for name, given in {**ours, **others}.items()}
    return by_name, frozenset(chain.from_iterable(by_name.values()))


def kind_of(name: str) -> str:
    """Whether `name` is one of the "tokenizers" or of the "filters"; OptionError if neither."""
    if name in ORIGINAL_CHAINS:
        return "tokenizers"
    kinds = ("tokenizers", "filters")
    for kind in kinds:
        if name in PARTS[kind] or name in ORIGINAL_NAMES[kind]:
            return kind
    for kind in kinds:
        if _plugin(kind, name):
            return kind
    raise _no_such("tokenizer or filter", name, [*PARTS["tokenizers"], *PARTS["filters"]])


def find(kind: str, name: str) -> Any:
    """The class of the part called `name`; OptionError with the known names otherwise."""
    if place := PARTS[kind].get(name):
        return _at(place)
    if cls := _plugin(kind, name):
        return cls
    raise _no_such(_ONE.get(kind, kind.removesuffix("s")), name, list(PARTS[kind]))


_at = cache(resolve_name)


@cache
def _plugin(kind: str, name: str) -> Any:
    """The class that another package registers under `name`, None if none does."""
    from importlib.metadata import entry_points

    registered = list(entry_points(group=f"sdtext.{kind}", name=name))
    if not registered:
        return None
    cls = registered[0].load()
    base: Any = _at(_BASES[kind]) if kind in _BASES else object
    if not issubclass(cls, base):
        raise OptionError(f"{name}: its class {cls.__qualname__} is no subclass of {_BASES[kind]}")
    if missing := sorted(getattr(cls, "__abstractmethods__", ())):
        raise OptionError(f"{name}: its class {cls.__qualname__} lacks {', '.join(missing)}")
    return cls


@cache
def _takes(cls: type) -> Mapping[str, tuple[tuple[Any, ...], Any]]:
    """What each option of a part takes: its types (of `int | str`, the two) and its values.

    These are a range or some texts; None where any value of its types will do.
    """
    stated = get_type_hints(cls, include_extras=True)
    return {
        name: (
            get_args(hint) if isinstance(hint, UnionType) else (hint,),
            stated[name].__metadata__[0] if get_origin(stated[name]) is Annotated else None,
        )
        for name, hint in get_type_hints(cls).items()
    }


def build(kind: str, spec: PartSpec) -> Any:
    """The part that `spec` names, with its options checked against the fields of its class.

    Raises OptionError for an unknown part, an unknown, missing or mistyped option.

    >>> build("filters", PartSpec.of("min-length", length=3))
    MinLength(length=3)
    """
    spec = translated(kind, spec)
    cls = find(kind, spec.name)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    options = dict(spec.options)
    takes = _takes(cls)
    for key, value in options.items():
        if key not in fields:
            raise unknown_option(spec.name, key, list(fields))
        wanted, values = takes[key]
        if type(value) is int and wanted == (float,) and abs(value) <= 2**53:
            options[key] = float(value)
        elif (tuple[str, ...] if isinstance(value, tuple) else type(value)) not in wanted:
            raise OptionError.of(spec.name, key, value, _type_name(wanted))
        if values is not None and options[key] not in values:
            is_range = isinstance(values, Within)
            words = str(values) if is_range else f"one of {', '.join(map(str, values))}"
            raise OptionError.of(spec.name, key, value, words)
    for key, field in fields.items():
        if key not in options and field.default is dataclasses.MISSING:
            what = f"option {key} is missing; it takes {_type_name(takes[key][0])}"
            raise OptionError(f"{spec.name}: {what}")
    return cls(**options)


def takes_list(kind: str, name: str, option: str) -> bool:
    """Whether that option of a part is a list of texts. Raises OptionError for an unknown part.

    >>> takes_list("filters", "stop-words", "words"), takes_list("filters", "min-length", "length")
    (True, False)
    """
    takes = _takes(find(kind, name))
    return option in takes and tuple[str, ...] in takes[option][0]


def options_of(part: Any) -> dict[str, Option]:
    """All options of a part with their values.

    >>> options_of(build("filters", PartSpec("lowercase")))
    {'language': ''}
    """
    return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}


def normalised(kind: str, spec: PartSpec) -> PartSpec:
    """`spec` under sdtext's own name, checked, without options that equal the defaults."""
    spec = translated(kind, spec)
    part = build(kind, spec)
    values = ((field, getattr(part, field.name)) for field in dataclasses.fields(part))
    changed = {field.name: value for field, value in values if value != field.default}
    return PartSpec.of(spec.name, **changed)


def _no_such(kind: str, name: str, known: list[str]) -> OptionError:
    return OptionError(f"there is no {kind} {brief(name)}; available: {', '.join(known)}")


@dataclasses.dataclass(frozen=True, repr=False)
class PartDescription(ShortFields):
    """A part that recipes can name, as `ListParts` shows it.

    `kind` is one of those of `list_parts`; `options` have their types and defaults; `does` is a
    sentence.
    """

    kind: str
    name: str
    options: str
    does: str


def list_parts(kind: str | None = None) -> list[PartDescription]:
    """The parts that recipes can name, of all kinds or of one. Raises OptionError.

    >>> [part.name for part in list_parts("shinglers")]
    ['words', 'characters']
    >>> [part.options for part in list_parts("filters") if part.name == "min-length"]
    ['length (a whole number)']
    """
    if kind is not None:
        OptionError.unless_in(PARTS, "list_parts", "kind", kind)
    return [
        PartDescription(group, name, *_description(find(group, name)))
        for group in PARTS
        if kind in (None, group)
        for name in PARTS[group]
    ]


def _description(cls: Any) -> tuple[str, str]:
    """The options of a part with types and defaults, and the first sentence of its docstring."""
    options = [
        f"{field.name} ({_type_name(_takes(cls)[field.name][0])}"
        + (")" if field.default in (dataclasses.MISSING, "", ()) else f", default {field.default})")
        for field in dataclasses.fields(cls)
    ]
    return ", ".join(options), " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def _type_name(wanted: tuple[Any, ...]) -> str:
    """The name of a type in messages.

    >>> _type_name((int, str))
    'a whole number or a text'
    """
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return " or ".join(words.get(kind, "a list of texts") for kind in wanted)
