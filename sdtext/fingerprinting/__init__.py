"""Dictionaries, fingerprints, their comparison, and what a fingerprint file discloses.

`build_dictionary` counts terms, `fingerprint_documents` makes fingerprints, `load_and_save` reads
and writes both. `save_fingerprints` writes a file to share, as `disclosure_profiles` allows.

A comparison with folders: `query_files` loads the fingerprints to look for, and their
dictionaries; without one, `folder_dictionary` makes one of the folder. `compare_folder` walks the
folder, and `fingerprint_documents` reads its documents. `compare_fingerprints` scores every one
with every query; there is no index.
"""
