"""MinHash sketches, b-bit codes and LSH band keys."""
