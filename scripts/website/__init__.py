"""The documentation site: a tree of pages per language, built from the documents of the project.

``python -m scripts.website FOLDER`` gathers the documents, generates the reference from docstrings and help texts, and
builds the pages with Sphinx. It fails if a page has a broken link or loads anything from another host.
"""
