"""What a verb does, a public function or method does, with the same options."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import getdoc, isfunction, ismethod, signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import pytest

import sdtext
from sdtext.cli.main import VERBS
from sdtext.cli.main import sdtext as command_line
from sdtext.deduplication.python_api import DeduplicationOptions, PassageOptions
from sdtext.fingerprinting.build_dictionary import DictionaryOptions
from sdtext.fingerprinting.compare_folder import ComparisonOptions
from sdtext.reuse.open_collection import SearchOptions

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
_ROW = re.compile(r"^\| (\w+) \| (.*) \|$", re.MULTILINE)
TABLE = dict(
    _ROW.findall(
        PAGE.read_text("utf-8").split("## The function for each verb")[1].split("\nOptions have")[0]
    )
)
del TABLE["verb"]

_RENAMED = {"min_score": "similarity", "config": "recipe", "for": "purpose", "no_verify": "verify"}
"""Options of verbs with another name in Python; a similarity is a number from 0 to 1 there."""
_PRINTED = {"format", "exit_code", "force", "html", "report", "output", "dry_run", "preview"}
"""Options about how results are printed or written."""
_INPUTS = {"input", "path", "fingerprint"}
"""Options that name what Python takes as the first argument, or arguments."""
_OF_READING = {
    *("encoding", "pdf_engine", "max_bytes", "max_seconds", "max_memory", "ocr", "hidden"),
    *("extractor", "include", "exclude", "all_files", "files_from"),
}
"""Options that are fields of `Reading`, of its readers or its selection."""
_STORED = {"verify": "open", "skip_damaged": "open"}
_RECORDS = {"text_field": "OpenCollection.add", "id_field": "OpenCollection.add"}
_DESCRIBED = dict.fromkeys(("creator", "program", "volume", "image", "byte_run"), "Provenance")
ELSEWHERE: dict[str, dict[str, str]] = {
    "CompareDirectory": {"all": "Comparison.best"},
    "ScoreFingerprints": {"explain": "score"},
    "FindPairs": _STORED,
    "FindSimilar": _STORED | _RECORDS,
    "Decontaminate": dict.fromkeys(("check", "output_format", "resume"), "Decontamination"),
    "Deduplicate": {
        **_STORED,
        **dict.fromkeys(
            ("clusters", "covered", "mark", "output_format", "resume"), "Deduplication"
        ),
        "restore": "restore",
    },
    "FindReuse": {
        **_STORED,
        **_RECORDS,
        **dict.fromkeys(("all", "by", "top", "show"), "Evidence"),
    },
    "ShowEvidence": dict.fromkeys(("all", "by", "places", "show", "similarity", "top"), "Evidence"),
    "WindowPairs": {"all": "window_pairs"},
    "EvaluateReuse": {"found": "evaluate"},
    "Experiment": {"recipe": "load_plan"},
    "AddDocuments": {"verify": "open"},
    "RemoveDocuments": {"purge": "OpenCollection.compact", "verify": "open"},
    "ShowCollection": {"documents": "OpenCollection.documents"},
    "Fingerprint": {
        **_DESCRIBED,
        **dict.fromkeys(("output_config", "profile"), "Disclosure"),
        "dictionary": "fingerprint",
    },
    "ShowFingerprint": {"dictionary": "Fingerprint"},
    "ExtractDictionary": {"dictionary": "save"},
    "TrimDictionary": {"dictionary": "load"},
    "ShowDictionaryTokens": {
        "dictionary": "load",
        **dict.fromkeys(("sort", "limit"), "Dictionary"),
    },
    "ShowDictionaryStatistics": {"dictionary": "load"},
    "ExtractText": {"recipe": "Reading.preferring"},
    "TokenizeFile": {"explain": "Chain.explain"},
}
"""Options that are no parameter of the functions of their verb, with the public name to use."""
_FIRST = {
    *("queries", "folder", "left", "right", "other", "query", "documents", "path", "paths"),
    *(
        "document",
        "item",
        "text",
        "kind",
        "word",
        "detections",
        "count",
        "dictionaries",
        "evidence",
    ),
}
"""Parameters that are arguments, not options, of the verb."""
ONLY_IN_PYTHON: dict[str, set[str]] = {
    "Calibrate": {"created", "may_replace", "names", "replaces"},
    "ScoreFingerprints": {"recipe"},
    "FindReuse": {"edits", "texts"},
    "FindPairs": {"recommended"},
    "EvaluateReuse": {"note"},
    "Experiment": {"dataset", "now", "plan"},
    "Fingerprint": {"digest", "may_replace", "replaces", "where"},
    "ShowFingerprint": {"digest", "segment"},
    "TrimDictionary": {"origin"},
}


def public(name: str) -> Any:
    """The public function, class or method of that name."""
    first, *rest = name.split(".")
    assert first in sdtext.__all__, name
    value = getattr(sdtext, first)
    for part in rest:
        value = getattr(value, part)
    return value


def test_each_verb_has_a_row() -> None:
    assert sorted(TABLE) == sorted(verb for rows in VERBS.values() for verb in rows)


@pytest.mark.parametrize("verb", TABLE)
def test_a_row_names_public_functions_that_are_explained(verb: str) -> None:
    names = re.findall("`([^`]+)`", TABLE[verb])
    assert names
    for name in names:
        assert getdoc(public(name)), name


def options_of(verb: str) -> set[str]:
    """The options of a verb by their names in Python."""
    command = command_line.get_command(click.Context(command_line), verb)
    assert command
    options = [option for option in command.params if isinstance(option, click.Option)]
    names = (max(option.opts, key=len).lstrip("-").replace("-", "_") for option in options)
    return {_RENAMED.get(name, name) for name in names}


def parameters_of(verb: str) -> set[str]:
    """The parameters of the functions of a verb, and the fields of those that hold options."""
    names: set[str] = set()
    for function in map(public, re.findall("`([^`]+)`", TABLE[verb])):
        if not isfunction(function) and not ismethod(function):
            continue
        hints = get_type_hints(function, include_extras=True)
        for parameter in signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                names |= get_args(hints[parameter.name])[0].__annotations__.keys()
            elif parameter.name == "question":
                names |= {field.name for field in fields(sdtext.ReuseQuestion)}
            else:
                names.add(parameter.name)
    return names - {"self"}


@pytest.mark.parametrize("verb", TABLE)
def test_options_are_those_of_the_verb(verb: str) -> None:
    options, parameters = options_of(verb), parameters_of(verb)
    elsewhere = ELSEWHERE.get(verb, {})
    assert all(map(public, elsewhere.values()))
    if "jobs" in options and verb != "Fingerprint":
        assert "run" in parameters
    if "encoding" in options:
        assert parameters & {"run", "reading"}
    options -= {"jobs"} | _OF_READING - parameters
    assert options - parameters - _PRINTED - _INPUTS == elsewhere.keys()
    extra = parameters - options - _FIRST - {"run", "reading"}
    assert extra == ONLY_IN_PYTHON.get(verb, set())


@pytest.mark.parametrize(
    "options",
    [SearchOptions, DeduplicationOptions, PassageOptions, ComparisonOptions, DictionaryOptions],
)
def test_each_option_is_explained(options: Any) -> None:
    doc = getdoc(options) or ""
    assert all(f"`{name}`" in doc for name in options.__annotations__)
