"""Containers: files that hold other files, as archives and mails do.

A container is a part: `called` is what its files are called in messages, `recognises(content)`
tells whether a `Content` is one, by its first bytes if they can tell, and `members(content)` yields
a `Member` for each file in it, in order, and a `Problem` for each that cannot be had. Where
`also_text` is true, a reader reads the file itself, too. `members` is called in a process of its
own, within limits of time and memory; only UnreadableError leaves it.
"""
