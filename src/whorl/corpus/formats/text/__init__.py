"""Plain text, Markdown, LaTeX and subtitles: one document a file."""
