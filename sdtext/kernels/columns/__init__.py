"""Columns of bits: one for each term, over many documents."""
