"""Tokenizers: a text in, its words with their places out.

`boundaries` holds the ASCII characters at which a text may be cut in two without changing its
words; a chain uses them to work on short stretches and to remember the frequent ones. `split`
gives the words alone. Where `only_white_space_splits` is true, a filter that works on single
characters may come before the tokenizer without changing the outcome.
"""
