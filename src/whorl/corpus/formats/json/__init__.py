"""JSON Lines, and JSON in any other layout."""
