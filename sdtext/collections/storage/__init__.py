"""Files of a collection: catalog, segments, locks, merging."""
