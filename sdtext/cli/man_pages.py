"""The manual pages, made from the help of the verbs when sdtext is built (setup.py)."""

import click

from sdtext import __version__
from sdtext.cli.main import VERBS, sdtext

_MORE = """
Exit codes:
  0  done
  1  nothing found, with --exit-code
  2  wrong usage: an unknown option, part or value
  3  some or all inputs are missing or unreadable
  4  not comparable: other dictionaries or recipes
  5  a damaged dictionary, fingerprint, recipe, collection or evidence
  6  an output cannot be written
  130  interrupted

Environment:
  SDTEXT_OPTION       the default of an option of all verbs: SDTEXT_MIN_SCORE=80
  SDTEXT_VERB_OPTION  that of an option of a verb: SDTEXT_FINDPAIRS_TOP=10
  NO_COLOR            if it is set, output has no colours
"""


def man_pages() -> dict[str, str]:
    """The pages by the names of their files."""
    group = click.Context(sdtext, info_name="sdtext", terminal_width=78)
    help_text = sdtext.get_help(group) + "\n" + _MORE
    pages = {"sdtext.1": _page("sdtext", "find documents that share content", help_text)}
    for verb, does in (item for verbs in VERBS.values() for item in verbs.items()):
        command = sdtext.get_command(group, verb)
        if command:
            context = click.Context(command, info_name=verb, parent=group)
            name = f"sdtext-{verb}"
            pages[f"{name}.1"] = _page(name, does.rstrip("."), command.get_help(context))
    return pages


def _page(name: str, does: str, help_text: str) -> str:
    """A page with the help as it is. There is no date: a page changes with the code only."""
    lines = [
        f'.TH {_roff(name).upper()} 1 "" "sdtext {__version__}" "sdtext manual"',
        *(".SH NAME", f"{_roff(name)} \\- {_roff(does[0].lower() + does[1:])}"),
        *(".SH DESCRIPTION", ".nf", *map(_roff, help_text.split("\n")), ".fi"),
    ]
    return "".join(f"{line}\n" for line in lines)


def _roff(text: str) -> str:
    r"""A line of text in which nothing is a request or an escape.

    >>> print(_roff("-k: a\\b"), _roff(".hidden"))
    \-k: a\eb \&.hidden
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped[:1] in {".", "'", ""} else escaped
