"""Public names: explained, with examples, a function for each verb; what all their results have."""

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from inspect import getdoc, isclass, isfunction, ismethod, signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import click
import pytest
from lxml import html

import sdtext
from sdtext.cli.main import exit_code
from sdtext.errors import SdtextError
from tests.support.commands import VERB_NAMES, command_of

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
TEXT = PAGE.read_text("utf-8").split("## The function for each verb")[1]
TABLE = dict(re.findall(r"^\| (\w+) \| (.*) \|$", TEXT.split("\nOptions have")[0], re.MULTILINE))
del TABLE["verb"]


FUNCTIONS = [name for name in sdtext.__all__ if isfunction(getattr(sdtext, name))]
CLASSES = [name for name in sdtext.__all__ if isclass(getattr(sdtext, name))]


def test_the_public_names_are_those_of_the_stub() -> None:
    stub = ast.parse(Path(sdtext.__file__).with_suffix(".pyi").read_text("utf-8"))
    listed = next(node.value for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(sdtext.__all__)
    assert len(sdtext.__all__) == len(set(sdtext.__all__))


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="walk"):
        getattr(sdtext, "walk")  # noqa: B009 (mypy knows that it is not there)


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_a_public_name_is_explained(name: str) -> None:
    reported = getattr(sdtext, name).__doc__
    assert reported
    assert not reported.startswith(f"{name}(")  # what a dataclass says that nobody explained


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getdoc(getattr(sdtext, name)) or "")


def options_in(text: str) -> set[str]:
    """The options that a text of the page names, as they are called in Python."""
    names = (name.replace("-", "_") for name in re.findall(r"`--([a-z-]+)", text))
    return {RENAMED.get(name, name) for name in names}


RENAMED: Mapping[str, str] = {
    old.replace("-", "_"): new
    for old, new in re.findall(r"^\| `--([a-z-]+)[^`]*` \| `(\w+)=\S+` \|$", TEXT, re.MULTILINE)
}
"""Options of verbs with another name in Python; a similarity is a number from 0 to 1 there."""
ELSEWHERE_ROWS: list[tuple[list[str], str, str]] = [
    (verbs.split(", "), options, names)
    for verbs, options, names in re.findall(
        r"^\| ([\w, ]+) \| (`--.*`) \| (.*) \|$", TEXT, re.MULTILINE
    )
]
"""Verbs, options that are no parameter of their functions, and what stands in place of these."""
_OF_RUN, _OF_READING = (
    set().union(*(options_in(options) for _, options, names in ELSEWHERE_ROWS if what in names))
    for what in ("`Run(jobs", "`Reading(enc")
)
_INPUTS, _PRINTED = (
    options_in(next(part for part in TEXT.split("\n\n") if part.startswith(beginning)))
    for beginning in ("What is read is", "Results are values")
)
"""Options that name what Python takes as the first arguments; about printing and writing."""
_OF_ALL = {"quiet", "verbose"}
_COMMON = {"all with it", "all with them"}


def public(name: str) -> Any:
    first, *rest = name.split(".")
    assert first in sdtext.__all__, name
    value = getattr(sdtext, first)
    for part in rest:
        value = getattr(value, "__dataclass_fields__", {}).get(part) or getattr(value, part)
    return value


def test_each_verb_has_a_row() -> None:
    assert {*TABLE} == {*VERB_NAMES} - {"Serve"}  # a program for people


@pytest.mark.parametrize("verb", TABLE)
def test_a_row_names_public_functions_that_are_explained(verb: str) -> None:
    names = re.findall("`([^`]+)`", TABLE[verb])
    assert names
    for name in names:
        assert getdoc(public(name)), name


def options_of(verb: str) -> set[str]:
    options = [option for option in command_of(verb).params if isinstance(option, click.Option)]
    names = (max(option.opts, key=len).lstrip("-").replace("-", "_") for option in options)
    return {RENAMED.get(name, name) for name in names}


def parameters_of(verb: str) -> set[str]:
    names: set[str] = set()
    for function in map(public, re.findall("`([^`]+)`", TABLE[verb])):
        if not isfunction(function) and not ismethod(function):
            continue
        names |= signature(function).parameters.keys()
    return names - {"self"}


def elsewhere(verb: str) -> set[str]:
    """The options that the page says are elsewhere for a verb."""
    return set().union(*(options_in(row) for verbs, row, _ in ELSEWHERE_ROWS if verb in verbs))


@pytest.mark.parametrize("verb", TABLE)
def test_options_are_those_of_the_verb(verb: str) -> None:
    options, parameters = options_of(verb), parameters_of(verb)
    if "jobs" in options:
        assert "run" in parameters
    if "encoding" in options:
        assert parameters & {"run", "reading"}
    options -= _OF_RUN | _OF_READING - parameters
    assert options - parameters - _PRINTED - _INPUTS - _OF_ALL == elsewhere(verb)


def test_the_page_names_where_each_option_is() -> None:
    for _, _, text in ELSEWHERE_ROWS:  # such as `Run(jobs=…)`
        assert all(map(public, re.findall(r"`([A-Za-z_.]+)(?=[`(])", text)))
    named = {verb for verbs, _, _ in ELSEWHERE_ROWS for verb in verbs}
    assert named - TABLE.keys() == _COMMON
    assert all(names for _, _, names in ELSEWHERE_ROWS)
    every = set().union(*map(options_of, TABLE))
    assert {*RENAMED.values(), *_OF_RUN, *_OF_READING, *_INPUTS, *_PRINTED} <= every
    assert (len(RENAMED), _OF_RUN) == (3, {"jobs"})


def test_the_page_lists_the_errors_with_their_exit_codes() -> None:
    rows = re.findall(r"^\| `(\w+Error)` \| .+ \| (\d?) ?\|$", TEXT, re.MULTILINE)
    classes = [public(name) for name in sdtext.__all__ if name.endswith("Error")]
    codes = {kind.__name__: str(exit_code(kind())) for kind in classes if kind is not SdtextError}
    assert dict(rows) == {"SdtextError": "", **codes}
    assert len(rows) == len(classes) == 7


Call = Callable[["Material"], Any]


def texts(number: int, seed: int = 1) -> list[str]:
    """Texts of sentences of made words, each third one an edited copy of the one before."""
    draw = random.Random(seed)
    words = [f"{one}{two}{three}" for one in "bdfk" for two in ("a", "io") for three in "lmnrst"]
    words += [f"{one}{two}" for one in words[:30] for two in ("ing", "ed", "er")]
    made: list[str] = []
    for place in range(number):
        if place % 3 == 2:
            copy = made[place - 1].split(" ")
            start = draw.randrange(20, 60)
            for changed in range(start, start + 80, draw.randrange(9, 25)):
                copy[changed] = "changed"
            made.append(" ".join(copy))
            continue
        lengths = (draw.randint(9, 20) for _ in range(12))
        sentences = (" ".join(draw.choices(words, k=length)) for length in lengths)
        made.append(" ".join(f"{sentence.capitalize()}." for sentence in sentences))
    return made


EVIL = "<img src=x onerror=alert(1)>&amp;"


def records(number: int = 120) -> list[dict[str, Any]]:
    """The same as records with a long field, and names that a page has to escape."""
    made = enumerate(texts(number))
    return [{"id": f"r{place}{EVIL}", "text": text, "notes": "long " * 99} for place, text in made]


class Material:
    """What the calls are made with; files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.records = folder, records()
        self.many = folder / "many"
        self.many.mkdir()
        for place, text in enumerate(texts(40)):
            (self.many / f"{place}.txt").write_text(text)
        mixed = f"{texts(1)[0][:500]} {texts(1, seed=9)[0]}"
        (self.many / "mixed.txt").write_text(mixed)
        self.one = self.many / "1.txt"

    @cached_property
    def dictionary(self) -> sdtext.Dictionary:
        return sdtext.create_dictionary(self.many, "english")

    @cached_property
    def fingerprint(self) -> sdtext.Fingerprint:
        return sdtext.fingerprint(self.one, self.dictionary)

    @cached_property
    def evidence(self) -> sdtext.Evidence:
        return sdtext.find_reuse(self.many)

    @cached_property
    def passages(self) -> Any:
        return sdtext.deduplicate(self.records, unit="passage", min_tokens=5)

    @cached_property
    def stored(self) -> sdtext.Collection:
        collection = sdtext.create(self.folder / "stored.sdx", recipe="deduplicate", keep_text=True)
        collection.add(self.records)
        return collection

    @cached_property
    def vectors(self) -> sdtext.Collection:
        collection = sdtext.create(dictionary=self.dictionary)
        collection.add(self.many)
        return collection

    @cached_property
    def words(self) -> sdtext.Collection:
        collection = sdtext.create(recipe="reuse")
        collection.add(self.many)
        return collection

    @cached_property
    def keys(self) -> list[Path]:
        return sdtext.new_signing_key(self.folder / "own.key")

    def signed(self, name: str) -> Any:
        path = self.folder / name
        sdtext.save(self.dictionary, path)
        time = "2026-11-29T09:00:00Z"
        return path, sdtext.sign(path, self.keys[0], signer="Unit 7", signed=time)

    def file(self, name: str) -> Path:
        """A file with true cases or detections, or with a fingerprint and its dictionary."""
        path = self.folder / name
        if name == "full.xml":
            sdtext.save(self.fingerprint, path, dictionary=self.dictionary)
            return path
        kind = "plagiarism" if name == "truth.xml" else "detected-plagiarism"
        case = f'<feature name="{kind}" this_offset="0" this_length="9" source_offset="0" '
        case += 'source_reference="b.txt" source_length="9"/>'
        path.write_text(f'<document reference="a.txt">{case}</document>')
        return path


CALLS: Mapping[str, Call] = {
    "calibrate": lambda m: sdtext.calibrate(m.dictionary, m.many, matcher="cosine"),
    "compare": lambda m: sdtext.compare(m.one, m.many, dictionary=m.dictionary, explain=10),
    "compare (calibrated)": lambda m: sdtext.compare(m.one, m.many, dictionary="english"),
    "create": lambda _: sdtext.create(recipe="reuse"),
    "create_dictionary": lambda m: sdtext.create_dictionary(m.many, "english"),
    "decontaminate": lambda m: sdtext.decontaminate(
        m.records, [{"question": each["text"]} for each in m.records[:60]]
    ),
    "deduplicate": lambda m: sdtext.deduplicate(m.records, similarity=0.5, explain=True, review=50),
    "deduplicate (against)": lambda m: sdtext.deduplicate(
        [{**each, "text": each["text"][100:]} for each in m.records], against=m.stored
    ),
    "deduplicate (passages)": lambda m: sdtext.deduplicate(m.records, unit="passage", min_tokens=5),
    "embedded_dictionaries": lambda m: sdtext.embedded_dictionaries(m.file("full.xml")),
    "evaluate": lambda m: sdtext.evaluate(m.file("truth.xml"), m.file("detected.xml")),
    "examine": lambda m: [*sdtext.examine(m.many)],
    "find_reuse": lambda m: sdtext.find_reuse(m.many),
    "fingerprint": lambda m: sdtext.fingerprint(
        m.one, m.dictionary, segment="5", digest=sdtext.Digest()
    ),
    "list_parts": lambda _: sdtext.list_parts(),
    "list_recipes": lambda _: sdtext.list_recipes(),
    "load": lambda _: sdtext.load("english"),
    "load_disclosure": lambda _: sdtext.load_disclosure("configs/output-evidence.toml"),
    "load_plan": lambda _: sdtext.load_plan("configs/experiment.toml"),
    "load_recipe": lambda _: sdtext.load_recipe("auto"),
    "mangle": lambda m: [*sdtext.mangle(m.many, "shuffle")],
    "open": lambda m: sdtext.open(m.stored.path),
    "read": lambda m: sdtext.read(m.one),
    "restore": lambda m: sdtext.restore(m.passages.kept, m.passages.removed),
    "run_experiment": lambda _: sdtext.run_experiment("configs/experiment.toml"),
    "score": lambda m: sdtext.score(m.fingerprint, m.fingerprint),
    "similarity": lambda m: sdtext.similarity(m.records[0]["text"], m.records[0]["text"][:500]),
    "units": lambda m: sdtext.units(m.one, "sentence"),
    "window_pairs": lambda m: sdtext.window_pairs(m.one, m.many / "2.txt", w=20, distance=9),
    "new_dictionary_key": lambda m: sdtext.new_dictionary_key(m.folder / "both.key"),
    "key_dictionary": lambda m: sdtext.key_dictionary(m.dictionary, m.folder / "both.key"),
    "new_signing_key": lambda m: m.keys,
    "sign": lambda m: m.signed("signed.xml")[1],
    "verify": lambda m: sdtext.verify(m.signed("verified.xml")[0], m.keys[1]),
    "self_test": lambda _: sdtext.self_test(),
    "with_texts": lambda m: sdtext.with_texts(m.evidence),
    "Chain.of": lambda _: sdtext.Chain.of("english"),
    "Chain.explain": lambda m: sdtext.Chain.of("english").explain(m.records[0]["text"][:50]),
    "Chain.terms": lambda m: sdtext.Chain.of("english").terms(m.records[0]["text"]),
    "Dictionary.idf": lambda m: m.dictionary.idf(3),
    "Dictionary.nidf": lambda m: m.dictionary.nidf(3),
    "Dictionary.max_idf": lambda m: m.dictionary.max_idf,
    "Dictionary.trim": lambda m: m.dictionary.trim(),
    "Collection.add": lambda m: sdtext.create(recipe="reuse").add(m.records),
    "Collection.compact": lambda m: m.stored.compact(),
    "Collection.documents": lambda m: [*m.stored.documents()],
    "Collection.fingerprints": lambda m: m.vectors.fingerprints(),
    "Collection.pairs": lambda m: m.stored.pairs(similarity=0.3, explain=5),
    "Collection.recipe": lambda m: m.vectors.recipe,
    "Collection.remove": lambda _: sdtext.create().remove([]),
    "Collection.reuse": lambda m: m.words.reuse(m.one),
    "Collection.similar": lambda m: m.stored.similar(
        [sdtext.Document.of(each["text"]) for each in m.records[:50]], explain=5
    ),
    "Collection.similar (calibrated)": lambda m: m.vectors.similar(m.one),
    "Collection.verify": lambda m: [*m.stored.verify()],
}
"""A call of each public function with the material, by the name of the function."""


CALLED = {name for row in TABLE.values() for name in re.findall(r"`([\w.]+)`", row)} - {"save"}


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return Material(tmp_path_factory.mktemp("public-results"))


@pytest.fixture(scope="module")
def results(material: Material) -> dict[str, Any]:
    return {name: call(material) for name, call in CALLS.items()}


def inside(value: Any, path: str, depth: int = 6) -> Iterator[tuple[str, Any]]:
    """A result and all values of sdtext in it, with how to reach each."""
    yield path, value
    if not depth:
        return
    parts: list[tuple[str, Any]] = []
    if is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in fields(value) if not field.name.startswith("_"))
        parts += ((f"{path}.{name}", getattr(value, name)) for name in names)
        if not isinstance(value, tuple) and hasattr(value, "shared_terms"):
            parts.append((f"{path}.shared_terms", value.shared_terms))
    if isinstance(value, list | tuple) or type(value).__name__ == "ArrowRows":
        items = [*enumerate(value)]
        some = items if len(items) <= 40 else [*items[:20], *items[-20:]]  # they are of one kind
        parts += ((f"{path}[{place}]", item) for place, item in some)
    for name, part in parts:
        yield from inside(part, name, depth - 1)


def test_each_public_function_is_called() -> None:
    assert {name.partition(" ")[0] for name in CALLS} >= CALLED


@pytest.mark.parametrize("name", CALLS)
def test_representations_are_short(results: dict[str, Any], name: str) -> None:
    shown = {
        path: repr(value)
        for path, value in inside(results[name], name)
        if type(value).__module__.startswith("sdtext")
    }
    assert {path: text for path, text in shown.items() if len(text) > 400} == {}


TABLES = [
    *("compare", "compare (calibrated)", "decontaminate"),
    *("deduplicate", "deduplicate (against)", "deduplicate (passages)"),
    *("find_reuse", "run_experiment", "score"),
    *("similarity", "window_pairs", "with_texts", "Collection.add"),
    *("Collection.pairs", "Collection.reuse", "Collection.similar"),
]


@pytest.mark.parametrize("name", TABLES)
def test_notebooks_show_a_table(results: dict[str, Any], name: str) -> None:
    table = html.fromstring(results[name]._repr_html_())
    assert {element.tag for element in table.iter()} == {"table", "caption", "tr", "th", "td"}
    widths = {len(row) for row in table.findall(".//tr") if row[0].get("colspan") is None}
    assert len(widths) == 1
    assert 1 < len(table.findall(".//tr")) <= 22


def test_names_are_escaped_and_long_tables_are_cut(results: dict[str, Any]) -> None:
    pairs = results["Collection.pairs"]
    shown = pairs._repr_html_()
    assert EVIL in "".join(html.fromstring(shown).itertext())
    assert f"{len(pairs.rows) - 20:,} more" in shown


def test_results_without_a_table_are_no_rows(results: dict[str, Any]) -> None:
    rows = {name for name, value in results.items() if hasattr(value, "_repr_html_")} - {*TABLES}
    assert rows == {"Collection.similar (calibrated)"}


MEASURED = {
    *("Score", "Match", "Row", "Pair", "Found", "RemovedDocument"),
    *("ReviewedPair", "ItemMatch", "Shared", "Passage", "Coverage", "WindowPair"),
}
"""The classes of results about what is similar, as tests find them in the results."""


@pytest.fixture(scope="module")
def measured(results: dict[str, Any]) -> list[Any]:
    """All results that have a score or a similarity, but for what chance says of a score."""
    pairs = [*results["window_pairs"]]
    found = [value for name in results for _, value in inside(results[name], name)] + pairs
    named = [value for value in found if hasattr(value, "score") or hasattr(value, "similarity")]
    others = "Chance", "Similarity", "type"
    return [value for value in named if type(value).__name__ not in others]


def test_every_result_has_a_score_and_a_similarity(measured: list[Any]) -> None:
    assert {type(value).__name__ for value in measured} == MEASURED
    for value in measured:
        if value.similarity is None:
            assert value.score is None
            continue
        assert 0 <= value.score <= 99
        assert 0.0 <= value.similarity <= 1.0
        assert value.score == min(99, int(100 * value.similarity + 1e-9))
        assert f"{value.similarity:.2f}" == f"{float(value.similarity):.2f}"
        assert round(value.similarity) in (0, 1)


def test_scores_and_similarities_differ_between_results(measured: list[Any]) -> None:
    """So that a constant would not pass the test above."""
    similarities = Counter((type(value).__name__, value.similarity) for value in measured)
    assert {name for name, similarity in similarities if similarity not in (None, 0, 1)} == MEASURED


def test_docs_state_the_ranges(measured: list[Any]) -> None:
    for kind in {type(value) for value in measured}:
        members = (getattr(kind, name, None) for name in ("score", "similarity"))
        text = " ".join([kind.__doc__ or "", *(each.__doc__ or "" for each in members)])
        words = " ".join(text.split())
        assert re.search(r"0 to 99", words), kind
        assert re.search(r"0 to 1\b", words), kind


Given = Sequence[Any]


def named(items: Any) -> list[str]:
    return [getattr(item, "source", str(item)) for item in items]


def calibrated(m: Material, given: Given) -> Any:
    done = sdtext.calibrate(m.dictionary, given, matcher="cosine", sample=60)
    return done.calibrations, done.left_out


def contaminated(m: Material, given: Given) -> Any:
    items = [{"question": each["text"][:200]} for each in m.records[:60]]
    done = sdtext.decontaminate(given, items)
    return sorted(done.matches, key=str), sorted(named(done.kept))


def searched_for(m: Material, given: Given) -> Any:
    done = sdtext.decontaminate(m.records, given[:9])
    return sorted((match.record, match.item, match.score) for match in done.matches), done.items


def deduplicated(_: Material, given: Given) -> Any:
    done = sdtext.deduplicate(given, similarity=0.5)
    return {frozenset((row.document, row.kept)) for row in done.removed}, len(done.kept)


def without_passages(_: Material, given: Given) -> Any:
    done = sdtext.deduplicate(given, unit="passage")
    return sum(row.end - row.start for row in done.removed), sorted(named(done.kept))


def experiment(_: Material, given: Given) -> Any:
    plan = sdtext.load_plan(dataset=given[:20])
    few = replace(plan, groups=plan.groups[1:], cells=plan.cells[:1], manglers=plan.manglers[:1])
    result = sdtext.run_experiment(few)
    return len(result.rows), result.documents, result.held_out.recall.whole


def stored(_: Material, given: Given) -> Any:
    with sdtext.create(recipe="deduplicate") as collection:
        return collection.add(given).added, len(collection.pairs(similarity=0.5))


WITH_PATHS: dict[str, Callable[[Material, Given], Any]] = {
    "calibrate": calibrated,
    "create_dictionary": lambda _, given: sdtext.create_dictionary(given, "english").digest,
    "decontaminate": contaminated,
    "decontaminate (items)": searched_for,
    "deduplicate": deduplicated,
    "deduplicate (one)": lambda _, given: len(sdtext.deduplicate(given[0]).kept),
    "deduplicate (passages)": without_passages,
    "examine": lambda _, given: sorted(sdtext.examine(given), key=attrgetter("path")),
    "load_plan": experiment,
    "mangle": lambda _, given: sorted(map(str, sdtext.mangle(given, ["shuffle", "keep-lines"]))),
    "mangle (others)": lambda m, given: [*sdtext.mangle(m.one, "keep-lines", others=given)],
    "Collection.add": stored,
    "read": lambda _, given: [*map(sdtext.read, given)],
    "units": lambda _, given: [sdtext.units(item, "sentence") for item in given],
    "window_pairs": lambda _, given: [*sdtext.window_pairs(given[1], given[2], w=20, distance=9)],
}


@pytest.mark.parametrize("name", WITH_PATHS)
def test_documents_give_what_their_files_give(material: Material, name: str) -> None:
    paths = sorted(material.many.iterdir())
    documents = [*map(sdtext.read, paths)]
    expected = WITH_PATHS[name](material, paths)
    assert WITH_PATHS[name](material, documents) == expected
    mixed = [path if place % 2 else documents[place] for place, path in enumerate(paths)]
    if name != "calibrate":  # which draws edits from the documents by their order
        assert WITH_PATHS[name](material, mixed) == expected


def test_texts_of_evidence_are_those_of_documents_that_did_not_change(material: Material) -> None:
    documents = [
        sdtext.Document.of(each["text"], f"record {each['id']}") for each in material.records[:6]
    ]
    texts = {item.source: item.text for item in documents}
    evidence = sdtext.find_reuse(documents)
    place = material.folder / "evidence.xml"
    sdtext.save(evidence, place)
    loaded = sdtext.load(place)
    assert isinstance(loaded, sdtext.Evidence)
    sharing = {place for pair in loaded.shared for place in (pair.left, pair.right)}
    assert not any(item.text for item in loaded.documents)
    filled = [sdtext.with_texts(loaded, documents).documents[item] for item in sharing]
    assert [item.text for item in filled] == [texts[item.name] for item in filled]
    changed = [sdtext.Document.of(f"{item.text[:-1]}!", item.source) for item in documents]
    assert len(sdtext.with_texts(loaded, changed).problems) == len(sharing)


def test_unnamed_documents_are_known_by_their_places() -> None:
    texts = [f"Bees dance in hive {number}, and the others follow them." for number in range(3)]
    documents = [*map(sdtext.Document.of, texts)]
    copies = [*sdtext.mangle(documents, "shuffle")]
    assert [copy.original for copy in copies] == ["0", "1", "2"]
    [finding] = sdtext.examine(documents[0])
    assert (finding.path, finding.kind, finding.characters) == ("", "text in memory", 49)
    [finding] = sdtext.examine(sdtext.Document.of(" \n", "blank"))
    assert (finding.path, finding.problem) == ("blank", "holds no text")


@pytest.mark.parametrize("other", ["many", "records.jsonl"])
def test_folders_and_records_among_documents_are_noted(material: Material, other: str) -> None:
    (material.folder / "records.jsonl").write_text('{"text": "Bees dance."}\n')
    path = str(material.folder / other)
    document = sdtext.Document.of("Bees dance and sing.", "a")
    result = sdtext.deduplicate([document, path])
    assert result.kept == (document, path)
    assert path in {problem.path for problem in result.problems}
