"""Messages of the library for the command line: verbs and options in place of functions."""

from __future__ import annotations

import re
from ast import literal_eval
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdtext.model import Problem

_ARGUMENT = re.compile(r" \(argument \w+ of [\w.]+(;[^()]*(\([^()]*\)[^()]*)?)?\)$")
"""What an error of the library says about the argument of a function."""
_REMEDIES = {
    "documents (where)": "documents (--where)",
    "all of them have (exclude)": "all of them have (--exclude)",
    "by sentences with find_reuse()": "with FindReuse --method sentences",
    "progress is for files": "--resume is for files",
    "create(keep_text=True) keeps": "AddDocuments --keep-text keeps",
    "create it again with keep_text=True": "create it again with --keep-text",
    "omit keep_text, or": "omit --keep-text, or",
    "with skip_damaged=True": "with --skip-damaged",
    "both a recipe and a purpose are": "both a recipe (-c) and a purpose (--for) are",
    "the documents with that": "the documents with that (Fingerprint -d)",
    "a collection with that dictionary": "a collection with that dictionary (AddDocuments -d)",
    "and none is named; name one that": "and none is named; add -d with one that",
    "name one as dictionary": "name one with -d",
    "or name the second one as dictionary": "or name the second one with -d",
    "give a dictionary, too": "name a dictionary with -d",
    "give the file of that dictionary, too": "name the file of that dictionary with -d",
    "over its dictionaries, bit": "over the dictionaries named with -d, bit",
    "leave estimate and recall out": "leave --estimate and --recall out",
    "or set replaces=True": "or add --force to replace it",
    "the output names no file": "-o names no file",
    "(similarity=… lists all)": "(all: -s MIN)",
    "(min_terms)": "(--min-terms)",
    "use a shorter window (w)": "use a shorter window (-w)",
    "by calibrate(), and name it": "(Calibrate -d DICT -p DIR -o NEW.xml), and name NEW.xml",
    "the profile evidence (no": "--profile evidence (no",
    "the profile minimal (no": "--profile minimal (no",
    "use the action remove,": "use --action remove,",
    "shorter sequences or a smaller tau": "shorter sequences or a smaller --distance",
    "list the nearest ones alone": "omit --all",
    "a smaller tau or a longer w, or": "a smaller --distance or a longer -w, or",
    "give another recipe or purpose to change it": "another one with -c or --for",
    "omit recipe and purpose, or": "omit -c and --for, or",
    "omit dictionary, or": "omit -d, or",
    "again with a recipe that": "again with a recipe (-c) that",
    "compare with the matcher": "compare with -m",
    "for its weights; name it, or use the matcher": "for its weights; name it with -d, or use -m",
    "name that one, or use the matcher": "name that one with -d, or use -m",
    "documents with a dictionary": "documents with a dictionary (-d)",
    "with a lower similarity finds": "with a lower similarity (-c) finds",
    "compare() compares fingerprints": "CompareDirectory compares fingerprints",
    "create() creates one": "AddDocuments creates one",
    "create() and add() make a": "AddDocuments NAME.sdx FOLDER makes a",
    "create_dictionary() makes one": "CreateDictionary makes one",
    "embedded_dictionaries() reads the one": "ExtractDictionary writes the one",
    "find_reuse() makes one": "FindReuse --format xml makes one",
    "fingerprint() makes one": "Fingerprint makes one",
    "documents() lists those it has": "ShowCollection --documents lists those there are",
    "list_recipes() lists the": "sdtext ListRecipes lists the",
}
"""What messages of the library recommend to programmers, and to users of the command line."""
_READING = re.compile(r"Reading\((\w+)=(\w+|…)\)")
"""An argument of `Reading`, which is an option of each verb that reads documents."""
_SELECTION = re.compile(
    r"""a selection of Reading that excludes ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
)
"""A pattern of files to leave out, which is an option; one without * might name a file there."""
_WINDOWS = re.compile(r"\bat w = (\d+) and tau = (\d+)")
"""The size of windows and their distance."""
_FIELD = re.compile(r"\bone as (text|id|question|answer)_field\b")
"""The argument for a field of records."""


def for_command_line(message: str) -> str:
    """A message with verbs and options in place of the functions and arguments that it recommends.

    >>> for_command_line("there is no such collection; create() creates one")
    'there is no such collection; AddDocuments creates one'
    >>> for_command_line("raise the limit with Reading(max_bytes=…)")
    'raise the limit with --max-bytes'
    >>> for_command_line("use a selection of Reading that excludes 'union.txt'")
    "use --exclude 'union.txt*'"
    """
    for functions, verbs in _REMEDIES.items():
        # Some of what is put in contains what it replaces, and a message may come twice.
        message = message.replace(verbs, functions).replace(functions, verbs)
    message = _WINDOWS.sub(r"at -w \1 and --distance \2", message)
    message = _FIELD.sub(r"one with --\1-field", message)
    message = _SELECTION.sub(_exclude, message)
    return _ARGUMENT.sub("", _READING.sub(_option, message))


def _exclude(selection: re.Match[str]) -> str:
    return f"--exclude {quote(f'{literal_eval(selection[1])}*')}"


def _option(argument: re.Match[str]) -> str:
    value = "" if argument[2] == "…" else f" {argument[2]}"
    return f"--{argument[1].replace('_', '-')}{value}"


def worded_for_command_line(problem: Problem) -> Problem:
    """The problem, with its message for users of the command line."""
    message, what = for_command_line(problem.message), for_command_line(problem.what)
    is_same = (message, what) == (problem.message, problem.what)
    return problem if is_same else replace(problem, message=message, what=what)
