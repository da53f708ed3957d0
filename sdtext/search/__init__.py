"""Search: pairs of similar documents, and documents similar to a query.

`find` finds pairs within and between collections, `similar_documents` what is similar to queries.
They ask `search_plan`, which chooses a `find.Strategy` by the question and what is stored:
`set_search` (also with weights and for sequences), `bit_vector_search`; `candidates` has the exact
join and LSH. `results` are rows, `search_explanations` says how they were found, and
`shared_pieces` ends a search with what the documents of each row share, and the problems.

`compare` lists the files of a folder and of the queries by kind (`list_files`), reads the queries,
as shingles, bit vectors or sketches (`ways_to_compare`), and then the folder, as collections in
memory, one after the other. Of each collection the strategy gives what is similar to each query,
and the exact matches of these are the rows. `score` has the match of two documents in the same way.
`fingerprint_scores` has the match of two fingerprints, `compare_texts` that of two texts.
"""
