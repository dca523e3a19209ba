"""Libraries in every store: filled by one worker and by several, and by killed workers."""
