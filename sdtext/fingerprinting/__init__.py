"""Dictionaries, fingerprints, their comparison, and what a fingerprint file discloses.

`build_dictionary` counts terms, `fingerprint_documents` makes fingerprints, `load_and_save` reads
and writes both. `compare` scores two fingerprints; `compare_folder` compares `queries` with all
of a folder. `save_fingerprints` writes a file to share, as `fingerprint_disclosure` allows.
"""
