"""Search options of FindReuse."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.bare_arguments import is_folder
from sdtext.cli.options.common import Decorator, where_option
from sdtext.cli.options.values import Fraction, InputPath, WholeNumber
from sdtext.cli.print_evidence import needs_texts
from sdtext.errors import UnreadableError, did_you_mean, shown

if TYPE_CHECKING:
    from sdtext.reuse import ReuseQuestion

_SHARES = "shares of documents and pairs: --by document, --by pair"
_INSTEAD = {
    "segment": "passages are found wherever they stand; CompareDirectory --segment N compares "
    "segments of N terms",
    "sentence": "--method sentences compares sentences",
    "document": _SHARES,
    "pair": _SHARES,
    "passage": "--by passage lists passages",
}


class _UnitChoice(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """The units whose shares are reported; of others, it says what there is instead."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if instead := _INSTEAD.get(str(value)):
            self.fail(f"{value!r} is not 'chapter'; {instead}.", param, ctx)
        return super().convert(value, param, ctx)


_SHARE = Fraction(0, 1, least_excluded=True)
window_length_option = click.option(
    "-w",
    "w",
    type=WholeNumber(min=1),
    metavar="W",
    help="Window length in terms.  [default: as in the recipe, otherwise 30]",
)
_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--method",
        type=click.Choice(["windows", "sentences"]),
        help="Compare windows of terms, or codes of sentences.  [default: what the recipe is for, "
        "otherwise windows]",
    ),
    window_length_option,
    click.option(
        "--distance",
        type=WholeNumber(min=0),
        metavar="D",
        help="Number of terms in a window, or of bits in a sentence code, that may differ.  "
        "[default: as in the recipe, in proportion to W]",
    ),
    click.option(
        "--short",
        is_flag=True,
        help="Also find short quotations, of 11 terms or more in place of 15: -w 20 --distance 9. "
        "Stop words are no terms: in English prose 11 terms are mostly 14 to 23 words. Of passages "
        "of 30 words or more it finds no more.",
    ),
    click.option(
        "--verbatim", is_flag=True, help="For nearly equal passages: -w 100 --distance 5."
    ),
    click.option("--ordered", is_flag=True, help="Require the same order of terms."),
    click.option(
        "--similarity",
        type=_SHARE,
        metavar="S",
        help="Minimum similarity of windows or sentences, such as 0.8, in place of --distance.",
    ),
    click.option(
        "--recall",
        type=Fraction(0, 1, least_excluded=True, most_excluded=True),
        metavar="R",
        help="Required probability of finding two sentences with that similarity, such as 0.95.  "
        "[default: as in the recipe]",
    ),
    where_option("Use only stored documents that meet this condition"),
    click.option(
        "--unit",
        type=_UnitChoice(["chapter"]),
        help="Also report the share of each chapter; --by chapter lists them as rows. Chapters are "
        "known in formats that mark headings (Word, OpenDocument, RTF, HTML, EPUB, PDF with "
        "bookmarks), in Markdown, and in plain text by lines such as CHAPTER I.",
    ),
    click.option("--exclude-quotes", is_flag=True, help="Do not count quoted text."),
    click.option("--exclude-references", is_flag=True, help="Do not count lists of references."),
    click.option(
        "--exclude",
        multiple=True,
        type=InputPath(),
        metavar="FILE|GLOB",
        help="Do not count the text of FILE, such as a form, in any document. What is no FILE "
        "leaves files of folders out: the name of one, or a pattern with *, ? or [, or with / at "
        "its end. Repeatable.",
    ),
    click.option(
        "--min-passage",
        type=WholeNumber(min=1),
        metavar="TOKENS",
        help=(
            "Minimum length of a passage in terms.  [default: 15; half a window if -w is below 30]"
        ),
    ),
    click.option(
        "-c",
        "--config",
        type=InputPath("recipes"),
        metavar="RECIPE",
        help="How texts become terms, and which windows or codes are compared. With a collection, "
        "tokenizer and filters must be the collection's.  [default: reuse, or the collection's]",
    ),
)
_NAMES = (
    *("method", "w", "distance", "short", "verbatim", "ordered", "similarity", "recall"),
    *("where", "unit", "exclude_quotes", "exclude_references", "exclude", "min_passage", "config"),
)


def reuse_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The search options, passed as `question`."""

    @wraps(function)
    def with_question(*args: Any, form: str | None, **options: Any) -> Any:
        from sdtext.reading.walk import is_collection

        asked = {name: options.pop(name) for name in _NAMES}
        paths = (*options["named"], *options["bare"])
        folders = [path for path in paths if is_folder(path) and not is_collection(path)]
        globs = tuple(
            text
            for text in asked["exclude"]
            if _is_glob(text, folders) or _is_name_in(text, folders)
        )
        asked["exclude"] = tuple(text for text in asked["exclude"] if text not in globs)
        texts = needs_texts(options["listing"], form, options["html"])
        question = _question(edits=texts or form == "xml", texts=texts, **asked)
        return function(*args, question=question, form=form, exclude=globs, **options)

    command: Callable[..., Any] = with_question
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _is_glob(text: str, folders: Sequence[str]) -> bool:
    """Whether `text` is a pattern for files of folders: it looks like one, and is no path itself.

    With a slash at its end, a folder is a pattern if it applies to one in `folders`.
    """
    if Path(text).is_dir():
        return text.endswith("/") and any(_applies(text, folder) for folder in folders)
    return not Path(text).is_file() and (text.endswith("/") or any(char in text for char in "*?["))


def _is_name_in(text: str, folders: Sequence[str]) -> bool:
    """Whether `text` is no file, but the name of one in some folders, if there are any.

    Raises UnreadableError for what is neither.
    """
    if not folders or _is_file(text):
        return False
    if any(_applies(text, folder) for folder in folders):
        return True
    where = shown(folders[0]) if len(folders) == 1 else "the folders"
    first_word = re.match(r"\w+", Path(text).name)
    example = quote(f"{first_word[0]}*" if first_word else "*.pdf")
    raise UnreadableError(
        f"no such file{did_you_mean(text)}, and no document of that name in {where}; a pattern "
        f"such as {example} leaves documents out",
        file=text,
    )


def _is_file(text: str) -> bool:
    """Whether there is a file of this name, or it names one in an archive or a remote one."""
    from sdtext.io.remote_files import remote_address
    from sdtext.reading.archive_members import in_archive

    is_there = text == "-" or os.path.lexists(text)
    return bool(is_there or remote_address(text) or in_archive(Path(text)))


def _applies(pattern: str, folder: str) -> bool:
    """Whether a pattern applies to a file or folder below a folder."""
    from sdtext.reading.options import Selection

    selection = Selection(exclude=(pattern,))
    for place, folders, files in os.walk(folder):
        below = Path(place).relative_to(folder)
        paths = [(below / name).as_posix() for name in (*folders, *files)]
        if any(map(selection.excludes, paths)):
            return True
    return False


def _question(**asked: Any) -> ReuseQuestion:
    from sdtext.parts.load_recipe import load_recipe
    from sdtext.reuse import ReuseQuestion

    _check_window(asked)
    config = asked["config"]
    return ReuseQuestion(
        method=asked["method"] or "",
        w=asked["w"],
        distance=asked["distance"],
        short=asked["short"],
        verbatim=asked["verbatim"],
        similarity=asked["similarity"],
        recall=asked["recall"],
        ordered=asked["ordered"],
        min_passage=asked["min_passage"],
        where=asked["where"],
        recipe=load_recipe(config) if config else None,
        unit=asked["unit"],
        edits=asked["edits"],
        texts=asked["texts"],
        exclude_quotes=asked["exclude_quotes"],
        exclude_references=asked["exclude_references"],
        exclude=asked["exclude"],
    )


def _check_window(asked: dict[str, Any]) -> None:
    """UsageError where options give the window length and the distance twice."""
    named = [name for name in ("short", "verbatim") if asked[name]]
    single = [name for name in ("w", "distance", "similarity") if asked[name] is not None]
    if len(named) > 1 or (named and single):
        flags = " and ".join(f"--{name}" for name in named)
        rest = " and ".join("-w" if name == "w" else f"--{name}" for name in single)
        remedy = f"omit {rest}, or {flags}" if len(named) == 1 else "use only one of these"
        verb = "sets" if len(named) == 1 else "set"
        raise click.UsageError(f"{flags} {verb} -w and --distance; {remedy}")
