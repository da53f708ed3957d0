"""Tables: binary files of records, one row each.

A table is a part: `called` is what its files are called in messages, and `members(content)` yields
one `Member` as a container's does: the rows as JSON lines, which are then read as those are. It is
called in a process of its own, within limits of time and memory; only UnreadableError and
OptionError leave it.
"""
