"""The same jobs on Apache Spark: functions from DataFrames to DataFrames, past one machine.

They give the results of the functions of `sdtext` for documents in the order of their ids.
"""

from __future__ import annotations

from sdtext.spark.decontaminate import Decontaminated, decontaminate
from sdtext.spark.deduplicate import Deduplicated, deduplicate
from sdtext.spark.find_reuse import find_reuse
from sdtext.spark.search import find_pairs, similar
from sdtext.spark.terms import create_dictionary, fingerprint

__all__ = [
    "Decontaminated",
    "Deduplicated",
    "create_dictionary",
    "decontaminate",
    "deduplicate",
    "find_pairs",
    "find_reuse",
    "fingerprint",
    "similar",
]
