"""Full runs on every engine, and predictions for more documents on more machines."""
