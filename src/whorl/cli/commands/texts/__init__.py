"""Commands that find plagiarism and text reuse."""
