"""What a library takes, measured in a process of its own: alone, beside bare SQLite, and under readers and a writer."""
