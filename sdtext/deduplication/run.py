"""Deduplication: of documents that are alike one is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdtext.collections.ingest.inputs import Inputs
from sdtext.collections.schema import SKETCH_COLUMNS
from sdtext.deduplication.judged import judged
from sdtext.deduplication.rules import KEEP, USUAL
from sdtext.deduplication.sifting import Removed, Rules, Same, sifted
from sdtext.deduplication.sources import Sources, sources_in
from sdtext.deduplication.temporary import temporary
from sdtext.errors import MismatchError, OptionError, shown
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.parts.catalogue import find
from sdtext.reading.batches import Run
from sdtext.reading.walk import Paths
from sdtext.search.derivation import Making
from sdtext.search.question import Curve

__all__ = ["KEEP", "USUAL", "Deduplicated", "Removed", "Rules", "Same", "deduplicate"]

_USUAL = Rules()


@dataclass(frozen=True)
class Deduplicated:
    """What came of it: `read` documents could be read, and `removed` are not to be kept.

    `places` has by the number of the file the places of the documents in it that go (0 for the
    file itself). What could not be read stays. `how` says how pairs were found, and `curve` how
    probable that was at which similarity; it is empty where all were compared.
    """

    sources: Sources
    read: int
    removed: tuple[Removed, ...]
    clusters: tuple[Same, ...]
    places: Mapping[int, frozenset[int]]
    problems: tuple[Problem, ...]
    how: str
    curve: Curve

    def __str__(self) -> str:
        kept = self.read - len(self.removed)
        told = f"{self.read:,} read, {kept:,} kept, {len(self.removed):,} removed"
        stored = sum(one.cluster is None for one in self.removed)
        inside = f"in {len(self.clusters):,} cluster{'s' * (len(self.clusters) != 1)}"
        if not stored:
            return f"{told} {inside}" if self.removed else told
        return (
            f"{told}: {stored:,} similar to stored documents, {len(self.removed) - stored:,} "
            f"{inside}"
        )


def deduplicate(
    inputs: Sources | Inputs | Paths,
    rules: Rules = _USUAL,
    run: Run | None = None,
    folder: str | Path | None = None,
) -> Deduplicated:
    """Which of the documents at `inputs` are to be kept, and which are the same as one of these.

    They are files, folders and archives, or files of records of one kind. Temporary files stand
    below `folder`. Raises OptionError, UnreadableError, MismatchError or OutputError.

    >>> done = deduplicate(samples, Rules(minimum=40))
    >>> str(done)
    '8 read, 7 kept, 1 removed in 1 cluster'
    >>> [(Path(one.document).name, Path(one.kept).name, one.score) for one in done.removed]
    [('union.txt', 'union-edited.txt', 46)]
    """
    run = run or Run()
    recipe = recipe_for(rules)
    sources = inputs if isinstance(inputs, Sources) else sources_in(inputs, run)
    with temporary(folder) as place:
        documents = judged(sources, recipe, place, run)
        found = sifted(documents, rules)
        places = _by_file(map(documents.place, found.removed))
    removed = tuple(found.removed.values())
    told = found.problems, found.how, found.curve
    return Deduplicated(sources, len(documents), removed, found.clusters, places, *told)


def _by_file(places: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for number, place in places:
        found.setdefault(number, set()).add(place)
    return {number: frozenset(one) for number, one in found.items()}


def recipe_for(rules: Rules) -> RecipeSpec:
    """The recipe named, else that of the collection to be compared with, else the usual one.

    Raises OptionError where the recipe is for other things than shingles, MismatchError where
    the documents could not be compared with the collection's.
    """
    if rules.recipe:
        _check(rules.recipe)
    if rules.against is None:
        return rules.recipe or USUAL
    recipe = rules.recipe or rules.against.recipe
    if rules.against.recipe.shingler is None:
        raise MismatchError(
            f"{shown(rules.against.path)}: stores no shingles to compare documents by; create a "
            "collection with a recipe that names a shingler"
        )
    Making(rules.against.recipe, recipe)
    return recipe


def _check(recipe: RecipeSpec) -> None:
    """OptionError where documents cannot be compared by their shingles by that recipe."""
    wrong = ""
    if recipe.shingler is None:
        wrong = "names no shingler"
    elif recipe.fingerprint and recipe.fingerprint.name not in (*SKETCH_COLUMNS, "shingles"):
        wrong = f"is for the fingerprint {recipe.fingerprint.name}"
    elif recipe.matcher and _needs_dictionary(recipe.matcher):
        wrong = f"is for the matcher {recipe.matcher.name}"
    if wrong:
        raise OptionError(
            f"documents are deduplicated by their shingles, but the recipe {wrong}; use one with "
            'a shingler, such as configs/deduplicate.toml (shingler = "words"), or omit the '
            "recipe"
        )


def _needs_dictionary(matcher: PartSpec) -> bool:
    return bool(getattr(find("matchers", matcher.name), "needs_dictionary", False))
