"""CSV, TSV and Parquet: one document a row."""
