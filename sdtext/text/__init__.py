"""Text: language, normal form with its offset map, hyphens, encodings."""
