"""Fingerprinters: the terms of a document in, vectors out."""
