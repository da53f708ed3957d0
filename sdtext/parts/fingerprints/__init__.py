"""Fingerprinters: from the terms or shingles of documents to vectors.

`bitvector` and `digest` are called with the terms of one document and a dictionary; `shingles`,
`minhash` and `bbit` with the shingles of many documents at once, a row of 64-bit hashes each
(sdtext.kernels.arrays.ragged), and give a row for each document.
"""
