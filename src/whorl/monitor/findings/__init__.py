"""What a watch found: records, judgments, figures, and statistics of copies."""
