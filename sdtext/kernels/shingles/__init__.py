"""Shingles: hashes of all windows of letters or terms, as sets and as bags."""
