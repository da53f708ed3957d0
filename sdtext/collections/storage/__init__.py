"""Files of a collection: catalog, segments, lock, caches, and the writer of them."""
