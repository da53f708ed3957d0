"""Quality of detected passages: `evaluate_pan_folders` compares cases by the measures of PAN."""

from sdtext.evaluation.evaluate_pan_folders import (
    Evaluation,
    EvaluationRow,
    Measures,
    evaluate,
    evaluate_cases,
)

__all__ = ["Evaluation", "EvaluationRow", "Measures", "evaluate", "evaluate_cases"]
