"""Libraries in every store: filled by one worker and by several, and by workers that are killed."""
