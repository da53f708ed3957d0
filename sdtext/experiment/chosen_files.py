"""The files of a choice: its recipe, its trimmed dictionary, and the commands that use them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy.engine import URL

from sdtext.errors import OutputError
from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.plan import ALL, BandCell, ExperimentPlan
from sdtext.experiment.results_database import file_of
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.output import written
from sdtext.io.remote_files import remote_address
from sdtext.model import Option, Origin, PartSpec, RecipeSpec
from sdtext.model.matches import MIN_TERMS
from sdtext.reading.overwrite_guard import (
    DICTIONARY,
    Output,
    OutputKind,
    check_named,
    check_outputs,
    created_folder,
)
from sdtext.reading.parallel_run import Run
from sdtext.wording import printable, shown

_RECIPE_HEAD = "# Recipe chosen by sdtext Experiment"
_COMMANDS_HEAD = "# Commands for the choice of sdtext Experiment"
_DOCUMENTS_HEAD = "# Documents: "
_RECIPE = OutputKind("such a recipe", lambda head: head.startswith(_RECIPE_HEAD.encode()))
_COMMANDS = OutputKind("such commands", lambda head: head.startswith(_COMMANDS_HEAD.encode()))
_DATABASE = OutputKind("a database", lambda head: head.startswith(b"SQLite format 3"))


@dataclass(frozen=True)
class Instruction:
    """What a choice is good for, and the commands that do it."""

    purpose: str
    commands: tuple[str, ...]

    @classmethod
    def of(cls, purpose: str, *commands: Sequence[str]) -> Instruction:
        """The instruction with these verbs and their arguments."""
        return cls(purpose, tuple(shlex.join(["sdtext", *words]) for words in commands))


@dataclass(frozen=True)
class ChosenFiles:
    """The files in a folder: `recipe.toml`, `dictionary.xml` and `commands.txt`.

    `url` is that of the database; without it, the folder has that, too. `reading` are the options
    of the command line with which the documents are read, `selection` those that select files of
    folders.
    """

    folder: Path
    replaces: bool = False
    url: URL | None = None
    reading: Sequence[str] = ()
    selection: Sequence[str] = ()

    @property
    def recipe(self) -> Output:
        """The recipe: tokenizers and matcher."""
        return Output(self.folder / "recipe.toml", _RECIPE, self.replaces)

    @property
    def dictionary(self) -> Output:
        """The dictionary of all documents, trimmed to the range."""
        return Output(self.folder / "dictionary.xml", DICTIONARY, self.replaces)

    @property
    def commands(self) -> Output:
        """The commands."""
        return Output(self.folder / "commands.txt", _COMMANDS, self.replaces)

    @property
    def database(self) -> URL:
        """The database of results."""
        return self.url or URL.create("sqlite", database=str(self.folder / "experiment.sqlite"))

    @contextmanager
    def checked(
        self, inputs: Sequence[str | Path], documents: Sequence[Path] = ()
    ) -> Iterator[None]:
        """Create the folder, and raise OutputError unless the files can be written to it.

        The results of other `documents` in it are not replaced unless any file may be.
        A new folder that stays empty, since something was refused or failed, is removed at the end.
        """
        check_named(str(self.folder))
        is_new = not self.folder.exists()
        created_folder(self.folder)
        try:
            outputs = [self.recipe, self.dictionary, self.commands]
            if file := file_of(self.database):
                outputs.append(Output(file, _DATABASE, self.replaces))
            check_outputs(outputs, inputs)
            self._check_documents(documents)
            if file and file.is_file() and not _DATABASE.includes(file):
                file.unlink()  # it is empty, or may be replaced
            yield
        finally:
            if is_new:
                with suppress(OSError):  # it is not empty
                    self.folder.rmdir()

    def _check_documents(self, documents: Sequence[Path]) -> None:
        """Raise OutputError if the commands in the folder are for others than these documents."""
        before = ""
        with suppress(OSError), Path(self.commands.path).open(encoding="utf-8") as file:
            head = next((line for line in file if line.startswith(_DOCUMENTS_HEAD)), "")
            before = head.removeprefix(_DOCUMENTS_HEAD).strip()
        if before and documents and before != _listed(documents) and not self.replaces:
            what = f"has the results of other documents, {shown(before)}; name another folder"
            raise OutputError(f"{what}, or begin anew with force", file=self.folder)

    def write(
        self, plan: ExperimentPlan, choice: ChosenCell, origin: Origin, run: Run | None = None
    ) -> None:
        """Write the files of a choice. Raises OutputError, and as `create_dictionary` does.

        A choice of shingles has no dictionary.
        """
        group, cell = plan.groups[choice.group], plan.cells[choice.cell]
        chosen: RecipeSpec = replace(group.recipe, matcher=plan.matchers[choice.matcher])
        if isinstance(cell, BandCell):
            chosen = replace(chosen, index=cell.index)
        else:
            whole = create_dictionary(
                [*plan.paths, *plan.held],
                group.recipe,
                sample=plan.dictionary_sample,
                max_terms=plan.dictionary_size,
                run=replace(run or Run(), problems=[], progress=None, stages=None),
            )
            trimmed = whole.trim(cell.min_idf, cell.max_idf, origin=origin)
            trimmed = replace(trimmed, name=plan.name)
            save(trimmed, self.dictionary.path, may_replace=self.dictionary.check_replaced)
        parts = [
            "\n".join([f"# {instruction.purpose}", *instruction.commands])
            for instruction in self.instructions(plan, choice)
        ]
        head = f"{_COMMANDS_HEAD}\n{_DOCUMENTS_HEAD}{_listed(plan.paths)}"
        texts = {self.recipe: recipe_as_toml(chosen)}
        texts[self.commands] = "\n\n".join([head, *parts]) + "\n"
        for output, text in texts.items():
            with written(output.path, output.check_replaced) as file:
                file.write(text.encode("utf-8"))

    def instructions(self, plan: ExperimentPlan, choice: ChosenCell) -> list[Instruction]:
        """The commands that use the files of a choice, and those that make its dictionary again."""
        cell, recipe, score = plan.cells[choice.cell], str(self.recipe.path), str(choice.cut)
        documents = [*map(str, plan.paths)]
        selected = [*self.reading, *self.selection]
        if isinstance(cell, BandCell):
            add = ["AddDocuments", "NAME.sdx", *documents, "-c", recipe, *selected]
            find = ["FindSimilar", "NAME.sdx", "FILE", "-s", score, *self.reading]
            return [
                Instruction.of("Store these documents in a collection", add),
                Instruction.of("Find the stored documents that resemble FILE", find),
                Instruction.of(
                    "List stored documents that resemble each other",
                    ["FindPairs", "NAME.sdx", "-s", score],
                ),
            ]
        dictionary = str(self.dictionary.path)
        folders = [word for path in documents for word in ("-p", path)]
        queries = [word for path in documents for word in ("-f", path)]
        compare = [*folders, "-d", dictionary, "-m", str(plan.matchers[choice.matcher])]
        compare += ["-s", score]
        if plan.min_terms != MIN_TERMS:
            compare += ["--min-terms", str(plan.min_terms)]
        create = [*documents, "-c", recipe, "-o", "whole.xml"]
        amounts = {"--sample": plan.dictionary_sample, "--max-terms": plan.dictionary_size}
        for option, amount in amounts.items():
            create += [] if amount == ALL else [option, str(amount)]
        bounds = ["-b", str(cell.min_idf), "-t", str(cell.max_idf)]
        printed = ["FILE", "-d", dictionary, "-o", "fingerprint.xml", *self.reading]
        return [
            Instruction.of(
                "List the documents here that resemble each other",
                ["CompareDirectory", *queries, *compare, *selected],
            ),
            Instruction.of(
                "Find the documents here that resemble FILE",
                ["CompareDirectory", "-f", "FILE", *compare, *selected],
            ),
            Instruction.of("Fingerprint FILE, to compare it elsewhere", ["Fingerprint", *printed]),
            Instruction.of(
                "Make the dictionary again, as when documents are added",
                ["CreateDictionary", *create, *selected],
                ["TrimDictionary", "whole.xml", *bounds, "-o", "trimmed.xml"],
            ),
        ]


def _listed(documents: Sequence[Path]) -> str:
    """The paths of documents, the same from whatever folder they are named."""
    places = (remote_address(path) or os.path.realpath(path) for path in documents)
    return shlex.join(printable(place) for place in places)


def recipe_as_toml(recipe: RecipeSpec) -> str:
    """A recipe as a TOML file.

    >>> print(recipe_as_toml(RecipeSpec(PartSpec("words"), (PartSpec.of("min-length", length=3),))))
    # Recipe chosen by sdtext Experiment
    tokenizer = "words"
    filters = [
        { name = "min-length", length = 3 },
    ]
    <BLANKLINE>
    """
    lines = [_RECIPE_HEAD, f"tokenizer = {_part(recipe.tokenizer)}", "filters = ["]
    lines += [f"    {_part(part)}," for part in recipe.filters]
    lines.append("]")
    for key in ("shingler", "fingerprint", "index", "matcher"):
        if part := getattr(recipe, key):
            lines.append(f"{key} = {_part(part)}")
    return "\n".join(lines) + "\n"


def _part(part: PartSpec) -> str:
    options = [f"{key} = {_value(value)}" for key, value in part.options]
    name = json.dumps(part.name)
    return f"{{ {', '.join([f'name = {name}', *options])} }}" if options else name


def _value(value: Option) -> str:
    """A value in TOML, which writes these types as JSON does."""
    listed: Sequence[str] | Option = list(value) if isinstance(value, tuple) else value
    return json.dumps(listed, ensure_ascii=False).replace("\x7f", "\\u007f")
