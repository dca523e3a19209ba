"""Evaluation against labeled data: copies made by known edits, with every copied passage on record, and scoring."""
