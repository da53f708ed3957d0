"""Options of the verbs that read documents: which files in folders, and how they are read."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import FROM_STDIN, Decorator
from sdtext.cli.options.values import SIZE, SIZES, TIMES, InputPath, Quantity
from sdtext.errors import OptionError
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.reading.sandbox.pool import MAX_MEMORY, MAX_SECONDS
from sdtext.wording import brief

if TYPE_CHECKING:
    from sdtext.model import PartSpec
    from sdtext.reading.options import Reading, Selection

_EXCLUDE = click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave these files and folders out, such as 'drafts/'. Repeatable.",
)
_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="Of folders, read only these files, such as '*.docx' (a pattern as in .gitignore). "
        "Repeatable.",
    ),
    _EXCLUDE,
    click.option(
        "--all-files",
        is_flag=True,
        help="Also read what is left out of folders: version control (.git), caches, and files of "
        "the system (.DS_Store, Thumbs.db) or of office programs (~$NAME).",
    ),
    click.option(
        "--files-from",
        type=InputPath(),
        metavar="LIST",
        help="Also read the files and folders in LIST, one in each line or ended by NUL; - is "
        "stdin.",
    ),
)


def folder_options(to: str, missing: str = "", *, excluded: bool = True) -> Decorator:
    """The options that select files; the listed ones are added to the parameter `to`.

    They change the `reading` of `reading_options`, which stands above. Without any file the
    argument `missing` is reported. Without `excluded`, the verb has an `--exclude` of its own.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_files(
            *args: Any,
            reading: Reading,
            include: tuple[str, ...],
            exclude: tuple[str, ...],
            all_files: bool,
            files_from: str | None,
            **options: Any,
        ) -> Any:
            from sdtext.reading.options import Selection, listed_paths

            selection = Selection(include, exclude, all_files)
            listed = () if files_from is None else listed_paths(files_from)
            options[to] = [*options[to], *listed]
            if missing and not options[to]:
                raise click.UsageError(f"Missing argument '{missing}'; {FROM_STDIN}.")
            return function(*args, reading=replace(reading, selection=selection), **options)

        command: Callable[..., Any] = with_files
        for option in reversed(_OPTIONS):
            if excluded or option is not _EXCLUDE:
                command = option(command)
        return command

    return decorate


_LEAST_MEMORY = 256 << 20  # an engine does not start with less


max_bytes_option = click.option(
    "--max-bytes",
    type=SIZE,
    default=MAX_BYTES,
    help="Maximum unpacked size of one compressed file or archive, in bytes or as 1GB. Plain "
    "text that is not compressed may have any size.  [default: 256 MB]",
)
_READING: tuple[Decorator, ...] = (
    click.option(
        "--encoding",
        default="",
        metavar="NAME",
        help="Encoding of the documents, such as latin-1.  [default: detected]",
    ),
    max_bytes_option,
    click.option(
        "--max-seconds",
        type=Quantity("time", TIMES, most=1e6),
        default=MAX_SECONDS,
        help="Maximum time for one file: to read it, where a separate process does (PDF and office "
        "files), and for all else, in processor time: seconds, or as 2m.  [default: 60]",
    ),
    click.option(
        "--max-memory",
        type=Quantity("size", SIZES, _LEAST_MEMORY),
        default=MAX_MEMORY,
        help="Maximum memory for one file, in that process and in this one: bytes, or as 2GB.  "
        "[default: 1 GB]",
    ),
    click.option(
        "--ocr",
        is_flag=True,
        help="Recognise the text of PDF files that contain only page images, with Tesseract.",
    ),
    click.option(
        "--hidden",
        type=click.Choice(["keep", "drop"]),
        default="keep",
        help="Text that a document does not show, such as white on white: keep reads it "
        "as well, drop leaves it out; both report it.  [default: keep]",
    ),
    click.option(
        "--extractor",
        metavar="COMMAND",
        callback=lambda _context, _option, text: _command_reader(text),
        help="Read all files with this program, as in 'TOOL --text {}': {} stands for the file, "
        "and the program prints the text.  [default: the readers of ListParts readers]",
    ),
)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The reading options, passed as `reading`."""
    from sdtext.model import PartSpec
    from sdtext.reading.options import Reading

    @wraps(function)
    def with_reading(*args: Any, **options: Any) -> Any:
        readers = (PartSpec.of("pdf", ocr=True),) if options.pop("ocr") else ()
        readers += options.pop("extractor")
        limits = {key: options.pop(key) for key in ("max_bytes", "max_seconds", "max_memory")}
        encoding, hidden = options.pop("encoding"), options.pop("hidden")
        reading = Reading(encoding, readers=readers, hidden=hidden, **limits)
        return function(*args, reading=reading, **options)

    command: Callable[..., Any] = with_reading
    for option in reversed(_READING):
        command = option(command)
    return command


def _command_reader(text: str | None) -> tuple[PartSpec, ...]:
    """The reader that runs the program in `text`, written as for a shell."""
    from sdtext.model import PartSpec
    from sdtext.parts.registry import normalised

    if text is None:
        return ()
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(
            f"--extractor is {brief(text)}; its quotation marks do not match"
        ) from error
    if not any("{}" in word for word in words[1:]):
        program = words[0] if words else "TOOL"
        raise OptionError(
            f"--extractor is {brief(text)}; it must have {{}} where the program takes the file, as "
            f"in '{program} {{}}'"
        )
    return (normalised("readers", PartSpec.of("command", argv=tuple(words))),)


def reading_words(reading: Reading) -> list[str]:
    """The options of a command line that read documents in this way.

    >>> from sdtext.reading.options import Reading
    >>> reading_words(Reading(encoding="latin-1", max_seconds=5))
    ['--encoding', 'latin-1', '--max-seconds', '5']
    """
    from sdtext.reading.options import Reading

    default = Reading()
    words = []
    for name in ("encoding", "hidden", "max_bytes", "max_seconds", "max_memory"):
        if (value := getattr(reading, name)) != getattr(default, name):
            number = f"{value:.15g}" if isinstance(value, float) else str(value)
            words += [f"--{name.replace('_', '-')}", number]
    for reader in reading.readers:
        words += _reader_words(reader)
    return words


def selection_words(selection: Selection) -> list[str]:
    """The options of a command line that select these files of folders.

    >>> from sdtext.reading.options import Selection
    >>> selection_words(Selection(exclude=("drafts/",), all_files=True))
    ['--exclude', 'drafts/', '--all-files']
    """
    patterns = {"--include": selection.include, "--exclude": selection.exclude}
    words = [
        word for option, globs in patterns.items() for glob in globs for word in (option, glob)
    ]
    return [*words, *(["--all-files"] if selection.all_files else [])]


def _reader_words(reader: PartSpec) -> list[str]:
    """The options that select a reader."""
    options = dict(reader.options)
    if reader.name == "command":
        words = options["argv"]
        return ["--extractor", shlex.join(words if isinstance(words, tuple) else [str(words)])]
    return ["--ocr"] if options.get("ocr") else []
