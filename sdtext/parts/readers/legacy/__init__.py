"""Readers of binary Office files of before 2007."""
