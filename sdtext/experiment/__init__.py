"""Experiments: which tokenizers, range of IDF, matcher and cut find most on these documents."""
