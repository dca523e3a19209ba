"""What a run of whorl shows to people: one HTML page to keep and print, and panels for the terminal.

`dedup` renders the page of a dedup run, `terminal` the panels that the command line prints. Both read the same
figures (`figures`) and the same evidence (`evidence`), and neither reads a file: the caller brings the texts.
Every text from outside is escaped, and characters that hide or reorder text are shown by name (`visible`).
"""
