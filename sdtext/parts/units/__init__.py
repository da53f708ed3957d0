"""Units: the stretches of a document that are looked at one by one.

A unit is a part: called on a Document it gives a list of Spans of its text, in order and without
overlap, none empty or with white space at an end; together they hold all that can be seen.
Segments are another thing: they are cut from a stream of terms.
"""
