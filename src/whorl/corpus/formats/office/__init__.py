"""DOCX, ODT and RTF, and the packages and styles that they are made of."""
