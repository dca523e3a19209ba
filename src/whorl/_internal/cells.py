"""The width of text in a terminal, or in another font with characters of one width."""

from unicodedata import east_asian_width


def cells(text: str) -> int:
    """Return the number of cells that a text takes: Chinese characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


__all__ = ["cells"]
