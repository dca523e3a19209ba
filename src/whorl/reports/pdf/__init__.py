"""Pages as PDF, printed by a separate process."""
