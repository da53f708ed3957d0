"""The files of a choice: its recipe, its trimmed dictionary, and the commands that use them."""

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sdtext.errors import OptionError
from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.plan import ALL, ExperimentPlan
from sdtext.experiment.results_database import database_file, without_passwords
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.output import written
from sdtext.model import Option, Origin, PartSpec, RecipeSpec
from sdtext.model.matches import MIN_TERMS
from sdtext.reading.options import Reading
from sdtext.reading.overwrite_guard import (
    DICTIONARY,
    Output,
    OutputKind,
    check_outputs,
    folder_for_files,
)
from sdtext.reading.parallel_run import Run
from sdtext.wording import shown

_RECIPE_HEAD = "# Recipe chosen by sdtext Experiment"
_COMMANDS_HEAD = "# Commands for the choice of sdtext Experiment"
_RECIPE = OutputKind("such a recipe", lambda head: head.startswith(_RECIPE_HEAD.encode()))
_COMMANDS = OutputKind("such commands", lambda head: head.startswith(_COMMANDS_HEAD.encode()))
_DATABASE = OutputKind("a database", lambda head: head.startswith(b"SQLite format 3"))


Instruction = tuple[str, list[str]]
"""What a choice is good for, and the commands that do it."""


@dataclass(frozen=True)
class ChosenFiles:
    """The files in a folder: `recipe.toml`, `dictionary.xml`, `commands.txt`, `experiment.sqlite`.

    The last one is there unless another `database` is named. `reading` is how the documents are
    read.
    """

    folder: Path
    replaces: bool = False
    database: str = ""
    reading: Reading = field(default_factory=Reading)

    @property
    def outputs(self) -> list[Output]:
        """The recipe, the dictionary of all documents trimmed to the range, and the commands."""
        kinds = {"recipe.toml": _RECIPE, "dictionary.xml": DICTIONARY, "commands.txt": _COMMANDS}
        return [Output(self.folder / name, kind, self.replaces) for name, kind in kinds.items()]

    @property
    def results(self) -> str:
        """The database of results."""
        return self.database or str(self.folder / "experiment.sqlite")

    @contextmanager
    def checked(self, inputs: Sequence[str | Path]) -> Iterator[None]:
        """Create the folder, and raise OutputError unless the files can be written to it.

        A new folder that stays empty, since something was refused or failed, is removed at the end.
        """
        if str(self.folder) == "-":
            raise OptionError("output is '-'; it must be the name of a folder")
        with folder_for_files(self.folder):
            file = database_file(self.results)
            database = [Output(file, _DATABASE, self.replaces)] if file else []
            check_outputs([*self.outputs, *database], inputs)
            if file and file.is_file() and not _DATABASE.includes(file):
                file.unlink()  # it is empty, or may be replaced
            yield

    def write(
        self, plan: ExperimentPlan, choice: ChosenCell, origin: Origin, run: Run | None = None
    ) -> None:
        """Write the files of a choice. Raises OutputError, and as `create_dictionary` does.

        A choice of shingles has no dictionary.
        """
        group, cell = plan.groups[choice.group], plan.cells[choice.cell]
        matcher = plan.matchers[choice.matcher]
        chosen: RecipeSpec = replace(group.recipe, matcher=matcher, index=cell.index)
        recipe, dictionary, commands = self.outputs
        if not cell.index:
            whole = create_dictionary(
                [*plan.paths, *plan.held],
                group.recipe,
                sample=plan.dictionary_sample,
                max_terms=plan.dictionary_size,
                run=replace(run or Run(), problems=[], progress=None, stages=None),
            )
            trimmed = replace(whole.trim(cell.low, cell.high, origin=origin), name=plan.name)
            save(trimmed, dictionary.path, may_replace=dictionary.check_replaced)
        parts = [
            "\n".join([f"# {purpose}", *lines])
            for purpose, lines in self.instructions(plan, choice)
        ]
        text = "\n\n".join([_COMMANDS_HEAD, *parts]) + "\n"
        for output, content in ((recipe, recipe_as_toml(chosen)), (commands, text)):
            with written(output.path, output.check_replaced) as file:
                file.write(content.encode("utf-8"))

    def summary(self, plan: ExperimentPlan, choice: ChosenCell) -> list[str]:
        """Where the files are, and the first thing to do with them."""
        purpose, commands = self.instructions(plan, choice)[0]
        results = shown(without_passwords(self.results))
        return [
            f"recipe and commands are in {shown(self.folder)}, results in {results}",
            f"{purpose}: {shown(commands[0])}",
        ]

    def instructions(self, plan: ExperimentPlan, choice: ChosenCell) -> list[Instruction]:
        """The commands that use the files of a choice, and those that make its dictionary again."""

        def to(purpose: str, *commands: Sequence[str]) -> Instruction:
            return purpose, [shlex.join(["sdtext", *words]) for words in commands]

        cell, score = plan.cells[choice.cell], str(choice.cut)
        recipe, dictionary = (str(output.path) for output in self.outputs[:2])
        documents = [*map(str, plan.paths)]
        options, selection = self.reading, self.reading.selection
        reading = ["--encoding", options.encoding] if options.encoding else []
        reading += ["--ocr"] if options.readers else []
        selected = [*reading]
        for name, patterns in (("--include", selection.include), ("--exclude", selection.exclude)):
            selected += [word for each in patterns for word in (name, each)]
        if cell.index:
            add = ["AddDocuments", "NAME.sdx", *documents, "-c", recipe, *selected]
            find = ["FindSimilar", "NAME.sdx", "FILE", "-s", score, *reading]
            pairs = ["FindPairs", "NAME.sdx", "-s", score]
            return [
                to("Store these documents in a collection", add),
                to("Find the stored documents that resemble FILE", find),
                to("List stored documents that resemble each other", pairs),
            ]
        verb = ["CompareDirectory"]
        queries = [word for path in documents for word in ("-f", path)]
        compare = [word for path in documents for word in ("-p", path)]
        compare += ["-d", dictionary, "-m", str(plan.matchers[choice.matcher]), "-s", score]
        if plan.min_terms != MIN_TERMS:
            compare += ["--min-terms", str(plan.min_terms)]
        compare += selected
        create = ["CreateDictionary", *documents, "-c", recipe, "-o", "whole.xml"]
        amounts = {"--sample": plan.dictionary_sample, "--max-terms": plan.dictionary_size}
        for option, amount in amounts.items():
            create += [] if amount == ALL else [option, str(amount)]
        create += selected
        ends = ["-b", str(cell.low), "-t", str(cell.high)]
        trim = ["TrimDictionary", "whole.xml", *ends, "-o", "trimmed.xml"]
        printed = ["FILE", "-d", dictionary, "-o", "fingerprint.xml", *reading]
        return [
            to("List the documents here that resemble each other", [*verb, *queries, *compare]),
            to("Find the documents here that resemble FILE", [*verb, "-f", "FILE", *compare]),
            to("Fingerprint FILE, to compare it elsewhere", ["Fingerprint", *printed]),
            to("Make the dictionary again, as when documents are added", create, trim),
        ]


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
