"""Draw samples for people to label, and estimate from their answers."""
