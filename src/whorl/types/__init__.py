"""Result types that more than one layer uses; they depend on messages and errors only."""
