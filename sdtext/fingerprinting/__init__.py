"""Dictionaries, fingerprints, their files, and what a fingerprint file discloses; no comparison.

`build_dictionary` counts terms, `fingerprint_documents` makes fingerprints, `load_and_save` reads
and writes both. `save_fingerprints` writes a file to share, as `disclosure_profiles` allows.
`dictionaries_by_digest` finds the dictionaries that fingerprints were made with.
"""
