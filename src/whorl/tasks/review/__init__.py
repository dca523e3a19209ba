"""Review matches and clusters."""
