"""The rule for output files: never an input, and nothing but a result of the same kind is replaced.

An existing file is replaced if it is empty, if it is recognised as a result of the same kind, or
if that is forced. An output that is also an input is refused in any case: under another spelling
of its path, through symbolic and hard links, and where it lies in a folder that is read.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryFile

from sdtext.errors import OptionError, OutputError, UnreadableError
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.io.output import TEMPORARY, place_of
from sdtext.io.remote_files import check_writable, remote_address
from sdtext.reading.archive_members import MARK
from sdtext.reading.options import Selection
from sdtext.reading.walk import CATALOG, matching_paths, walk
from sdtext.wording import shown, unwritable

_STDOUT = "-"
_IS_INPUT = "is also an input; choose another output file"

Identity = tuple[int, int]
"""The device and the number of a file or folder: equal for all its names."""


@dataclass(frozen=True)
class OutputKind:
    """A kind of result, and how a file of it is recognised by its first bytes.

    `is_skipped` tells whether readers skip such files among documents; a comparison with a folder
    reads the fingerprints in it. Without `recognises` a file of this kind looks like anyone's.
    """

    name: str = ""
    recognises: Callable[[bytes], bool] | None = None
    is_skipped: bool = False

    def includes(self, path: Path) -> bool:
        """Whether the file at `path`, unpacked where it is compressed, is of this kind."""
        try:
            return self.recognises is not None and self.recognises(Content(path).head)
        except UnreadableError:
            return False


DICTIONARY = OutputKind("a dictionary", lambda head: kind_of_own_file(head) == "dictionary", True)  # noqa: FBT003
FINGERPRINTS = OutputKind(
    "a fingerprint file", lambda head: kind_of_own_file(head) in ("fingerprint", "fingerprints")
)
EVIDENCE = OutputKind("evidence", lambda head: kind_of_own_file(head) == "evidence")
PLAIN = OutputKind()
"""Texts, records and lists of paths."""


@dataclass(frozen=True)
class Output:
    """An output file; `replaces` allows any existing file to be replaced."""

    path: str | Path
    kind: OutputKind
    replaces: bool = False

    @property
    def place(self) -> Path:
        """The path without links. Raises OutputError if there is no folder for the file."""
        return Path(self.path) if remote_address(self.path) else place_of(self.path)

    def check(self, inputs: Iterable[str | Path] = ()) -> None:
        """Raise OutputError unless this file can be written without loss.

        `inputs` are the files and folders that are read, or are about to be. The standard output,
        devices and pipes are always accepted.
        """
        check_named(self.path)
        if address := remote_address(self.path):
            remote = [path for path in inputs if remote_address(path)]
            if address in (match for path in remote for match in matching_paths(path)):
                raise OutputError(_IS_INPUT, file=self.path)
            self.check_replaced()
            return
        status = _status(self.path)
        is_plain = status is None or S_ISREG(status.st_mode) or S_ISDIR(status.st_mode)
        if str(self.path) != _STDOUT and is_plain:
            check_folder(self.place.parent, self.path)
            files, folders = _by_identity(inputs)
            if status and _identity(status) in files:
                raise OutputError(_IS_INPUT, file=self.path)
            inside = _around(self.place.parents, folders)
            # Readers skip some kinds among the documents of a folder.
            is_skipped = self.kind.is_skipped and (not status or self.kind.includes(self.place))
            if inside and not is_skipped:
                what = f"is in the input folder {shown(inside)}; name a file outside it"
                raise OutputError(_IS_INPUT if status else what, file=self.path)
            # Folders are searched only if another name of the file can be in them.
            if status and status.st_nlink > 1 and not inside:
                whole = Selection(all_files=True)
                others = map(identity_of, walk(list(folders.values()), lambda _: None, whole))
                if _identity(status) in others:
                    raise OutputError(_IS_INPUT, file=self.path)
            self.check_replaced()

    def check_replaced(self) -> None:
        """Raise OutputError if there is a file that may not be replaced."""
        if address := remote_address(self.path):
            check_writable(address, replaces=self.replaces)
            return
        status = _status(self.path)
        if status and S_ISDIR(status.st_mode):
            raise OutputError("cannot be written: it is a folder; name a file", file=self.path)
        if status and status.st_size and not (self.replaces or self.kind.includes(self.place)):
            what = f" and is not {self.kind.name}" if self.kind.name else ""
            raise OutputError(f"already exists{what}; name another file", file=self.path)


def check_named(path: str | Path | None) -> None:
    """Raise OptionError for an output whose name is empty, as of an unset variable of a script."""
    if path is not None and not str(path):
        raise OptionError("the output names no file: its value is empty; name one, or - to print")


def check_folder(folder: Path, output: str | Path) -> None:
    """Raise OutputError unless files can be created in `folder`, and it is in no collection.

    `folder` has no links in it; `output` is the file or folder that messages name.
    """
    for place in (folder, *folder.parents):
        if (place / CATALOG).is_file():
            what = f"is in the collection {shown(place.name)}; name a file outside it"
            raise OutputError(what, file=output)
    try:
        TemporaryFile(dir=folder, prefix=TEMPORARY).close()
    except OSError as error:
        raise OutputError(unwritable(error), file=output) from error


def check_outside(folder: str | Path, inputs: Iterable[str | Path], *, beside: bool = True) -> None:
    """Raise OutputError if a folder for results, which need not exist, is in an input folder.

    Unless results may be `beside` inputs, OutputError also if it is the folder of an input file.
    """
    files, folders = _by_identity(inputs)
    place = Path(os.path.realpath(folder))
    homes = {} if beside else _by_identity(Path(file).parent for file in files.values())[1]
    if inside := _around([place, *place.parents], folders) or _around([place], homes):
        what = f"is in the input folder {shown(inside)}; name a folder outside it"
        raise OutputError(what, file=folder)


def _around(places: Iterable[Path], folders: Mapping[Identity | None, str]) -> str | None:
    return next((folders[item] for item in map(identity_of, places) if item in folders), None)


def created_folder(folder: Path) -> Path:
    """The folder, which is made if there is none. Raises OutputError if no file can be in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise OutputError("is a file; name a folder here, or remove it", file=folder) from error
    except OSError as error:
        raise OutputError(unwritable(error), file=folder) from error
    check_folder(folder.resolve(), folder)
    return folder


@contextmanager
def folder_for_files(folder: Path) -> Iterator[Path]:
    """`created_folder` for a time; what was made of it is removed if no file is in it then."""
    made = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    try:
        yield created_folder(folder)
    finally:
        with suppress(OSError):  # it holds files
            for place in made:
                place.rmdir()


def check_outputs(outputs: Sequence[Output], inputs: Iterable[str | Path]) -> None:
    """Check each output, and that no two are the same. Raises OutputError, OptionError."""
    inputs = list(inputs)
    places = [output.place if str(output.path) != _STDOUT else output.path for output in outputs]
    for number, output in enumerate(outputs):
        if places[number] in places[:number]:
            what = "is named for two outputs; name two different files"
            raise OptionError(what, file=output.path)
        output.check(inputs)


def identity_of(path: str | Path) -> Identity | None:
    """The identity of the file or folder at `path`; None if there is none."""
    status = _status(path)
    return _identity(status) if status else None


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def _status(path: str | Path) -> os.stat_result | None:
    with suppress(OSError, ValueError):
        return Path(path).stat()
    return None


def _by_identity(
    inputs: Iterable[str | Path],
) -> tuple[dict[Identity | None, str], dict[Identity | None, str]]:
    files: dict[Identity | None, str] = {}
    folders: dict[Identity | None, str] = {}
    for path in (match for each in inputs for match in matching_paths(each)):
        for place in _with_archives(str(path)):
            if status := _status(place):
                group = folders if S_ISDIR(status.st_mode) else files
                group.setdefault(_identity(status), place)
    return files, folders


def _with_archives(path: str) -> Iterator[str]:
    """The path, and where it may be that of a file in an archive, those of the archives.

    >>> list(_with_archives("a.zip!b.zip!c.txt"))
    ['a.zip!b.zip!c.txt', 'a.zip', 'a.zip!b.zip']
    """
    yield path
    parts = [] if os.path.lexists(path) else path.split(MARK)
    yield from (MARK.join(parts[:number]) for number in range(1, len(parts)))
