"""Text reuse across a corpus: all shared passages, clusters of passages, tables, graphs and a page."""
