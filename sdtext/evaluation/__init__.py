"""How well passages were found: PAN's measures, over what was planted and what was found."""

from __future__ import annotations

from sdtext.evaluation.folders import Row, evaluate
from sdtext.evaluation.measures import Evaluation, Measures, measured

__all__ = ["Evaluation", "Measures", "Row", "evaluate", "measured"]
