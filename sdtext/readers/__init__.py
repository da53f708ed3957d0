"""Readers: the content of a file in, its text out.

A reader is a part: `recognises` tells whether a `Content` is one for this reader, calling it on
that yields the text in blocks. `normal_form` is the Unicode normal form its text is brought into;
a reader that says it is `isolated` works in a process of its own, within limits of time and
memory, because what it reads is taken apart by more than a few lines of our own.
"""
