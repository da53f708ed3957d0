"""Shinglers: the short stretches of a document that its likeness to others is counted in.

A shingler is called with a block of documents and a hash, and gives a row for each document: the
hashes of its shingles in their order, repeats kept. With `bag` repeats are numbered, so that each
is another value and the rows as sets are bags. A document that has terms, but nothing as long as
a shingle, has one: all of it.

`sets`, which may be missing, gives the same rows as sets, in order: for long texts in less memory.

`needs_white_space` says whether the white space between terms has to be in the block; `by_hashes`,
which may be missing, that the block may hold the hashes of terms and nothing else, as it does
where the hash of shingles is one `by_numbers`.
"""
