"""Compare, explain and check single texts."""
