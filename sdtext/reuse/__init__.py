"""Reused text: which passages documents share, and how much of each is found elsewhere."""

from sdtext.reuse.finding import Sought, find_reuse
from sdtext.reuse.question import ReuseQuestion

__all__ = ["ReuseQuestion", "Sought", "find_reuse"]
