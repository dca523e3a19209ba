"""Reports of an evaluation and of a recommendation, as pages and for the terminal."""
