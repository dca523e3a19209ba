"""Truth sets and how to score against them: copies made by known tricks, with every copied passage on record."""
