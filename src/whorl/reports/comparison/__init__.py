"""Pages, tables and wording of a comparison."""
