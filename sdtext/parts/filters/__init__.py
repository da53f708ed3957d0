"""Filters: one word in, one word out; the empty word drops it.

A filter is pure, so that a chain can remember what it makes of each distinct word. One whose
`characterwise` is true treats every character on its own, whatever stands beside it (but for a
capital sigma), and leaves white space: the chain may then do that to a whole text at once.
`libraries` names the packages whose version its results depend on. Where the option `language` may
be `auto`, the language of each document, `languages` names those that the filter knows.
"""
