"""Readers of binary Office files (before 2007)."""
