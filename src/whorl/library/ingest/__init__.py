"""Add documents: parse fields, batch, compare and commit."""
