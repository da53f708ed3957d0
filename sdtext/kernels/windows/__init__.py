"""Pairs of token windows that differ in few tokens, exactly."""
