"""PAN's measures of detections: precision, recall, granularity, plagdet.

M. Potthast, B. Stein, A. Barrón-Cedeño, P. Rosso: An evaluation framework for plagiarism
detection (COLING 2010). A detection meets a case where both overlap in the text and in its source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from sdtext.evaluation.overlaps import Cases, Met, Names, Rows, length, merged, met


@dataclass(frozen=True)
class Measures:
    """How well cases were found: precision and recall from 0 to 1, granularity 1 or more.

    >>> Measures(0.5, 1.0, 1.0).plagdet
    0.6666666666666666
    """

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """All in one figure from 0 to 1: F1 over log2(1 + granularity)."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both / log2(1 + self.granularity) if both else 0.0


@dataclass(frozen=True)
class Evaluation:
    """The measures with each case counting alike (macro) and with each code point (micro).

    `cases` are true ones, `found` those of them that any detection meets; `detections` are all,
    `false` those that meet no case.
    """

    macro: Measures
    micro: Measures
    cases: int
    found: int
    detections: int
    false: int


def measured(true: Cases, found: Cases) -> Evaluation:
    """How well the cases `true` were `found`: both by the name of the file that tells them.

    Macro recall is the mean over true cases of the share that detections cover, in code points
    of both sides; macro precision the same with roles exchanged; micro figures count the code
    points of each text once. Granularity is how many detections meet a case that is met. Where
    there is nothing to find, precision and recall are 1 if nothing was found, else 0.
    """
    recalled, exact = list(met(true, found)), list(met(found, true))
    pieces = _granularity(recalled)
    macro = Measures(_mean(exact, recalled), _mean(recalled, exact), pieces)
    return Evaluation(
        macro,
        _micro(recalled, exact, pieces),
        len(recalled),
        sum(one.others > 0 for one in recalled),
        len(exact),
        sum(one.others == 0 for one in exact),
    )


def _mean(cases: Sequence[Met], others: Sequence[Met]) -> float:
    if not (cases and others):
        return _of_nothing(cases, others)
    return sum(one.share for one in cases) / len(cases)


def _of_nothing(cases: Sequence[Met], others: Sequence[Met]) -> float:
    return 0.0 if cases or others else 1.0


def _granularity(recalled: Sequence[Met]) -> float:
    found = [one.others for one in recalled if one.others]
    return sum(found) / len(found) if found else 1.0


def _micro(recalled: Sequence[Met], exact: Sequence[Met], pieces: float) -> Measures:
    if not (recalled and exact):
        share = _of_nothing(recalled, exact)
        return Measures(share, share, pieces)
    both = _places((one.texts, one.covered) for one in recalled)
    true, found = (_places((one.texts, one.whole) for one in side) for side in (recalled, exact))
    return Measures(both / found, both / true, pieces)


def _places(cases: Iterable[tuple[Names, tuple[Rows, Rows]]]) -> int:
    """How many code points stretches have, in texts and in sources, those of each once."""
    texts: defaultdict[tuple[int, str], list[Rows]] = defaultdict(list)
    for names, sides in cases:
        for side, rows in enumerate(sides):
            texts[side, names[side]].append(rows)
    return sum(length(merged(np.concatenate(rows))) for rows in texts.values())
