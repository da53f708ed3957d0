"""Windows over sequences: their hashes, and all pairs that differ in few terms, exactly."""
