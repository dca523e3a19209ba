"""Reports of whorl: a self-contained HTML page to keep and print, and panels for the terminal.

`dedup` renders the page of a dedup run, `terminal` the panels that the command line prints. Both read the same
figures (`figures`) and the same evidence (`evidence`). Neither reads a file: the caller passes the texts. All
foreign text is escaped, and characters that hide or reorder text are shown by name (`visible`).
"""
