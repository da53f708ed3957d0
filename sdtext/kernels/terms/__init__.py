"""From text to term numbers: tokens, vocabularies, caches of words."""
