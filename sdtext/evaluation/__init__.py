"""Quality of detected passages: `evaluate_pan_folders` compares cases by `pan_measures`."""

from sdtext.evaluation.evaluate_pan_folders import EvaluationRow, evaluate
from sdtext.evaluation.pan_measures import Evaluation, Measures, evaluate_cases

__all__ = ["Evaluation", "EvaluationRow", "Measures", "evaluate", "evaluate_cases"]
