"""Readers: the content of a file in, its text out.

A reader is a part: `recognises` tells from the first bytes of a file whether it is one for this
reader, calling it on a `Content` yields the text in blocks. `normal_form` is the Unicode normal
form its text is brought into.
"""
