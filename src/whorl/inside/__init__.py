"""Use cases inside documents: text of benchmarks in training data."""
