"""Hashes of shingles: the number that a shingle is known by.

A hash is called with symbols (letters, or terms), a length, and the places where windows of that
length begin; it gives an array of uint64. `caution` says what is wrong with its options, "" if
nothing is. `by_numbers`, which may be missing, says that the keys and numbers of symbols are all it
asks for, so that their spelling need not be known.
"""
