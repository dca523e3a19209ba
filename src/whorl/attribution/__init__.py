"""Who published first: statements in texts, times, syndication, weights, and the verdict that follows."""
