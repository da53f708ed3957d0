"""The manual pages, made from the help of the verbs when sdtext is built (setup.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import cleandoc

import click

from sdtext import __version__
from sdtext.cli.main import FIRST_STEPS, VERBS, sdtext
from sdtext.cli.verb import Record, examples_of, sections_of

_FILES = """\
~/.config/sdtext/config.toml
Defaults of options: those of all verbs, and in a table [VERB] those of one verb."""
_EXIT_CODES = (
    ("0", "done"),
    ("1", "nothing found, with --exit-code"),
    ("2", "wrong usage: an unknown option, part or value"),
    ("3", "some or all inputs are missing or unreadable"),
    ("4", "not comparable: other dictionaries or recipes"),
    ("5", "a damaged dictionary, fingerprint, recipe, collection or evidence"),
    ("6", "an output cannot be written"),
    ("130", "interrupted"),
)
_ENVIRONMENT = (
    ("SDTEXT_OPTION", "The default of an option of all verbs, as in SDTEXT_MIN_SCORE=80."),
    ("SDTEXT_VERB_OPTION", "The default of an option of a verb, as in SDTEXT_FINDPAIRS_TOP=10."),
    ("NO_COLOR", "If it is set, output has no colours."),
)


def man_pages() -> dict[str, str]:
    """The pages by the names of their files."""
    group = click.Context(sdtext, info_name="sdtext")
    pages = {"sdtext.1": _main_page(group)}
    for rows in VERBS.values():
        for verb, (_, does) in rows.items():
            command = sdtext.get_command(group, verb)
            if command:
                context = click.Context(command, info_name=verb, parent=group)
                pages[f"sdtext-{verb}.1"] = _text(_verb_page(verb, does, context))
    return pages


def _main_page(context: click.Context) -> str:
    lines = [*_head("sdtext", "find documents that share content", context)]
    lines += [".SH DESCRIPTION", *_paragraphs(context.command.help or "")]
    lines += [".SH OPTIONS"]
    for _, records in _options(context):
        lines += _list(records)
    lines += [".SH VERBS", _roff("Each verb has a page of its own, such as sdtext-FindPairs(1).")]
    for title, rows in VERBS.items():
        lines += [f".SS {_roff(title)}", *_list((verb, row[1]) for verb, row in rows.items())]
    lines += [".SH FILES", *_list([(_FILES.split("\n", maxsplit=1)[0], _FILES.split("\n")[1])])]
    lines += [".SH ENVIRONMENT", *_list(_ENVIRONMENT), ".SH EXIT STATUS", *_list(_EXIT_CODES)]
    lines += [".SH EXAMPLES", *_list((f"sdtext {command}", does) for command, does in FIRST_STEPS)]
    return _text(lines)


def _verb_page(verb: str, does: str, context: click.Context) -> Iterator[str]:
    yield from _head(f"sdtext-{verb}", does[0].lower() + does[1:].rstrip("."), context)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(context.command.help or "")
    yield ".SH OPTIONS"
    for title, records in _options(context):
        yield f".SS {_roff(title)}"
        yield from _list(records)
    yield ".SH EXAMPLES"
    yield from (".nf", *map(_roff, examples_of(context.command)), ".fi")
    yield ".SH SEE ALSO"
    yield "sdtext(1)"


def _options(context: click.Context) -> Iterator[tuple[str, list[Record]]]:
    """The options in sections, without the one that prints the help."""
    for title, records in sections_of(context.command, context).items():
        others = [record for record in records if not record[0].endswith("--help")]
        if others:
            yield title, others


def _head(name: str, does: str, context: click.Context) -> Iterator[str]:
    """The title, the name and the synopsis. There is no date: a page changes with the code only."""
    yield f'.TH {_roff(name).upper()} 1 "" "sdtext {__version__}" "sdtext manual"'
    yield ".nh"  # names of variables and verbs are not hyphenated
    yield from (".SH NAME", f"{_roff(name)} \\- {_roff(does)}", ".SH SYNOPSIS")
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f"\\fB{_roff(context.command_path)}\\fR {_roff(usage)}"


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(cleandoc(text).split("\n\n")):
        if number:
            yield ".PP"
        yield _roff(" ".join(paragraph.split()))


def _list(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Terms in bold, each with what it is."""
    for term, text in records:
        yield from (".TP", f"\\fB{_roff(term)}\\fR", _roff(" ".join(text.split())))


def _roff(text: str) -> str:
    r"""A line of text in which nothing is a request or an escape.

    >>> print(_roff("-k: a\\b"), _roff(".hidden"))
    \-k: a\eb \&.hidden
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
