"""An option that a verb does not have: which one was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import click

from sdtext.reports.row_formats import FORMATS

_CLOSE = 0.66
"""Least similarity, by difflib, of a mistyped name to the name of an option."""
_LEAST_PREFIX = 3

_SYNONYMS = {
    "--config": "recipe conf configuration settings language lang",
    "--dictionary": "dict vocabulary",
    "--distance": "tau edits errors differences",
    "--encoding": "charset codec",
    "--exclude": "ignore skip",
    "--explain": "why",
    "--fingerprint": "input file query document",
    "--force": "overwrite replace yes y",
    "--html": "page report",
    "--id-field": "id key",
    "--include": "glob pattern",
    "--input": "file files folder directory dir path document documents query",
    "--jobs": "j threads workers processes parallel cores cpus",
    "--limit": "n top max count head",
    "--matcher": "measure metric",
    "--max-bytes": "max-size size",
    "--max-idf": "top max maximum upper",
    "--max-memory": "memory mem ram",
    "--max-seconds": "timeout time",
    "--min-idf": "bottom min minimum lower",
    "--min-score": "threshold min minimum score cutoff similarity min-similarity",
    "--output": "out outfile output-file file save write",
    "--path": "folder directory dir dataset corpus",
    "--quiet": "q silent",
    "--show": "text passages context",
    "--text-field": "text field column text-column",
    "--top": "n max limit number count best head",
    "--verbose": "v debug",
    "--where": "filter",
    "-w": "window window-size width words",
}
"""The words that people type for an option, where other programs name theirs so."""


def with_suggestion(error: click.NoSuchOption, verb: click.Command) -> click.NoSuchOption:
    """The error about an unknown option of `verb`, with what the user may have meant."""
    word = error.option_name.lstrip("-").lower()
    parameters = verb.get_params(click.Context(verb))
    options = {
        name: item for item in parameters if isinstance(item, click.Option) for name in item.opts
    }
    meant = [" / ".join(option.opts) for option in dict.fromkeys(_meant(word, options))]
    if word in FORMATS and "--format" in options:
        meant = [f"--format {word}"]
    advice = f"Did you mean {' or '.join(meant)}?" if meant else _advice(word, options)
    return click.NoSuchOption(error.option_name, f"{error.message} {advice}".strip(), ctx=error.ctx)


def _advice(word: str, options: Mapping[str, click.Option]) -> str:
    """What to do without such an option, where none of `options` stands for it."""
    if word in ("o", "output", *_SYNONYMS["--output"].split()):
        page = ", or a page with --html FILE" if "--html" in options else ""
        return f"Results go to standard output: write them with > FILE{page}."
    if "--include" not in options:  # the verb takes no folders
        return ""
    if word in ("r", "recursive"):
        return "Folders are read with all folders in them."
    return "Files and folders need no option." if word in _SYNONYMS["--input"].split() else ""


def _meant(word: str, options: Mapping[str, click.Option]) -> Iterator[click.Option]:
    """The options that begin with a word or are spelled nearly like it, else its synonyms."""
    names = {name.lstrip("-"): name for name in options if name.startswith("--")}
    close = get_close_matches(word, names, 2, _CLOSE)
    if len(word) >= _LEAST_PREFIX:
        close += [name for name in names if name.startswith(word) and name not in close]
    synonyms = [name for name, words in _SYNONYMS.items() if word in words.split()]
    for name in synonyms or [names[name] for name in close]:
        if name in options:
            yield options[name]
