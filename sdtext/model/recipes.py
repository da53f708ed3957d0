"""Specifications of recipes: parts by name, with their options."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sdtext.model.displayed_results import ShortFields

Option = str | int | float | bool | tuple[str, ...]
"""The type of an option of a part."""


@dataclass(frozen=True, repr=False)
class PartSpec(ShortFields):
    """A part by its name, with the options that were given, in the order of their names.

    >>> PartSpec.of("min-length", length=3)
    PartSpec(name='min-length', options=(('length', 3),))
    """

    name: str
    options: tuple[tuple[str, Option], ...] = ()

    @classmethod
    def of(cls, name: str, /, **options: Option) -> PartSpec:
        """The spec with `options`, which may also be called `name`."""
        return cls(name, tuple(sorted(options.items())))

    def __str__(self) -> str:
        """The part in readable form; lists are shown by their length, 2.0 as 2."""
        shown = [
            f"{len(value)} {key}"
            if isinstance(value, tuple)
            else f"{key}={int(value) if type(value) is float and value.is_integer() else value}"
            for key, value in self.options
        ]
        return f"{self.name}({', '.join(shown)})" if shown else self.name


@dataclass(frozen=True, repr=False)
class RecipeSpec(ShortFields):
    """The parts of a pipeline by name, as in a recipe file or a dictionary.

    A spec that comes out of `sdtext.parts.load_recipe` is settled: its names are sdtext's own, its
    word lists stand in it, and options that equal the part's default are left out. A dictionary
    carries the chain alone, and no `reader`, which may be a program.
    """

    tokenizer: PartSpec
    filters: tuple[PartSpec, ...] = ()
    fingerprint: PartSpec | None = None
    matcher: PartSpec | None = None
    reader: PartSpec | None = None
    unit: PartSpec | None = None
    shingler: PartSpec | None = None
    index: PartSpec | None = None
    aligner: PartSpec | None = None

    def chain(self) -> tuple[PartSpec, ...]:
        """The tokenizer and the filters, in order."""
        return (self.tokenizer, *self.filters)

    def canonical(self) -> str:
        """The chain as one line of JSON, equal for equal chains on every machine.

        >>> RecipeSpec(PartSpec("words"), (PartSpec.of("min-length", length=3),)).canonical()
        '[["words",{}],["min-length",{"length":3}]]'
        """
        rows = [[part.name, dict(part.options)] for part in self.chain()]
        return json.dumps(rows, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
