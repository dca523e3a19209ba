"""Commands that fill, inspect and maintain libraries."""
