"""Hamming distances of codes, and exact joins within a radius."""
