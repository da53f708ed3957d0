"""Aligners: the passages that two texts share.

All return passages sorted by their places on the left, then on the right. The result depends
neither on the order nor on repeats of the input; no passage is empty or exceeds its text.

- `windows`: the part is called with boxes, an int64 array of shape (n, 4) whose rows are places
  among the terms of two documents (left start, left end, right start, right end; the ends are
  exclusive), the words of both documents (`DocumentWords`), and the number of terms in a window.
- `weighted-words`: the part is called with boxes and words likewise, and the weight of each term of
  the right document.
- `sentences`: the part is called with matches of sentences of two documents, as its class says.
"""
