"""Whole experiments: truth, trials, folds, the database, interrupted runs."""

import csv
import json
import os
import random
import secrets
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.errors import FormatError, OptionError, OutputError, UnreadableError
from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.dataset import load_datasets, related_places
from sdtext.experiment.histograms import BINS, Counts, ScoringUnit, UnitScorer, units_of
from sdtext.experiment.mangled_copies import saved_copies
from sdtext.experiment.plan import ExperimentPlan, plan_of
from sdtext.experiment.results_database import ResultsDatabase
from sdtext.experiment.run_experiment import ExperimentResult, run_experiment
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model import Origin, PartSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reading.parallel_run import Run
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.text.document import Document

NUMBER = 24
WITHIN_FOLDS = 4 * 10 + 6  # pairs of the documents of a fold: four folds have five, one has four
MANGLERS = [{"name": "keep-lines", "share": [0.5, 0.8]}]
GRID = {"min_idf": [0.0, 0.2, 0.4], "max_idf": [0.7, 1.0], "false_positive_rate": 0.02}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of lines whose words follow Zipf's law."""
    folder = tmp_path_factory.mktemp("texts")
    chance = random.Random(7)
    words = [f"w{chr(97 + n % 26)}{n}" for n in range(600)]
    weights = [1 / (place + 1) for place in range(len(words))]
    for number in range(NUMBER):
        lines = (" ".join(chance.choices(words, weights, k=8)) for _ in range(12))
        (folder / f"{number:02}.txt").write_text("\n".join(lines))
    return folder


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'results.sqlite'}"


SERVER = os.environ.get("SDTEXT_POSTGRESQL", "")  # the URL of the server that .ci/run starts


@pytest.fixture(params=["sqlite", "postgresql"])
def any_database(request: pytest.FixtureRequest, database: str) -> Iterator[str]:
    """A database of each kind; on a server, its tables are in a schema of their own."""
    if request.param == "sqlite":
        yield database
        return
    if not SERVER:
        pytest.skip("SDTEXT_POSTGRESQL is not set to the URL of a PostgreSQL database")
    pytest.importorskip("psycopg")
    schema, opened = f"sdtext_{secrets.token_hex(6)}", ResultsDatabase(SERVER)
    with opened.transaction():
        opened.execute(f"CREATE SCHEMA {schema}")
    yield f"{SERVER}{'&' if '?' in SERVER else '?'}options=-csearch_path%3D{schema}"
    with opened.transaction():
        opened.execute(f"DROP SCHEMA {schema} CASCADE")
    opened.close()


def plan_for(texts: Path, **changes: Any) -> ExperimentPlan:
    least = {"dataset": str(texts), "tokenizer": "words", "manglers": MANGLERS, **GRID}
    given = {**least, "matcher": ["cosine", "idf-cosine"], **changes}
    return plan_of({key: value for key, value in given.items() if value is not None})


def rows(place: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(place)) as connection:
        return connection.execute(query).fetchall()


def summary(result: ExperimentResult) -> tuple[object, ...]:
    return result.rows, result.choice, result.held_out


def test_scores_are_those_of_fingerprints_of_the_copies(texts: Path) -> None:
    plan = plan_for(texts, trials=2, sample=15, dictionary_sample=20, queries=6, folds=2)
    dataset = load_datasets([plan])[0]
    paths = [Path(dataset.names[place]) for place in dataset.dictionary_sample(1, 0)]
    low, high = plan.cells[1].low, plan.cells[1].high
    whole = create_dictionary([*paths], plan.groups[0].recipe)
    dictionary = whole.trim(low, high)
    sample = dataset.sample(1)
    asked = [place for place in dataset.queries(1) if dataset.folds[place] == 0]
    # What is asked for is new to the dictionary.
    new = {Path(dataset.names[place]) for place in asked}
    assert (len(dataset.dictionary_sample(1)), len(sample), new & {*paths}) == (20, 15, set())
    assert set(asked) < set(sample)
    prints = {place: fingerprint(dataset.names[place], dictionary) for place in sample}
    histograms = UnitScorer(dataset)(ScoringUnit(1, 0, 0, 0))
    copies = DocumentCopies(plan.manglers[0], [dataset.texts[place] for place in sample])
    for number, matcher in enumerate(plan.matchers):
        expected = np.zeros((2, BINS), int)
        for place in asked:
            copy, places = copies.of(sample.index(place), 1, 1)
            printed = fingerprint(Document.of(copy), dictionary)
            lenders = {sample[position] for position in places}
            assert 0 < len(lenders) <= 4  # at most a quarter of 14
            for other in set(sample) - lenders:
                score = (
                    FingerprintScorer(str(matcher), (dictionary,))
                    .best(printed, prints[other])
                    .score
                )
                expected[int(other != place), 0 if score is None else score + 1] += 1
        assert histograms[:, number, 1].tolist() == expected.tolist()


@pytest.mark.deep
def test_any_number_of_processes_gives_the_same(texts: Path, tmp_path: Path) -> None:
    results = []
    for jobs in (1, 2):
        url = f"sqlite:///{tmp_path / f'{jobs}.sqlite'}"
        results.append(run_experiment(plan_for(texts), database=url, run=Run(jobs)))
    assert summary(results[0]) == summary(results[1])
    first, second = (
        rows(tmp_path / f"{jobs}.sqlite", "SELECT * FROM experiment_scores ORDER BY 1,2,3,4,5,6,7")
        for jobs in (1, 2)
    )
    assert first == second


def test_an_interrupted_run_goes_on_where_it_stopped(
    texts: Path, any_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, database = plan_for(texts), any_database
    whole = run_experiment(plan)
    scored: list[ScoringUnit] = []
    score = UnitScorer.__call__

    def interrupting(scorer: UnitScorer, unit: ScoringUnit) -> Counts:
        if len(scored) == 4:
            raise KeyboardInterrupt
        scored.append(unit)
        return score(scorer, unit)

    monkeypatch.setattr(UnitScorer, "__call__", interrupting)
    with pytest.raises(KeyboardInterrupt, match="resume"):
        run_experiment(plan, database=database)
    scored.clear()

    def noting(scorer: UnitScorer, unit: ScoringUnit) -> Counts:
        scored.append(unit)
        return score(scorer, unit)

    monkeypatch.setattr(UnitScorer, "__call__", noting)
    with pytest.raises(OptionError, match="no run of this plan"):
        run_experiment(plan_for(texts, seed=2), database=database, resume=True)
    resumed = run_experiment(plan, database=database, resume=True)
    assert scored == units_of(plan)[4:]
    assert resumed.resumed == 4
    assert summary(resumed) == summary(whole)
    scored.clear()
    assert summary(run_experiment(plan, database=database, resume=True)) == summary(whole)
    assert not scored


def test_the_tables_say_what_was_measured(texts: Path, tmp_path: Path, database: str) -> None:
    plan = plan_for(texts, manglers="fragment(share=0.5)")
    result = run_experiment(plan, database=database, now=lambda: "later")
    place = tmp_path / "results.sqlite"
    ((run, dataset, documents, finished),) = rows(
        place, "SELECT run, dataset, documents, finished FROM experiment_runs"
    )
    assert (run, dataset, documents, finished) == (result.run, texts.name, NUMBER, "later")
    best, cell = result.rows[0], plan.cells[result.choice.cell]
    query = """
        SELECT recall, false_positive_rate, min_idf, max_idf, matcher FROM experiment_results
        JOIN experiment_cells USING (run, cell_number)
        JOIN experiment_matchers USING (run, matcher_number)
        WHERE cell_number = ? AND matcher_number = ?"""
    with closing(sqlite3.connect(place)) as connection:
        key = (result.choice.cell, result.choice.matcher)
        (row,) = connection.execute(query, key).fetchall()
    assert row == (best.recall, best.false_positive_rate, cell.low, cell.high, best.matcher)
    scores = rows(
        place,
        "SELECT mangler_number, planted, others FROM experiment_scores WHERE trial = 0 AND "
        "group_number = 0 AND matcher_number = 0 AND cell_number = 0",
    )
    counts: Counter[tuple[int, str]] = Counter()
    for mangler, planted, others in scores:
        counts[mangler, "planted"] += sum(json.loads(planted).values())
        counts[mangler, "others"] += sum(json.loads(others).values())
    pairs = NUMBER * (NUMBER - 1)
    assert counts == Counter({
        (0, "planted"): NUMBER, (0, "others"): pairs, (-1, "planted"): 0,
        (-1, "others"): WITHIN_FOLDS,
    })  # fmt: skip
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("UPDATE experiment_runs SET format = 2")
    with pytest.raises(OutputError, match=r"results.sqlite: is in version 2 of the format"):
        run_experiment(plan, database=database)


def test_pairs_of_a_csv_file_are_the_truth(texts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    for place in sorted(texts.iterdir())[:12]:
        lines = place.read_text().splitlines()
        (folder / place.name).write_text("\n".join(lines))
        (folder / f"copy{place.name}").write_text("\n".join(lines[:9]))
    csv = tmp_path / "pairs.csv"
    csv.write_text("left,right\n" + "".join(f"{n:02}.txt,copy{n:02}.txt\n" for n in range(12)))
    plan = plan_for(folder, manglers=None, pairs=str(csv), false_positive_rate=0.05)
    dataset = load_datasets([plan])[0]
    histograms = [UnitScorer(dataset)(unit) for unit in units_of(plan)]
    planted = sum(each[0, 0, 0].sum() for each in histograms)
    others = sum(each[1, 0, 0].sum() for each in histograms)
    # No document of a pair, related or not, is in the dictionary of its fold; each counts once.
    partners = {*dataset.related}
    known = [{*dataset.dictionary_sample(0, fold)} for fold in dataset.folds]
    both_new = {
        frozenset((left, right))
        for left, right in product({left for left, _ in partners}, range(24))
        if right not in known[left] | {left} and (left, right) not in partners
    }
    assert (planted, others) == (12, len(both_new))
    for fold in range(plan.folds):
        held = {left for left, _ in dataset.related if dataset.folds[left] == fold}
        held |= {right for left, right in dataset.related if left in held}
        drawn = {*dataset.dictionary_sample(0, fold)}
        assert not held & drawn
        assert drawn | held >= {place for place in range(24) if dataset.folds[place] != fold}
    result = run_experiment(plan)
    assert result.held_out.recall.share == 1.0
    assert result.held_out.by_mangler.keys() == {"pairs"}


def test_the_list_of_mangle_is_a_file_of_pairs(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for place in range(3):
        (texts / f"{place}.txt").write_text(f"bees {place} dance in hives and on meadows")
    manglers = ["shuffle", "keep-lines(share=0)"]
    folder = str(tmp_path / "copies")
    with saved_copies(folder, texts / "0.txt", manglers, others=texts, run=Run()) as saved:
        copies = [*saved]
    assert [copy.related for _, copy in copies] == [True, False]
    lines = [f"{copy.related},{copy.original},{file}".lower() for file, copy in copies]
    (tmp_path / "pairs.csv").write_text("\n".join(["related,original,copy", *lines]))
    names = [*(str(texts / f"{place}.txt") for place in range(3)), *(file for file, _ in copies)]
    assert related_places(tmp_path / "pairs.csv", names, [texts])[0] == ((3, 0),)


def test_what_shares_text_with_a_copy_counts_neither_way(texts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    names = sorted(place.name for place in texts.iterdir())[:11]
    for name in (*names, "copy.txt", "second.txt", "lent.txt"):
        (folder / name).write_text(
            (texts / name if name in names else min(texts.iterdir())).read_text() + f" {name}"
        )
    first, second, third, *_ = names
    rows = [
        ("copy.txt", first, "true", [second, "/elsewhere.txt"]),
        ("second.txt", first, "true", []),
        ("lent.txt", third, "false", [first]),
    ]
    with (tmp_path / "pairs.csv").open("w") as file:
        writer = csv.writer(file)
        writer.writerow(["copy", "original", "related", "lenders"])
        writer.writerows([*row[:3], json.dumps(row[3])] for row in rows)
    plan = plan_for(folder, manglers=None, pairs=str(tmp_path / "pairs.csv"))
    dataset = load_datasets([plan])[0]
    places = {Path(name).name: place for place, name in enumerate(dataset.names)}
    counted = 0
    for copy, lenders in (("copy.txt", {second}), ("second.txt", set())):
        twins = {"copy.txt", "second.txt"} - {copy}
        expected = {places[name] for name in {*twins, *lenders, "lent.txt"}}
        assert dataset.sharing(places[copy]) == expected
        new = dataset.new_documents(0, dataset.folds[places[copy]])
        counted += len(new - expected - {places[copy], places[first]})
    others = sum(int(UnitScorer(dataset)(unit)[1, 0, 0].sum()) for unit in units_of(plan))
    assert others == counted > 0


@pytest.mark.parametrize(("text", "message"), [
    ("left,right\n", "holds no pair of documents"),
    ("00.txt\n", "line 1: has one column; it needs two names"),
    ("left,right\n00.txt,99.txt\n", "line 2: names 99.txt, which is not among the documents"),
])  # fmt: skip
def test_a_csv_file_of_other_documents_is_refused(
    texts: Path, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "pairs.csv").write_text(text)
    plan = plan_for(texts, manglers=None, pairs=str(tmp_path / "pairs.csv"))
    with pytest.raises(FormatError, match=message):
        load_datasets([plan])


def test_what_cannot_be_measured_is_refused(
    texts: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, database: str
) -> None:
    one, copies = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("copies")
    (one / "a.txt").write_text("bees dance")
    text = min(texts.iterdir()).read_text()
    for number in range(6):
        (copies / f"{number}.txt").write_text(f"{text} own{number}")
    too_few = "1 document could be read; an experiment of {} folds needs at least {}"
    for folder, changes, kind, message in (
        (one, {"folds": 2}, UnreadableError, too_few.format(2, 6)),
        (one, {"folds": 3}, UnreadableError, too_few.format(3, 5)),
        (texts, {"folds": NUMBER}, UnreadableError, f"{NUMBER} documents could be read"),
        (copies, {}, OptionError, r"no unrelated pairs: .* or all copies"),
        (texts, {"dictionary_sample": 3}, OptionError, "without a fold would be of 2 documents"),
        (texts, {"dictionary_size": 1, "dictionary_sample": 4, "folds": 23}, OptionError,
         "dictionary of trial 1 by tokenizers 1 has no normal"),
        (texts, {"min_terms": 1000, "manglers": "keep-lines(share=0.1)"}, OptionError,
         "no range of the plan finds a related pair"),
    ):  # fmt: skip
        place = database if kind is OptionError and "dictionary" in message else ":memory:"
        with pytest.raises(kind, match=message):
            run_experiment(plan_for(folder, **changes), database=place, run=Run(problems=[]))
    assert not [*tmp_path.iterdir()]  # refused before the run


def test_pairs_of_equal_text_that_a_csv_file_does_not_list_count_neither_way(
    texts: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    names = sorted(texts.iterdir())[:9]
    for place in names:
        (folder / place.name).write_text(place.read_text())
    (folder / "copy.txt").write_text(names[0].read_text()[:400])
    (folder / "again.txt").write_text(names[0].read_text())
    csv = tmp_path / "pairs.csv"
    listed = [(names[0].name, "copy.txt"), (names[1].name, names[2].name)]
    csv.write_text("".join(f"{left},{right}\n" for left, right in listed))
    # By shingles, which need no dictionary, a document is compared with all others.
    shingler = {"name": "words", "length": 2}
    changes: dict[str, Any] = {"shingler": shingler, "matcher": "jaccard", "min_idf": None}
    plan = plan_for(folder, manglers=None, pairs=str(csv), max_idf=None, **changes)
    result = run_experiment(plan)
    # Of 11 documents the first has 8 unrelated ones, the second 8, since that pair counts once.
    assert (result.held_out.recall.whole, result.held_out.false_positives.whole) == (2, 16)
    [problem] = [item for item in result.problems if item.category == "equal-texts"]
    assert "1 pair of equal text not listed in" in problem.message


def test_copies_in_the_dataset_count_neither_way(texts: Path, tmp_path: Path) -> None:
    for place in sorted(texts.iterdir())[:6]:
        (tmp_path / place.name).write_text(place.read_text())
        (tmp_path / f"same{place.name}").write_text(place.read_text())
    totals = []
    for duplicates in (0.5, 1.0):
        plan = plan_for(tmp_path, duplicates=duplicates, manglers=["shuffle", "fragment"])
        dataset = load_datasets([plan])[0]
        histograms = [UnitScorer(dataset)(unit) for unit in units_of(plan)]
        totals.append(sum(int(each[1, 0, 0].sum()) for each in histograms))
    folds = dataset.folds
    within = sum(a == b for a, b in combinations(folds.tolist(), 2))
    twins = sum(folds[:6] == folds[6:])
    # Of 12 documents by two manglers, and as they are with others of their fold, without twins.
    assert totals == [2 * 12 * 10 + within - twins] * 2
    assert twins


def test_edited_copies_do_not_change_the_false_positive_rate(texts: Path) -> None:
    # Excerpts score lower with other documents: their pairs would make the rate of whole ones less.
    manglers = ["keep-lines(share=1.0)", "fragment(share=0.1)"]
    plans = [plan_for(texts, manglers=mangler) for mangler in (manglers[0], manglers)]
    curves = [run_experiment(plan).measurements.curve() for plan in plans]
    assert curves[0].unrelated.tolist() == curves[1].unrelated.tolist()
    assert {*curves[0].unrelated.ravel().tolist()} == {WITHIN_FOLDS}
    assert curves[0].false.tolist() == curves[1].false.tolist()
    assert curves[0].false.any()
    assert curves[0].related.tolist() != curves[1].related.tolist()


def test_an_unusable_database_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in (f"{tmp_path}/missing/x.sqlite", f"sqlite:///{tmp_path}/missing/x.sqlite"):
        with pytest.raises(OutputError, match=r"^.*\Z"):
            ResultsDatabase(url)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(OptionError, match=r"pip install 'sdtext\[postgresql\]'"):
        ResultsDatabase("postgresql://host/name")
    (tmp_path / "text.sqlite").write_text("bees " * 100)
    with pytest.raises(OutputError, match="file is not a database"):
        ResultsDatabase(f"sqlite:///{tmp_path / 'text.sqlite'}")
    assert [place.name for place in tmp_path.iterdir()] == ["text.sqlite"]


def test_the_files_of_a_choice_can_be_used(texts: Path, tmp_path: Path) -> None:
    plan = plan_for(texts, tokenizer=None, groups="english", matcher="idf-cosine(power=2)")
    files = ChosenFiles(tmp_path / "results")
    with files.checked([*plan.paths]):
        files.write(plan, ChosenCell(0, 0, 2, 31, 0.9), Origin(guid="g"))
    recipe = load_recipe(files.folder / "recipe.toml")
    assert recipe.chain() == load_recipe("english").chain()
    assert recipe.matcher == PartSpec.of("idf-cosine", power=2)
    dictionary = load_dictionary(files.folder / "dictionary.xml")
    whole = create_dictionary(texts, "english")
    cell = plan.cells[2]
    assert dictionary.terms == whole.trim(cell.low, cell.high).terms
    text = (files.folder / "commands.txt").read_text()
    assert f"-d {files.folder}/dictionary.xml -m 'idf-cosine(power=2)' -s 31" in text
    with files.checked([*plan.paths]):
        pass  # its own files may be replaced
    (files.folder / "recipe.toml").write_text("mine")
    with pytest.raises(OutputError, match="already exists"), files.checked([*plan.paths]):
        pass
