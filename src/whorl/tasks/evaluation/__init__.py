"""Evaluate methods and recommend a recipe."""
