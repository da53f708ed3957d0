"""The command line: one file for each verb, over a library that can do all they do."""
