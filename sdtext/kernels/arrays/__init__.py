"""Ragged arrays, packed bits, hashes of rows, deterministic random numbers."""
