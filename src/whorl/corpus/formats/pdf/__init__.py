"""PDF files: pages, their layout, and what repeats on each of them."""
