"""Plans of experiments: a recipe whose values may be lists, what to measure, and the grid to try.

A plan is a TOML file, or says the same in XML. Its parts are those of a recipe; where a list stands
for a part, or for an option of one, each value of the list is tried. Everything is checked before
any document is read.

A plan with dictionaries tries ranges of normalized IDF: each minimum with each maximum above it. A
plan with shingles tries the bands that make two documents candidates: each number of bands with
each number of rows. These are the cells of its grid; one pass over the documents scores all cells.
A plan with both kinds of fingerprints is two plans of the same documents, one `beside` the other.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from sdtext.errors import OptionError, UnreadableError
from sdtext.formats.configuration_xml import read_plan_table
from sdtext.formats.toml_reader import table_in
from sdtext.io.decompressed_content import Content
from sdtext.model import PartSpec
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.load_recipe import CheckedRecipe, checked_recipe, load_recipe, part_in, recipe_of
from sdtext.parts.registry import build, find, normalised, parse, takes_list, translated
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.parallel_run import Amount
from sdtext.text.document import Document
from sdtext.wording import brief, counted

_MOST_CELLS = 10_000
_DIGITS = 9  # of the values of a range, so that 0.1 + 0.2 is 0.3
RECALL, F1, AVERAGE_PRECISION = "recall", "f1", "average-precision"
TARGETS = (RECALL, F1, AVERAGE_PRECISION)
"""What the automatic choice maximises."""

ALL = Amount(100, percent=True)
"""All documents, or all terms."""

_MAX_BYTES = 16 << 20


@dataclass(frozen=True)
class Cell:
    """A range of normalized IDF, both ends included; or an `index` of sketches.

    Those of an index are its bands and their rows, 0 for "scan": two documents are candidates if
    their sketches agree in a band, and candidates are scored with all of their shingles.

    >>> str(Cell(0.3, 0.7)), str(Cell(20, 5, PartSpec("bands"))), str(Cell(0, 0, PartSpec("scan")))
    ('0.3 to 0.7', '20 bands of 5 rows', 'all pairs')
    """

    low: float
    high: float
    index: PartSpec | None = None

    @property
    def values(self) -> dict[str, float]:
        """The numbers by their keys in a plan."""
        keys = ("bands", "rows") if self.index else ("min_idf", "max_idf")
        return dict(zip(keys, (self.low, self.high), strict=True))

    def __str__(self) -> str:
        if not self.index:
            return f"{self.low:g} to {self.high:g}"
        return f"{self.low} bands of {self.high} rows" if self.low else "all pairs"

    @property
    def slots(self) -> int:
        """The slots of a sketch that an index uses."""
        return int(self.low * self.high)

    @property
    def breadth(self) -> float:
        """What a choice among equals keeps small.

        That is the width of a range, or 1 less the similarity of likely candidates.
        """
        if not self.index:
            return self.high - self.low
        return 1 - (1 / self.low) ** (1 / self.high) if self.low else 1.0


class TokenizerGroup(NamedTuple):
    """A group of tokenizers by its name: the recipe that makes terms, or shingles, of a text."""

    name: str
    recipe: CheckedRecipe


@dataclass(frozen=True)
class ChoiceTarget:
    """What the automatic choice maximises.

    "recall" is that at the least cut with at most `false_positive_rate`.
    """

    name: str = RECALL
    false_positive_rate: float = 0.001

    def __post_init__(self) -> None:
        if self.name not in TARGETS:
            raise OptionError.of("plan", "target", self.name, f"one of {', '.join(TARGETS)}")
        if not 0 < self.false_positive_rate < 1:
            wanted = "above 0 and below 1, such as 0.001 for one unrelated pair in a thousand"
            raise OptionError.of("plan", "false_positive_rate", self.false_positive_rate, wanted)


@dataclass(frozen=True)
class ExperimentPlan:
    """A checked plan of an experiment.

    Truth is planted by the `manglers`, or given by `pairs`, a CSV file. `dictionary_sample` is the
    number of documents that a dictionary is made of, `dictionary_size` that of its terms, `sample`
    that of the documents compared and `queries` that of the documents that are mangled, in each
    trial. `text` is the content of the file. `held` are documents in memory, beside those at
    `paths`. A plan that names bit vectors and shingles has the grid of dictionaries; `beside` has
    that of shingles.
    """

    name: str
    dataset: str
    paths: tuple[Path, ...]
    groups: tuple[TokenizerGroup, ...]
    matchers: tuple[PartSpec, ...]
    cells: tuple[Cell, ...]
    manglers: tuple[PartSpec, ...] = ()
    pairs: Path | None = None
    trials: int = 1
    threads: int | None = None
    seed: int = 1
    folds: int = 5
    min_terms: int = MIN_TERMS
    duplicates: float = 0.5
    dictionary_sample: Amount = ALL
    dictionary_size: Amount = ALL
    sample: Amount = ALL
    queries: Amount = ALL
    target: ChoiceTarget = field(default_factory=ChoiceTarget)
    text: str = field(default="", repr=False)
    held: tuple[Document, ...] = field(default=(), repr=False)
    beside: ExperimentPlan | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        truth = "related pairs of a file" if self.pairs else counted(len(self.manglers), "mangler")
        nouns = "group", "matcher", "cell"
        counts = [counted(len(getattr(self, f"{noun}s")), noun) for noun in nouns]
        return f"<experiment plan {brief(self.name)}: {', '.join(counts)}, {truth}>"

    @property
    def has_shingles(self) -> bool:
        """Whether documents are compared by shingles, and not by the terms of a dictionary."""
        return self.groups[0].recipe.shingler is not None

    def is_related(self, mangler: int | None) -> bool:
        """Whether the copies of a mangler, or the pairs of the CSV file, are related."""
        return mangler is None or bool(build("manglers", self.manglers[mangler]).related)

    def digest(self) -> str:
        """SHA-256 of all that determines the measurements but the documents, in hexadecimal.

        The number of processes, the target of the choice, and paths do not.
        """
        groups = [
            [name, recipe.canonical(), str(recipe.shingler), str(recipe.fingerprint)]
            for name, recipe in self.groups
        ]
        matchers = [str(normalised("matchers", part)) for part in self.matchers]
        manglers = [str(normalised("manglers", part)) for part in self.manglers]
        amounts = [self.dictionary_sample, self.dictionary_size, self.sample, self.queries]
        numbers = [self.trials, self.seed, self.folds, self.min_terms, self.duplicates]
        parts = [groups, matchers, manglers, [*map(repr, (*self.cells, *amounts))], numbers]
        return sha256(json.dumps([*parts, bool(self.pairs)]).encode()).hexdigest()


DEFAULT_PLAN = """\
groups      = ["auto", "deduplicate"]
fingerprint = ["bitvector", "shingles"]
shingler    = { name = "words", length = 5 }
matcher     = ["cosine", "idf-cosine", "surprise", "jaccard"]
min_idf     = { from = 0.0, to = 0.8, step = 0.1 }
max_idf     = { from = 0.6, to = 1.0, step = 0.1 }
manglers    = [
    { name = "keep-lines", share = [0.5, 0.2] }, "fragment(share=0.25)", "ocr(share=0.05)",
]
sample      = 1000
queries     = 200
"""
"""The plan, in TOML, of an experiment for which only documents are named."""

_NUMBERS: Mapping[str, tuple[float, float]] = {
    "trials": (1, 1000),
    "threads": (1, 1024),
    "seed": (0, 2**63 - 1),
    "folds": (2, 100),
    "min_terms": (1, 10_000),
    "duplicates": (0.01, 1.0),
}
_AMOUNTS = ("dictionary_sample", "dictionary_size", "sample", "queries")
_OF_DICTIONARIES = {"min_idf", "max_idf", "dictionary_sample", "dictionary_size", "min_terms"}
_OF_SHINGLES = {"shingler", "fingerprint", "index"}
KEYS = frozenset(
    {
        *("name", "dataset", "pairs", "groups", "tokenizer", "filters", "manglers", "matcher"),
        *("target", "false_positive_rate"),
        *(*_NUMBERS, *_AMOUNTS, *_OF_DICTIONARIES, *_OF_SHINGLES),
    }
)
"""The keys of a plan."""


def load_plan(path: str | Path | None = None, *, dataset: DocumentInputs = ()) -> ExperimentPlan:
    """Load the plan in the file at `path`, which is TOML or `<experiment>` XML.

    Paths in it are relative to its folder. `dataset` are files, folders and Documents in place of
    those in it. Without a path it is the default plan. Raises UnreadableError, FormatError or
    OptionError.

    >>> plan = load_plan("configs/experiment.toml")
    >>> plan.name, [group.name for group in plan.groups], len(plan.cells)
    ('sample texts', ['english', 'words'], 13)
    >>> load_plan(dataset="letters").paths
    (PosixPath('letters'),)
    """
    held, paths = documents_and_paths(dataset)
    own: dict[str, Any] = {"dataset": [*map(str, paths)]} if paths else {}
    if held and not paths:
        own = {"dataset": {"name": "documents in memory", "path": "."}}
    if path is None:
        plan = plan_of({**tomllib.loads(DEFAULT_PLAN), **own}, text=DEFAULT_PLAN)
    else:
        content = Content(path, _MAX_BYTES)
        data = content.whole()
        if content.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            table = read_plan_table(content.file(), content.name)
        else:
            table = table_in(data, content.name, "a plan of an experiment")
        text = data.decode("utf-8-sig", "replace")
        try:
            plan = plan_of({**table, **own}, Path(path).parent, text)
        except (OptionError, UnreadableError) as error:
            raise type(error)(str(error), file=content.name) from error
    if own:
        documents: dict[str, Any] = {"paths": tuple(paths), "held": tuple(held)}
        beside = replace(plan.beside, **documents) if plan.beside else None
        plan = replace(plan, **documents, beside=beside)
    return plan


def plan_of(table: Mapping[str, Any], folder: Path = Path(), text: str = "") -> ExperimentPlan:
    """The checked plan of a TOML table.

    >>> table = {"dataset": "letters", "groups": ["english"], "manglers": ["shuffle"]}
    >>> plan = plan_of({**table, "min_idf": [0.1, 0.2], "max_idf": 0.8})
    >>> plan.dataset, [str(cell) for cell in plan.cells], plan.matchers[0].name
    ('letters', ['0.1 to 0.8', '0.2 to 0.8'], 'cosine')
    """
    is_shingled = "shingler" in table
    fingerprints = [*_parts(table, "fingerprint", "fingerprints")]
    of_shingles = [str(part) for part in fingerprints if part.name != "bitvector"]
    if of_shingles and not is_shingled:
        raise OptionError(f"fingerprint {of_shingles[0]} is of shingles; add a shingler")
    if 0 < len(of_shingles) < len(fingerprints):
        bits = {key: value for key, value in table.items() if key not in _OF_SHINGLES}
        rest = {key: value for key, value in table.items() if key not in _OF_DICTIONARIES}
        listed = _parts(table, "matcher", "matchers")
        matchers = [str(part) for part in listed if not _needs_dictionary(part)]
        rest |= {"fingerprint": of_shingles, "matcher": matchers or "jaccard"}
        return replace(plan_of(bits, folder, text), beside=plan_of(rest, folder, text))
    keys = KEYS - (_OF_DICTIONARIES if is_shingled else {"index"})
    if unknown := table.keys() - keys:
        kind = "a plan with a shingler" if is_shingled else "a plan without a shingler"
        known = ", ".join(sorted(keys))
        raise OptionError(f"{kind} has no key {brief(min(unknown))}; its keys are {known}")
    if "dataset" not in table:
        raise OptionError("key dataset is missing; it names the folder of the documents")
    given = table["dataset"]
    named = given if isinstance(given, dict) else {"path": given}
    paths = named.get("path")
    paths = paths if isinstance(paths, list) else [paths]
    if not paths or not all(isinstance(path, str) and path for path in paths):
        wanted = "a folder or file, a list of these, or a table with path and name"
        raise OptionError.of("plan", "dataset", given, wanted)
    dataset = _text(named.get("name", Path(paths[0]).resolve().name), "dataset: name")
    manglers = tuple(_parts(table, "manglers", "manglers"))
    if bool(manglers) is ("pairs" in table):
        raise OptionError("a plan needs either manglers, or pairs, a CSV file of related documents")
    if manglers and not any(build("manglers", mangler).related for mangler in manglers):
        made = ", ".join(map(str, manglers))
        raise OptionError(f"copies by {made} share nothing with their documents; add keep-lines")
    groups = tuple(_groups(table, folder))
    rate = table.get("false_positive_rate", ChoiceTarget.false_positive_rate)
    if not isinstance(rate, int | float):
        raise OptionError.of("plan", "false_positive_rate", rate, "a number")
    values: dict[str, Any] = {key: _number(table, key) for key in _NUMBERS if key in table}
    values |= {key: Amount.parse(str(table[key]), key) for key in _AMOUNTS if key in table}
    return ExperimentPlan(
        _text(table.get("name", dataset), "name"),
        dataset,
        tuple(folder / path for path in paths),
        groups,
        tuple(_matchers(table)),
        _band_cells(table, groups) if is_shingled else _idf_cells(table),
        manglers,
        folder / _text(table["pairs"], "pairs") if "pairs" in table else None,
        target=ChoiceTarget(table.get("target", RECALL), float(rate)),
        text=text,
        **values,
    )


def _text(given: object, key: str) -> str:
    if not (isinstance(given, str) and given and given.isprintable()):
        raise OptionError.of("plan", key, given, "a printable text")
    return given


def _number(table: Mapping[str, Any], key: str) -> float:
    """The number at a key: a whole one, but for shares."""
    (least, most), given = _NUMBERS[key], table[key]
    if not isinstance(given, int | type(least)) or not least <= given <= most:
        raise OptionError.of("plan", key, given, f"{least} to {most}")
    return given


def _idf_cells(table: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The ranges of IDF: each minimum with each maximum above it."""
    lows, highs = (
        _range(table.get(key, value), key) for key, value in (("min_idf", 0.3), ("max_idf", 0.7))
    )
    cells = tuple(Cell(low, high) for low in lows for high in highs if low < high)
    if not 0 < len(cells) <= _MOST_CELLS:
        what = f"min_idf and max_idf make {len(cells):,} ranges; it must be 1 to {_MOST_CELLS:,}"
        raise OptionError(what)
    return cells


def _range(given: Any, key: str) -> list[float]:
    """The values of a range of normalized IDF, in increasing order."""
    values = given if isinstance(given, list) else [given]
    if isinstance(given, dict):
        values = [given.get(name) for name in ("from", "to", "step")]
        if all(map(_is_idf, values)) and values[2] * _MOST_CELLS >= 1:
            start, stop, step = values
            number = math.floor((stop - start) / step + 1e-9) + 1
            values = [start + place * step for place in range(number)]
        else:
            values = []
    if not values or not all(map(_is_idf, values)):
        wanted = "a number of 0 to 1, a list of these, or { from = 0.0, to = 1.0, step = 0.05 }"
        raise OptionError.of("plan", key, given, wanted)
    return sorted({round(float(value), _DIGITS) for value in values})


def _is_idf(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _groups(table: Mapping[str, Any], folder: Path) -> Iterator[TokenizerGroup]:
    """The groups of tokenizers: those that `groups` names, and those of the recipe itself."""
    listed = table.get("groups", [])
    listed = listed if isinstance(listed, list) else [listed]
    named = [pair for place, row in enumerate(listed, 1) for pair in _group(row, place, folder)]
    if "tokenizer" in table:
        chains = _chains(table, folder)
        named += [(f"tokenizers {place}", chain) for place, chain in enumerate(chains, 1)]
    elif "filters" in table:
        raise OptionError("key tokenizer is missing; it names a tokenizer")
    if not named:
        raise OptionError("key groups is missing; it lists recipes, such as english")
    _check_distinct([name for name, _ in named], "groups")
    given = {"fingerprint": "minhash", **table}
    kinds = {"shingler": "shinglers", "fingerprint": "fingerprints"}
    further = [*product(*(_parts(given, key, kind) for key, kind in kinds.items()))]
    for name, recipe in named:
        for parts in further if "shingler" in table else [(None, None)]:
            labels = [str(part) for part in parts] if len(further) > 1 else []
            whole = replace(recipe, shingler=parts[0], fingerprint=parts[1])
            yield TokenizerGroup(", ".join([name, *labels]), checked_recipe(whole))


def _group(given: Any, place: int, folder: Path) -> list[tuple[str, CheckedRecipe]]:
    """The recipes of an entry of `groups`: a recipe, or a table with a tokenizer and filters."""
    if isinstance(given, str):
        beside = folder / given
        recipe = load_recipe(beside if beside.is_file() else given)
        return [(Path(given).stem, recipe_of(recipe.chain()))]
    keys = {"name", "tokenizer", "filters"}
    if not isinstance(given, dict) or "tokenizer" not in given or given.keys() - keys:
        wanted = 'a recipe, or { name = "…", tokenizer = "…", filters = […] }'
        raise OptionError(f"groups: entry {place} is {brief(given)}; it must be {wanted}")
    name = _text(given.get("name", f"group {place}"), f"groups: entry {place}: name")
    chains = _chains(given, folder)
    names = [name] if len(chains) == 1 else [f"{name} {n}" for n in range(1, len(chains) + 1)]
    return list(zip(names, chains, strict=True))


def _chains(table: Mapping[str, Any], folder: Path) -> list[CheckedRecipe]:
    """All chains of a table with a tokenizer and filters, whose values may be lists."""
    sources = _alternatives("tokenizers", table["tokenizer"], "tokenizer")
    listed = table.get("filters", [])
    if not isinstance(listed, list):
        raise OptionError.of("plan", "filters", listed, "a list of filters, or several lists")
    several = bool(listed) and all(isinstance(row, list) for row in listed)
    chains: list[tuple[PartSpec, ...]] = []
    for filters in listed if several else [listed]:
        rows = [
            _alternatives("filters", row, f"filter {place}") for place, row in enumerate(filters, 1)
        ]
        chains += [*product(sources, *rows)]
    return [recipe_of(recipe_of(chain, folder).chain()) for chain in chains]


def _alternatives(kind: str, given: object, place: str) -> list[PartSpec]:
    """The parts that a value stands for: a part, or a list of them, with lists of options."""
    if isinstance(given, list):
        if not given:
            raise OptionError(f"{place} is an empty list; it must name a part")
        return [part for row in given for part in _alternatives(kind, row, place)]
    if isinstance(given, str):
        return [parse(given)]
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return [part_in(given, place)]
    name = translated(kind, PartSpec(given["name"])).name if kind != "tokenizers" else ""
    rows = []
    for key, value in given.items():
        single = not isinstance(value, list) or (name and takes_list(kind, name, key))
        rows.append([(key, choice) for choice in ([value] if single else value)])
    return [part_in(dict(row), place) for row in product(*rows)]


def _parts(table: Mapping[str, Any], key: str, kind: str) -> Iterator[PartSpec]:
    """The checked parts at `key`, each once, with the options that are given."""
    if key in table:
        parts = [translated(kind, part) for part in _alternatives(kind, table[key], key)]
        _check_distinct([str(normalised(kind, part)) for part in parts], key)
        yield from parts


def _check_distinct(names: Sequence[str], key: str) -> None:
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise OptionError(f"{key}: {brief(twice)} is given twice; give each once")


def _band_cells(table: Mapping[str, Any], groups: Sequence[TokenizerGroup]) -> tuple[Cell, ...]:
    """The indexes of a plan with shingles; bands by a similarity are of the smallest sketches."""
    slots = []
    for spec in filter(None, (group.recipe.fingerprint for group in groups)):
        if spec.name not in ("minhash", "shingles"):
            raise OptionError(f"fingerprint is {spec.name}; with a shingler, minhash or shingles")
        slots += [build("fingerprints", spec).slots] if spec.name == "minhash" else []
    cells: dict[Cell, None] = {}
    for index in _parts({"index": "scan", **table}, "index", "indexes"):
        options: dict[str, Any] = dict(index.options)
        if index.name not in ("scan", "bands"):
            raise OptionError(f"index is {index}; it must be bands or scan")
        if index.name == "bands":
            if not slots:
                raise OptionError('index needs sketches; add fingerprint = "minhash"')
            if "rows" not in options:
                bands, rows = build("indexes", index).layout(min(slots))
                options = {key: options[key] for key in ("hash", "modulus") if key in options}
                options |= {"bands": bands, "rows": rows}
        spec = PartSpec.of(index.name, **options)
        cells[Cell(options.get("bands", 0), options.get("rows", 0), spec)] = None
    most = max(slots, default=0)
    kept = tuple(cell for cell in cells if cell.slots <= most)
    if not kept:
        first = next(iter(cells))
        raise OptionError(f"index: {first} are more than the {most} slots of a sketch")
    return kept


def _matchers(table: Mapping[str, Any]) -> Iterator[PartSpec]:
    shingled = "shingler" in table
    default = "jaccard" if shingled else "cosine"
    for part in _parts({"matcher": default, **table}, "matcher", "matchers"):
        kind = find("matchers", part.name)
        if getattr(kind, "compares", "sets") not in ("sets", "vectors"):
            what = f"matcher {part.name} does not compare sets of terms; choose another, such as "
            raise OptionError(f"{what}cosine or idf-cosine")
        if shingled and _needs_dictionary(part):
            what = f"matcher {part.name} needs a dictionary; with shingles choose another, such as "
            raise OptionError(f"{what}jaccard or containment")
        yield part


def _needs_dictionary(matcher: PartSpec) -> bool:
    return bool(getattr(find("matchers", matcher.name), "needs_dictionary", False))
