"""Make and verify evidence packs."""
