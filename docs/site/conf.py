"""How Sphinx makes the documentation site; scripts/website calls it, once for each language."""

import logging
from pathlib import Path
from typing import Any

import jieba

import whorl

jieba.setLogLevel(logging.WARNING)  # it cuts the words that the search in Chinese knows

_SITE = Path(__file__).parent

project = "whorl"
author = "The whorl developers"
copyright = author
version = release = whorl.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
default_role = "py:obj"
highlight_language = "text"
smartquotes = False  # they would make one dash of the two of an option
toc_object_entries_show_parents = "hide"

myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto", "english"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False
python_maximum_signature_line_length = 100
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = "whorl"
html_show_sourcelink = False
html_copy_source = False
templates_path = [str(_SITE / "templates")]
html_static_path = [str(_SITE / "static")]
html_css_files = ["site.css"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}


def _name_the_other_page(app: Any, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Tell the page where it is in the other language: the page of its name, or else where that language begins."""
    other = "en" if app.config.language.startswith("zh") else "zh"
    has_both = page in app.env.found_docs and (Path(app.srcdir).parent / other / f"{page}.md").exists()
    is_written = page.startswith("reference/") or page in ("genindex", "py-modindex", "search")
    up = "../" * (page.count("/") + 1)
    context["other_page"] = f"{up}{other}/{page if has_both or is_written else 'index'}.html"


def setup(app: Any) -> None:
    """Let pages know their other language."""
    app.connect("html-page-context", _name_the_other_page)
