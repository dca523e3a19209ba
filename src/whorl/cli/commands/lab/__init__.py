"""Commands about methods and words."""
