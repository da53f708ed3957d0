"""Decontaminate: which records hold items of a benchmark, where, and what is left without them."""
