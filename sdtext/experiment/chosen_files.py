"""The files of a choice: its recipe, its trimmed dictionary, and the commands that use them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.plan import ExperimentPlan
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.atomic import written
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

_RECIPE_HEAD = "# Recipe chosen by sdtext Experiment"
_COMMANDS_HEAD = "# Commands for the choice of sdtext Experiment"
_RECIPE = OutputKind("such a recipe", lambda head: head.startswith(_RECIPE_HEAD.encode()))
_COMMANDS = OutputKind("such commands", lambda head: head.startswith(_COMMANDS_HEAD.encode()))
_DATABASE = OutputKind("a database", lambda head: head.startswith(b"SQLite format 3"))


@dataclass(frozen=True)
class ChosenFiles:
    """The files in a folder: `recipe.toml`, `dictionary.xml` and `commands.txt`.

    The folder also has the default database.
    """

    folder: Path
    replaces: bool = False

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
    def database(self) -> Output:
        """The database of results, if no other is named."""
        return Output(self.folder / "experiment.sqlite", _DATABASE, self.replaces)

    @contextmanager
    def checked(self, inputs: Sequence[str | Path], *, own_database: bool) -> Iterator[None]:
        """Create the folder, and raise OutputError unless the files can be written to it.

        A new folder that stays empty, since something was refused or failed, is removed at the end.
        """
        check_named(str(self.folder))
        is_new = not self.folder.exists()
        created_folder(self.folder)
        try:
            outputs = [self.recipe, self.dictionary, self.commands]
            check_outputs([*outputs, *([self.database] if own_database else [])], inputs)
            yield
        finally:
            if is_new:
                with suppress(OSError):  # it is not empty
                    self.folder.rmdir()

    def write(self, plan: ExperimentPlan, choice: ChosenCell, origin: Origin, run: Run) -> None:
        """Write the files of a choice. Raises OutputError."""
        group, cell = plan.groups[choice.group], plan.cells[choice.cell]
        matcher = plan.matchers[choice.matcher]
        chosen = RecipeSpec(group.recipe.tokenizer, group.recipe.filters, matcher=matcher)
        self._write_text(self.recipe, recipe_as_toml(chosen))
        paths = list(plan.paths)
        sizes = plan.dictionary_sample, plan.dictionary_size
        whole = create_dictionary(paths, group.recipe, *sizes, run)
        trimmed = whole.trim(cell.min_idf, cell.max_idf, origin).labelled(plan.name)
        save(trimmed, self.dictionary.path, may_replace=self.dictionary.check_replaced)
        lines = "\n".join(commands_of(plan, choice, self.folder))
        self._write_text(self.commands, f"{_COMMANDS_HEAD}\n{lines}\n")

    def _write_text(self, output: Output, text: str) -> None:
        with written(output.path, output.check_replaced) as file:
            file.write(text.encode("utf-8"))


def commands_of(plan: ExperimentPlan, choice: ChosenCell, folder: Path) -> list[str]:
    """The commands that use the files of a choice in a folder, and one that makes them again."""
    cell, matcher = plan.cells[choice.cell], plan.matchers[choice.matcher]
    dictionary, recipe = str(folder / "dictionary.xml"), str(folder / "recipe.toml")
    paths = [str(path) for path in plan.paths]
    compare = ["CompareDirectory", "FILE", "FOLDER", "-d", dictionary, "-m", str(matcher)]
    compare += ["-s", str(choice.cut)]
    if plan.min_terms != MIN_TERMS:
        compare += ["--min-terms", str(plan.min_terms)]
    bounds = ["-b", f"{cell.min_idf:g}", "-t", f"{cell.max_idf:g}"]
    rows = [
        compare,
        ["Fingerprint", "FILE", "-d", dictionary, "-o", "fingerprint.xml"],
        ["CreateDictionary", *paths, "-c", recipe, "-o", "whole.xml"],
        ["TrimDictionary", "whole.xml", *bounds, "-o", "trimmed.xml"],
    ]
    return [shlex.join(["sdtext", *row]) for row in rows]


def recipe_as_toml(recipe: RecipeSpec) -> str:
    """A recipe with a tokenizer, filters and a matcher as a TOML file.

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
    lines += ["]", *([f"matcher = {_part(recipe.matcher)}"] if recipe.matcher else [])]
    return "\n".join(lines) + "\n"


def _part(part: PartSpec) -> str:
    options = [f"{key} = {_value(value)}" for key, value in part.options]
    name = json.dumps(part.name)
    return f"{{ {', '.join([f'name = {name}', *options])} }}" if options else name


def _value(value: Option) -> str:
    """A value in TOML, which writes these types as JSON does."""
    listed: Sequence[str] | Option = list(value) if isinstance(value, tuple) else value
    return json.dumps(listed, ensure_ascii=False).replace("\x7f", "\\u007f")
