"""Commands that watch sites, and that follow and prove copies."""
