"""Add to a library, look into it, and maintain it."""
