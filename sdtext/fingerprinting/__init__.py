"""Dictionaries, fingerprints, their comparison, and what a fingerprint file discloses."""
