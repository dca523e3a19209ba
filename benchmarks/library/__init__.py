"""Cost of a library, measured in a separate process: alone, next to bare SQLite, and with concurrent processes."""
