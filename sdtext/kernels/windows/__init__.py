"""The window join: all pairs of token windows that differ in few tokens, exactly."""
