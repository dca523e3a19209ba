"""Compatibility: a drop-in replacement for nshash, and integrations with datatrove and Hugging Face datasets."""
