"""Decisions about matches, permissions to reprint, and alerts that wait to be sent."""
