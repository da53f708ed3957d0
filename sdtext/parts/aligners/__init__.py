"""Aligners: the passages that two texts share.

All return passages sorted by their places on the left, then on the right. The result depends
neither on the order nor on repeats of the input; no passage is empty or exceeds its text.

`windows` and `weighted-words` are called with boxes, an int64 array of shape (n, 4) whose rows are
places among the terms of two documents (left start, left end, right start, right end; the ends are
exclusive), and with the words of both documents; `sentences` with matches of their sentences.
"""
