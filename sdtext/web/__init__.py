"""The web application: check a document against collections, without a command line.

`application` has the pages and the JSON of the API, `guard` lets nobody in without a token, `jobs`
keeps what is asked for in a table and runs it in processes, `work` is what such a process does.
"""
