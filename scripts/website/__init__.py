"""The documentation site: both languages as trees of the same pages, made of the documents of the project.

``python -m scripts.website FOLDER`` gathers the documents, writes the reference from docstrings and from the help, lets
Sphinx make the pages, and fails where one of them has a link that leads nowhere, or asks another host for anything.
"""
