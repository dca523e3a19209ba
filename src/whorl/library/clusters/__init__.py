"""Clusters: connected components of the matches that join, with the decisions of people."""
