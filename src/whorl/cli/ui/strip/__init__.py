"""Options and output of commands that strip repeated text."""
