"""Reused text: which passages documents share, and how much of each is found elsewhere."""
